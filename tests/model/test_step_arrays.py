"""Arrays inside a model's steps: bit for bit on disk, and a sentence where a file is damaged."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import LinearModel, ModelError, NBest, RunoffError, load
from runoff.model.step_arrays import attach_arrays, detach_arrays
from runoff.tasks.text.featurizer import TextFeaturizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ARRAYS = {
    "bytes": np.array([0, 255], np.uint8),
    "keys": np.array([0, 2**64 - 1], np.uint64),
    "whole": np.array([-(2**63), 2**63 - 1]),
    "small": np.array([1, -1], np.int32),
    "single": np.array([0.1, np.inf, -0.0], np.float32),
    "double": np.array([0.1, 5e-324, np.nan, -np.inf]),
    "truth": np.array([True, False, True]),
    "none": np.empty(0, np.uint64),
    "texts": pa.array(["a", "é😀", ""], pa.large_string()),
}


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, pa.Array):
        return isinstance(found, pa.Array) and found.type == expected.type and found.equals(expected)
    return isinstance(found, np.ndarray) and found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


def with_step(step: dict[str, Any]) -> LinearModel:
    return LinearModel(np.array([1.0]), pa.array(["length:words"], pa.large_string()), preparation=(step,))


def test_arrays_come_out_of_steps_and_back() -> None:
    steps = [{"step": "x", "n": 3, "deep": {"in": {"it": ARRAYS["keys"]}, "t": "s"}}, {"step": "y", **ARRAYS}]
    plain, arrays = detach_arrays(steps)
    assert json.loads(json.dumps(plain)) == plain  # nothing but plain values is left
    assert len(arrays) == len(ARRAYS) + 1
    again = attach_arrays(plain, arrays.__getitem__)
    assert same(again[0]["deep"]["in"]["it"], ARRAYS["keys"])
    assert again[0]["n"] == 3
    assert again[0]["deep"]["t"] == "s"
    for name, array in ARRAYS.items():
        assert same(again[1][name], array), name
        assert not isinstance(array, np.ndarray) or not again[1][name].flags.writeable


def test_a_file_keeps_arrays_bit_for_bit(tmp_path: Path) -> None:
    model = with_step({"step": "not known", "deep": ARRAYS})
    model.save(tmp_path / "a")
    found = load(tmp_path / "a")
    for name, array in ARRAYS.items():
        assert same(found.preparation[0]["deep"][name], array), name
    found.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@settings(deadline=None)
@given(
    st.dictionaries(
        st.text("ab-", min_size=1, max_size=3),
        st.recursive(
            st.lists(st.integers(-9, 9), max_size=3).map(np.array).map(lambda a: a.astype(np.int64)),
            lambda inner: st.dictionaries(st.text("ab", min_size=1, max_size=2), inner, min_size=1, max_size=2),
        ),
        max_size=4,
    )
)
def test_names_of_files_do_not_meet(step: dict[str, Any]) -> None:
    names: list[str] = []

    def walk(value: Any, name: str) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(inner, f"{name}-{key}")
        else:
            names.append(name)

    walk(step, "")
    if len(set(names)) < len(names):
        return  # "a-b" beside {"a": {"b": …}}: see the test below
    plain, arrays = detach_arrays([step])
    again = attach_arrays(plain, arrays.__getitem__)
    assert json.dumps(_lists(again[0]), sort_keys=True) == json.dumps(_lists(step), sort_keys=True)


def _lists(value: Any) -> Any:
    return {key: _lists(inner) for key, inner in value.items()} if isinstance(value, dict) else value.tolist()


def test_a_dash_in_a_name_is_no_level() -> None:
    plain, arrays = detach_arrays([{"a-b": np.array([1]), "a": {"b": np.array([2])}}])
    again = attach_arrays(plain, arrays.__getitem__)
    assert (again[0]["a-b"].tolist(), again[0]["a"]["b"].tolist()) == ([1], [2])


# ---------------------------------------------------------------- damage

DATA = NBest.from_arrays(
    texts=["a cat sat", "a cat", "the dog", "a dog", "the cat sat", "a cat ran"],
    sizes=[2, 2, 2],
    references=["a cat sat", "the dog", "the cat sat"],
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    featurizer = TextFeaturizer(families="length,lm,words,characters", min_lists=1)
    featurizer.fit_transform(DATA, "wer")
    path = tmp_path_factory.mktemp("whole") / "m"
    with_step(featurizer.to_step()).save(path)
    assert load(path).pick(DATA).indices.size == 3
    return path.read_bytes()


def changed(whole: bytes, path: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """The same model with the content of some parts changed; None leaves a part out."""
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return path


def used(path: Path) -> None:
    """Load and choose: either may be where damage is seen, and both must say it in a sentence."""
    load(path).pick(DATA)


def said(path: Path) -> str | None:
    """What is said of the file where it cannot be used; anything but a sentence of Runoff's goes on."""
    try:
        used(path)
    except RunoffError as error:
        return str(error)
    return None


