"""KenLM, if installed: its program `lmplz` estimates models, its Python module reads its binary files."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import DataError, RunoffError, UsageError
from runoff.features.lm import arpa
from runoff.features.lm.kneser_ney import check, estimate, number_words
from runoff.features.lm.ngram_table import SPECIAL
from runoff.features.lm.scores import Scores
from runoff.files import reason

if TYPE_CHECKING:
    from runoff.features.lm.ngram_table import NgramTable
    from runoff.metrics.tokens import Tokens

ENGINES = ("auto", "own", "kenlm")
MAGIC = b"mmap lm http://kheafield.com/code"  # first bytes of KenLM's binary files
# Our own estimation is faster up to 20 million words, but needs 100 bytes of memory per word.
_WORTH_STARTING = 50_000_000
_MEMORY = "1G"  # the default of lmplz is 80% of the memory
_PROGRAM = "lmplz"
_TEXTS = 100_000  # written at a time


def estimate_with(engine: str, tokens: Tokens, order: int, min_count: int) -> NgramTable:
    """Estimate a model with the given engine; if lmplz fails, with our own and a note."""
    if engine not in ENGINES:
        raise UsageError(f"the engine of a language model is one of {', '.join(ENGINES)}; found {engine!r}.")
    check(order, min_count)
    program = shutil.which(_PROGRAM)
    if engine == "kenlm" and program is None:
        raise UsageError(f"engine 'kenlm' needs KenLM's program {_PROGRAM} on the PATH; engine 'own' needs no program.")
    large = tokens.ids.size >= _WORTH_STARTING
    if program is None or engine == "own" or (engine == "auto" and not large) or not len(tokens):
        return estimate(tokens, order, min_count=min_count)
    try:
        return estimate_with_lmplz(program, tokens, order, min_count)
    except _ProgramError as failure:
        note = f"{_PROGRAM} failed ({failure}); Runoff's own engine was used, which gives the same model."
        return replace(estimate(tokens, order, min_count=min_count), notes=(note,))


class _ProgramError(RunoffError):
    """Why lmplz gave no model."""


def estimate_with_lmplz(program: str, tokens: Tokens, order: int, min_count: int) -> NgramTable:
    """Run `lmplz` on numbers in place of words, so that no word is taken for a special one or split."""
    numbers, words = number_words(tokens)
    with tempfile.TemporaryDirectory(prefix="runoff-lm-") as folder:
        corpus, model = Path(folder, "corpus"), Path(folder, "model.arpa")
        prune = ["--prune", "0", str(min_count - 1)] if order > 1 else []
        options = ["-o", str(order), "--discount_fallback", *prune, "-S", _MEMORY, "-T", f"{folder}/"]
        command = [program, *options, "--text", str(corpus), "--arpa", str(model)]
        try:
            _write_numbers(numbers, tokens, corpus)
            done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - all arguments are ours
            if done.returncode:
                said = done.stderr.decode(errors="replace").split("\n")
                raise _ProgramError(next((line for line in reversed(said) if line.strip()), f"exit {done.returncode}"))
            grams = arpa.read(model)
        except OSError as error:
            raise _ProgramError(reason(error)) from error
        except DataError as error:
            raise _ProgramError(str(error)) from error
    return replace(grams, words=words.take(grams.words.cast(pa.int64())))


def _write_numbers(numbers: np.ndarray[Any, np.dtype[np.int32]], tokens: Tokens, path: Path) -> None:
    ends = tokens.offsets - tokens.offsets[0]
    with path.open("w", encoding="ascii") as file:
        for first in range(0, len(tokens), _TEXTS):
            stops = ends[first : first + _TEXTS + 1]
            spelled = pa.array(numbers[stops[0] : stops[-1]] - len(SPECIAL)).cast(pa.string())
            texts = pa.ListArray.from_arrays(pa.array((stops - stops[0]).astype(np.int32)), spelled)
            file.writelines(f"{text}\n" for text in pc.binary_join(texts, " ").to_pylist())


@dataclass(frozen=True, eq=False)
class KenlmModel:
    """A binary file of KenLM, read by its Python module."""

    path: Path
    order: int
    module_model: Any
    notes: tuple[str, ...] = ()

    @classmethod
    def open(cls, path: str | Path) -> KenlmModel:
        """Open a file that `build_binary` wrote."""
        try:
            kenlm: Any = importlib.import_module("kenlm")
        except ImportError as error:
            raise UsageError(
                f"{path} is a binary file of KenLM, which needs its Python module: pip install kenlm. "
                "The ARPA file that it was built from can be read without it."
            ) from error
        try:
            model = kenlm.Model(str(path))
        except (OSError, RuntimeError) as error:
            raise DataError(f"KenLM cannot open it: {error}", path=path) from error
        return cls(Path(path), int(model.order), model)

    def score(self, tokens: Tokens) -> Scores:
        """Log10 probabilities of texts as from `LanguageModel.score`; about 1 µs per word."""
        # Special words in texts are unknown words.
        words = ["<unk>" if word in SPECIAL else word for word in tokens.spelling.to_pylist()]
        total, lowest = np.zeros(len(tokens)), np.zeros(len(tokens))
        unknown = np.zeros(len(tokens), np.int64)
        for text in range(len(tokens)):
            ids = tokens.ids[tokens.offsets[text] : tokens.offsets[text + 1]].tolist()
            found = list(self.module_model.full_scores(" ".join([words[id_] for id_ in ids]), bos=True, eos=True))
            total[text] = sum(value for value, _, _ in found)
            lowest[text] = min(value for value, _, _ in found)
            unknown[text] = sum(missing for _, _, missing in found)
        return Scores(total, unknown, lowest)
