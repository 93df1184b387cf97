"""Tokens that know where they were joined, so that every text can be put together again."""

from __future__ import annotations

import re
import unicodedata

JOINER = "￭"
_STAND_IN = "■"  # for a joiner that stands in a text
# Scripts that are written without spaces between words: Han, kana, Thai, Lao, Khmer and Burmese, a letter a token.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_TOKEN = re.compile(
    rf"[{_UNSPACED}][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u3099\u309a]*"  # with the marks that stand on it
    r"|\d+(?:[.,:]\d+)*"
    rf"|(?:(?![{_UNSPACED}\d_])[\w\u0300-\u036f\u0900-\u0dff\u200c\u200d])+"
    r"|(.)\1*",  # a mark, or several of the same kind
    re.DOTALL,
)
_ENGLISH_ENDING = re.compile(r"['’](?:s|t|re|ve|ll|d|m)$", re.IGNORECASE)
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu)['’](?=\w)", re.IGNORECASE)


def clean(text: str) -> str:
    """A text as `split` can restore it: Unicode's composed form, one blank for white space, without joiners.

    Examples
    --------
    >>> clean(" two\\t words ")
    'two words'
    """
    text = unicodedata.normalize("NFC", text).replace(JOINER, _STAND_IN)
    return " ".join(text.split())


def _endings(chunk: str) -> tuple[str, str, str]:
    """What stands before, in and after the words of a chunk: an elision (l'), the rest, an English ending ('s)."""
    before = _ELISION.match(chunk)
    start = before.end() if before else 0
    after = _ENGLISH_ENDING.search(chunk, start)
    stop = after.start() if after and after.start() > start else len(chunk)
    return chunk[:start], chunk[start:stop], chunk[stop:]


def split(chunk: str) -> list[str]:
    """Tokens of a chunk without white space; a joiner marks where no blank was. O(characters).

    Letters, numbers and runs of the same mark are tokens; of scripts without spaces, every letter is. The joiner stands
    at a mark rather than at a word, so that words are spelled alike wherever they are.

    Examples
    --------
    >>> split("(dog's)"), split("well-known,"), split("l'eau"), split("3.5%"), split("東京")
    (['(￭', 'dog', "￭'s", '￭)'], ['well', '￭-￭', 'known', '￭,'], ["l'￭", 'eau'], ['3.5', '￭%'], ['東', '￭京'])
    """
    core = chunk.rstrip(".,;:!?\"')]}»“”…")
    start = len(core) - len(core.lstrip("\"'([{«„“”¿¡"))
    before, middle, after = _endings(core[start:])
    pieces = [*_pieces(chunk[:start]), before, *_pieces(middle), after, *_pieces(chunk[len(core) :])]
    return _joined([piece for piece in pieces if piece])


def _pieces(text: str) -> list[str]:
    return [match.group() for match in _TOKEN.finditer(text)]


def _joined(pieces: list[str]) -> list[str]:
    """The pieces of a chunk with a joiner at one side of every place where two meet."""
    out = list(pieces)
    words = [at for at, piece in enumerate(pieces) if _is_word(piece)]
    first, last = (words[0], words[-1]) if words else (0, 0)
    for at in range(len(pieces) - 1):
        # What comes before the first word leans on what follows, all else on what comes before; but between words
        # a mark leans on both.
        mark_before = not _is_word(pieces[at])
        if at < first or (mark_before and at < last) or (pieces[at][-1] in "'’" and at < last):
            out[at] += JOINER
        else:
            out[at + 1] = JOINER + out[at + 1]
    return out


def _is_word(piece: str) -> bool:
    return piece[0].isalnum() or (len(piece) > 1 and piece[0] not in "'’" and piece[1].isalnum())


def join(tokens: list[str]) -> str:
    """The text of some tokens: the inverse of `split` for every chunk of a text that is `clean`.

    Examples
    --------
    >>> join(["(￭", "dog", "￭'s", "￭)", "well", "￭-￭", "known", "￭,"])
    "(dog's) well-known,"
    """
    return f" {' '.join(tokens)} ".replace(f"{JOINER} ", "").replace(f" {JOINER}", "").replace(JOINER, "").strip()
