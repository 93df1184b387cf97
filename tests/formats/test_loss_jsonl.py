"""The loss dialect: losses become quality, the system's score is the first round's."""

from __future__ import annotations

import gzip

import orjson
import pytest

from runoff import formats
from runoff.errors import DataError


def test_losses_and_scores_are_read(tmp_path):
    path = tmp_path / "lists.jsonl"
    path.write_bytes(
        b'{"candidates": [{"features": {"3g{a}": 1.0, "3g{b}": 1.0}, "text": "a b", "loss": 0.5, "system": 12.5},'
        b' {"features": {"3g{a}": 1.0}, "text": "a", "loss": 0.0, "system": 11}], "ref": "x"}\n'
    )
    data = formats.read(path)
    assert data.quality.tolist() == [-0.5, 0.0]
    assert data.base.tolist() == [12.5, 11.0]
    assert data.texts.to_pylist() == ["a b", "a"]
    assert data.features.names.to_pylist() == ["3g{a}", "3g{b}"]
    assert data.features.values is None
    assert {name: column.to_pylist() for name, column in data.attributes.items()} == {"ref": ["x"]}


def test_a_missing_loss_is_named(tmp_path):
    path = tmp_path / "lists.jsonl"
    path.write_bytes(b'{"candidates": [{"loss": 0.5, "text": "b"}, {"text": "a"}]}\n')
    with pytest.raises(DataError, match=r"lists\.jsonl, line 1: candidate 2 of group '1' has no 'loss'"):
        formats.read(path)


def test_real_lists_are_what_a_plain_reader_finds(shared_data):
    """Every file of this kind against the json module's view of it."""
    paths = [
        path for path in sorted(shared_data.glob("speech/*.jsonl.gz")) if formats.recognise(path).name == "loss-jsonl"
    ]
    if not paths:
        pytest.skip(f"there are no lists with losses under {shared_data}")
    for path in paths:
        data = formats.read(path)
        with gzip.open(path) as stream:
            groups = [orjson.loads(line)["candidates"] for line in stream]
        candidates = [candidate for group in groups for candidate in group]
        assert data.sizes.tolist() == [len(group) for group in groups]
        assert data.quality.tolist() == [-candidate["loss"] for candidate in candidates]
        assert data.base.tolist() == [-candidate["system"] for candidate in candidates]
        names = data.features.names.to_pylist()
        assert names == list(dict.fromkeys(name for candidate in candidates for name in candidate["features"]))
        matrix = data.features.to_scipy()
        for row in range(0, len(candidates), 97):
            line = matrix[[row]]
            stored = {names[column]: value for column, value in zip(line.indices, line.data, strict=True)}
            assert stored == {name: value for name, value in candidates[row]["features"].items() if value}


@pytest.mark.parametrize(
    ("systems", "option", "expected"),
    [
        ([[1.0, 2.0], [5.0, 9.0]], None, [-1.0, -2.0, -5.0, -9.0]),  # rising down the lists: costs
        ([[2.0, 1.0], [9.0, 5.0]], None, [2.0, 1.0, 9.0, 5.0]),  # falling: scores
        ([[1.0, 2.0], [9.0, 5.0]], None, [1.0, 2.0, 9.0, 5.0]),  # neither: as they are
        ([[2.0, 1.0], [9.0, 5.0]], "cost", [-2.0, -1.0, -9.0, -5.0]),
        ([[1.0, 2.0], [5.0, 9.0]], "score", [1.0, 2.0, 5.0, 9.0]),
    ],
)
def test_lists_come_best_first_so_their_order_tells_scores_from_costs(tmp_path, systems, option, expected):
    path = tmp_path / "lists.jsonl"
    groups = [{"candidates": [{"text": "a", "loss": 0.0, "system": each} for each in group]} for group in systems]
    path.write_bytes(b"\n".join(map(orjson.dumps, groups)))
    data = formats.read(path, system=option)
    assert data.base.tolist() == expected
    assert any("costs" in note for note in data.notes) == (option is None and expected[0] == -1.0)
