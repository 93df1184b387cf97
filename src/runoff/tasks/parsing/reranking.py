"""A model among parses: the features that it weighs, and lists in any form as data that has them."""

from __future__ import annotations

import dataclasses
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from runoff import formats
from runoff.errors import ModelError, UsageError, brief
from runoff.features import source_columns
from runoff.formats.streams import sample, spooled
from runoff.model import load
from runoff.tasks.parsing.features.extract import extract
from runoff.tasks.parsing.features.families import families_of
from runoff.tasks.parsing.lists import FORMATS, read_lists

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from runoff.model import Choices, LinearModel
    from runoff.nbest import NBest
    from runoff.tasks.parsing.parse_list import ParseList


@dataclass(frozen=True)
class Wanted:
    """Features that are to be taken from trees: the families that find them, and their names."""

    families: tuple[str, ...]
    vocabulary: pa.Array

    @classmethod
    def of(cls, names: Iterable[str]) -> Wanted | None:
        """Those of the names that are features of parses; None if none is."""
        names = list(names)
        ours = {family for family in {_family(name) for name in names} if families_of([family])}
        kept = [name for name in names if _family(name) in ours]
        return cls(families_of(kept), pa.array(kept, pa.large_string())) if kept else None


def wanted_by(model: LinearModel) -> Wanted:
    """The features that a model weighs: all others of a tree make no difference to it.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> wanted = wanted_by(LinearModel.of({"rule:NP>DT NN!": 0.5, "heavy:NP 5": 0.0, "length:words": 1.0}))
    >>> wanted.families, wanted.vocabulary.to_pylist()
    (('rule',), ['rule:NP>DT NN!'])
    """
    used = model.weights != 0
    if model.votes is not None:  # vectors can differ in weights of which the mean is zero
        used[model.votes.columns] = True
    names = model.names.filter(pa.array(used)).to_pylist()
    wanted = Wanted.of(source_columns(names, model.preparation))
    if wanted is None and Wanted.of(model.names.to_pylist()) is not None:
        return Wanted(("rule",), pa.array([], pa.large_string()))  # it has learned that none of them helps
    if wanted is None:
        raise ModelError(
            f"the model weighs no feature of parses, such as 'rule:NP>DT NN!'{_but_others(model)}. Models for parses "
            "learn from data that `runoff parse features` writes; for others there are `runoff pick` and `runoff eval`."
        )
    return wanted


def wanted_like(path: str | Path) -> Wanted:
    """The features of a model or of data that has some, so that other lists can be given the same.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.model import LinearModel
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.runoff"
    >>> LinearModel.of({"rule:NP>DT NN!": 0.5}).save(path)
    >>> wanted_like(path).families
    ('rule',)
    """
    if zipfile.is_zipfile(path):
        return wanted_by(load(path))
    with spooled(path) as file:
        found = _ready(file, None)
    wanted = None if found is None else Wanted.of(found.features.column_names().to_pylist())
    if wanted is None:
        raise UsageError(
            f"{path} has no features of parses; name a model, or data that `runoff parse features` has written."
        )
    return wanted


def rerank(model: LinearModel, lists: Iterable[ParseList], **how: Any) -> Choices:
    """Choose a tree from every list, by the features that the model weighs; `how` is that of `extract`.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.tasks.parsing.parse_list import ParseList
    >>> trees = ["(S (NP (PRP I)) (ADVP (RB run)))", "(S (NP (PRP I)) (VP (VBP run)))"]
    >>> chosen = rerank(LinearModel.of({"rule:S>NP VP!": 1.0}), [ParseList("a", None, [-1.0, -2.0], trees)])
    >>> chosen[0].index, chosen[0].text
    (1, '(S (NP (PRP I)) (VP (VBP run)))')
    """
    wanted = wanted_by(model)
    return model.pick(extract(lists, families=wanted.families, vocabulary=wanted.vocabulary, **how))


def extract_file(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the natural word
    *,
    gold: str | Path | None = None,
    judge: bool = True,
    **how: Any,
) -> NBest:
    """Extract features from the lists of a file in any form of `read_lists`; `how` is that of `extract`.

    The file is read twice: first to see that it is in order and how long it is, before the long work. With `judge` off
    gold trees are not looked at.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.nbest"
    >>> _ = path.write_text("2\\tfirst\\n-31.5\\n(S1 (NP (NN a)))\\n-32\\n(S1 (X (DT a)))\\n")
    >>> extract_file(path, families=["rule"], min_lists=1)
    NBest(1 group, 2 candidates, 4 features, base)
    """
    notes: list[str] = []
    with spooled(path) as file:
        total = sum(1 for _ in read_lists(file, format, gold=gold))
        lists = read_lists(file, format, gold=gold, notes=notes)
        blind = (dataclasses.replace(parses, gold=None) for parses in lists)
        data = extract(lists if judge else blind, total=total, **how)
    return data.replace(notes=(*notes, *data.notes))


def data_for(
    model: LinearModel,
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the natural word
    *,
    gold: str | Path | None = None,
    only: str | None = None,
    **how: Any,
) -> NBest:
    """Lists of a file as data with the features that a model weighs: as it is where it has features, else extracted.

    `only` is the id of the one list that is needed: the others are then not looked into. `how` is that of
    `extract_file`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.model import LinearModel
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.nbest"
    >>> _ = path.write_text("2\\tfirst\\n-31.5\\n(S1 (NP (NN a)))\\n-32\\n(S1 (X (DT a)))\\n")
    >>> data_for(LinearModel.of({"rule:X>DT!": 1.0}), path).features.column_names().to_pylist()
    ['rule:X>DT!']
    """
    wanted = wanted_by(model)
    with spooled(path) as file:
        ready = _ready(file, format)
        if ready is None:
            how = {"families": wanted.families, "vocabulary": wanted.vocabulary, **how}
            if only is None:
                return extract_file(file, format, gold=gold, **how)
            return extract([_find(file, format, gold, only)], **{**how, "processes": 1})
    if gold is not None:
        raise UsageError(f"{path} has features, and gold trees came in with them; leave out the file {gold}.")
    return ready if only is None else ready[ready.find(only)]


def _ready(path: Path, format: str | None) -> NBest | None:  # noqa: A002
    """Data with features of parses, where a file has such."""
    if format in FORMATS:
        return None
    seen = sample(path)
    if format is None and any(fits(seen) for fits, _ in FORMATS.values()):
        return None
    if format is None and not any(each.recognise(seen) for each in formats.formats().values()):
        return None  # for `read_lists` to say what is wrong with it
    data = formats.read(path, format)
    return data if Wanted.of(data.features.column_names().to_pylist()) is not None else None


def _find(path: Path, format: str | None, gold: str | Path | None, name: str) -> ParseList:  # noqa: A002
    seen: list[str] = []
    for parses in read_lists(path, format, gold=gold):
        if parses.id == name:
            return parses
        seen.append(parses.id)
    some = ", ".join(map(brief, seen[:3]))
    raise UsageError(f"there is no list {name!r} in {path}; the ids of its {len(seen):,} lists look like: {some}.")


def _family(name: str) -> str:
    return name.partition(":")[0]


def _but_others(model: LinearModel) -> str:
    """What the model does weigh, to be put into a sentence."""
    names = [repr(name) for name, weight in model.heaviest(2) if weight]
    return f", but others, such as {' and '.join(names)}" if names else ""
