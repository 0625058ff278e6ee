"""The losses by name, and the options that belong to one loss each; `sonlearn.learn.losses` computes them."""

LOSSES = ("squared", "logistic", "hinge", "absolute", "squared_hinge", "quantile", "huber", "poisson")
#: Losses whose labels are -1 and +1.
CLASSIFICATION = ("logistic", "hinge", "squared_hinge")
#: Losses with which classes can be learned, their labels being -1 and +1.
OF_CLASSES = (*CLASSIFICATION, "squared")
#: Losses of values that mean the same whatever the unit.
SCALE_FREE = ("squared", "absolute", "quantile")
#: Options of one loss each.
LOSS_OPTIONS = {"quantile_tau": "quantile", "huber_k": "huber"}
#: Losses whose best prediction tells the probability of a class: its logit, or 2 P - 1.
PROBABILISTIC = ("logistic", "squared", "squared_hinge")
