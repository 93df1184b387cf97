"""Fusion equals ranx on the same runs; what it makes of systems that lack candidates or lists."""

import gzip
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from runoff.combine.fused_choices import FUSIONS, fused_choices, scores_of_systems, systems_in
from runoff.combine.fusion import METHODS, Fusion, SystemScores
from runoff.combine.merge import merge
from runoff.errors import UsageError
from runoff.formats import read
from runoff.nbest import NBest
from runoff.ranking import by_score

RUNS = {
    "one": {"q1": {"a": 9.5, "b": 7.25, "c": 7.0, "d": 1.5}, "q2": {"x": 3.0, "y": 2.0}},
    "two": {"q1": {"c": 0.9, "e": 0.7, "a": 0.2}, "q2": {"y": -1.0, "x": -2.5, "z": -4.0}},
    "three": {"q1": {"e": 12.0, "b": 11.0}, "q2": {"z": 5.0}},
}
WEIGHTS = (0.5, 0.3, 0.2)
# ranx 0.3.21 on RUNS, by ranx.fuse(runs, norm=…, method=…), for a, b, c, d, e of q1 and x, y, z of q2.
RANX = [
    (
        Fusion("rrf"),
        [
            0.0322664585,
            0.03225806452,
            0.0322664585,
            0.015625,
            0.03252247488,
            0.03252247488,
            0.03252247488,
            0.0322664585,
        ],
    ),
    (
        Fusion("rrf", constant=10),
        [
            0.16783216783,
            0.16666666667,
            0.16783216783,
            0.07142857143,
            0.17424242424,
            0.17424242424,
            0.17424242424,
            0.16783216783,
        ],
    ),
    (Fusion("combsum"), [1.0, 0.71875, 1.6875, 0.0, 1.7142857142857144, 1.5, 1.0, 0.0]),
    (
        Fusion("combsum", "z"),
        [
            -0.27607385354,
            -0.6815710037,
            1.25256392802,
            -1.63460218103,
            1.33968311024,
            1.0,
            0.22474487139,
            -1.22474487139,
        ],
    ),
    (Fusion("combsum", "none"), [9.7, 18.25, 7.9, 1.5, 12.7, 0.5, 1.0, 1.0]),
    (Fusion("combmnz"), [2.0, 1.4375, 3.375, 0.0, 3.428571428571429, 3.0, 2.0, 0.0]),
    (
        Fusion("combmnz", "z"),
        [
            -0.55214770708,
            -1.36314200739,
            2.50512785604,
            -1.63460218103,
            2.67936622049,
            2.0,
            0.44948974278,
            -2.44948974278,
        ],
    ),
    (Fusion("borda"), [10.0, 9.5, 10.0, 5.5, 10.0, 6.5, 6.5, 5.0]),
    (Fusion("isr"), [2.2222222222222223, 1.0, 2.2222222222222223, 0.0625, 2.5, 2.5, 2.5, 2.2222222222222223]),
    (
        Fusion("log-isr"),
        [0.77016353396, 0.34657359028, 0.77016353396, 0.0, 0.8664339757, 0.8664339757, 0.8664339757, 0.77016353396],
    ),
    (
        Fusion("combsum", weights=WEIGHTS),  # wsum
        [0.5, 0.359375, 0.64375, 0.0, 0.41428571428571426, 0.65, 0.3, 0.0],
    ),
    (
        Fusion("combsum", "z", WEIGHTS),
        [
            0.13370956142,
            -0.04078550185,
            0.42247209786,
            -0.81730109051,
            0.30190493307,
            0.5,
            -0.13257653858,
            -0.36742346142,
        ],
    ),
]
NAMES = [f"{each.method}-{each.normalisation}-{len(each.weights)}" for each, _ in RANX]


def lists(run: dict[str, dict[str, float]]) -> NBest:
    return NBest.from_arrays(
        sizes=[len(scores) for scores in run.values()],
        base=[score for scores in run.values() for score in scores.values()],
        candidate_ids=[document for scores in run.values() for document in scores],
        group_ids=list(run),
    )


def fused(runs: dict[str, NBest], fusion: Fusion | str) -> dict[tuple[str, str], float]:
    merged = merge(runs, base=fusion)
    groups = merged.group_ids.take(merged.group_of).to_pylist()
    return dict(zip(zip(groups, merged.candidate_ids.to_pylist(), strict=True), merged.base.tolist(), strict=True))


@pytest.mark.parametrize(("fusion", "expected"), RANX, ids=NAMES)
def test_fusion_equals_ranx(fusion: Fusion, expected: list[float]) -> None:
    found = fused({name: lists(run) for name, run in RUNS.items()}, fusion)
    assert [found[key] for key in sorted(found)] == pytest.approx(expected, abs=1e-9)


# Sums of the squared scores of ranx 0.3.21 for the ten best documents of four columns of MQ2008's first test fold as
# runs (zeros are not retrieved), in the 97 queries that all four have.
COLUMNS = {"bm25-body": 21, "bm25-whole": 25, "lm-dir": 35, "inlinks": 42}
WEIGHTS_4 = (0.4, 0.3, 0.2, 0.1)
SQUARES = [
    (Fusion("rrf"), 1.4249142960948755),
    (Fusion("combsum"), 1544.5448871662995),
    (Fusion("combsum", "z"), 2755.667397567908),
    (Fusion("combsum", "none"), 2771.875918603716),
    (Fusion("combmnz"), 12974.681579798045),
    (Fusion("combmnz", "z"), 17877.06047686878),
    (Fusion("borda"), 2364717.5),
    (Fusion("isr"), 6346.474021643948),
    (Fusion("log-isr"), 788.0588902186009),
    (Fusion("combsum", weights=WEIGHTS_4), 122.58227704326102),
    (Fusion("combsum", "z", WEIGHTS_4), 228.43927266264583),
]


