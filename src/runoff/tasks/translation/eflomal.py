"""Word alignment by eflomal, where it is installed (Östling & Tiedemann 2016).

A Bayesian model of words, jumps and fertilities, sampled in parallel; often better than an HMM, and as quick.
"""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError
from runoff.tasks.translation.alignments import read_alignments
from runoff.tasks.translation.symmetrisation import symmetrised

if TYPE_CHECKING:
    from runoff.metrics.tokens import Tokens
    from runoff.tasks.translation.alignments import Alignments
    from runoff.tasks.translation.bitext import Bitext
    from runoff.tasks.translation.symmetrisation import Symmetrisation

NOTE = "words were aligned by eflomal, whose samples are others at every call: the same training gives other phrases."
_LONGEST = 1023  # words of a sentence that it aligns


def eflomal_links(bitext: Bitext, how: Symmetrisation = "grow-diag-final-and") -> Alignments:
    """Links of sentence pairs from eflomal, of both directions made one.

    It seeds its samplers itself, so that links are a little different at every call. Sentences of more than 1,023 words
    get none. O(words log words) for every pass over a pair.

    Examples
    --------
    >>> from importlib.util import find_spec
    >>> from runoff.metrics.tokens import tokenised
    >>> from runoff.tasks.translation.bitext import Bitext
    >>> pairs = Bitext(tokenised(["the house"] * 9, str.split), tokenised(["das Haus"] * 9, str.split))
    >>> links = eflomal_links(pairs).links(0) if find_spec("eflomal") else [(0, 0), (1, 1)]
    >>> links
    [(0, 0), (1, 1)]
    """
    try:
        eflomal: Any = importlib.import_module("eflomal")
    except ImportError as error:
        raise UsageError(
            "aligning words with eflomal needs its Python module: pip install 'runoff[align]'. The aligners "
            "hmm, model1 and diagonal are built in."
        ) from error
    with tempfile.TemporaryDirectory(prefix="runoff-eflomal-") as folder:
        paths = [Path(folder, name) for name in ("forward", "backward")]
        try:
            eflomal.Aligner().align(
                _lines(bitext.source),
                _lines(bitext.target),
                links_filename_fwd=str(paths[0]),
                links_filename_rev=str(paths[1]),
            )
            forward, backward = (read_alignments(path, bitext) for path in paths)
        except (DataError, OSError, ValueError, SystemExit) as error:
            # What it says itself goes to standard error; what it does not say is that there are no links.
            raise UsageError(f"eflomal did not align the words: {error}") from error
    return symmetrised(forward, backward, bitext.source.lengths, bitext.target.lengths, how)


def _lines(tokens: Tokens) -> list[str]:
    """Every text as a line of its words; nothing for one that it cannot align."""
    lengths = tokens.lengths.tolist()
    return [" ".join(tokens.of(at)) if length <= _LONGEST else "" for at, length in enumerate(lengths)]
