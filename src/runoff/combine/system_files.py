"""Files of several systems as one set of merged lists: lists in any format, or a task's files of solutions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.combine.merge import merge
from runoff.errors import DataError, UsageError
from runoff.formats import read, recognise
from runoff.formats.streams import bare_name, open_bytes
from runoff.registry import TASKS, recognised_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.nbest import NBest


@dataclass(frozen=True, eq=False)
class SystemFiles:
    """Merged lists of several files.

    Examples
    --------
    >>> read_systems(["a.props", "b.props"], gold="gold.props").data  # doctest: +SKIP
    NBest(4157 groups, 6240 candidates, 6 features, references)
    """

    data: NBest
    task: str
    are_solutions: bool  # files of sentences, such as props or columns, and not lists


def read_systems(
    files: Sequence[str | Path],
    *,
    names: Sequence[str] = (),
    gold: str | Path | None = None,
    words: str | Path | None = None,
    task: str | None = None,
) -> SystemFiles:
    """Read one file of (merged) lists, or a file of every system.

    Parameters
    ----------
    files
        Lists in any format; or solutions: roles (CoNLL-2005 and others), columns of words and tags, trees in brackets.
        Sentences of solutions are known by their number.
    names
        Of the systems, one for every file; default: the names of the files, without what they have in common.
    gold
        A file of the same kind with what is right, which becomes the references.
    words
        The words of the sentences, for files of propositions alone.
    task
        Name of the task; default: recognised.
    """
    paths = [Path(each) for each in files]
    systems = system_names_of(paths, names)
    if not paths:
        raise UsageError("name at least one file.")
    words = None if words is None else Path(words)
    found = task or _task_of(paths[0])
    are_solutions = found is not None and all(TASKS[found].reads_solutions(path) for path in paths)
    known = found if are_solutions else task
    if found is not None and not are_solutions:
        _check_kinds(paths, found)
    several = {
        name: _read(path, found if are_solutions else None, words) for name, path in zip(systems, paths, strict=True)
    }
    if are_solutions:
        _check_same(paths, list(several.values()), found)
    data = next(iter(several.values())) if len(several) == 1 else merge(several, task=known)
    if gold is not None:
        data = _with_references(data, Path(gold), found, words, paths[0])
    # Columns, such as merging makes, do not hide what the candidates are.
    name = known or recognised_texts(data).name
    usual = (TASKS[name].reported or "").partition(",")[0]
    if data.metric is None and data.references is not None and usual:  # files of solutions name none
        data = data.replace(metric=usual)
    return SystemFiles(data, name, are_solutions)


def system_names_of(paths: Sequence[Path], names: Sequence[str] = ()) -> list[str]:
    """Names of the systems: as given, or those of the files.

    Examples
    --------
    >>> system_names_of([Path("out/a.test.props"), Path("out/b.test.props")])
    ['a', 'b']
    >>> system_names_of([Path("a/test.props"), Path("b/test.props")])
    ['a', 'b']
    """
    if names and len(names) != len(paths):
        raise UsageError(f"give a name to every one of the {len(paths)} files, or to none; found {len(names)} names.")
    found = list(names) or [bare_name(path).partition(".")[0] for path in paths]
    if len(set(found)) < len(found) and not names:
        found = [path.parent.name for path in paths]
    if len(set(found)) < len(found) or not all(found):
        raise UsageError(f"systems need different names; found {', '.join(found)}; give each one by --name.")
    return found


def _task_of(path: Path) -> str | None:
    """The task whose solutions a file has; None for a file of lists."""
    if not path.is_file():
        return None
    # Roles build on tags: a file of roles is one of columns too.
    return next((name for name, each in reversed(TASKS.items()) if each.reads_solutions(path)), None)


def _check_kinds(paths: Sequence[Path], task: str) -> None:
    """Raise where solutions of a task stand beside files of another kind; some solutions are lists of one as well."""
    solutions = [path for path in paths if TASKS[task].reads_solutions(path)]
    for path in solutions:
        try:
            recognise(path)
        except DataError:
            other = next(each for each in paths if each not in solutions)
            raise DataError(
                f"it is no file of {TASKS[task].title} as {path} is; give files of one kind for all systems.",
                path=other,
            ) from None


def _read(path: Path, task: str | None, words: Path | None) -> NBest:
    return read(path) if task is None else TASKS[task].read_solutions(path, words)


def _with_references(data: NBest, gold: Path, task: str | None, words: Path | None, first: Path) -> NBest:
    is_solution = task is not None and TASKS[task].reads_solutions(gold)
    right = _read(gold, task if is_solution else None, words)
    if right.texts is None or (right.sizes != 1).any():
        raise DataError("the gold file must have one candidate for every input.", path=gold)
    texts = dict(zip(right.group_ids.to_pylist(), right.texts.to_pylist(), strict=True))
    ids = data.group_ids.to_pylist()
    missing = next((name for name in ids if name not in texts), None)
    if missing is not None:
        raise DataError(
            f"{_said(missing, task)} is not in {gold}, which must say what is right there.",
            path=first,
            line=_line(first, missing, task),
        )
    name = _differing(data, right)
    if name is not None:
        told = f"{_said(name, task)} has other words than in {first}."
        raise DataError(told, path=gold, line=_line(gold, name, task))
    known = set(ids)
    notes = list(data.notes)
    more = sum(name not in known for name in texts)
    if more:
        notes.append(f"{gold} has {more:,} inputs more than the systems; they are left out.")
    return data.replace(references=[[texts[name]] for name in ids], notes=notes)


def _check_same(paths: Sequence[Path], several: Sequence[NBest], task: str | None) -> None:
    """Raise where a file has other words than another, or lacks a sentence or a predicate."""
    for (one, data), (other, more) in pairwise([(paths[0], several[0]), *zip(paths[1:], several[1:], strict=True)]):
        ids, other_ids = data.group_ids.to_pylist(), more.group_ids.to_pylist()
        differing = _differing(data, more)
        if differing is not None:
            counts = "" if len(ids) == len(other_ids) else f"; it has {len(other_ids):,} of these, {one} {len(ids):,}"
            raise DataError(
                f"{_said(differing, task)} has other words than in {one}{counts}.",
                path=other,
                line=_line(other, differing, task),
            )
        for here, there, names, others in ((one, other, ids, set(other_ids)), (other, one, other_ids, set(ids))):
            missing = next((name for name in names if name not in others), None)
            if missing is not None:
                raise DataError(
                    f"{_said(missing, task)} is not in {there}; systems must have the same sentences and predicates.",
                    path=here,
                    line=_line(here, missing, task),
                )


def _differing(data: NBest, more: NBest) -> str | None:
    """The first list that both have with other inputs; lists without an input, such as of no tree, fit all."""
    if data.inputs is None or more.inputs is None:
        return None
    inputs = dict(zip(data.group_ids.to_pylist(), data.inputs.to_pylist(), strict=True))
    for name, words in zip(more.group_ids.to_pylist(), more.inputs.to_pylist(), strict=True):
        if words and inputs.get(name) and inputs[name] != words:
            found: str = name
            return found
    return None


def _said(name: str, task: str | None) -> str:
    """A list in words; of solutions, `3:4` is the fifth word of sentence 3."""
    if task is None:
        return f"list {name!r}"
    sentence, colon, word = name.partition(":")
    if colon and word.isdecimal():
        return f"the predicate at word {int(word) + 1} of sentence {sentence}"
    return f"sentence {name}"


def _line(path: Path, name: str, task: str | None) -> int | None:
    """The line of a file of sentences from which a list comes, where that is known."""
    number = name.partition(":")[0]
    if not number.isdecimal() or task is None or not TASKS[task].reads_solutions(path):
        return None
    known = TASKS[task].solution_lines(path)
    if known is None:
        return first_line_of(path, int(number)) or None
    return known[int(number) - 1] if 1 <= int(number) <= len(known) else None


def first_line_of(path: Path, sentence: int) -> int:
    """The line, from 1, at which a sentence of a file begins in which blank lines end sentences; 0 if there is none.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.props"
    >>> _ = path.write_text("- *\\n\\n\\n- *\\n- *\\n")
    >>> first_line_of(path, 2), first_line_of(path, 3)
    (4, 0)
    """
    seen, inside = 0, False
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, 1):
            is_blank = not line.strip()
            if not is_blank and not inside and not line.startswith(b"#"):
                seen += 1
                if seen == sentence:
                    return number
            inside = not is_blank and (inside or not line.startswith(b"#"))
    return 0
