"""The transformers for scikit-learn: texts are hashed as the reader does it, and components are the sketch's."""

import io
import pickle

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("sklearn", reason="needs the extra sklearn")

from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from sonlearn import OptionError, TextOptions, read_batches
from sonlearn.sklearn import StreamingSVD, TextHasher


def test_texts_are_hashed_as_the_reader_does_it():
    texts = ["cheap watches", "", "cheap cheap tea"]
    X = TextHasher(bits=18).transform(texts)
    assert X.shape == (3, 1 << 18)
    np.testing.assert_array_equal(X.sum(axis=1).A1, [2, 0, 3])
    batch = next(iter(read_batches([io.BytesIO(b"| cheap watches\n")], TextOptions(format="vw", constant=False))))
    np.testing.assert_array_equal(np.sort(X[0].indices), np.sort(batch.indices))
    assert X[2].max() == 2


def test_text_hasher_reads_lines_with_namespaces():
    lines = ["1 |a cheap:2 tea |b price:3", "|a tea"]
    options = {"quadratic": ("ab",), "bits": 10}
    X = TextHasher(input="vw", **options).transform(lines)
    text = io.BytesIO("\n".join(lines).encode())
    (batch,) = read_batches(text, TextOptions(format="vw", constant=False, **options))
    expect = scipy.sparse.csr_array((batch.values, batch.indices, batch.indptr), shape=(2, 1 << 10))
    np.testing.assert_array_equal(X.toarray(), expect.toarray())


def test_text_hasher_has_scikit_learns_manners():
    """`check_estimator` has one check for what takes texts alone, and warns that it skips the others."""
    hasher = clone(TextHasher(bits=10, ngram=("2",)))
    assert hasher.get_params()["bits"] == 10
    assert (pickle.loads(pickle.dumps(hasher)).fit(["a b"]).transform(["a b"]) != hasher.transform(["a b"])).nnz == 0
    assert hasher.transform(["a b"]).nnz == 3
    with pytest.raises(OptionError, match="bit_precision"):
        TextHasher(bits=0).fit([])


def test_transformers_set_their_output(pandas):
    X = pandas.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"), index=range(7, 27))
    found = StreamingSVD(2).set_output(transform="pandas").fit_transform(X)
    assert list(found.columns) == ["streamingsvd0", "streamingsvd1"]
    assert found.index.equals(X.index)
    hashed = make_pipeline(TextHasher(bits=3), StreamingSVD(2)).set_output(transform="default")
    assert hashed.fit_transform(["good tea", "bad tea", "cup"] * 4).shape == (12, 2)
    assert list(TextHasher(bits=1).get_feature_names_out()) == ["texthasher0", "texthasher1"]
    with pytest.raises(ValueError, match="found a table, expected a list of texts"):
        TextHasher(bits=3).transform(X)
    with pytest.raises(ValueError, match="sparse"):
        TextHasher(bits=3).set_output(transform="pandas").transform(["tea"])


def test_plain_text_has_no_bars_colons_or_line_ends():
    hasher = TextHasher()
    np.testing.assert_array_equal(
        hasher.transform(["at 12:30\n|tea"]).toarray(), hasher.transform(["at 12 30 tea"]).toarray()
    )


def test_text_hasher_in_parts_equals_the_whole(monkeypatch):
    texts = [f"w{i} w{i % 3}" for i in range(20)]
    whole = TextHasher().transform(texts)
    monkeypatch.setattr("sonlearn.estimators.transformers.ROWS", 3)
    assert (TextHasher().transform(texts) != whole).nnz == 0


@pytest.mark.parametrize("wrong", ["one text", [3], ["no bar"], ["| two\n| lines"], ["| a:"]])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(ValueError, match=r"expected"):
        TextHasher(input="vw").transform(wrong)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csr_matrix])
def test_streaming_svd(form):
    r = np.random.default_rng(0)
    A = r.normal(size=(200, 4)) * [9, 7, 5, 3] @ r.normal(size=(4, 30)) + 0.1 * r.normal(size=(200, 30))
    model = StreamingSVD(4, sketch_size=20)
    for part in np.array_split(A, 7):
        assert model.partial_fit(form(part)) is model
    assert (model.n_features_in_, model.n_samples_seen_) == (30, 200)
    assert model.components_.shape == (4, 30)
    Z = model.transform(form(A))
    np.testing.assert_allclose(Z, A @ model.components_.T, atol=1e-10)
    s = np.linalg.svd(A, compute_uv=False)
    assert ((A - model.inverse_transform(Z)) ** 2).sum() <= 1.1 * (s[4:] ** 2).sum()
    assert (model.singular_values_ <= s[:4] * (1 + 1e-12)).all()
    np.testing.assert_allclose(model.singular_values_, s[:4], rtol=0.02)
    np.testing.assert_allclose(model.fit_transform(form(A)), Z, atol=1e-6 * abs(Z).max())
    assert list(model.get_feature_names_out()) == [f"streamingsvd{k}" for k in range(4)]


def test_streaming_svd_settings():
    model = clone(StreamingSVD(2, method="pfd", settings={"share": 0.5}))
    assert model.fit(np.random.default_rng(0).normal(size=(60, 30))).components_.shape == (2, 30)
    assert model.sketch_.rule.name == "pfd"
    for wrong, message in (({"sketch_size": 2}, "sketch_size 2: expected more than n_components = 2"),
                           ({"n_components": 0}, "n_components 0: expected at least 1")):  # fmt: skip
        with pytest.raises(OptionError, match=message):
            StreamingSVD(**wrong).fit([[1.0]])
