"""ARPA files, the language model format of SRILM, KenLM and most others."""

from __future__ import annotations

import re
from itertools import islice
from typing import IO, TYPE_CHECKING, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import DataError, UsageError, brief
from runoff.features.lm.ngram_table import END, MAX_ORDER, NEVER, SPECIAL, START, UNKNOWN, NgramTable
from runoff.files import replacing
from runoff.formats.streams import open_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.arrays import Ints, Singles
    from runoff.features.lm.ngram_table import WordNumbers

_BLOCK = 1_000_000  # lines read at a time
_MISSING_UNKNOWN = -100.0  # KenLM's log10 probability of unknown words where the file has none
_MISSING_NOTE = (
    "the ARPA file has no <unk>: every unknown word gets a log10 probability of -100, as in KenLM, so the number of "
    "unknown words dominates the score."
)
_SPELLED = (*SPECIAL, "<UNK>")  # some tools write <unk> in capitals
_COUNT = re.compile(rb"\s*ngram\s+(\d{1,18})\s*=\s*(\d{1,18})\s*$")


def read(path: str | Path) -> NgramTable:
    """Read an ARPA file, plain, gzip or zstd. O(characters), about 2 µs per n-gram.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.features.lm.kneser_ney import estimate
    >>> from runoff.metrics.tokens import tokenised
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.arpa"
    >>> write(estimate(tokenised(["a b"], lambda piece: [piece]), order=2), path)
    >>> grams = read(path)
    >>> grams.words.to_pylist(), grams.rows[1].tolist()
    (['a', 'b'], [[1, 3], [3, 4], [4, 2]])
    """
    with open_bytes(path) as stream:
        return _ArpaReader(path, stream).grams()


def write(grams: NgramTable, path: str | Path) -> None:
    """Write an ARPA file; reading it gives the same numbers. O(n-grams).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.features.lm.kneser_ney import estimate
    >>> from runoff.metrics.tokens import tokenised
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.arpa"
    >>> write(estimate(tokenised(["a b"], lambda piece: [piece]), order=2), path)
    >>> print(path.read_text()[:38])
    \\data\\
    ngram 1=5
    ngram 2=3
    <BLANKLINE>
    \\1-grams:
    """
    odd = [word for word in grams.words.to_pylist() if word in SPECIAL or len(word.encode().split()) != 1]
    if odd:
        raise UsageError(f"the model has the word {brief(odd[0])}, which an ARPA file cannot represent.")
    space, tab = (pa.scalar(mark, pa.large_string()) for mark in " \t")
    spelling = pa.concat_arrays([pa.array(SPECIAL, pa.large_string()), grams.words.cast(pa.large_string())])
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(b"\\data\\\n")
        for n, rows in enumerate(grams.rows, start=1):
            file.write(f"ngram {n}={rows.shape[0]}\n".encode())
        for n, rows in enumerate(grams.rows, start=1):
            file.write(f"\n\\{n}-grams:\n".encode())
            words = pc.binary_join_element_wise(*(spelling.take(pa.array(column)) for column in rows.T), space)
            numbers = [grams.probabilities[n - 1]] + [grams.backoffs[n - 1]] * (n < grams.order)
            left, *right = (pa.array(column).cast(pa.large_string()) for column in numbers)
            lines = pc.binary_join_element_wise(left, words, *right, tab).to_pylist()
            file.writelines(f"{line}\n".encode() for line in lines)
        file.write(b"\n\\end\\\n")