def array_names(whole: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        return [name for name in archive.namelist() if name.startswith("step-")]


def arrow(values: Any, column: str = "values") -> bytes:
    sink, table = io.BytesIO(), pa.table({column: values})
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_there_are_arrays_to_damage(saved: bytes) -> None:
    assert len(array_names(saved)) >= 10


def test_a_missing_array_is_said(saved: bytes, tmp_path: Path) -> None:
    for name in array_names(saved):
        path = changed(saved, tmp_path / "m", lambda part, content, name=name: None if part == name else content)
        with pytest.raises(ModelError, match="is damaged"):
            load(path)


OTHERS: dict[str, Any] = {
    "texts": pa.array(["a", "b"], pa.large_string()),
    "short texts": pa.array(["a", "b"]),
    "doubles": pa.array([0.5, 1.5]),
    "halves": pa.array(np.array([0.5], np.float16)),
    "gaps": pa.array([1, None]),
    "only gaps": pa.array([None, None]),
    "truths": pa.array([True, False]),
    "nothing": pa.array([], pa.int64()),
    "lists": pa.array([[1], [2, 3]]),
    "structures": pa.array([{"a": 1}]),
    "words by number": pa.array(["a", "b"]).dictionary_encode(),
    "times": pa.array([0], pa.timestamp("s")),
    "huge": pa.array([2**62, -5]),
}


@pytest.mark.parametrize("kind", sorted(OTHERS))
def test_an_array_of_another_kind_is_said(saved: bytes, tmp_path: Path, kind: str) -> None:
    for name in array_names(saved):
        content = arrow(OTHERS[kind])
        path = changed(saved, tmp_path / "m", lambda part, old, name=name, new=content: new if part == name else old)
        sentence = said(path)
        assert sentence is None or sentence.endswith(".")
        if sentence is None:  # a row of the right type, which means something else
            with zipfile.ZipFile(io.BytesIO(saved)) as archive:
                old = pa.ipc.open_file(io.BytesIO(archive.read(name))).read_all()
            assert old["values"].type == OTHERS[kind].type, name


def test_a_column_of_another_name_is_said(saved: bytes, tmp_path: Path) -> None:
    name = array_names(saved)[0]
    path = changed(saved, tmp_path / "m", lambda part, old: arrow(pa.array([1]), "v") if part == name else old)
    with pytest.raises(ModelError, match="is damaged"):
        load(path)


@settings(deadline=None)
@given(draw=st.data())
def test_arrays_of_any_length_and_value(
    saved: bytes, tmp_path_factory: pytest.TempPathFactory, draw: st.DataObject
) -> None:
    # The right type and wrong numbers: refused in a sentence, or used without a traceback.
    name = draw.draw(st.sampled_from(array_names(saved)))
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        column = pa.ipc.open_file(io.BytesIO(archive.read(name))).read_all()["values"].combine_chunks()
    numbers = column.to_numpy(zero_copy_only=False).copy()
    if draw.draw(st.booleans()):
        numbers = numbers[: draw.draw(st.integers(0, len(numbers)))]
    elif numbers.size:
        value = draw.draw(st.integers(0, 2**20) | st.sampled_from([-1, 2**40, 2**62]))
        with np.errstate(all="ignore"):
            numbers[draw.draw(st.integers(0, numbers.size - 1))] = np.array(value).astype(numbers.dtype)
    path = tmp_path_factory.mktemp("d") / "m"
    changed(saved, path, lambda part, old: arrow(pa.array(numbers)) if part == name else old)
    assert said(path) != ""


@settings(deadline=None)
@given(draw=st.data())
def test_cut_and_flipped_files(saved: bytes, tmp_path_factory: pytest.TempPathFactory, draw: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("d") / "m"
    if draw.draw(st.booleans()):
        path.write_bytes(saved[: draw.draw(st.integers(0, len(saved) - 1))])
        with pytest.raises(ModelError):
            load(path)
        return
    content = bytearray(saved)
    content[draw.draw(st.integers(0, len(content) - 1))] ^= draw.draw(st.integers(1, 255))
    path.write_bytes(bytes(content))
    assert said(path) != ""


def header_changed(whole: bytes, path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    def new(part: str, content: bytes) -> bytes:
        if part != "model.json":
            return content
        header = json.loads(content)
        change(header["preparation"][0])
        return json.dumps(header).encode()

    return changed(whole, path, new)


@pytest.mark.parametrize(
    "mark",
    [{"stored in": "weights.arrow"}, {"stored in": "model.json"}, {"stored in": "../x"}, {"stored in": 5},
     {"stored in": None},
     {"stored in": {}}, {"stored in": []}, {"stored in": {"stored in": "weights.arrow"}}, {}, [], 5, "x", None,
     [1, 2], {"stored in": "step-0/words/keys.arrow", "more": 1}],
)  # fmt: skip
def test_marks_that_lead_nowhere_are_said(saved: bytes, tmp_path: Path, mark: Any) -> None:
    for family, name in (("words", "keys"), ("characters", "letters")):
        path = header_changed(saved, tmp_path / "m", lambda step, f=family, n=name: step[f].__setitem__(n, mark))
        with pytest.raises(ModelError):
            used(path)
    path = header_changed(saved, tmp_path / "m", lambda step: step["lm"]["arrays"].__setitem__("keys", mark))
    with pytest.raises(ModelError):
        used(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("families", ["length", "length", "nothing"]),
        ("families", [[]]),
        ("families", {}),
        ("similarity", ["wer"]),
        ("similarity", "nonsense"),
        ("similarity", ""),
        ("words", {}),
        ("words", 5),
        ("lm", 5),
        ("encoder", {}),
        ("encoder", 5),
        ("encoder", {"name": 5, "fingerprint": None}),
        ("lm", {}),
        ("lm", {"file": {}}),
        ("lm", {"file": None}),
        ("lm", {"file": {"path": 5, "is": "x"}}),
        ("lm", {"arrays": 5}),
        ("lm", {"arrays": None}),
    ],
)
def test_headers_that_are_not_whole_are_said(saved: bytes, tmp_path: Path, name: str, value: Any) -> None:
    path = header_changed(saved, tmp_path / "m", lambda step: step.__setitem__(name, value))
    with pytest.raises(RunoffError):
        used(path)
