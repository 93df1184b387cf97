"""Merged lists: against dictionaries, one candidate at a time, and for texts, trees, taggings, roles and documents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from runoff import DataError, NBest, UsageError, merge
from runoff.combine.merge import found_by

NAMES = ("one", "two", "three")
Record = dict[str, Any]
Lists = dict[str, list[tuple[str, float, dict[str, float]]]]  # id -> text, base, features

candidate = st.tuples(
    st.sampled_from(["", "a", "b", "c", "d"]),
    st.integers(-2, 2).map(float),
    st.dictionaries(st.sampled_from(["x", "y"]), st.sampled_from([1.0, 2.0, math.nan]), max_size=2),
)
lists = st.dictionaries(st.sampled_from("uvwz"), st.lists(candidate, max_size=5), min_size=1)


def built(system: Lists) -> NBest:
    flat = [each for candidates in system.values() for each in candidates]
    features = np.zeros((len(flat), 2))
    for row, (_, _, values) in enumerate(flat):
        features[row] = [values.get(name, 0.0) for name in "xy"]
    return NBest.from_arrays(
        features,
        sizes=[len(each) for each in system.values()],
        group_ids=list(system),
        texts=[text for text, _, _ in flat],
        base=[base for _, base, _ in flat],
        feature_names=["x", "y"],
    )


def slowly(systems: dict[str, Lists], base: str, absent: float | None) -> dict[str, list[Record]]:
    """The same by dictionaries: id of the list -> candidates, each with text, base and columns."""
    order = [base, *(name for name in systems if name != base)] if base in systems else list(systems)
    best: dict[str, dict[str, dict[str, tuple[float, dict[str, float]]]]] = {}
    for name, system in systems.items():
        for group, candidates in system.items():
            kept = best.setdefault(name, {}).setdefault(group, {})
            for text, score, values in candidates:
                if text not in kept or score > kept[text][0]:
                    kept[text] = (score, values)
    differ = set()
    for column in "xy":
        for one in systems:
            for other in systems:
                for group in best[one].keys() & best[other].keys():
                    for text in best[one][group].keys() & best[other][group].keys():
                        pair = [best[name][group][text][1].get(column, 0.0) for name in (one, other)]
                        if repr(pair[0]) != repr(pair[1]):
                            differ.add(column)
    found: dict[str, list[Record]] = {}
    for group in dict.fromkeys(group for system in systems.values() for group in system):
        ranks: dict[str, dict[str, float]] = {}
        for name in systems:
            # Of copies the best one counts, at its own place in the list: sorting is stable.
            every = systems[name].get(group, [])
            chosen = {
                text: next(at for at, each in enumerate(every) if each[0] == text and each[1] == score)
                for text, (score, _) in best[name].get(group, {}).items()
            }
            by_score = sorted(
                chosen, key=lambda text, every=every, chosen=chosen: (-every[chosen[text]][1], chosen[text])
            )
            ranks[name] = {text: 1 / place for place, text in enumerate(by_score, 1)}
        texts = dict.fromkeys(text for name in order for text, _, _ in systems[name].get(group, []))
        rows = []
        for text in texts:
            row: Record = {"text": text}
            first = next(name for name in order if best[name].get(group))
            lowest = {
                name: min((score for score, _ in best[name].get(group, {}).values()), default=0.0) for name in systems
            }
            for name in systems:
                mine = best[name].get(group, {}).get(text)
                row[f"{name}:found"] = float(mine is not None)
                row[f"{name}:score"] = mine[0] if mine else lowest[name] if absent is None else absent
                row[f"{name}:rank"] = ranks[name].get(text, 0.0)
                for column in "xy":
                    value = mine[1].get(column, 0.0) if mine else 0.0
                    if column in differ:
                        row[f"{name}:{column}"] = value
                    elif mine is not None:
                        row[column] = value
            mine = best[first][group].get(text)
            row["base"] = mine[0] if mine else lowest[first]
            if base == "rrf":
                row["base"] = sum(1 / (60 + 1 / ranks[name][text]) for name in systems if text in ranks[name])
            rows.append(row)
        found[group] = rows
    return found


@settings(deadline=None, max_examples=150)
@given(
    st.lists(lists, min_size=2, max_size=3),
    st.sampled_from(["first", "rrf", "two"]),
    st.sampled_from([None, -7.0, math.nan]),
)
def test_merged_lists_are_those_of_dictionaries(given_lists: list[Lists], base: str, absent: float | None) -> None:
    systems = dict(zip(NAMES, given_lists, strict=False))
    for name, own in systems.items():  # else an error, which is tested below
        assume(set(own) & {each for other in systems if other != name for each in systems[other]})
    expected = slowly(systems, base, absent)
    data = {name: built(system) for name, system in systems.items()}
    found = merge(data, base=base, absent="lowest" if absent is None else absent)
    assert found.group_ids.to_pylist() == list(expected)
    names = found.features.column_names().to_pylist()
    table = found.features.to_scipy().toarray()
    for at, rows in enumerate(expected.values()):
        cut = range(int(found.offsets[at]), int(found.offsets[at + 1]))
        assert [found.texts[row].as_py() for row in cut] == [each["text"] for each in rows]
        for row, each in zip(cut, rows, strict=True):
            assert found.base[row] == pytest.approx(each.pop("base"))
            each.pop("text")
            got = dict(zip(names, table[row].tolist(), strict=True))
            assert set(each) == set(names)
            assert got == pytest.approx(each, nan_ok=True)


# -------------------------------------------------------------------- lists


def texts(*candidates: str, **parts: Any) -> NBest:
    """One list, called "0"."""
    return NBest.from_arrays(texts=list(candidates), sizes=[len(candidates)], **parts)


def columns(data: NBest) -> dict[str, list[float]]:
    names = data.features.column_names().to_pylist()
    return dict(zip(names, data.features.to_scipy().toarray().T.tolist(), strict=True))


def test_lists_that_a_system_lacks() -> None:
    one = NBest.from_arrays(texts=["a", "b"], base=[1, 2], sizes=[1, 1], group_ids=["x", "y"])
    two = NBest.from_arrays(texts=["c", "d", "a"], base=[5, 6, 7], sizes=[2, 1], group_ids=["z", "x"])
    kept = merge({"one": one, "two": two})
    assert kept.group_ids.to_pylist() == ["x", "y", "z"]
    assert kept.texts.to_pylist() == ["a", "b", "c", "d"]
    assert kept.base.tolist() == [1, 2, 5, 6]  # where the first has no list, the scores of the second
    assert columns(kept)["one:score"] == [1, 2, 0, 0]
    assert kept.notes == ("Lists that not every system has: 2 of 3, kept (one lacks 1, two lacks 1).",)
    dropped = merge({"one": one, "two": two}, missing="drop")
    assert dropped.texts.to_pylist() == ["a"]
    assert "2 of 3, left out" in dropped.notes[0]
    with pytest.raises(DataError, match=r"one lacks 1 list\(s\) that others have, such as 'z'; keep or drop them"):
        merge({"one": one, "two": two}, missing="error")
    assert found_by(kept, ["one", "two"]) == {
        "one": {"candidates": 2, "alone": 1},
        "two": {"candidates": 3, "alone": 2},
    }


def test_empty_lists() -> None:
    empty = NBest.from_arrays(texts=[], base=[], sizes=[0, 0])
    other = NBest.from_arrays(texts=["a"], base=[3.0], sizes=[0, 1])
    found = merge({"one": empty, "two": other})
    assert (found.sizes.tolist(), found.base.tolist()) == ([0, 1], [3.0])
    nothing = merge({"one": empty, "two": empty})
    assert (len(nothing), nothing.n_candidates) == (2, 0)


def test_lists_are_joined_by_their_inputs() -> None:
    one = NBest.from_arrays(texts=["a", "b"], sizes=[1, 1], inputs=["i", "j"])
    two = NBest.from_arrays(texts=["c", "d", "e"], sizes=[1, 1, 1], inputs=["k", "j ", "i"])
    with pytest.raises(DataError, match="list '0' has another input in one than in two"):
        merge({"one": one, "two": two})
    found = merge({"one": one, "two": two}, by="input")
    assert found.group_ids.to_pylist() == ["0", "1", "two:0"]
    assert found.inputs.to_pylist() == ["i", "j", "k"]
    assert found.texts.to_pylist() == ["a", "e", "b", "d", "c"]
    twice = NBest.from_arrays(texts=["a", "b"], sizes=[1, 1], inputs=["i", "i"])
    with pytest.raises(DataError, match="lists '0' and '1' of two have the same input"):
        merge({"one": one, "two": twice}, by="input")
    for inputs in (["i", None], ["i", " "], None):
        with pytest.raises(DataError, match=r"list '[01]' of two has no input, by which lists are to be joined"):
            merge({"one": one, "two": twice.replace(inputs=inputs)}, by="input")


def test_inputs_references_attributes_and_metric_of_any_system_are_kept() -> None:
    one = texts("a", inputs=[""], references=[[]], attributes={"doc": ["d"], "tags": ["N"], "fold": [None]})
    two = texts("b", inputs=["i"], references=["r"], attributes={"doc": ["d"], "tags": ["V"]}, metric="wer")
    found = merge({"one": one, "two": two})
    assert (found.inputs.to_pylist(), found.references.to_pylist(), found.metric) == (["i"], [["r"]], "wer")
    assert {name: each.to_pylist() for name, each in found.attributes.items()} == {
        "doc": ["d"],
        "one:tags": ["N"],
        "two:tags": ["V"],
        "fold": [None],
    }
    assert found.notes[-1] == "Attributes that differ are kept for each system: tags."


def test_the_leading_system_comes_first() -> None:
    one, two = texts("a", "b", base=[9, 8]), texts("c", base=[0.5])
    found = merge({"one": one, "two": two}, base="two")
    assert (found.texts.to_pylist(), found.base.tolist()) == (["c", "a", "b"], [0.5, 0.5, 0.5])
    fused = merge({"one": one, "two": texts("b", base=[1])}, base="rrf")
    assert fused.base == pytest.approx([1 / 61, 1 / 62 + 1 / 61])  # Cormack et al., with k = 60


def test_systems_without_scores_have_their_order() -> None:
    found = merge({"one": texts("a", "b"), "two": texts("b", "c", base=[1, 2])})
    assert found.base.tolist() == [1, 0.5, 0]
    assert set(columns(found)) == {"one:found", "one:rank", "two:found", "two:score", "two:rank"}
    assert "one: there are no scores; the order of the candidates counts." in found.notes


def test_notes_of_the_systems_and_copies() -> None:
    found = merge({"one": texts("a", "a", "b", base=[1, 3, 2], notes=["A note."]), "two": texts("b")})
    assert found.notes[:2] == (
        "one: A note.",
        "one: 1 candidates are copies of others of their list, and joined with them.",
    )
    assert columns(found)["one:score"] == [3, 2]
    assert columns(found)["one:rank"] == [1, 0.5]


def test_columns_that_differ_are_kept_apart() -> None:
    one = NBest.from_arrays([[1, 4], [2, 0]], texts=["a", "b"], sizes=[2], feature_names=["lm", "own"])
    two = NBest.from_arrays([[2, 1], [7, 3]], texts=["b", "c"], sizes=[2], feature_names=["lm", "n"])
    found = columns(merge({"one": one, "two": two}))
    assert {name: each for name, each in found.items() if name[:3] not in ("one", "two")} == {
        "lm": [1, 2, 7],
        "own": [4, 0, 0],
        "n": [0, 1, 3],
    }
    other = NBest.from_arrays([[5], [7]], texts=["b", "c"], sizes=[2], feature_names=["lm"])
    apart = merge({"one": one, "two": other})
    assert columns(apart)["one:lm"] == [1, 2, 0]
    assert columns(apart)["two:lm"] == [0, 5, 7]
    assert "Columns that differ are kept for each system: lm." in apart.notes


def test_merged_lists_can_be_merged_again() -> None:
    both = merge({"one": texts("a"), "two": texts("b")})
    found = columns(merge({"both": both, "three": texts("b", "c")}))
    assert found["two:found"] == [0, 1, 0]
    assert found["three:rank"] == [0, 1, 0.5]
    with pytest.raises(UsageError, match="there is a column 'one:found' already; give the systems other names"):
        merge({"both": both, "one": texts("b")})


# -------------------------------------------------------------------- what must agree


def test_quality_and_statistics() -> None:
    def system(quality: float, errors: float, **parts: Any) -> NBest:
        return texts("a", quality=[quality], stats={"wer": [[errors, 3.0]]}, **parts)

    found = merge({"one": system(1, 0), "two": system(1 + 1e-12, 0)})
    assert (found.quality.tolist(), found.stats["wer"].tolist()) == ([1.0], [[0.0, 3.0]])
    with pytest.raises(DataError, match="candidate 'a' of list '0' has another quality in two than in one; they must"):
        merge({"one": system(1, 0), "two": system(0.5, 0)})
    with pytest.raises(DataError, match="candidate 'a' of list '0' has another statistics for 'wer' in two than in"):
        merge({"one": system(1, 0), "two": system(1, 2)})
    with pytest.raises(DataError, match="candidate 'a' of list '0' is there twice in one, with a different quality"):
        merge({"one": texts("a", "a", quality=[1, 0]), "two": texts("a", quality=[1])})
    with pytest.raises(DataError, match="statistics for 'wer' are rows of different lengths"):
        merge({"one": system(1, 0), "two": texts("a", quality=[1], stats={"wer": [[0.0]]})})
    partly = merge({"one": system(1, 0), "two": texts("b")})
    assert partly.quality is None
    assert partly.notes == (
        "one, two: there are no scores; the order of the candidates counts.",
        "Only one has the quality of its candidates, which is left out.",
        "Statistics for 'wer', which not all systems have, are left out.",
    )


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        ({"references": ["r"]}, {"references": ["s"]}, "list '0' has other references in two than in one"),
        ({"metric": "wer"}, {"metric": "cer"}, "the metric of one is wer, that of two is cer; it must be the same"),
        (
            {"group_ids": ["x"]},
            {"group_ids": ["y"]},
            "no list of one has the id of a list of another system; one has 'x'",
        ),
    ],
)
def test_what_must_agree(one: dict[str, Any], two: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        merge({"one": texts("a", **one), "two": texts("a", **two)})


def test_options() -> None:
    one = texts("a")
    for options, message in (
        ({"by": "name"}, "by must be id or input; found 'name'"),
        ({"same": "tree"}, "same must be text or id; found 'tree'"),
        ({"missing": "no"}, "missing must be keep or drop or error"),
        (
            {"base": "three"},
            r"base must be first, a fusion \(rrf, .*\) or the name of a system \(one, two\); found 'three'",
        ),
        ({"absent": "low"}, "absent must be lowest, nan or a number; found 'low'"),
        ({"absent": math.inf}, "absent must be lowest, nan or a finite number; found inf"),
        ({"task": "chess"}, "there is no task 'chess'"),
    ):
        with pytest.raises(UsageError, match=message):
            merge({"one": one, "two": one}, **options)
    with pytest.raises(UsageError, match="merging needs the lists of at least two systems; found 1"):
        merge({"one": one})
    for name in ("", "a:b"):
        with pytest.raises(UsageError, match="the name of a system must be a text without a colon"):
            merge({"one": one, name: one})
    with pytest.raises(DataError, match="one has no lists"):
        merge({"one": one[:0], "two": one})


# -------------------------------------------------------------------- tasks


def test_equal_trees_are_one_however_they_are_written() -> None:
    one = texts(
        "(S1 (S (NP (PRP I)) (VP (VBP run))))",
        "(S1 (X (PRP I) (VBP run)))",
        references=["(S1 (S (NP (PRP I)) (VP (VBP run))))"],
        metric="parseval",
    )
    two = texts(
        "(TOP (S (NP (PRP I))\n  (VP (VBP run))))",
        "( (S(NP (PRP I) (VBP run))) )",
        references=["(S (NP (PRP I)) (VP (VBP run)))"],
        metric="parseval",
    )
    found = merge({"one": one, "two": two})
    assert found.texts.to_pylist() == [
        "(TOP (S (NP (PRP I)) (VP (VBP run))))",
        "(TOP (X (PRP I) (VBP run)))",
        "(TOP (S (NP (PRP I) (VBP run))))",
    ]
    assert columns(found)["two:rank"] == [1, 0, 0.5]


@pytest.mark.parametrize("metric", ["conlleval", "srl-eval"])
def test_taggings_and_roles(metric: str) -> None:
    one = texts("B-A0 O", "O B-A0", base=[-1, -2], inputs=["it rains"], metric=metric)
    two = texts("O B-A0", base=[-5], inputs=["it rains"], metric=metric, attributes={"predicate": ["1"]})
    found = merge({"one": one, "two": two})
    assert found.texts.to_pylist() == ["B-A0 O", "O B-A0"]
    assert columns(found)["two:score"] == [-5, -5]
    assert found.attributes["predicate"].to_pylist() == ["1"]


def documents(ids: str, base: list[float], quality: list[float], missed: list[float] | None) -> NBest:
    return NBest.from_arrays(
        quality=quality,
        base=base,
        sizes=[len(ids)],
        candidate_ids=list(ids),
        missed=None if missed is None else [missed],
        metric="ndcg@10",
    )


def test_documents_and_what_no_run_found() -> None:
    one = documents("xy", [3, 1], [2, 0], [1, 1, 2])
    two = documents("zx", [9, 8], [1, 2], [1, 2])
    found = merge({"one": one, "two": two}, base="rrf")
    assert found.candidate_ids.to_pylist() == ["x", "y", "z"]
    assert found.quality.tolist() == [2, 0, 1]
    assert found.missed.to_pylist() == [[2, 1]]
    assert found.base == pytest.approx([1 / 61 + 1 / 62, 1 / 62, 1 / 61])
    assert merge({"one": one, "two": documents("z", [1], [1], None)}).missed.to_pylist() == [[2, 1]]
    wrong = documents("z", [1], [1], [1])
    with pytest.raises(DataError, match="what two missed in list '0' does not agree with what one found and missed"):
        merge({"one": one, "two": wrong})
    with pytest.raises(DataError, match="what one missed in list '0' does not agree with what the other systems found"):
        merge({"one": documents("x", [1], [2], []), "two": documents("z", [1], [1], None)})


def test_ids_and_texts_of_candidates() -> None:
    one = texts("a", "b", candidate_ids=["0", "1"])
    two = texts("b", "c", candidate_ids=["0", "1"])
    found = merge({"one": one, "two": two})
    assert found.candidate_ids is None
    assert "Systems give one id to different candidates; ids of candidates are left out." in found.notes
    with pytest.raises(DataError, match="candidate '0' of list '0' has another text in two than in one"):
        merge({"one": one.replace(texts=["a", "c"]), "two": two}, same="id")
    only = NBest.from_arrays(sizes=[1], quality=[1.0], candidate_ids=["1"])
    by_id = merge({"one": one.replace(quality=[0, 1]), "two": only})
    assert (by_id.texts, by_id.candidate_ids.to_pylist()) == (None, ["0", "1"])
    assert "Only one has texts, which are left out." in by_id.notes
    with pytest.raises(DataError, match="the candidates of two have no ids, by which equal candidates are known"):
        merge({"one": one, "two": texts("b")}, same="id")
    rows = NBest.from_arrays([[1.0]], sizes=[1])
    with pytest.raises(DataError, match="the candidates of two have no texts, by which equal candidates are known"):
        merge({"one": one, "two": rows}, same="text")


# -------------------------------------------------------------------- votes


def test_every_system_votes_on_the_candidates_of_all() -> None:
    one = texts("a b", "a c", base=[math.log(0.75), math.log(0.25)])
    two = texts("d", base=[-3.0])
    found = columns(merge({"one": one, "two": two}, expected="wer"))
    # Errors in words against each reference, by hand: "a c" and "d" against "a b" have 1 and 2.
    assert found["one:expected"] == pytest.approx([-0.25, -0.75, -2.0])
    assert found["two:expected"] == pytest.approx([-2.0, -2.0, 0.0])


def test_votes_on_trees() -> None:
    one = texts("(S (NP (PRP I)) (VP (VBP go)))", "(NP (NP (PRP I)) (X (VBP go)))", base=[math.log(3), 0.0])
    two = texts("(S (NP (PRP I)) (VP (VBP go)))", base=[0.0])
    found = columns(merge({"one": one, "two": two}, expected="parseval"))
    # The trees share one constituent of three in each: F of one third.
    assert found["one:expected"] == pytest.approx([0.75 + 0.25 / 3, 0.25 + 0.75 / 3])
    assert found["two:expected"] == pytest.approx([1.0, 1 / 3])


def test_votes_need_scores_and_a_metric_of_texts() -> None:
    with pytest.raises(UsageError, match="no system has scores, which say how probable its candidates are"):
        merge({"one": texts("a"), "two": texts("b")}, expected="wer")
    with pytest.raises(UsageError, match="map cannot compare candidates with each other; name a metric of texts"):
        merge({"one": texts("a", base=[1]), "two": texts("b")}, expected="map")
