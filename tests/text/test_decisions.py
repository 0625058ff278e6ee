"""Text of decisions: what each form becomes, and what is refused where."""

import re

import numpy as np
import pytest

from sonlearn import InputError, TextOptions, read_batches
from sonlearn.options.bandit import BanditOptions
from sonlearn.text import chunk
from sonlearn.text.decisions import DecisionReader
from sonlearn.text.decisions.labels import ActionLabels
from sonlearn.text.decisions.rows import product_id

pytestmark = pytest.mark.interpreted
ADF = BanditOptions(cb_explore_adf=True)
THREE = BanditOptions(cb=3)
BLOCKS = """\
shared 'one |u age:3 x
0:1.5:0.25 |a p q
|a r

|a lone
0:-1:1 |a other

shared |u age:4
|a p
|a z

"""


def reader_of(folder, text, bandit, options=TextOptions(), **more):  # noqa: B008 (frozen)
    """A reader of the text, in the file `t`."""
    path = folder / "t"
    path.write_bytes(text.encode())
    return DecisionReader(str(path), options, bandit, **more)


def read(*given, **more):
    """All decisions of a text, as `reader_of` takes it."""
    return list(reader_of(*given, **more))


def features(rows, i):
    """{id: value} of a row."""
    a, b = rows.indptr[i : i + 2]
    return dict(zip(rows.indices[a:b].tolist(), rows.values[a:b].tolist(), strict=True))


def row_of(folder, line, options=TextOptions()):  # noqa: B008 (frozen)
    """{id: value} of a line of plain VW text."""
    path = folder / "line"
    path.write_text(line + "\n")
    (batch,) = read_batches(str(path), options)
    return features(batch, 0)


def test_blocks_are_decisions(tmp_path):
    (found,) = read(tmp_path, BLOCKS, ADF)
    assert found.first.tolist() == [0, 2, 4, 6]
    assert found.action.tolist() == [0, 1, -1]
    np.testing.assert_array_equal(found.cost, [1.5, -1.0, np.nan])
    np.testing.assert_array_equal(found.probability, [0.25, 1.0, np.nan])
    assert found.lines.tolist() == [1, 5, 8]
    assert found.tags == ["one", "", ""]
    assert found.rows.lines.tolist() == [2, 3, 5, 6, 9, 10]


def test_one_kernel_reads_rows_and_decisions(tmp_path, monkeypatch):
    """An array that may not be written to is of another type, for which the kernel would be compiled again."""
    parse, writeable = chunk.parse_vw, []

    def noted(text, *others):
        writeable.append(text.flags.writeable)
        return parse(text, *others)

    monkeypatch.setattr(chunk, "parse_vw", noted)
    read(tmp_path, BLOCKS, ADF)
    row_of(tmp_path, "1 |a p")
    assert len(writeable) > 1
    assert len(set(writeable)) == 1


def test_what_is_shared_and_products_belong_to_every_action(tmp_path):
    (found,) = read(tmp_path, BLOCKS, ADF)
    own, shared = row_of(tmp_path, "|a p q", TextOptions(constant=False)), row_of(tmp_path, "|u age:3 x")
    context = row_of(tmp_path, "|u age:3 x", TextOptions(constant=False))
    products = {product_id(a, s): x * y for a, x in own.items() for s, y in context.items()}
    assert features(found.rows, 0) == own | shared | products
    assert len(products) == 4
    assert features(found.rows, 3) == row_of(tmp_path, "|a other")


def test_interactions_of_the_user_take_the_place_of_products(tmp_path):
    options = TextOptions(quadratic=("ua",))
    (found,) = read(tmp_path, BLOCKS, ADF, options)
    assert features(found.rows, 0) == row_of(tmp_path, "|a p q |u age:3 x", options)


