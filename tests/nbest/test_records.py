"""Records to `NBest`: every key, every mistake with its place. Expected values are those written in the records."""

from __future__ import annotations

import gc
from collections import OrderedDict, UserDict

import numpy as np
import pytest

from runoff.errors import DataError
from runoff.nbest import NBest
from runoff.nbest.records import Dialect, RecordBuilder, collector_paused


def features_of(data: NBest) -> list[dict[str, float]]:
    """One mapping per candidate, whatever the order of the columns."""
    names, matrix = data.features.column_names().to_pylist(), data.features.to_scipy()
    return [
        {
            names[column]: float(value)
            for column, value in zip(row.indices, row.data, strict=True)  # the row keeps what is stored
        }
        for row in (matrix[[at]] for at in range(matrix.shape[0]))
    ]


def test_every_key_of_a_record_is_read():
    data = NBest.from_records(
        [
            {
                "id": "utt-17",
                "input": "in",
                "references": ["r", "s"],
                "metric": "wer",
                "candidates": [
                    {
                        "id": "a",
                        "text": "x",
                        "base": -3.25,
                        "quality": 0.5,
                        "features": {"lm:score": -3.5, "len": 5},
                        "stats": {"wer": [1, 5]},
                    },
                    {
                        "id": "b",
                        "text": "y",
                        "base": -4,
                        "quality": 1,
                        "features": {"len": 2},
                        "stats": {"wer": [0, 5]},
                    },
                ],
            },
            {"id": 18, "reference": "t", "candidates": []},
        ]
    )
    assert data.group_ids.to_pylist() == ["utt-17", "18"]
    assert data.offsets.tolist() == [0, 2, 2]
    assert data.inputs.to_pylist() == ["in", None]
    assert data.references.to_pylist() == [["r", "s"], ["t"]]
    assert data.candidate_ids.to_pylist() == ["a", "b"]
    assert data.texts.to_pylist() == ["x", "y"]
    assert data.base.tolist() == [-3.25, -4.0]
    assert data.quality.tolist() == [0.5, 1.0]
    assert data.stats["wer"].tolist() == [[1.0, 5.0], [0.0, 5.0]]
    assert data.metric == "wer"
    assert data.features.names.to_pylist() == ["lm:score", "len"]  # in order of first appearance
    assert features_of(data) == [{"lm:score": -3.5, "len": 5.0}, {"len": 2.0}]
    assert data.notes == ("Groups without candidates: 1 (the first is '18').",)


def test_plain_texts_are_candidates_and_groups_are_numbered():
    data = NBest.from_records([{"candidates": ["a", "b"]}, {"candidates": ["c", {"text": "d"}]}])
    assert data.texts.to_pylist() == ["a", "b", "c", "d"]
    assert data.group_ids.to_pylist() == ["1", "2"]


@pytest.mark.parametrize("other", ["", "abc", 3, None, ["text"]])
def test_what_is_no_object_is_not_taken_for_one(other):
    for first in ({}, {"text": "x"}):
        records = [{"id": "g", "candidates": [first, other]}]
        if isinstance(other, str):
            missing = "candidate 1 of group 'g' has no 'text'"
            if first:
                assert NBest.from_records(records).texts.to_pylist() == ["x", other]
                continue
        else:
            missing = "expected text or an object for candidate 2 of group 'g'"
        with pytest.raises(DataError, match=missing):
            NBest.from_records(records)


def test_lists_of_names_are_ones_and_repeated_names_are_counts():
    ones = NBest.from_records([{"candidates": [{"features": ["b", "a"]}, {"features": ["a"]}, {}]}])
    assert ones.features.values is None
    assert features_of(ones) == [{"a": 1.0, "b": 1.0}, {"a": 1.0}, {}]
    counts = NBest.from_records([{"candidates": [{"features": ["b", "a", "b"]}, {"features": ["a"]}]}])
    assert features_of(counts) == [{"a": 1.0, "b": 2.0}, {"a": 1.0}]
    mixed = NBest.from_records(
        [{"candidates": [{"features": ["b", "b"]}, {"features": {"b": 0.5}}, {"features": None}]}]
    )
    assert features_of(mixed) == [{"b": 2.0}, {"b": 0.5}, {}]


def test_zeros_are_not_stored_and_all_ones_take_no_values():
    data = NBest.from_records([{"candidates": [{"features": {"a": 0, "b": 1.0}}, {"features": {"a": 1, "c": 0.0}}]}])
    assert data.features.n_stored == 2
    assert data.features.values is None
    assert data.features.names.to_pylist() == ["a", "b", "c"]


def test_rows_are_sorted_by_column():
    data = NBest.from_records([{"candidates": [{"features": {"a": 2, "b": 3}}, {"features": {"b": 4, "a": 5}}]}])
    assert data.features.indices.tolist() == [0, 1, 0, 1]
    assert data.features.values.tolist() == [2.0, 3.0, 5.0, 4.0]