@pytest.fixture(scope="module")
def columns_as_runs(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> dict[str, NBest]:
    folder = tmp_path_factory.mktemp("runs")
    scored: dict[str, dict[str, list[tuple[float, str]]]] = {name: defaultdict(list) for name in COLUMNS}
    with gzip.open(shared_data / "letor/MQ2008/Fold1/test.txt.gz", "rt") as lines:
        for line in lines:
            values = dict(re.findall(r"(\w+):(\S+)", line))
            document = re.search(r"docid = (\S+)", line)[1]
            for name, column in COLUMNS.items():
                if float(values[str(column)]):
                    scored[name][values["qid"]].append((float(values[str(column)]), document))
    for name, queries in scored.items():
        with (folder / f"{name}.run").open("w") as out:
            for query, documents in queries.items():
                best = sorted(documents, key=lambda each: -each[0])[:10]
                out.writelines(f"{query} Q0 {each} {at} {score!r} t\n" for at, (score, each) in enumerate(best, 1))
    return {name: read(folder / f"{name}.run") for name in COLUMNS}


@pytest.mark.parametrize(("fusion", "expected"), SQUARES, ids=[f"{each}" for each, _ in SQUARES])
def test_fusion_equals_ranx_on_real_runs(columns_as_runs, fusion: Fusion, expected: float) -> None:
    queries = set.intersection(*(set(data.group_ids.to_pylist()) for data in columns_as_runs.values()))
    assert len(queries) == 97
    found = fused(columns_as_runs, fusion)
    assert sum(score**2 for (query, _), score in found.items() if query in queries) == pytest.approx(expected, rel=1e-9)


def test_a_list_that_only_one_system_has_is_fused_from_that_system_alone() -> None:
    runs = {"one": lists({"q1": {"a": 1.0}, "q2": {"b": 5.0, "c": 4.0}}), "two": lists({"q1": {"a": 3.0}})}
    found = fused(runs, "rrf")
    assert found == {("q1", "a"): 2 / 61, ("q2", "b"): 1 / 61, ("q2", "c"): 1 / 62}


def test_a_system_without_scores_counts_by_its_order() -> None:
    one = lists({"q": {"a": 3.0, "b": 2.0}})
    two = lists({"q": {"b": 0.0, "c": 0.0}}).replace(base=None)
    assert fused({"one": one, "two": two}, "rrf") == {
        ("q", "a"): 1 / 61,
        ("q", "b"): 1 / 62 + 1 / 61,
        ("q", "c"): 1 / 62,
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "sum"},
            "there is no method of fusion 'sum'; there are: rrf, combsum, combmnz, borda, isr, log-isr.",
        ),
        ({"normalisation": "max"}, "there is no normalisation 'max' of scores; there are: min-max, z, none."),
        ({"weights": (1.0, -1.0)}, "weights of systems are numbers from 0; found -1.0."),
        ({"constant": float("nan")}, "the constant of RRF is a number from 0; found nan."),
    ],
)
def test_what_is_not_there_is_refused(options, message) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        Fusion(**options)


def test_there_is_a_weight_for_every_system() -> None:
    with pytest.raises(UsageError, match="there are 3 systems and 2 weights; give one for each"):
        merge({name: lists(run) for name, run in RUNS.items()}, base=Fusion("rrf", weights=(1, 2)))


# -------------------------------------------------------------------- as baselines


def test_merged_lists_tell_what_their_systems_said() -> None:
    merged = merge({name: lists(run) for name, run in RUNS.items()})
    assert [places for places, _ in systems_in(merged)] == ["one:rank", "two:rank", "three:rank"]
    choices = fused_choices(merged)
    assert set(choices) == set(FUSIONS)
    assert set(METHODS) == {fusion.method for _, fusion in FUSIONS.values()}
    for name, (_, fusion) in FUSIONS.items():  # single precision is enough for these
        expected = by_score(merged, merge({n: lists(run) for n, run in RUNS.items()}, base=fusion).base)
        if name != "rrf":  # which has ties that rounding breaks otherwise
            assert choices[name].rows.tolist() == expected.rows.tolist(), name


def test_runs_tell_what_their_systems_said(tmp_path) -> None:
    for name, run in RUNS.items():
        lines = [
            f"{query} Q0 {document} {at} {score} {name}\n"
            for query, scores in run.items()
            for at, (document, score) in enumerate(scores.items(), 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    data = read(tmp_path / "one.run", runs=[tmp_path / "two.run", tmp_path / "three.run"])
    told = scores_of_systems(data)
    assert isinstance(told, SystemScores)
    ids = data.candidate_ids.to_pylist()
    assert dict(zip(ids, told.places[1].tolist(), strict=True)) == {
        "a": 3, "b": 0, "c": 1, "d": 0, "e": 2, "x": 2, "y": 1, "z": 3
    }  # fmt: skip
    found = dict(zip(ids, Fusion("borda").scores(told).tolist(), strict=True))
    assert found == {"a": 10, "b": 9.5, "c": 10, "d": 5.5, "e": 10, "x": 6.5, "y": 6.5, "z": 5}  # as ranx


@pytest.mark.parametrize("names", [["lm", "tm"], ["score:bm25", "reciprocal_rank:bm25"], ["one:found", "one:rank"]])
def test_lists_of_one_system_have_no_fusion(names) -> None:
    data = NBest.from_arrays(np.ones((2, 2)), sizes=[2], feature_names=names)
    assert fused_choices(data) == {}
    assert scores_of_systems(data) is None
