"""Exact voting against the slow way: one dense vector at a time, each picking by `runoff.ranking`."""

import dataclasses
import json
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import LinearModel, ModelError, NBest, UsageError, load
from runoff.arrays import Floats
from runoff.model import Votes, VotesBuilder, VoteTally, votes, votes_builder
from runoff.nbest import Features
from runoff.ranking import by_score, winners

SEEDS = st.integers(0, 2**32 - 1)
KINDS = st.sampled_from(["binary", "whole", "real"])


def example(seed: int, kind: str = "whole", updates: int | None = None) -> tuple[NBest, Votes, pa.Array]:
    """Few values, so that ties abound; groups without candidates; columns that only one side knows."""
    rng = np.random.default_rng(seed)
    names, known = [f"f{i}" for i in range(9)], rng.permutation(9)[:7]
    sizes = rng.integers(0, 6, rng.integers(1, 9))
    rows = int(sizes.sum())
    X = rng.integers(-2, 3, (rows, 9)) * (rng.random((rows, 9)) < rng.choice([0.1, 0.5, 1.0]))
    if kind == "binary":
        X = X != 0
    elif kind == "real":
        X = X * rng.normal(size=(rows, 9))
    base = rng.integers(-1, 2, rows).astype(float) if rng.random() < 0.5 else None
    data = NBest.from_arrays(X, sizes=sizes, base=base, feature_names=names)
    n = int(rng.integers(0, 30)) if updates is None else updates
    lengths = rng.integers(0, 8, n)
    columns = np.concatenate([rng.permutation(7)[:length] for length in lengths] or [[]])
    deltas = rng.normal(size=columns.size) if kind == "real" else rng.integers(-2, 3, columns.size)
    base_deltas = np.zeros(n) if base is None or rng.random() < 0.3 else rng.integers(-1, 2, n)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    found = Votes(starts, columns, deltas, base_deltas, rng.integers(0, 4, n + 1))
    return data, found, pa.array([names[i] for i in known], pa.large_string())


def vectors(of: Votes, n_columns: int) -> tuple[Floats, Floats]:
    """All weight vectors, densely, and their base weights."""
    moves = np.zeros((len(of) + 1, n_columns))
    for t in range(len(of)):
        part = slice(of.starts[t], of.starts[t + 1])
        np.add.at(moves[t + 1], of.columns[part], of.deltas[part])
    return moves.cumsum(axis=0), np.append(0.0, of.base).cumsum()


def slowly(data: NBest, of: Votes, names: pa.Array) -> Floats:
    """Shares of the votes, one vector at a time."""
    mine = data.features.column_names().to_pylist()
    X = data.features.to_scipy().toarray()[:, [mine.index(name) for name in names.to_pylist()]].astype(float)
    tallies = np.zeros(data.n_candidates)
    for weights, base_weight, count in zip(*vectors(of, len(names)), of.counts, strict=True):
        scores = X @ weights + (0.0 if data.base is None else base_weight * data.base)
        # Real numbers: scores that differ by rounding alone are ties, as between candidates with the same features.
        picks = winners(data, np.round(scores, 9))
        tallies[(data.offsets[:-1] + picks)[picks >= 0]] += count
    return tallies / max(of.counts.sum(), 1)


