"""Tokens as sacrebleu's tokenisers cut them, the usual ones once for every different piece between white space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import UsageError, brief
from runoff.metrics.tokens import Tokens, tokenised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_READY = "\ue000"  # for private use: begins a token that is not to be cut any more


def check_tokenizer(name: str) -> None:
    """Refuse a name that sacrebleu does not know."""
    from sacrebleu.metrics.bleu import BLEU

    if name not in BLEU.TOKENIZERS:
        known = ", ".join(BLEU.TOKENIZERS)
        raise UsageError(f"bleu[tokenize=…] must be one of sacrebleu's {known}; found {brief(name)}.")


def sacrebleu_tokens(texts: Sequence[str], tokenize: str, *, lowercase: bool) -> Tokens:
    """Tokens that sacrebleu's BLEU would count.

    Rules of 13a look at most one character to either side, and white space is to them what the blanks are that
    sacrebleu puts around a text: so they give for a text what they give for its pieces. The exceptions, where a
    hyphen joins two lines, are cut as a whole; so are all texts by the other tokenisers, every different text once.
    O(characters).

    Examples
    --------
    >>> sacrebleu_tokens(["It costs $3.50, or 2-3."], "13a", lowercase=True).of(0)
    ['it', 'costs', '$', '3.50', ',', 'or', '2', '-', '3', '.']
    """
    tokenizer = _tokenizer(tokenize)

    def whole(text: str) -> str:
        return tokenizer((text.lower() if lowercase else text).rstrip())

    # Without white space at the end, as sacrebleu has it: pyarrow 26 looks beyond the end of the last text after such.
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
    """Whether 13a takes out something between two pieces, or a piece would be taken for one that is ready."""
    return ("\n" in text and ("-\n" in text or "<skipped>" in text.lower())) or _READY in text


def _ready(tokens: str) -> str:
    return " ".join(_READY + token for token in tokens.split())


def _tokenizer(name: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU

    try:
        found: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    except (ImportError, OSError, RuntimeError) as error:
        raise UsageError(f"bleu[tokenize={name}] needs a part of sacrebleu that is not here: {error}") from error
    return found
