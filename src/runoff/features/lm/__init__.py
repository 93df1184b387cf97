"""Word n-gram language models: estimated from texts, or read from files of SRILM and KenLM."""

from __future__ import annotations

from pathlib import Path

from runoff.errors import DataError
from runoff.features.lm.arpa import write as write_arpa
from runoff.features.lm.kenlm import MAGIC, KenlmModel
from runoff.features.lm.kneser_ney import estimate
from runoff.features.lm.model import LanguageModel
from runoff.features.lm.scores import Scores
from runoff.files import reason

__all__ = ["KenlmModel", "LanguageModel", "Scores", "estimate", "open_model", "read_arpa", "write_arpa"]

read_arpa = LanguageModel.from_arpa


def open_model(path: str | Path) -> LanguageModel | KenlmModel:
    """Open a language model file: ARPA (plain, gzip or zstd), or a binary file of KenLM.

    Examples
    --------
    >>> import tempfile
    >>> from runoff.metrics.tokens import tokenised
    >>> path = Path(tempfile.mkdtemp()) / "small.arpa"
    >>> write_arpa(estimate(tokenised(["a b"], str.split), order=2), path)
    >>> model = open_model(path)
    >>> model.order, len(model)
    (2, 8)
    """
    try:
        with Path(path).open("rb") as file:
            binary = file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise DataError(f"it cannot be read: {reason(error)}.", path=path) from error
    return KenlmModel.open(path) if binary else LanguageModel.from_arpa(path)