@given(SEEDS, KINDS, st.integers(1, 7), st.integers(1, 40))
@settings(deadline=None)
def test_shares_are_those_of_the_vectors_one_by_one(seed: int, kind: str, updates: int, stored: int) -> None:
    data, found, names = example(seed, kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(votes, "_UPDATES_PER_BLOCK", updates)
        patch.setattr(votes, "_STORED_PER_BLOCK", stored)
        assert found.shares(data, names).tolist() == slowly(data, found, names).tolist()


@given(SEEDS)
@settings(deadline=None)
def test_shares_over_several_blocks_of_the_usual_size(seed: int) -> None:
    data, found, names = example(seed, updates=1_300)
    assert found.shares(data, names).tolist() == slowly(data, found, names).tolist()


def test_shares_add_up_to_one_where_there_are_candidates() -> None:
    data = NBest.from_arrays([[1.0], [2.0], [3.0]], sizes=[2, 0, 1])
    found = Votes(*map(np.array, ([0, 1], [0], [1.0], [0.0], [3, 1])))
    assert found.shares(data, pa.array(["0"], pa.large_string())).tolist() == [0.75, 0.25, 1.0]


def test_where_nobody_votes_the_first_round_wins() -> None:
    data = NBest.from_arrays([[1.0], [2.0], [3.0]], sizes=[3], base=[0, 2, 1])
    model = voted(
        Votes(
            *map(np.array, ([0, 1], [0], [1.0], [0.0], [0, 0])),
        ),
        ["0"],
    )
    assert model.scores(data).tolist() == [0.0, 0.0, 0.0]
    assert model.ranks(data).tolist() == [3, 1, 2]


@given(SEEDS, KINDS, st.lists(st.integers(0, 29), max_size=4))
@settings(deadline=None)
def test_a_tally_in_parts_is_the_tally_of_the_whole(seed: int, kind: str, cuts: list[int]) -> None:
    data, found, names = example(seed, kind)
    bounds = sorted({0, len(found), *(cut for cut in cuts if cut <= len(found))})
    tally, parts = VoteTally(data, names), []
    for first, last in pairwise(bounds):
        stored = slice(found.starts[first], found.starts[last])
        counts = found.counts[first : last + 1].copy()
        counts[0] = 0 if first else counts[0]
        starts = found.starts[first : last + 1] - found.starts[first]
        parts.append(Votes(starts, found.columns[stored], found.deltas[stored], found.base[first:last], counts))
    if not parts:
        parts = [found]
    for part in parts:
        tally.add(part)
    assert tally.shares.tobytes() == found.shares(data, names).tobytes()
    whole = Votes.joined(parts)
    for field in dataclasses.fields(Votes):
        assert getattr(whole, field.name).tobytes() == getattr(found, field.name).tobytes()


@given(SEEDS, KINDS)
@settings(deadline=None)
def test_the_mean_is_that_of_the_vectors(seed: int, kind: str) -> None:
    _, found, _ = example(seed, kind)
    weights, base_weight = found.mean(7)
    dense, bases = vectors(found, 7)
    total = max(found.counts.sum(), 1)
    assert weights == pytest.approx(found.counts @ dense / total, abs=1e-12)
    assert base_weight == pytest.approx(found.counts @ bases / total, abs=1e-12)


@given(SEEDS, st.integers(0, 30), st.none() | st.integers(0, 5))
@settings(deadline=None)
def test_a_prefix_ends_where_it_says(seed: int, updates: int, last: int | None) -> None:
    data, found, names = example(seed, updates=30)
    prefix = found.first(updates, last)
    assert (len(prefix), prefix.n_stored) == (updates, found.starts[updates])
    counts = found.counts.copy()
    counts[updates + 1 :] = 0
    counts[updates] = counts[updates] if last is None else last
    same = dataclasses.replace(found, counts=counts)
    assert prefix.shares(data, names).tolist() == same.shares(data, names).tolist()


@pytest.mark.parametrize("updates", [-1, 4, 1.5, True, "2"])
def test_a_prefix_that_is_not_there_is_said(updates: object) -> None:
    _, found, _ = example(0, updates=3)
    with pytest.raises(UsageError, match="from 0 to 3 updates to take; found"):
        found.first(updates)  # type: ignore[arg-type]


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    data = NBest.from_arrays(rng.normal(size=(20_000, 5)), sizes=[20] * 1_000, base=rng.normal(size=20_000))
    found = Votes(
        np.arange(31) * 5, np.tile(np.arange(5), 30), rng.normal(size=150), rng.normal(size=30), np.arange(31)
    )
    shares = []
    for threads in ("1", "2"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        shares.append(found.shares(data, data.features.column_names()))
    assert shares[0].tobytes() == shares[1].tobytes()
    assert np.add.reduceat(shares[0], data.offsets[:-1]) == pytest.approx(1.0)


def test_votes_on_a_slice_of_data_are_those_of_its_groups() -> None:
    data, found, names = example(5, updates=20)
    for start in range(len(data)):
        part = data[start : start + 2]
        rows = slice(data.offsets[start], data.offsets[min(start + 2, len(data))])
        assert found.shares(part, names).tolist() == found.shares(data, names)[rows].tolist()


def test_base_scores_that_are_missing_are_said() -> None:
    data = NBest.from_arrays([[1.0], [2.0]], sizes=[2])
    found = Votes(*map(np.array, ([0, 0], [], [], [1.0], [0, 1])))
    with pytest.raises(ModelError, match=r"weigh the first round's score and this data has none; add base scores"):
        found.shares(data, data.features.column_names())


# -------------------------------------------------------------------- from a log


@given(SEEDS, st.booleans(), st.integers(1, 30))
@settings(deadline=None)
def test_a_log_gives_the_vectors_that_it_passed_through(seed: int, binary: bool, room: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (12, 6)) * (rng.random((12, 6)) < 0.5)
    X = X != 0 if binary else X
    base = rng.integers(-2, 3, 12).astype(float)
    scale, base_scale = 2.0 ** rng.integers(-2, 3, 6), 4.0
    builder = VotesBuilder(Features.of(X), base, scale=scale, base_scale=base_scale)
    weights, base_weight, sample, passed = np.zeros(6), 0.0, 0, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(votes_builder, "_STORED_PER_SLICE", room)
        for _ in range(rng.integers(1, 4)):
            row, amount, time = [], [], []
            for _ in range(rng.integers(0, 9)):  # samples of an epoch
                for _ in range(rng.integers(1, 4) if rng.random() < 0.6 else 0):
                    row.append(rng.integers(12)), amount.append(rng.integers(-2, 3)), time.append(sample)
                    weights = weights + amount[-1] * X[row[-1]]
                    base_weight += amount[-1] * base[row[-1]]
                passed.append((weights * scale, base_weight * base_scale))
                sample += 1
            log = np.array(row, np.int64), np.array(amount, np.float64), np.array(time, np.int64)
            part = builder.add(*log, until=sample)
            assert len(part) == len(set(time))
    found = builder.votes
    dense, bases = vectors(found, 6)
    assert np.repeat(dense, found.counts, axis=0).tolist() == [each.tolist() for each, _ in passed]
    assert np.repeat(bases, found.counts).tolist() == [each for _, each in passed]
    assert found.deltas.all()
    assert all(len(set(found.columns[a:b])) == b - a for a, b in pairwise(found.starts))


def test_a_builder_goes_on_from_what_another_had() -> None:
    table, log = Features.of(np.eye(3)), (np.array([0, 2]), np.array([1.0, -1.0]))
    whole, begun, resumed = (VotesBuilder(table, np.zeros(3), scale=np.array([1.0, 2.0, 4.0])) for _ in range(3))
    for builder in (whole, begun):
        builder.add(*log, np.array([1, 4]), until=6)
    resumed.resume(begun.votes)
    for builder in (whole, resumed):
        builder.add(*log, np.array([8, 8]), until=9)
    assert whole.votes.counts.tolist() == resumed.votes.counts.tolist() == [1, 3, 4, 1]
    assert whole.votes.deltas.tolist() == resumed.votes.deltas.tolist() == [1.0, -4.0, 1.0, -4.0]


@pytest.mark.parametrize(("time", "until"), [([3], 3), ([4, 3], 9), ([1], 9), ([], 1)])
def test_times_that_turn_back_are_refused(time: list[int], until: int) -> None:
    builder = VotesBuilder(Features.of(np.eye(2)), np.zeros(2))
    builder.add(np.array([0]), np.array([1.0]), np.array([0]), until=2)
    n = len(time)
    with pytest.raises(UsageError, match=f"in the order of their times, from 2 to before {until}"):
        builder.add(np.zeros(n, np.int64), np.ones(n), np.array(time, np.int64), until=until)


def test_too_many_changes_are_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(votes_builder, "MOST_STORED", 5)
    builder = VotesBuilder(Features.of(np.ones((1, 3))), np.zeros(1))
    builder.add(np.array([0]), np.array([1.0]), np.array([0]), until=1)
    with pytest.raises(UsageError, match=r"more than 5 weights .* average=True .* costs no memory"):
        builder.add(np.array([0]), np.array([1.0]), np.array([1]), until=2)


# -------------------------------------------------------------------- as a model


def voted(of: Votes, names: list[str]) -> LinearModel:
    weights, base_weight = of.mean(len(names))
    return LinearModel(weights, pa.array(names, pa.large_string()), base_weight, votes=of)


def three_vectors() -> LinearModel:
    """Votes 1, 2 and 4 for vectors (0, 0), (3, 0) and (3, -5)."""
    return voted(Votes(*map(np.array, ([0, 1, 2], [0, 1], [3.0, -5.0], [0.0, 0.0], [1, 2, 4]))), ["good:a", "bad:b"])


def three_candidates() -> NBest:
    # Scores of the three vectors: 0, 0, 0; 0, 6, 3; 0, -4, 3. So they vote for the first, the second and the third.
    return NBest.from_arrays(
        [[0, 0], [2, 2], [1, 0]],
        groups=["g", "g", "g"],
        feature_names=["good:a", "bad:b"],
        texts=["one", "two", "three"],
    )


def test_everything_goes_by_the_votes() -> None:
    model, data = three_vectors(), three_candidates()
    shares = [1 / 7, 2 / 7, 4 / 7]
    assert model.scores(data).tolist() == shares
    assert model.probabilities(data).tolist() == shares
    assert model.ranks(data).tolist() == [3, 2, 1]
    assert model.ranking(data).rows.tolist() == [2, 1, 0]
    choice = model.pick(data)[0]
    assert (choice.text, choice.score, choice.probability) == ("three", 4 / 7, 4 / 7)
    assert [each.text for each in model.top(data, 2)[0]] == ["three", "two"]
    assert model.weights == pytest.approx([18 / 7, -20 / 7])
    assert repr(model) == "LinearModel(2 of 2 weights, base 0, voted by 3 vectors)"
    assert model.heaviest(1) == [("bad:b", pytest.approx(-20 / 7))]
    with pytest.raises(UsageError, match="no prefixes"):
        model.prefix(1)


@given(SEEDS)
@settings(deadline=None)
def test_scores_come_in_the_order_of_the_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups, X = rng.integers(0, 5, 20), rng.integers(-2, 3, (20, 2))
    mixed = NBest.from_arrays(X, groups=groups, feature_names=["good:a", "bad:b"])
    model = three_vectors()
    scores = model.scores(mixed)
    for group in range(5):
        rows = np.flatnonzero(groups == group)
        if rows.size:
            alone = NBest.from_arrays(X[rows], sizes=[rows.size], feature_names=["good:a", "bad:b"])
            assert model.scores(alone).tolist() == scores[rows].tolist()
            assert model.ranks(mixed)[rows[by_score(alone, scores[rows]).rows]].tolist() == [*range(1, rows.size + 1)]


def test_an_explanation_says_the_votes_and_the_reasons_of_the_mean() -> None:
    found = three_vectors().explain(three_candidates(), "g")
    assert (found.votes, found.all_votes) == ((4, 1), 7)
    assert found.difference == pytest.approx(18 / 7)
    assert found.in_words() == (
        "Candidate 2 got 4 of 7 votes and candidate 0 got 1. For the mean of the voters it leads by 2.571, "
        "mostly through good:a (+2.57)."
    )
    assert "winner candidate 2: 4 of 7 votes (57.1%)" in str(found)
    assert "rival  candidate 0: 1 of 7 votes (14.3%), first round's choice" in str(found)
    assert "difference for the mean of the voters" in str(found)
    assert found.to_dict()["votes"] == {"winner": 4, "rival": 1, "all": 7}
    assert "of 7 votes" in found._repr_html_()


def test_an_explanation_says_when_the_mean_would_choose_the_rival() -> None:
    # Two vectors of three votes like the second candidate a little; one of two dislikes it much.
    found = Votes(*map(np.array, ([0, 1, 2], [0, 0], [1.0, -9.0], [0.0, 0.0], [0, 3, 2])))
    model = voted(found, ["a"])
    words = model.explain(NBest.from_arrays([[0.0], [1.0]], sizes=[2], feature_names=["a"]), 0).in_words()
    assert words == (
        "Candidate 1 got 3 of 5 votes and candidate 0 got 2. For the mean of the voters it trails by 2.600. "
        "Against it speaks a (-2.60)."
    )


# -------------------------------------------------------------------- on disk


def test_what_is_loaded_votes_as_what_was_saved(tmp_path: Path) -> None:
    data, found, names = example(3, "real", updates=40)
    model = voted(found, names.to_pylist())
    for name in ("a", "b"):
        model.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    again = load(tmp_path / "a")
    assert again.scores(data).tobytes() == model.scores(data).tobytes()
    assert again.votes is not None
    for field in dataclasses.fields(Votes):
        assert getattr(again.votes, field.name).tobytes() == getattr(found, field.name).tobytes()
    again.save(tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == (tmp_path / "a").read_bytes()


def test_a_model_without_votes_has_none_after_loading(tmp_path: Path) -> None:
    LinearModel.of({"a": 1.0}).save(tmp_path / "m")
    assert load(tmp_path / "m").votes is None


def changed(field: str, change: Callable[[np.ndarray], object]) -> Votes:
    votes = three_vectors().votes
    assert votes is not None
    return dataclasses.replace(votes, **{field: change(getattr(votes, field).copy())})


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (changed("columns", lambda a: a + 1), "weights that it does not have"),
        (changed("columns", lambda a: a - 1), "weights that it does not have"),
        (changed("deltas", lambda a: a * np.inf), "weights that are not numbers"),
        (changed("deltas", lambda a: a * np.nan), "weights that are not numbers"),
        (changed("base", lambda a: a + np.nan), "weights that are not numbers"),
        (changed("counts", lambda a: a - 2), "negative numbers of votes"),
        (changed("counts", lambda a: a + 2**62), "too many"),
        (changed("starts", lambda a: a + 1), "do not follow one another"),
        (changed("starts", lambda a: a[[0, 2, 1]]), "do not follow one another"),
        (changed("starts", lambda a: a * 0), "do not follow one another"),
        (changed("starts", lambda a: np.append(a[:2] * 3, a[2])), "do not follow one another"),
    ],
)
def test_damaged_votes_are_refused(tmp_path: Path, bad: Votes, says: str) -> None:
    dataclasses.replace(three_vectors(), votes=bad).save(tmp_path / "m.runoff")
    with pytest.raises(ModelError, match=rf"m\.runoff is damaged: .*{says}"):
        load(tmp_path / "m.runoff")


@pytest.mark.parametrize(
    "bad",
    [
        Votes(*map(np.array, ([0, 1], [0], [1.0], [0.0], [1]))),
        Votes(*map(np.array, ([], [], [], [], []))),
        Votes(*map(np.array, ([0, 1], [0], [1.0, 2.0], [0.0], [1, 1]))),
    ],
)
def test_votes_of_other_lengths_are_refused(bad: Votes) -> None:
    with pytest.raises(ModelError, match=r"^m is damaged: its votes are not as many as the vectors that give them\.$"):
        bad.check(1, "m")


@pytest.mark.parametrize("without", ["votes.arrow", "votes_changes.arrow"])
def test_half_of_the_votes_is_a_damaged_file(tmp_path: Path, without: str) -> None:
    three_vectors().save(tmp_path / "whole")
    with zipfile.ZipFile(tmp_path / "whole") as archive, zipfile.ZipFile(tmp_path / "m.runoff", "w") as half:
        assert without in archive.namelist()
        assert json.loads(archive.read("model.json"))["format"] == "runoff-model"
        for name in archive.namelist():
            if name != without:
                half.writestr(name, archive.read(name))
    with pytest.raises(ModelError, match=r"m\.runoff is not a Runoff model, or it is damaged[.:]"):
        load(tmp_path / "m.runoff")


@given(st.data())
@settings(deadline=None)
def test_a_file_with_any_bytes_changed_is_refused_or_safe(draw: st.DataObject) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.runoff"
        three_vectors().save(path)
        content = bytearray(path.read_bytes())
        for _ in range(draw.draw(st.integers(1, 4))):
            content[draw.draw(st.integers(0, len(content) - 1))] ^= draw.draw(st.integers(1, 255))
        path.write_bytes(bytes(content))
        try:
            model = load(path)
        except ModelError as error:
            assert "m.runoff" in str(error)  # noqa: PT017 - either outcome is legal
        else:
            assert np.isfinite(model.scores(three_candidates())).all()