def test_numbered_actions_share_a_row(tmp_path):
    (found,) = read(tmp_path, "1:2:0.4 |a p q\n2:1:.5 3 'tag |x r\n|z z\n", THREE)
    assert found.first.tolist() == [0, 3, 5, 8]
    assert found.column.tolist() == [0, 1, 2, 1, 2, 0, 1, 2]
    assert found.row.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    assert found.action.tolist() == [0, 0, -1]
    assert found.tags == ["", "tag", ""]
    assert features(found.rows, 1) == row_of(tmp_path, "|x r")


@pytest.mark.parametrize(
    "options", [TextOptions(), TextOptions(ngram=("2",)), TextOptions(quadratic=("ua",), ngram=("2",))]
)
def test_dsjson_is_the_same_as_blocks(tmp_path, options):
    line = (
        '{"_label_cost":1.5,"_label_probability":0.25,"_label_Action":1,"_labelIndex":0,"a":[1,2],"p":[0.25,0.75],'
        '"EventId":"one","c":{"u":{"age":3,"x":1},"_multi":[{"a":{"p":1,"q":1}},{"a":{"r":1}}]}}\n'
    )
    (found,), (blocks,) = read(tmp_path, line, ADF, options), read(tmp_path, BLOCKS, ADF, options)
    assert (found.action[0], found.cost[0], found.probability[0], found.tags) == (0, 1.5, 0.25, ["one"])
    for i in range(2):
        assert features(found.rows, i) == features(blocks.rows, i)


def test_forms_of_vws_own_tests(tmp_path):
    """A shared line without features; blanks before bars; a block at the end; JSON with the context at the top."""
    text = "shared | s_1 s_2\n0:1.0:0.5 | a_1 b_1\n | a_2 b_2\n\nshared |\n | b_1\n0:0.0:0.5 | b_2\n\n | a_1\n | a_3"
    found, last = read(tmp_path, text, ADF)
    assert (found.first.tolist(), found.action.tolist(), last.n) == ([0, 2, 4], [0, 1], 1)
    assert features(found.rows, 2) == row_of(tmp_path, "| b_1")
    line = (
        '{"s_":"1","s_":"2","_labelIndex":0,"_label_Action":0,"_label_Cost":1,"_label_Probability":0.5,"_multi":%s}\n'
    )
    (other,) = read(tmp_path, line % '[{"a_":"1","b_":"1"},{"a_":"2","b_":"2"}]', ADF)
    assert (other.cost[0], other.probability[0], other.action[0]) == (1.0, 0.5, 0)
    assert features(other.rows, 0) == features(found.rows, 0)


@pytest.mark.parametrize("size", [1, 7, 40])
def test_chunks_change_nothing(tmp_path, size):
    (whole,), parts = read(tmp_path, BLOCKS, ADF), read(tmp_path, BLOCKS, ADF, chunk_bytes=size)
    assert sum(part.n for part in parts) == whole.n
    for name in ("action", "cost", "lines"):
        np.testing.assert_array_equal(getattr(whole, name), np.concatenate([getattr(part, name) for part in parts]))
    np.testing.assert_array_equal(whole.rows.indices, np.concatenate([part.rows.indices for part in parts]))


def test_a_part_is_what_it_was(tmp_path):
    (whole,) = read(tmp_path, BLOCKS, ADF)
    part = whole.part(1, 3)
    assert (part.n, part.first.tolist(), part.row.tolist()) == (2, [0, 2, 4], [0, 1, 2, 3])
    assert features(part.rows, 0) == features(whole.rows, 2)


