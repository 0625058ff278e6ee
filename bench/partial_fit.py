"""The peer of `bench/speed.py`: a file of LIBSVM text and scikit-learn's SGDClassifier, in the loop that a user writes.

python bench/partial_fit.py FILE FEATURES
"""

import io
import sys
from itertools import islice

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier

path, features = sys.argv[1], int(sys.argv[2])
model = SGDClassifier(loss="log_loss")
with open(path, "rb") as file:
    while lines := list(islice(file, 1000)):
        X, y = load_svmlight_file(io.BytesIO(b"".join(lines)), n_features=features)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # others are refused
        model.partial_fit(X, y, classes=[-1, 1])
