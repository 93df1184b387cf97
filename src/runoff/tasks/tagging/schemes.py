"""Schemes that write phrases as tags: BIO (IOB2), IOB1, BIOES, BILOU; exact conversion through spans.

All are read by the same rule, which gives every sequence a reading. For the letters B, I, O, and for E, I, O, it is the
rule of conlleval: B starts a phrase; I and E start one after O, after another type and after the end of a phrase; else
they continue it. S is a phrase of one token, and E is the last token of one; BILOU's L and U are other letters for E
and S, and M (of BMES) for I. A phrase that is cut off, such as a B of BIOES without an E, ends where the next one
starts or where there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError, brief
from runoff.tasks.tagging.corpus import Column
from runoff.tasks.tagging.span_rules import span_rules, spans_of
from runoff.tasks.tagging.spans import Spans
from runoff.tasks.tagging.tag_letters import split_tag

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Ints
    from runoff.tasks.tagging.corpus import Corpus

SCHEMES = ("bio", "iob1", "bioes", "bilou")
_OTHER_NAMES = {"iob2": "bio", "iob": "iob1", "iobes": "bioes", "bmes": "bioes"}
_O, _B, _I, _E, _S = range(5)
_READ = {"O": _O, "B": _B, "I": _I, "M": _I, "E": _E, "L": _E, "S": _S, "U": _S}
_WRITTEN = {"bio": "OBIIB", "iob1": "OBIII", "bioes": "OBIES", "bilou": "OBILU"}  # in the order of the numbers above


class SchemeError(NamedTuple):
    """The first tag that a scheme does not allow, and why.

    Examples
    --------
    >>> SchemeError(0, 1, "I-VP", "it continues no phrase").token
    1
    """

    sentence: int
    token: int
    tag: str
    reason: str

    def __str__(self) -> str:
        return f"sentence {self.sentence + 1}, token {self.token + 1}: {self.tag!r} is not allowed: {self.reason}"


class _TagReading(NamedTuple):
    """Tags as arrays."""

    offsets: Ints  # of sentences
    letters: Columns  # one per token
    spans: Ints  # one row per phrase: first token, token after the last, type
    labels: tuple[str, ...]  # of types

    def at(self, tokens: Ints) -> Bools:
        """Whether every token is one of these."""
        found = np.zeros(self.letters.size, bool)
        found[tokens] = True
        return found


def scheme_name(name: str) -> str:
    """The scheme by any of its names.

    Examples
    --------
    >>> scheme_name("IOB2"), scheme_name("iobes")
    ('bio', 'bioes')
    """
    found = _OTHER_NAMES.get(name.lower(), name.lower())
    if found not in SCHEMES:
        raise UsageError(f"there is no scheme {name!r}; there are: {', '.join((*SCHEMES, *_OTHER_NAMES))}.")
    return found


def phrases(corpus: Corpus, column: str = "tag") -> Spans:
    """The phrases of a column, by the rule above. O(tokens), as array operations.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> corpus = Corpus.of({"tag": ["B-NP", "I-NP", "I-VP", "O"]}, sizes=[4])
    >>> [(span.start, span.stop, span.label) for span in phrases(corpus).of(corpus.offsets)]
    [(0, 2, 'NP'), (2, 3, 'VP')]
    """
    read = _read(corpus[column], corpus.offsets)
    starts, stops, types = (frozen(np.ascontiguousarray(column)) for column in read.spans.T)
    return Spans(starts, stops, frozen(types.astype(np.int32)), read.labels)


def convert(corpus: Corpus, scheme: str, column: str = "tag") -> Corpus:
    """The same phrases in another scheme. O(tokens), as array operations.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> corpus = Corpus.of({"tag": ["B-NP", "I-NP", "B-NP", "O", "B-VP"]}, sizes=[5])
    >>> convert(corpus, "bioes")["tag"].texts()
    ['B-NP', 'E-NP', 'S-NP', 'O', 'S-VP']
    >>> convert(corpus, "iob1")["tag"].texts()
    ['I-NP', 'I-NP', 'B-NP', 'O', 'I-VP']
    """
    return corpus.with_column(column, tags_of(phrases(corpus, column), corpus.offsets, scheme))


def tags_of(spans: Spans, offsets: Ints, scheme: str = "bio") -> Column:
    """Write phrases, which must not overlap, as tags. O(tokens + phrases log phrases).

    Examples
    --------
    >>> spans = Spans(np.array([0]), np.array([2]), np.array([0], np.int32), ("NP",))
    >>> tags_of(spans, np.array([0, 3]), "bilou").texts()
    ['B-NP', 'L-NP', 'O']
    """
    name = scheme_name(scheme)
    order = np.argsort(spans.starts, kind="stable")
    starts, stops, codes = spans.starts[order], spans.stops[order], spans.codes[order]
    _check_apart(starts, stops, offsets)
    n = int(offsets[-1])
    letters, types = np.full(n, _O), np.full(n, -1)
    sizes = stops - starts
    inside = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    letters[inside], types[inside] = _I, np.repeat(codes, sizes)
    if name == "iob1":
        # B only where the phrase before is of the same type and ends right here, in the same sentence.
        after = np.zeros(starts.size, bool)
        after[1:] = (stops[:-1] == starts[1:]) & (codes[:-1] == codes[1:])
        after &= ~np.isin(starts, offsets[:-1])
        letters[starts[after]] = _B
    else:
        letters[stops - 1] = _E
        letters[starts] = np.where(sizes == 1, _S, _B)
    return _column(letters, types, spans.labels, _WRITTEN[name])


def detect_scheme(corpus: Corpus, column: str = "tag") -> str:
    """The scheme of a column: one of `SCHEMES`.

    Letters other than B, I and O decide; without these, whichever of BIO and IOB1 has fewer errors, BIO if both have as
    many. O(tokens).

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> detect_scheme(Corpus.of({"tag": ["I-NP", "B-NP", "O"]}, sizes=[3]))
    'iob1'
    """
    tags = corpus[column]
    found = {split_tag(tags.values[code])[0] for code in np.unique(tags.codes).tolist()}
    if found & {"L", "U"}:
        return "bilou"
    if found & {"E", "S", "M"}:
        return "bioes"
    read = _read(tags, corpus.offsets)
    return min(("bio", "iob1"), key=lambda name: int(_errors(read, name).sum()))


def first_error(corpus: Corpus, scheme: str, column: str = "tag") -> SchemeError | None:
    """The first tag that the scheme does not allow; None if there is none. O(tokens).

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> corpus = Corpus.of({"tag": ["B-NP", "O", "I-NP"]}, sizes=[1, 2])
    >>> print(first_error(corpus, "bio"))
    sentence 2, token 2: 'I-NP' is not allowed: it continues no phrase of its type
    """
    name = scheme_name(scheme)
    tags = corpus[column]
    read = _read(tags, corpus.offsets)
    letters = _WRITTEN[name]
    known = np.array([split_tag(value)[0] in letters for value in tags.values] or [True])
    wrong = ~known[tags.codes] if tags.values else np.zeros(0, bool)
    places = np.flatnonzero(wrong | _errors(read, name))
    if not places.size:
        return None
    at = int(places[0])
    sentence = int(np.searchsorted(corpus.offsets, at, side="right")) - 1
    tag = tags.values[int(tags.codes[at])]
    reason = _reason(name, int(read.letters[at]), bool(wrong[at]), at in read.spans[:, 0])
    return SchemeError(sentence, at - int(corpus.offsets[sentence]), tag, reason)


def _reason(scheme: str, letter: int, unknown: bool, starts: bool) -> str:
    if unknown:
        return f"{scheme} has the letters {', '.join(dict.fromkeys(_WRITTEN[scheme]))}"
    if letter in (_I, _E) and starts:
        return "it continues no phrase of its type"
    if scheme == "iob1":
        return "B is for a phrase right after another of its type"
    return "its phrase has no end"


def _errors(read: _TagReading, scheme: str) -> Bools:
    """Which tags the scheme does not allow, among those whose letter it has."""
    starts, stops, types = read.spans.T
    if scheme == "iob1":
        unneeded: Bools = read.letters == _B
        unneeded[starts[1:][(stops[:-1] == starts[1:]) & (types[:-1] == types[1:])]] = False
        unneeded |= (read.letters == _B) & read.at(read.offsets[:-1][np.diff(read.offsets) > 0])
        return unneeded
    errors: Bools = np.isin(read.letters, (_I, _E)) & read.at(starts)
    if scheme in ("bioes", "bilou"):
        errors |= np.isin(read.letters, (_B, _I)) & read.at(stops - 1)
    return errors


def _read(tags: Column, offsets: Ints) -> _TagReading:
    parts = [split_tag(value) for value in tags.values] or [("O", "")]
    for code in np.unique(tags.codes).tolist():
        letter, kind = parts[code]
        if letter not in _READ or (letter == "O" and kind):
            at = int(np.flatnonzero(tags.codes == code)[0])
            sentence = int(np.searchsorted(offsets, at, side="right")) - 1
            raise DataError(
                f"expected O or a tag such as B-NP, with a letter of {', '.join(_READ)}; found "
                f"{brief(tags.values[code])} in sentence {sentence + 1}, token {at - int(offsets[sentence]) + 1}."
            )
    letters = np.array([_READ.get(letter, _O) for letter, _ in parts], np.int32)
    rules, labels = span_rules(parts)
    return _TagReading(offsets, letters[tags.codes], spans_of(rules, tags.codes, offsets), labels)


def _check_apart(starts: Ints, stops: Ints, offsets: Ints) -> None:
    if not starts.size:
        return
    if (starts < 0).any() or (stops > offsets[-1]).any() or (stops <= starts).any():
        raise UsageError("a phrase must have at least one token, all of them in the corpus.")
    ends = offsets[np.searchsorted(offsets, starts, side="right")]
    if (stops[:-1] > starts[1:]).any() or (stops > ends).any():
        raise UsageError("phrases that are written as tags must not overlap, nor reach into the next sentence.")


def _column(letters: Ints, types: Ints, labels: tuple[str, ...], written: str) -> Column:
    """A column of tags, its values in the order in which they first occur."""
    same = np.array([written.index(letter) for letter in written])  # BIO writes I for the last token too
    keys = (types + 1) * len(written) + same[letters]
    found, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(order.size, np.int32)
    rank[order] = np.arange(order.size)
    values = []
    for key in found[order].tolist():
        kind, letter = divmod(key, len(written))
        label = labels[kind - 1] if kind else ""
        values.append(f"{written[letter]}-{label}" if label else written[letter])
    return Column(tuple(values), frozen(rank[codes.reshape(-1)]))