@pytest.mark.parametrize(
    ("bandit", "text", "place", "message"),
    [
        (ADF, "|a p\n0:1:2 |a q\n", "2:1", "found '0:1:2', expected a probability above 0, and at most 1"),
        (ADF, "|a p\n0:1:0 |a q\n", "2:1", "expected a probability above 0"),
        (ADF, "|a p\n0:x:1 |a q\n", "2:1", "expected action:cost:probability"),
        (ADF, "|a p\n0:nan:1 |a q\n", "2:1", "expected a finite cost"),
        (ADF, "0:1:1 |a p\n0:1:1 |a q\n", "2:1", "one action with a cost"),
        (ADF, "|a p\nshared |u x\n", "2:1", "shared in the first line"),
        (ADF, "shared |u x\n\n|a p\n", "1:1", "a line for each action"),
        (ADF, "shared x |u x\n|a p\n", "1:8", "found 'x', expected | or a tag after shared, as in shared 'tag |"),
        (THREE, "shown,cost\n1,2\n", "1:1", "| a b; of a table give --action and --cost or --reward"),
        (ADF, "|a p\na q\n", "2:1", "| before the features"),
        (ADF, "0 |a p\n", "1:1", "expected action:cost:probability"),
        (ADF, "shared |u x y:inf\n|a p\n", "1:15", "found 'inf', expected a finite number"),
        (ADF, "shared |u x\n|a p q:1x\n", "2:8", "found '1x', expected a finite number"),
        (THREE, "4:1:1 |a p\n", "1:1", "an action from 1 to 3"),
        (THREE, "shared |a p\n", "1:1", "blocks of lines are for --cb_adf"),
        (THREE, "1:1:1 2:1:1 |a p\n", "1:7", "one action with a cost"),
        (ADF, '{"c":{"_multi":[]}}\n', "1", "one object for each action"),
        (THREE, '{"c":{"u":{"a":1},"_multi":[{"a":1},{"a":2}]}}\n', "1", "none: this model numbers its 3 actions"),
        (ADF, '{"_label_cost":1,"_labelIndex":0,"c":{"_multi":[{"a":1}]}}\n', "1:1",
         "no _label_probability beside _label_cost, expected a probability above 0, and at most 1"),
        (ADF, '{"_label_cost":1,"_labelIndex":4,"_label_probability":1,"c":{"_multi":[{"a":1}]}}\n', "1",
         "an action from 0 to 0"),
        (BanditOptions(cbify=2), "1 |a p\n3 |a q\n", "2:1", "a class from 1 to 2 or from 0 to 1 (--cbify 2)"),
        (BanditOptions(cbify=2), "0 |a p\n2 |a q\n", "2:1", "a class from 0 to 1 (--cbify 2)"),
        (BanditOptions(cbify=2), "2 |a p\n0 |a q\n", "2:1", "a class from 1 to 2 (--cbify 2)"),
        (BanditOptions(cbify=2), "x |a p\ny |a q\nz |a q\n", "3:1", "one of the 2 classes met before (--cbify 2)"),
        (BanditOptions(cbify=2), "x |a p\n1 |a q\n", "2:1", "a name, as the classes before"),
        (BanditOptions(cbify=2), "1 |a p\nx |a q\n", "2:1", "a number, as the classes before"),
        (BanditOptions(cbify=2), "1 |a p\n1:.5:1 |a q\n", "2:1", "found '1:.5:1': contextual-bandit text"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_refused_with_its_place(tmp_path, bandit, text, place, message):
    with pytest.raises(InputError) as error:
        read(tmp_path, text, bandit)
    assert str(error.value).startswith(f"{tmp_path / 't'}:{place}")
    assert message in str(error.value)


def test_malformed_blocks_are_left_out(tmp_path):
    text = "|a p\n0:1:2 |a q\n\n'good |a p\n0:1:1 |a q\n\n'bad |a p:1x\n\n"
    reader = reader_of(tmp_path, text, ADF, on_error="skip")
    (found,) = list(reader)
    assert (found.n, found.lines.tolist(), found.skipped, reader.malformed.tags) == (1, [4], [(0, "")], ["bad"])
    places = [str(error).split(": ")[0] for error in reader.malformed.errors]
    assert places == [f"{tmp_path}/t:2:1", f"{tmp_path}/t:7:11"]
    with pytest.raises(InputError, match=":7:11"):
        read(tmp_path, text, ADF, on_error="skip", max_errors=1)


def test_classes_and_tables_become_decisions(tmp_path):
    (found,) = read(tmp_path, "2 1:1\n1 2:1\n", BanditOptions(cbify=2))
    assert found.costs.tolist() == [1.0, 0.0, 0.0, 1.0]
    (found,) = read(tmp_path, "2 1:1\n0 2:1\n1 2:1\n", BanditOptions(cbify=3))
    assert found.costs.reshape(3, 3).argmin(axis=1).tolist() == [1, 2, 0]
    (found,) = read(tmp_path, "dog |a\n|b\ncat |b\ndog |c\n", BanditOptions(cbify=3))
    assert found.costs.reshape(4, 3)[[0, 2, 3]].argmin(axis=1).tolist() == [0, 1, 0]
    assert np.isnan(found.costs.reshape(4, 3)[1]).all()
    table = "what,gain,p,age\n2,1.5,0.5,30\n1,0,0.25,40\n"
    bandit = BanditOptions(cb_explore=2, action="what", reward="gain", probability="p")
    (found,) = read(tmp_path, table, bandit, TextOptions(format="csv"))
    assert [each.tolist() for each in (found.action, found.cost)] == [[1, 0], [-1.5, 0.0]]
    assert found.probability.tolist() == [0.5, 0.25]
    with pytest.raises(InputError, match="an action from 1 to 2 in the column 'what'"):
        read(tmp_path, table.replace("2,1.5", "3,1.5"), bandit, TextOptions(format="csv"))


@pytest.mark.parametrize("size", [1 << 20, 24])
def test_rows_of_tables_that_cannot_be_are_left_out(tmp_path, size):
    """A bad action, a bad probability and a bad number, wherever chunks end; and one error too many."""
    bandit = BanditOptions(cb_explore=2, action="what", reward="gain", probability="p")
    text = "what,gain,p,age\n3,1,.5,30\n2,1.5,0.5,30\n1,0,1.25,40\n1,x,.5,1\n1,2,0.25,50\nx,1,.5,1\n"
    given = (tmp_path, text, bandit, TextOptions(format="csv"))
    reader = reader_of(*given, on_error="skip", chunk_bytes=size)
    found = list(reader)
    assert np.concatenate([one.action for one in found]).tolist() == [1, 0]
    assert np.concatenate([one.lines for one in found]).tolist() == [3, 6]
    places = [at + start for one, start in zip(found, (0, found[0].n), strict=False) for at, _ in one.skipped or ()]
    assert places == [0, 1, 1] + [2] * (1 - len(reader.malformed.tags))
    assert reader.malformed.count == 4
    assert len(places) + len(reader.malformed.tags) == 4
    assert [error.line for error in reader.malformed.errors] == [2, 4, 5, 7]
    with pytest.raises(InputError):
        read(*given, on_error="skip", max_errors=1, chunk_bytes=size)
    (found,) = read(tmp_path, "1 'a |w p\n7 'b |w q\n2 'c |w r\n", BanditOptions(cbify=2), on_error="skip")
    assert (found.n, found.tags, found.skipped) == (2, ["a", "c"], [(1, "b")])


@pytest.mark.parametrize("size", [1 << 20, 24])
def test_actions_of_tables_have_names(tmp_path, size):
    """Numbered in the order in which they come, wherever chunks end; without a cost they are not looked at."""
    table = "what,gain,age\nnews,1,30\n,,31\nsport,0,30\nnews,2,40\nart,,40\n"
    bandit = BanditOptions(cb=2, action="what", reward="gain")
    labels = ActionLabels(bandit)
    found = read(tmp_path, table, bandit, TextOptions(format="csv"), labels=labels, chunk_bytes=size)
    assert np.concatenate([one.action for one in found]).tolist() == [0, -1, 1, 0, -1]
    assert [labels.label(0), labels.label(1)] == labels.names == ["news", "sport"]


def test_names_of_actions_that_are_nearly_numbers(tmp_path):
    """What no number is in a table is a name."""
    bandit, names = BanditOptions(cb=5, action="what", reward="gain"), ["1_2", "none", "inf", "1 2", "\u00b2"]
    table = "what,gain,age\n" + "".join(f"{name},1,30\n" for name in names)
    labels = ActionLabels(bandit)
    (found,) = read(tmp_path, table, bandit, TextOptions(format="csv"), labels=labels)
    assert (found.action.tolist(), labels.names) == ([0, 1, 2, 3, 4], names)


@pytest.mark.parametrize(
    ("actions", "found", "expected"),
    [
        (("news", "sport", "art"), "'art'", "one of the 2 actions met before (--cb 2): 'news sport'"),
        (("news", "sport", "1"), "1", "a name, as the actions before: 'news sport'"),
        (("news", "sport", ""), "''", "an action in the column 'what'"),
        (("2", "news"), "'news'", "a number, as the actions before"),
    ],
)
def test_what_cannot_be_an_action_is_refused(tmp_path, actions, found, expected):
    bandit = BanditOptions(cb=2, action="what", reward="gain")
    table = "what,gain,age\n" + "".join(f"{action},1,30\n" for action in actions)
    with pytest.raises(InputError, match=re.escape(f"t:{len(actions) + 1}: found {found}, expected {expected}")):
        read(tmp_path, table, bandit, TextOptions(format="csv"))


def test_a_decision_that_is_nested_too_deeply_is_malformed(tmp_path):
    (tmp_path / "t").write_text('{"c": {"a": ' + "[" * 100_000 + "\n")
    reader = DecisionReader(str(tmp_path / "t"), TextOptions(), ADF, on_error="skip")
    with pytest.raises(InputError, match="t:1:1: found objects or arrays nested too deeply, expected a few levels"):
        list(reader)


def test_vw_reads_these_forms_too(tmp_path):
    """A cost without a probability beside one with it, actions from 0 on, rewards alone, what is not to be learned."""
    (found,) = read(tmp_path, "1:1 2:2:1.0 3:3 | a\n", THREE)
    assert (found.action.tolist(), found.cost.tolist(), found.column.tolist()) == ([1], [2.0], [0, 1, 2])
    of = '"_label_cost":1,"_labelIndex":1,"_label_probability":0.75'
    lines = f"""{{{of},"a":[1,0],"p":[0.75,0.25],"c":{{"_multi":[{{"a":1}},{{"a":2}}]}}}}
{{"RewardValue":1.0,"EventId":"x"}}
[CHECKPOINT INFO LINE]
{{{of},"_skipLearn":true,"pdrop":0.5,"c":{{"_multi":[{{"a":1}},{{"a":2}}]}}}}
"""
    reader = reader_of(tmp_path, lines, ADF)
    (found,) = list(reader)
    np.testing.assert_array_equal(found.probabilities, [0.25, 0.75, np.nan, np.nan])
    assert (found.action.tolist(), found.lines.tolist()) == ([1, -1], [1, 4])
    passed_over = [f"lines with a {word} and no decision were passed over" for word in ("CHECKPOINT", "RewardValue")]
    assert [note.partition(":")[0] for note in reader.notes] == [*passed_over, "pdrop"]


def test_a_class_too_many_is_left_out_by_its_name(tmp_path):
    reader = reader_of(tmp_path, "x |a p\ny |a q\nz |a q\nx |a p\n", BanditOptions(cbify=2), on_error="skip")
    (found,) = list(reader)
    assert (found.n, found.skipped, reader.malformed.count) == (3, [(2, "")], 1)


def test_a_table_of_nothing_but_malformed_decisions_is_refused(tmp_path):
    table, bandit = "what,gain,age\n3,1,30\n4,2,31\n", BanditOptions(cb_explore=2, action="what", reward="gain")
    with pytest.raises(InputError, match=r"2 malformed lines and nothing else \(the first: .*:2: found '?3"):
        read(tmp_path, table, bandit, TextOptions(format="csv"), on_error="skip")
