"""Roles of a table's columns: as given, else by their usual names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError, brief

if TYPE_CHECKING:
    from pathlib import Path

# In the order of preference; an ending "s" is allowed. Roles that come first take a column that several could have.
USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "group": (
        *("group", "group_id", "qid", "query_id", "question_id", "query", "topic", "topic_id"),
        *("task_id", "problem_id", "prompt_id", "example_id", "custom_id"),
    ),
    "quality": ("quality", "label", "relevance", "rel", "grade", "passed", "correct", "is_correct", "acc", "accuracy"),
    "base": (
        *("base", "base_score", "score", "logprob", "system_score"),
        *("cumulative_logprob", "log_prob", "avg_logprob", "reward"),
    ),
    "text": (
        *("text", "hypothesis", "hyp", "candidate", "translation"),
        *("completion", "response", "generation", "generated_text", "sample", "output", "prediction", "solution"),
        *("hypotheses", "answer"),
    ),
    "id": ("id", "candidate_id", "docid", "doc_id", "completion_id", "sample_id"),
    "reference": (
        *("reference", "ref", "references", "target", "gold", "ground_truth", "gold_answer"),
        *("expected", "expected_output", "answer"),
    ),
    "input": ("input", "source", "src", "question", "prompt", "instruction", "problem"),
}
_EXAMPLE = "columns='group=…,quality=…,base=…,text=…,features=…+…'"


@dataclass(frozen=True)
class Roles:
    """The column of every role that a table has, its features if they were named, and what was guessed."""

    columns: Mapping[str, str]
    features: list[str] | None
    notes: tuple[str, ...]

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments for `NBest.from_table`."""
        return {**self.columns, "features": self.features, "notes": self.notes}


def find_roles(names: Sequence[str], given: Mapping[str, Any] | str | None, path: Path) -> Roles:
    """Give every role its column; a role that is given as empty has none.

    Examples
    --------
    >>> from pathlib import Path
    >>> find_roles(["QueryID", "Label", "len"], "quality=len", Path("a.csv")).columns
    {'quality': 'len', 'group': 'QueryID'}
    """
    said = said_roles(given)
    chosen = said.pop("features", None)
    features = None if chosen is None else _feature_columns(chosen, names)
    columns = {role: _existing(str(name), names) for role, name in said.items() if name}
    taken = {*columns.values(), *(features or [])}
    guessed = []
    for role in USUAL_NAMES:
        name = None if role in said else usual(role, [name for name in names if name not in taken])
        if name is not None:
            columns[role] = name
            taken.add(name)
            guessed.append(f"{role}={name}")
    if "group" not in columns and "input" in columns and "group" not in said:
        columns["group"] = columns["input"]
        guessed.append(f"group={columns['group']}")
    if "group" not in columns:
        others = [name for name in names if name not in taken] or [*names, "…"]
        raise DataError(
            f"no column is known to hold the group ids; the columns are: {', '.join(names)}. "
            f"Name it, for instance by --columns {shlex.quote(f'group={others[0]}')}, or all: {_EXAMPLE}.",
            path=path,
        )
    notes = (f"Columns were chosen by their usual names: {', '.join(guessed)}.",) if guessed else ()
    return Roles(columns, features, notes)


def usual(role: str, names: Sequence[str]) -> str | None:
    """Column with a usual name of this role, ignoring case and underscores."""
    plain = {plain_name(name): name for name in reversed(names)}
    wanted = (form for name in USUAL_NAMES[role] for form in (plain_name(name), f"{plain_name(name)}s"))
    return next((plain[form] for form in wanted if form in plain), None)


def plain_name(name: str) -> str:
    """The letters and digits of a name, in lower case: as names of keys and columns are compared."""
    return re.sub(r"[\W_]+", "", name.lower())


def said_roles(given: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """Roles and columns as given by the option `columns`; raises where it is written in another way."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        said = dict(given)
    elif isinstance(given, str):
        parts = [part.partition("=") for part in given.split(",") if part.strip()]
        for role, equals, _ in parts:
            if not equals:
                raise UsageError(f"columns must be given as {_EXAMPLE}; found {brief(role)} without a column.")
        said = {role.strip(): name.strip() for role, _, name in parts}
    else:
        raise UsageError(f"columns must be a text or a mapping of roles to columns; found {brief(given)}.")
    unknown = [role for role in said if role not in USUAL_NAMES and role != "features"]
    if unknown:
        raise UsageError(
            f"there is no role {unknown[0]!r} for a column; roles are: {', '.join(USUAL_NAMES)}, features."
        )
    return said


def _feature_columns(chosen: Any, names: Sequence[str]) -> list[str] | None:
    """The columns that were named; None, which stands for all that remain, for `*`."""
    if chosen == "*":
        return None
    if isinstance(chosen, str):
        chosen = [chosen] if chosen in names else [part for part in chosen.split("+") if part]
    return [_existing(str(name), names) for name in chosen]


def _existing(name: str, names: Sequence[str]) -> str:
    if name in names:
        return name
    folded = [each for each in names if each.lower() == name.lower()]
    if len(folded) != 1:
        raise UsageError(f"the table has no column {name!r}; its columns are: {', '.join(names)}.")
    return folded[0]
