"""Random projections of the gradients: rp-son, ada-gp, ada-dp, radagrad; kernels in `rounds`, called by `engine`."""
