"""Tokens of sacrebleu's tokenizers; the usual ones are run once per distinct piece between white space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import UsageError, brief
from runoff.metrics.tokens import Tokens, tokenised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_READY = "\ue000"  # private-use character that begins a finished token


def check_tokenizer(name: str) -> None:
    """Refuse a name that sacrebleu does not know."""
    from sacrebleu.metrics.bleu import BLEU

    if name not in BLEU.TOKENIZERS:
        known = ", ".join(BLEU.TOKENIZERS)
        raise UsageError(f"bleu[tokenize=…] must be one of sacrebleu's {known}; found {brief(name)}.")


def sacrebleu_tokens(texts: Sequence[str], tokenize: str, *, lowercase: bool) -> Tokens:
    """Tokens that sacrebleu's BLEU would count.

    The rules of 13a look at most one character to either side, and treat white space like the blanks that sacrebleu
    puts around a text, so a text has the tokens of its pieces. Texts in which a hyphen joins two lines are the
    exception and are tokenized as a whole, and so are all texts with the other tokenizers, every distinct text once.
    O(characters).

    Examples
    --------
    >>> sacrebleu_tokens(["It costs $3.50, or 2-3."], "13a", lowercase=True).of(0)
    ['it', 'costs', '$', '3.50', ',', 'or', '2', '-', '3', '.']
    """
    tokenizer = _tokenizer(tokenize)

    def whole(text: str) -> str:
        return tokenizer((text.lower() if lowercase else text).rstrip())

    # sacrebleu strips trailing white space too, and pyarrow 26 reads past the end of the last text if that has any.
    if tokenize == "13a":
        return tokenised(
            [_ready(whole(text)) if _joins_lines(text) else text.rstrip() for text in texts],
            lambda piece: [piece[1:]] if piece.startswith(_READY) else whole(piece).split(),
        )
    if tokenize == "none":
        return tokenised([text.rstrip() for text in texts], lambda piece: [piece.lower() if lowercase else piece])
    known = {text: whole(text).rstrip() for text in dict.fromkeys(texts)}
    return tokenised([known[text] for text in texts], lambda piece: [piece])


def _joins_lines(text: str) -> bool:
    """Whether 13a removes something between two pieces, or a piece would be mistaken for a finished token."""
    return ("\n" in text and ("-\n" in text or "<skipped>" in text.lower())) or _READY in text


def _ready(tokens: str) -> str:
    return " ".join(_READY + token for token in tokens.split())


def _tokenizer(name: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU

    try:
        found: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    except (ImportError, OSError, RuntimeError) as error:
        raise UsageError(f"bleu[tokenize={name}] needs a part of sacrebleu that is not installed: {error}") from error
    return found
