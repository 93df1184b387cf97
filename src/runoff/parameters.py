"""Parameters declared once, with a default and a check that answers in a sentence; and names parsed from text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from runoff.errors import UsageError

Check: TypeAlias = Callable[[Any], str | None]  # what was expected, or None where the value is fine


def whole(at_least: int = 0, at_most: int | None = None) -> Check:
    """A whole number from `at_least` on, up to `at_most` where there is an end."""
    range_ = f"of at least {at_least}" if at_most is None else f"from {at_least} to {at_most}"

    def check(value: Any) -> str | None:
        fits = _is(Integral, value) and value >= at_least and (at_most is None or value <= at_most)
        return None if fits else f"a whole number {range_}"

    return check


def number(*, zero: bool = False) -> Check:
    """A finite number above zero, or from zero on."""

    def check(value: Any) -> str | None:
        fits = _is(Real, value) and bool(np.isfinite(value)) and (value > 0 or (zero and value == 0))
        return None if fits else "a finite number of at least 0" if zero else "a positive finite number"

    return check


def _is(kind: type, value: Any) -> bool:
    """Whether a value is a number of a kind; truth values are not numbers here."""
    return isinstance(value, kind) and not isinstance(value, (bool, np.bool_))


def choice(*names: str) -> Check:
    """One of these words."""
    return lambda value: None if isinstance(value, str) and value in names else f"one of {', '.join(names)}"


def flag(value: Any) -> str | None:
    """True or false."""
    return None if isinstance(value, (bool, np.bool_)) else "true or false"


def text(value: Any) -> str | None:
    """A text, or None."""
    return None if value is None or isinstance(value, str) else "a text"


def words(value: Any) -> str | None:
    """A text that is not blank."""
    return None if isinstance(value, str) and value.strip() else "a text"


def optional(check: Check) -> Check:
    """None, or what another check takes.

    Examples
    --------
    >>> optional(whole(1))(None), optional(whole(1))(0)
    (None, 'a whole number of at least 1, or none')
    """

    def both(value: Any) -> str | None:
        expected = None if value is None else check(value)
        return expected and f"{expected}, or none"

    return both


def power_of_two(value: Any) -> str | None:
    """0, or a power of two."""
    fits = _is(Integral, value) and value >= 0 and value & (value - 1) == 0
    return None if fits else "0 or a power of two"


def share(value: Any) -> str | None:
    """A number between 0 and 1."""
    return None if _is(Real, value) and 0 < value < 1 else "a number between 0 and 1"


def within(low: float, high: float, *, first: bool = True, last: bool = True) -> Check:
    """A number in a range, with or without its ends.

    Examples
    --------
    >>> within(0, 1, last=False)(1.0)
    'a number from 0 to below 1'
    """

    def check(value: Any) -> str | None:
        fits = _is(Real, value) and low <= value <= high and (first or value != low) and (last or value != high)
        start, end = "from" if first else "above", "up to" if last else "to below"
        return None if fits else f"a number {start} {low:g} {end} {high:g}"

    return check


def several(check: Check) -> Check:
    """A list of values that another check takes.

    Examples
    --------
    >>> several(whole(1))([1, 2]), several(whole(1))(3)
    (None, 'a list, each a whole number of at least 1')
    """

    def every(value: Any) -> str | None:
        fits = isinstance(value, (list, tuple)) and value and not any(map(check, value))
        return None if fits else f"a list, each {check(None)}"

    return every


def either(word: str, check: Check) -> Check:
    """A word, or what another check takes."""

    def both(value: Any) -> str | None:
        expected = None if isinstance(value, str) and value == word else check(value)
        return expected and f'{expected}, or "{word}"'

    return both


def one_or_several(check: Check) -> Check:
    """A value that another check takes, a list of such values, or "auto".

    Examples
    --------
    >>> check = one_or_several(number())
    >>> check([0.1, 1.0]), check([0.1, -1.0])
    (None, 'a positive finite number, a list of these, or "auto"')
    """

    def every(value: Any) -> str | None:
        if isinstance(value, str) and value == "auto":
            return None
        several = value if isinstance(value, (list, tuple)) and value else [value]
        expected = next(filter(None, map(check, several)), None)
        return expected and f'{expected}, a list of these, or "auto"'

    return every


def parameter(default: Any, check: Check) -> Any:
    """A field of a dataclass with a default, and a check that `checks_of` finds.

    Examples
    --------
    >>> @dataclasses.dataclass
    ... class Learner:
    ...     sigma: float = parameter(1.0, number())
    >>> Learner().sigma, checks_of(Learner)["sigma"](-1)
    (1.0, 'a positive finite number')
    """
    return dataclasses.field(default=default, metadata={"check": check})


def checks_of(declared: Any) -> dict[str, Check]:
    """Checks of the fields that were declared by `parameter`, by name."""
    found = {each.name: each.metadata.get("check") for each in dataclasses.fields(declared)}
    return {name: check for name, check in found.items() if check is not None}


def check_all(name: str, values: dict[str, Any], checks: dict[str, Check]) -> None:
    """Raise for the first parameter that is not what it should be.

    Examples
    --------
    >>> check_all("LogLinear", {"sigma": -1}, {"sigma": either("auto", number())})
    Traceback (most recent call last):
    runoff.errors.UsageError: sigma of LogLinear must be a positive finite number, or "auto"; found -1.
    """
    for parameter, check in checks.items():
        expected = check(values[parameter])
        if expected:
            raise UsageError(f"{parameter} of {name} must be {expected}; found {values[parameter]!r}.")


class Parametrised:
    """A dataclass whose fields are declared by `parameter`: named, checked and changed as scikit-learn does.

    Examples
    --------
    >>> @dataclasses.dataclass(repr=False)
    ... class Slow(Parametrised):
    ...     rounds: int = parameter(10, whole(1))
    >>> Slow().set_params(rounds=3).clone()
    Slow(rounds=3)
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @classmethod
    def parameters(cls) -> Mapping[str, Any]:
        """Names and defaults of the constructor's parameters."""
        return {each.name: each.default for each in dataclasses.fields(cls) if each.init}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's signature
        """Parameters by name."""
        return {name: getattr(self, name) for name in self.parameters()}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters by name; the word "none" is None for one that takes None and no such word."""
        checks = checks_of(self)
        for name, value in parameters.items():
            if name not in self.parameters():
                raise UsageError(
                    f"{type(self).__name__} has no parameter {name!r}; it has: {', '.join(self.parameters())}."
                )
            check = checks.get(name)
            is_none = (
                isinstance(value, str) and value == "none" and check is not None and check(value) and not check(None)
            )
            setattr(self, name, None if is_none else value)
        return self

    def clone(self) -> Self:
        """Another with the same parameters that has learned nothing."""
        return type(self)(**self.get_params())

    def check_params(self) -> None:
        """Raise a `UsageError` for a value that a parameter does not take."""
        check_all(type(self).__name__, self.get_params(), checks_of(self))

    def refuse_unused(self, when: str, *names: str) -> None:
        """Raise a `UsageError` for a parameter that was changed and has no effect, such as one of another loss."""
        for name in names:
            if getattr(self, name) != self.parameters()[name]:
                raise UsageError(f"{type(self).__name__}: {name} has no effect with {when}; leave it out.")

    def __repr__(self) -> str:
        changed = {name: value for name, value in self.get_params().items() if value != self.parameters()[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def picked(
    text: str, names: Collection[str], sets: Mapping[str, Sequence[str]], kind: str, begin: Sequence[str] = ()
) -> tuple[str, ...]:
    """Names from a text: names and sets separated by commas; a minus removes one again.

    Starts from `begin`; the result is in the order of `names`. `kind` is what is named, for errors.

    Examples
    --------
    >>> picked("all,-b", ["a", "b", "c"], {"all": ["a", "b", "c"]}, "letter")
    ('a', 'c')
    """
    found = list(begin)
    known = ", ".join((*sets, *names))
    for word in filter(None, (part.strip() for part in text.split(","))):
        name = word.removeprefix("-")
        if name not in sets and name not in names:
            raise UsageError(f"there is no {kind} {name!r}; there are: {known}.")
        members = sets.get(name, (name,))
        if word != name:
            found = [each for each in found if each not in members]
        else:
            found.extend(each for each in members if each not in found)
    if not found:
        raise UsageError(f"no {kind} is left of {text!r}; there are: {known}.")
    return tuple(name for name in names if name in found)