def test_missed_answers_are_numbers_of_the_group():
    data = NBest.from_records([{"candidates": ["a"], "missed": [2, 0.5]}, {"candidates": ["b"]}])
    assert data.missed.to_pylist() == [[2.0, 0.5], []]
    assert NBest.from_records([{"candidates": ["a"], "missed": []}]).missed is None


def test_many_records_come_in_blocks_from_a_generator():
    records = ({"id": at, "candidates": [{"text": str(at), "features": {f"f{at % 7}": at}}]} for at in range(1500))
    data = NBest.from_records(records)
    assert len(data) == 1500
    assert data.texts.to_pylist() == [str(at) for at in range(1500)]
    assert features_of(data)[1499] == {"f1": 1499.0}


def test_other_mappings_and_numpy_numbers_are_taken():
    candidate = UserDict(
        {"text": "x", "base": np.float32(0.5), "quality": np.int64(2), "features": {"a": np.float64(3)}}
    )
    data = NBest.from_records([OrderedDict(candidates=(candidate,))])
    assert (data.base.tolist(), data.quality.tolist(), features_of(data)) == ([0.5], [2.0], [{"a": 3.0}])


def test_no_records_are_no_groups():
    data = NBest.from_records([])
    assert (len(data), data.n_candidates, data.base) == (0, 0, None)


def test_null_counts_as_missing():
    data = NBest.from_records([{"id": None, "input": None, "candidates": [{"text": "x", "base": None, "stats": None}]}])
    assert (data.group_ids.to_pylist(), data.inputs, data.base, dict(data.stats)) == (["1"], None, None, {})


def test_unused_keys_are_counted():
    data = NBest.from_records(
        [
            {"fold": 1, "candidates": [{"text": "x", "rank": 1}, {"text": "y"}]},
            {"fold": 2, "candidates": [{"text": "z", "rank": 1}]},
        ]
    )
    assert data.notes == ("Keys that Runoff does not use were left out: fold (2 groups), rank (2 candidates).",)


def attributes(data: NBest) -> dict[str, list[str | None]]:
    return {name: column.to_pylist() for name, column in data.attributes.items()}


def test_further_texts_of_lists_are_attributes():
    data = NBest.from_records([{"doc": "a", "candidates": []}, {"candidates": []}, {"doc": None, "candidates": []}])
    assert attributes(data) == {"doc": ["a", None, None]}
    assert not any("doc" in note for note in data.notes)


def test_attributes_are_kept_from_block_to_block():
    builder = RecordBuilder()
    builder.add([{"doc": "a", "now": "text", "candidates": ["x"]}], [1])
    builder.add([{"candidates": ["x"]}, {"speaker": "b", "now": 3, "candidates": ["x"]}], [2, 3])
    data = builder.finish()
    assert attributes(data) == {"doc": ["a", None, None], "speaker": [None, None, "b"]}
    assert data.notes == ("Keys that Runoff does not use were left out: now (2 groups).",)


def test_keys_by_the_thousand_are_left_out():
    data = NBest.from_records({f"key {at}": "text", "candidates": ["x"]} for at in range(700))
    assert len(data.attributes) == 100
    assert data.notes[0].endswith("and 590 more.")


def test_a_loss_is_a_negative_quality():
    builder = RecordBuilder(dialect=Dialect("system", "loss", quality_is_loss=True))
    builder.add([{"candidates": [{"loss": 0.0, "system": 2.0}, {"loss": 1.5, "system": 1.0}]}], [1])
    data = builder.finish()
    assert data.quality.tolist() == [0.0, -1.5]
    assert not np.signbit(data.quality[0])
    assert data.base.tolist() == [2.0, 1.0]


def one(**candidate: object) -> list[dict[str, object]]:
    return [{"id": "g", "candidates": [{"base": 0.0, "text": "fine"}, {"base": 1.0, "text": "x", **candidate}]}]


