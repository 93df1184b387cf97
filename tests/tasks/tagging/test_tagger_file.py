"""Files of taggers that were changed by hand: each is refused with a sentence that says what is wrong."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile

import numpy as np
import pytest

from runoff.errors import ModelError
from runoff.learners import BoostedChain, ChainPerceptron
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.tagger_file import load_tagger
from runoff.tasks.tagging.templates import Templates
from runoff.tasks.tagging.training import train_tagger

CORPUS = Corpus.of({"word": ["a", "cat", "a", "dog", "naps"], "pos": ["D", "N", "D", "N", "V"]}, sizes=[2, 3])
TEMPLATES = Templates.parse("word[0]\nword[-1] word[0]\ntag[-1] word[0]\ntag[-1]")


@pytest.fixture(params=["chain", "trees"])
def kind(request):
    return request.param


def written(path, kind="chain"):
    learner = ChainPerceptron(epochs=3) if kind == "chain" else BoostedChain(rounds=3, depth=1)
    train_tagger(CORPUS, "pos", templates=TEMPLATES, learner=learner, legal="seen", dictionary=1).save(path)
    return path


def changed(path, member, change):
    """The file with one member changed: JSON as an object, arrays as arrays."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if member.endswith(".json"):
        header = json.loads(members[member])
        change(header)
        members[member] = json.dumps(header).encode()
    else:
        array = np.load(io.BytesIO(members[member])).copy()
        changed_array = change(array)
        buffer = io.BytesIO()
        np.save(buffer, array if changed_array is None else changed_array)
        members[member] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def put(place, value):
    def change(array):
        array[place] = value

    return change


@pytest.mark.parametrize(
    ("member", "change", "message"),
    [
        ("row_tags.npy", put(0, 99), "row_tags has a number that is not from 0 to 2"),
        ("row_tags.npy", put(0, -1), "row_tags has a number"),
        ("rows.npy", put(1, 10**9), "rows does not cut"),
        ("rows.npy", put(0, 1), "rows does not cut"),
        ("rows.npy", lambda array: array[:-1], "rows has int64 of shape"),
        ("history_codes.npy", put(0, 10**6), "history_codes has a number"),
        ("history_rows.npy", put(-1, 0), "history_rows does not cut"),
        ("vector.npy", put(0, np.nan), "not finite"),
        ("vector.npy", lambda array: array[:-1], "vector has float64"),
        ("vector.npy", lambda array: array.astype(np.float32), "vector has float32"),
        ("parts0.npy", put((0, 0), 77), "parts0 has a number"),
        ("parts0.npy", put((0, 0), 0), "parts0 has a number"),
        ("parts0.npy", lambda array: np.concatenate([array, array[:1]]), "parts0 has a feature twice"),
        ("parts1.npy", lambda array: array[:, :1].copy(), "parts1 has int32"),
        ("parts3.npy", lambda array: np.repeat(array, 2, axis=0), "template without atoms"),
        ("legal.starts.npy", lambda array: array[:-1], "legal.starts has bool"),
        ("tagger.json", lambda header: header.update(tags=["D", "D", "V"]), "'tags' must have different tags"),
        ("tagger.json", lambda header: header.update(tags=["D"]), "damaged"),
        ("tagger.json", lambda header: header.update(templates=["word[x]"]), "expected an atom"),
        ("tagger.json", lambda header: header.update(words=[["a", [9]]]), "'words' has tags that are not among"),
        ("tagger.json", lambda header: header.update(model="oracle"), "'model' must be chain, greedy or trees"),
        ("tagger.json", lambda header: header.update(encoding="rot13"), "'encoding' must be none or bioes"),
        ("tagger.json", lambda header: header.update(beam=0), "'beam' must be a whole number"),
        ("tagger.json", lambda header: header.pop("legal"), "'legal' is missing"),
        ("tagger.json", lambda header: header.update(version=99), "has version 99 of the tagger format"),
        ("tagger.json", lambda header: header.update(format="grammar"), "is not a Runoff tagger"),
    ],
)
def test_a_tampered_chain_is_refused_with_a_sentence(tmp_path, member, change, message):
    path = changed(written(tmp_path / "a.tagger"), member, change)
    with pytest.raises(ModelError) as told:
        load_tagger(path)
    assert message in str(told.value)
    assert str(told.value).endswith(".")


@pytest.mark.parametrize(
    ("member", "change", "message"),
    [
        ("contexts.npy", put(0, 1_000), "contexts has a number"),
        ("context_rows.npy", put(1, 1_000), "context_rows does not cut"),
        ("labels.npy", put(0, 7), "labels has a number"),
        ("output_of.npy", put(0, 9), "output_of has a number"),
        ("output_of.npy", lambda array: array[:-1], "output_of has int32"),
    ],
)
def test_tampered_trees_are_refused_with_a_sentence(tmp_path, member, change, message):
    path = changed(written(tmp_path / "a.tagger", "trees"), member, change)
    with pytest.raises(ModelError, match=message):
        load_tagger(path)


def test_every_missing_member_is_told(tmp_path, kind):
    path = written(tmp_path / "a.tagger", kind)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for missing in members:
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                if name != missing:
                    archive.writestr(name, content)
        with pytest.raises(ModelError, match="is not a Runoff tagger"):
            load_tagger(path)


def test_random_bytes_in_a_file_are_refused_or_harmless(tmp_path, kind):
    path = written(tmp_path / "a.tagger", kind)
    content, rng = path.read_bytes(), np.random.default_rng(0)
    for _ in range(150):
        mutant = bytearray(content)
        for _ in range(int(rng.integers(1, 4))):
            mutant[rng.integers(len(mutant))] = rng.integers(256)
        path.write_bytes(bytes(mutant))
        with contextlib.suppress(ModelError):
            load_tagger(path).label(CORPUS)


def test_files_that_are_no_taggers_are_told(tmp_path):
    with pytest.raises(ModelError, match=r"nowhere.tagger cannot be read: no such file"):
        load_tagger(tmp_path / "nowhere.tagger")
    (tmp_path / "text.tagger").write_text("hello")
    with pytest.raises(ModelError, match="it is no zip file"):
        load_tagger(tmp_path / "text.tagger")
