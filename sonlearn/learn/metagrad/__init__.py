"""MetaGrad: many step sizes at once, with whole matrices (`dense`) or one sketch for all experts (`sketched`)."""