PLACE = "record 1: "
WRONG = {
    "nan": (one(base=float("nan")), "expected a finite number for 'base' of candidate 2 of group 'g', found nan."),
    "infinite": (one(base=float("inf")), "a finite number for 'base' of candidate 2 of group 'g', found inf."),
    "truth value": (one(base=True), "a finite number for 'base' of candidate 2 of group 'g', found True."),
    "text": (one(base="1.5"), "a finite number for 'base' of candidate 2 of group 'g', found '1.5'."),
    "huge": (one(base=10**400), "a finite number for 'base' of candidate 2 of group 'g', found 1000"),
    "missing": (one(base=None), "candidate 2 of group 'g' has no 'base', but others have"),
    "number as text": (one(text=3), "expected text for 'text' of candidate 2 of group 'g', found 3."),
    "half a character": (one(text="\ud800"), "no half surrogates"),
    "feature infinite": (
        one(features={"a": None, "b": float("inf")}),
        "a finite number for feature 'b' of candidate 2 of group 'g', found inf.",
    ),
    "feature bool": (one(features={"a": 1.0, "b": False}), "for feature 'b' of candidate 2 of group 'g', found False."),
    "feature text": (one(features={"a": 1, "b": "x"}), "for feature 'b' of candidate 2 of group 'g', found 'x'."),
    "feature too large": (one(features={"a": 1e39}), "single precision can hold (up to 3.4e38) for feature 'a'"),
    "feature name": (
        one(features={1: 2.0}),
        "text as the name of a feature for 'features' of candidate 2 of group 'g', found 1.",
    ),
    "feature list": (one(features=["a", 3]), "for 'features' of candidate 2 of group 'g', found 3."),
    "features": (one(features=3), "an object of names and numbers, or a list of names for 'features'"),
    "stats": (one(stats=[1]), "an object of metrics and lists for 'stats' of candidate 2 of group 'g', found [1]."),
    "stats of some": (one(stats={"wer": [1, 2]}), "candidate 1 of group 'g' has no 'stats.wer'"),
    "candidate": (
        [{"id": "g", "candidates": ["a", 3]}],
        "expected text or an object for candidate 2 of group 'g', found 3.",
    ),
    "no candidates": ([{"id": "g"}], "group 'g' has no 'candidates'"),
    "candidates": ([{"id": "g", "candidates": "abc"}], "expected a list for 'candidates' of group 'g', found 'abc'."),
    "not an object": ([["candidates"]], "expected an object with the key 'candidates', found ['candidates']."),
    "id": ([{"id": True, "candidates": []}], "expected text or a number of up to 64 bits (a longer one needs quotes)"),
    "id of 400 digits": ([{"id": 10**400, "candidates": []}], "(a longer one needs quotes) for 'id', found 1000"),
    "id of 5000 digits": ([{"candidates": [{"id": 10**5000}]}], "for 'id' of candidate 1 of group '1', found a number"),
    "list of 5000 digits": (one(text=[10**5000]), "found a list with a number of thousands of digits."),
    "input": ([{"input": 3, "candidates": []}], "expected text for 'input' of group '1', found 3."),
    "references": (
        [{"references": [3], "candidates": []}],
        "expected text or a list of texts for 'references' of group '1'",
    ),
    "both references": (
        [{"reference": "a", "references": ["b"], "candidates": []}],
        "both 'reference' and 'references'",
    ),
    "missed": (
        [{"candidates": [], "missed": [1, "x"]}],
        "expected a list of finite numbers for 'missed' of group '1', found [1, 'x'].",
    ),
    "metric": ([{"metric": 3, "candidates": []}], "expected the name of a metric for 'metric', found 3."),
    "same ids": (
        [{"id": "g", "candidates": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}],
        "2 candidates of group 'g' have the id 'a'",
    ),
}


@pytest.mark.parametrize(("records", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_are_named_with_their_place(records, message):
    with pytest.raises(DataError) as caught:
        NBest.from_records(records)
    assert str(caught.value).startswith(PLACE)
    assert message in str(caught.value)


def test_stats_of_one_metric_have_one_length():
    with pytest.raises(DataError, match=r"expected 2 numbers, as before, for 'stats.wer' of candidate 2 of group 'g'"):
        NBest.from_records([{"id": "g", "candidates": [{"stats": {"wer": [1, 5]}}, {"stats": {"wer": [1]}}]}])


@pytest.mark.parametrize("later", [{"text": "y"}, {"text": "y", "base": 1.0, "quality": 1.0}])
def test_a_mixture_far_apart_names_the_first_place_without(later):
    """Fields that begin or end after the first block of records are found all the same."""
    first = {"text": "x", "base": 1.0}
    records = [{"candidates": [first]} for _ in range(600)] + [{"candidates": [later]} for _ in range(600)]
    place = (
        "record 601: candidate 1 of group '601' has no 'base'"
        if len(later) == 1
        else "record 1: candidate 1 of group '1' has no 'quality'"
    )
    with pytest.raises(DataError, match=place):
        NBest.from_records(records)


def test_the_same_group_twice_names_both_places():
    records = [{"id": "a", "candidates": ["x"]}, {"id": "b", "candidates": ["x"]}, {"id": "a", "candidates": ["x"]}]
    with pytest.raises(DataError, match=r"record 3: the group id 'a' was used before, in record 1; ids must differ\."):
        NBest.from_records(records)


def test_two_metrics_are_one_too_many():
    with pytest.raises(DataError, match=r"record 2: the metric is 'bleu' here and 'wer' in record 1; name one\."):
        NBest.from_records([{"metric": "wer", "candidates": ["x"]}, {"metric": "bleu", "candidates": ["x"]}])


def test_the_collector_is_left_as_it_was():
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
