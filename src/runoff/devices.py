"""Devices of torch, which is optional: the package where it is installed, and a device by its name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from runoff.errors import UsageError

DEVICES = "auto, cpu, cuda, cuda:1, mps"


def device_name(value: Any) -> str | None:
    """The check of a parameter: a text, but not the word that stands for no device.

    Examples
    --------
    >>> device_name("cuda"), device_name("none")
    (None, 'the name of a device')
    """
    return None if isinstance(value, str) and value.strip() not in ("", "none") else "the name of a device"


def load_torch(what: str, extra: str) -> Any:
    """The package, or a sentence with the line that installs it; `what` needs it, in the plural."""
    try:
        return import_module("torch")
    except ImportError as error:
        raise UsageError(f"{what} need the package torch: pip install 'runoff[{extra}]'") from error


def find_device(torch: Any, name: str, known: str = DEVICES) -> Any:
    """The device of a name, which is there; "auto" is a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        found = torch.device(name)
    except (RuntimeError, TypeError) as error:
        raise UsageError(f"there is no device {name!r}; give one of {known}.") from error
    if found.type == "cuda" and (not torch.cuda.is_available() or (found.index or 0) >= torch.cuda.device_count()):
        raise UsageError(f"there is no device {name!r} here; this torch sees {torch.cuda.device_count()} of them.")
    return found
