"""One text for each tree, however a parser writes it."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from runoff.tasks.parsing.trees import ROOTS

ROOT, NO_TREE = "TOP", "(())"
_ROOT = f"^\\((?:{'|'.join(sorted(filter(None, ROOTS)))})? ?\\("
_SPACED = r"[\t\n\r\f\v]|  |\( | \)|[^ (]\("  # anything but one blank before a word or constituent
_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
_CLOSE = re.compile(r"(?<=[^ (])\(")


def canonical_trees(texts: pa.Array) -> pa.Array:
    """Trees with one blank between label, words and constituents, and with the root TOP; (()) stays. O(characters).

    Examples
    --------
    >>> written = ["(S1 (NP (NN a)))", "( (NP\\n  (NN a)) )", "(NP(NN a))"]
    >>> canonical_trees(pa.array(written, pa.large_string())).unique().to_pylist()
    ['(TOP (NP (NN a)))']
    """
    trimmed = pc.ascii_trim_whitespace(texts)
    spaced = pc.match_substring_regex(trimmed, _SPACED)
    if pc.any(spaced).as_py():
        written = pa.array(map(_with_single_blanks, trimmed.filter(spaced).to_pylist()), pa.large_string())
        trimmed = pc.replace_with_mask(trimmed, spaced, written)
    kind = pa.large_string()
    renamed = pc.replace_substring_regex(trimmed, _ROOT, f"({ROOT} (", max_replacements=1)
    rooted = pc.if_else(
        pc.match_substring_regex(trimmed, _ROOT),
        renamed,
        pc.binary_join_element_wise(pa.scalar(f"({ROOT} ", kind), trimmed, pa.scalar(")", kind), pa.scalar("", kind)),
    )
    return pc.if_else(pc.equal(trimmed, NO_TREE), trimmed, rooted)


def _with_single_blanks(tree: str) -> str:
    return _CLOSE.sub(" (", _BLANKS.sub(" ", tree).replace("( ", "(").replace(" )", ")"))
