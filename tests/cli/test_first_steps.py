"""What people try first, and the line that puts them right."""

import pytest


@pytest.mark.parametrize("line", ["1 2:3 x", "x 1:2", "1 2:x"])
def test_libsvm_that_is_malformed_has_no_such_remedy(cli, tmp_path, line):
    (tmp_path / "t").write_text(line + "\n")
    assert ";" not in cli.error("train", "--quiet", tmp_path / "t")


def test_vw_tells_its_version(cli):
    status, out, err = cli("vw", "--version")
    assert (status, out.split()[0], err) == (0, "sonlearn", "")


def test_an_option_without_a_value_has_no_place_in_the_header(cli, tmp_path):
    (tmp_path / "t").write_text("1 1:1\n-1 2:1\n")
    _, _, err = cli("train", "--threads", "0", tmp_path / "t")
    assert "members = ," not in err
    assert "clip = inf, prune = yes" in err


def test_a_model_takes_the_place_of_models_alone(cli, tmp_path):
    data, model, empty = tmp_path / "data", tmp_path / "model", tmp_path / "empty"
    data.write_text("1 1:1\n-1 2:1\n" * 5)
    (tmp_path / "other").write_text("1 3:1\n")
    empty.touch()
    for target in (model, model, empty):
        assert cli("train", "--method", "nag", "--quiet", "-f", target, data) == (0, "", "")
    model.write_bytes(model.read_bytes()[:100])  # damaged: it was one
    assert cli("train", "--method", "nag", "--quiet", "-f", model, data) == (0, "", "")
    message = cli.error("train", "--method", "nag", "--quiet", "-f", tmp_path / "other", data)
    assert message.endswith("a file that is no model is there, and would be lost; give another name, or remove it")
    assert (tmp_path / "other").read_text() == "1 3:1\n"
