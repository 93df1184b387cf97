"""Labels of roles, short as in CoNLL-2005 (A0, AM-TMP, R-A1) and long as in PropBank (ARG0, ARGM-TMP, R-ARG1)."""

from __future__ import annotations

import re
from functools import lru_cache

_LONG = re.compile(r"((?:[CR]-)*)ARG([0-9AM](?:-.+)?)")
_SHORT = re.compile(r"((?:[CR]-)*)A([0-9AM](?:-.+)?)")


@lru_cache(maxsize=4096)
def short_label(label: str) -> str:
    """The label as in CoNLL-2005; one that is not PropBank's is left as it is.

    Examples
    --------
    >>> [short_label(label) for label in ("ARG0", "ARGM-TMP", "C-ARG1-DSP", "R-ARGM-LOC", "ARGA", "V")]
    ['A0', 'AM-TMP', 'C-A1-DSP', 'R-AM-LOC', 'AA', 'V']
    """
    found = _LONG.fullmatch(label)
    return label if found is None else f"{found[1]}A{found[2]}"


@lru_cache(maxsize=4096)
def long_label(label: str) -> str:
    """The label as in PropBank, which `short_label` turns back.

    Examples
    --------
    >>> [long_label(label) for label in ("A0", "AM-TMP", "C-V", "ADV")]
    ['ARG0', 'ARGM-TMP', 'C-V', 'ADV']
    """
    found = _SHORT.fullmatch(label)
    return label if found is None else f"{found[1]}ARG{found[2]}"
