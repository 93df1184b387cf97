"""Grammar files that were tampered with: refused with a sentence, or harmless; never a crash, never a loop."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from helpers import tampered_grammars
from helpers.tampered_grammars import WAYS, members_of, replaced, write_members
from runoff.errors import ModelError
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import Settings, load_grammar, train_grammar

if TYPE_CHECKING:
    from pathlib import Path

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NN man)))) (VP (VBD saw) (NP (NN man))))",
    "(S (VP (VB saw) (NP (DT the) (NN man)) (PP (IN in) (NP (DT a) (NN cat)))))",
]
# Where two arrays must be as long as each other, the other one is named.
BESIDE = {
    ("contexts", "one longer"): "left_over",
    ("outcomes", "one longer"): "shares",
    ("state_labels", "one shorter"): "states",
}


@pytest.fixture
def good(tmp_path: Path) -> Path:
    train_grammar(map(parse_tree, TREES), Settings(rare=2)).save(tmp_path / "good")
    return tmp_path / "good"


def refusal(path: Path, members: dict[str, bytes]) -> str:
    write_members(path, members)
    with pytest.raises(ModelError, match="is not a Runoff grammar, or it is damaged: ") as caught:
        load_grammar(path)
    return str(caught.value)


def npy(array: np.ndarray[Any, Any]) -> bytes:
    held = io.BytesIO()
    np.lib.format.write_array(held, array)
    return held.getvalue()


@pytest.mark.parametrize("kind", ["i", "u", "f"])
def test_an_array_that_is_wrong_is_named(good: Path, kind: str) -> None:
    ways = {
        "i": ["far at one place", "far below at one place", "one shorter", "column by column"],
        "u": ["one longer", "of other numbers", "of other bytes", "one more dimension"],
        "f": ["far at one place", "NaN at one place", "one shorter", "of other numbers"],
    }[kind]
    members, tried = members_of(good), 0
    for name in members:
        array = np.load(io.BytesIO(members[name])) if name.endswith(".npy") else np.zeros(0, bool)
        for way in ways if array.dtype.kind == kind else ():
            changed = WAYS[way](array)
            if changed.flags.c_contiguous and np.array_equal(changed, array) and changed.dtype == array.dtype:
                continue
            message = refusal(good, {**members, name: npy(changed)})
            named = BESIDE.get((name.split(".")[1], way), name.split(".")[-2])
            # The gate for files knows the member, the check of grammars the array.
            assert name.removesuffix(".npy").rpartition(".")[0] in message, (name, way)
            assert f"{named} has" in message or f"{name}: it is not an array" in message, (name, way)
            tried += 1
    assert tried >= {"i": 60, "u": 8, "f": 44}[kind]


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("symbols", "names", 1), "other", "'symbols.plain' must have the names"),
        (("symbols", "plain", 2), "NP)", "'symbols.plain' must have the names"),
        (("symbols", "labels"), 1000, "'symbols.labels' must be a number of labels"),
        (("symbols", "labels"), True, "'symbols.labels' must be a number of labels"),
        (("classes", 0), "x", "'classes' must begin with an empty name"),
        (("classes", 1), 3, "'classes' must have texts"),
        (("tags", 0, 0), 99, "'tags' has classes that are not whole numbers from 1 to"),
        (("tags", 0, 1), 2, "'tags' has tags that are not whole numbers from"),
        (("tags", 0, 2), 0, "'tags' has a count that is not a number above 0"),
        (("tags",), [], "every class of words needs a tag"),
        (("rare_words", 0, 1), -1, "'rare_words' has tags that are not"),
        (("rare_words", 0, 0), None, "'rare_words' must have texts"),
        (("rare_words", 0), ["a"], "'rare_words' must have rows of three values"),
        (("goals", 0), 0, "the goal of coarse0 is 0, which is not the unit of TOP"),
        (("goals",), [1], "'goals' must be two whole numbers"),
        (("provenance",), 3, "'provenance' must be an object"),
        (("settings", "vertical"), 1, "the array class_of has 1 at place 1; with the other arrays, it must be 0"),
        (("settings", "heights"), 1000, "heights must be a whole number from 1 to 9"),
        (("settings", "lexical"), "no", "lexical must be true or false"),
        (("settings", "unseen"), 5e-324, "some words get probability 0"),
    ],
)
def test_a_field_of_the_header_that_is_wrong_is_named(
    good: Path, place: tuple[Any, ...], value: object, said: str
) -> None:
    members = members_of(good)
    header = replaced(json.loads(members["grammar.json"]), place, value)
    assert said in refusal(good, {**members, "grammar.json": json.dumps(header).encode()})


def test_a_label_with_brackets_cannot_be_written(good: Path) -> None:
    members = members_of(good)
    header = members["grammar.json"].replace(b'"NN"', b'"N)"')
    assert "'symbols.plain' has 'N)', which cannot be written in a tree" in refusal(
        good, {**members, "grammar.json": header}
    )


def test_states_that_the_other_grammar_does_not_have(good: Path) -> None:
    # Each grammar is as it should be, but they come from different treebanks with the same symbols.
    members = members_of(good)
    train_grammar(map(parse_tree, [*TREES, "(S (VP (VB saw) (S (NP (DT a)))))"]), Settings(rare=2)).save(good)
    other = members_of(good)
    mixed = {name: other[name] if name.startswith("coarse0") else members[name] for name in members}
    assert "the array coarse0.state_labels has" in refusal(good, mixed)


def test_keys_that_share_a_slot(good: Path) -> None:
    # Keys in one slot make a table slow to fill, and every look-up slow.
    members = members_of(good)
    keys, values = np.arange(5000, dtype=np.uint64) << np.uint64(32), np.full(5000, 0.5)
    message = refusal(
        good,
        {**members, "probabilities.contexts.npy": npy(keys), "probabilities.left_over.npy": npy(values)},
    )
    assert "the array probabilities.contexts has keys that are no hashes" in message


@pytest.mark.slow
@pytest.mark.parametrize("checks", [{}, {"NUMBA_BOUNDSCHECK": "1"}], ids=["as it is", "bounds checked"])
def test_nothing_crashes(good: Path, checks: dict[str, str]) -> None:
    # In a process of its own, so that a crash is seen; the last line of its output says what crashed.
    found = subprocess.run(
        [sys.executable, "-W", "error", tampered_grammars.__file__, str(good.parent)],
        env={
            **os.environ,
            **checks,
            **({"NUMBA_CACHE_DIR": str(good.parent / "cache")} if checks else {}),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert found.returncode == 0, found.stdout.splitlines()[-1:] + found.stderr.splitlines()[-5:]
    assert int(found.stdout.splitlines()[-1].split()[0]) > 100  # what was accepted was parsed with
