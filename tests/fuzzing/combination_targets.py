"""Combiners and files of solutions, as files that are attacked: what a person does with them."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from pathlib import Path

import numpy as np

import runoff
from helpers.noisy_roles import labelled, noisy_lists, proposition
from runoff.combine import load_combiner, train_combiner, union, vote
from runoff.combine.explanation import explain_combination
from runoff.combine.system_files import read_systems
from runoff.learners import TreeBoost
from runoff.tasks.roles import RoleSentence, write_roles


@functools.cache
def combiners() -> list[bytes]:
    """A linear one, and one of trees."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "filter.runoff"
        for learner in (None, TreeBoost(rounds=3, depth=2)):
            train_combiner(noisy_lists(40, 1), task="roles", learner=learner, min_groups=1).save(path)
            found.append(path.read_bytes())
    return found


def combining(path: Path) -> None:
    """Open a combiner, and assemble and explain with it."""
    combiner, data = load_combiner(path), noisy_lists(4, 2, references=False)
    combiner.texts(data)
    combiner.append(data)
    explain_combination(combiner, data, data.group_ids[0].as_py()).to_text()


@functools.cache
def solutions() -> list[bytes]:
    """Roles as props, of which the second file of two systems is changed."""
    return [_props(0.7), _props(0.9)]


def joining(path: Path) -> None:
    """Combine the changed file with a whole one."""
    whole = path.with_name("whole.props")
    whole.write_bytes(_props(0.8))
    found = read_systems([whole, path], names=["a", "b"], gold=whole, task="roles")
    vote(found.data, "roles")
    union(found.data, "roles")
    with contextlib.suppress(runoff.RunoffError):
        train_combiner(found.data, task="roles", min_groups=1, folds=2)


def _props(quality: float) -> bytes:
    right, noise = np.random.default_rng(0), np.random.default_rng(int(100 * quality))
    sentences = []
    for _ in range(6):
        size = int(right.integers(3, 9))
        said = labelled(noise, proposition(right, size), quality)
        sentences.append(RoleSentence(("_",) * size, (said,)))
    with tempfile.TemporaryDirectory() as folder:
        write_roles(sentences, Path(folder) / "a.props")
        return (Path(folder) / "a.props").read_bytes()