class _ArpaReader:
    """Reads one file: keeps the line number, and the words read so far."""

    def __init__(self, path: str | Path, file: IO[bytes]) -> None:
        self.path, self.file, self.line = path, file, 0
        self.spelling = pa.array([], pa.large_string())
        self.numbers: WordNumbers = np.zeros(0, np.int32)

    def grams(self) -> NgramTable:
        counts = self._counts()
        sections = []
        for n, count in enumerate(counts, start=1):
            steps = range(0, count, _BLOCK)
            blocks = [self._block(min(_BLOCK, count - done), n, longest=n == len(counts)) for done in steps]
            blocks.append((np.zeros((0, n), np.int32), np.zeros(0, np.float32), np.zeros(0, np.float32)))
            sections.append([np.concatenate(parts) for parts in zip(*blocks, strict=True)])
            self._expect(f"\\{n + 1}-grams:" if n < len(counts) else "\\end\\", f"after {count:,} {n}-grams")
        for number in (START, END):
            if number not in self.numbers:
                raise DataError(f"the model has no word {SPECIAL[number]}.", path=self.path)
        if missing := UNKNOWN not in self.numbers:
            unknown = [np.array([[UNKNOWN]], np.int32), *np.array([[_MISSING_UNKNOWN], [0.0]], np.float32)]
            sections[0] = [np.concatenate(parts) for parts in zip(unknown, sections[0], strict=True)]
        words = self.spelling.filter(pa.array(self.numbers >= len(SPECIAL)))
        rows, probabilities, backoffs = (tuple(parts) for parts in zip(*sections, strict=True))
        return NgramTable(words, rows, probabilities, backoffs, (_MISSING_NOTE,) if missing else ())

    def _wrong(self, message: str, line: int | None = None) -> NoReturn:
        raise DataError(message, path=self.path, line=line or self.line)

    def _lines(self, count: int) -> list[bytes]:
        lines = list(islice(self.file, count))
        self.line += len(lines)
        return lines

    def _counts(self) -> list[int]:
        """The numbers of n-grams from the header, which ends before the first n-gram."""
        while not (line := self._lines(1)) or line[0].strip() != b"\\data\\":
            if not line:
                raise DataError("it is not an ARPA file: it has no line \\data\\.", path=self.path)
        counts: list[int] = []
        while line := self._lines(1):
            if found := _COUNT.match(line[0]):
                if int(found[1]) != len(counts) + 1:
                    self._wrong(f"expected the number of {len(counts) + 1}-grams, found {brief(_text(line[0]))}.")
                counts.append(int(found[2]))
            elif line[0].strip() == b"\\1-grams:" and counts:
                break
            elif line[0].strip():
                self._wrong(f"expected 'ngram 1=' with a number or \\1-grams:, found {brief(_text(line[0]))}.")
        if not line:
            self._wrong("the file ends before the n-grams.")
        if len(counts) > MAX_ORDER:
            self._wrong(f"the model has {len(counts)}-grams; Runoff supports n-grams of up to {MAX_ORDER} words.")
        return counts

    def _expect(self, heading: str, where: str) -> None:
        while line := self._lines(1):
            if line[0].strip() == heading.encode():
                return
            if line[0].strip():
                self._wrong(f"{where}, the number in the header, expected {heading} and found {brief(_text(line[0]))}.")
        self._wrong(f"the file ends {where}, where {heading} is expected.")

    def _block(self, count: int, n: int, *, longest: bool) -> tuple[WordNumbers, Singles, Singles]:
        """The next lines of a section: numbers of the words, log probabilities and back-offs."""
        before, lines = self.line, self._lines(count)
        if len(lines) < count:
            self._wrong(f"the file ends within its {n}-grams; at least {count - len(lines):,} are missing.")
        try:
            text = pc.ascii_trim_whitespace(pa.array(lines, pa.large_binary()).cast(pa.large_string()))
        except pa.ArrowInvalid:
            bad = next(row for row, line in enumerate(lines) if "\ufffd" in line.decode(errors="replace"))
            self._wrong("the line is not UTF-8.", before + bad + 1)
        split = pc.ascii_split_whitespace(text)
        starts = split.offsets.to_numpy().astype(np.int64)
        starts, fields = starts[:-1] - starts[0], np.diff(starts)
        wrong = (fields != n + 1) & (longest | (fields != n + 2))
        if wrong.any():
            row = int(np.argmax(wrong))
            ending = "" if longest else ", and optionally a back-off"
            expected = f"expected a log10 probability and {n} word{'s' * (n > 1)}{ending}"
            self._wrong(f"{expected}; found {brief(text[row].as_py())}.", before + row + 1)
        flat = split.flatten()
        probabilities = self._logs(flat.take(pa.array(starts)), before + 1 + np.arange(count))
        if (probabilities > 0).any():
            row = int(np.argmax(probabilities > 0))
            self._wrong(f"a log10 probability must not be above 0; found {probabilities[row]:g}.", before + row + 1)
        backed = np.flatnonzero(fields == n + 2)
        backoffs = np.zeros(count, np.float32)
        backoffs[backed] = self._logs(flat.take(pa.array(starts[backed] + n + 1)), before + 1 + backed)
        words = flat.take(pa.array((starts[:, None] + np.arange(1, n + 1)).ravel()))
        return self._numbered(words, n, before).reshape(count, n), probabilities, backoffs

    def _logs(self, texts: pa.Array, lines: Ints) -> Singles:
        try:
            doubles = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            row = next(row for row, text in enumerate(texts) if not _is_number(text))
            self._wrong(f"expected a number, found {brief(texts[row].as_py())}.", int(lines[row]))
        with np.errstate(over="ignore"):
            values: Singles = doubles.astype(np.float32)
        values[values == -np.inf] = NEVER
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            self._wrong(f"expected a number, found {brief(texts[row].as_py())}.", int(lines[row]))
        return values

    def _numbered(self, words: pa.Array, n: int, before: int) -> WordNumbers:
        if n == 1:
            special = pc.index_in(words, pa.array(_SPELLED, pa.large_string()))
            numbers = special.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32) % len(SPECIAL)
            ordinary = special.is_null().to_numpy(zero_copy_only=False)
            known = int((self.numbers >= len(SPECIAL)).sum()) + len(SPECIAL)
            numbers[ordinary] = known + np.arange(int(ordinary.sum()))
            self.spelling = pa.concat_arrays([self.spelling, words])
            self.numbers = np.append(self.numbers, numbers)
            return np.asarray(numbers)
        found = pc.index_in(words, self.spelling)
        if found.null_count:
            at = found.is_null().index(pa.scalar(True)).as_py()
            self._wrong(f"{brief(words[at].as_py())} is not among the 1-grams of the file.", before + at // n + 1)
        return np.asarray(self.numbers[found.to_numpy(zero_copy_only=False)])


def _text(line: bytes) -> str:
    return line.decode(errors="replace").strip()


def _is_number(text: pa.Scalar) -> bool:
    try:
        text.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True
