"""Columns of scores for all candidates of some lists: each different text is scored once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.errors import DataError
from runoff.features.neural.kept_scores import KeptScores, content_key
from runoff.features.neural.loading import check_folder
from runoff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.arrays import Floats, Ints
    from runoff.features.neural.networks import Encoded, Network
    from runoff.features.neural.spec import NeuralModel
    from runoff.nbest import NBest

_EVERY = 30.0  # seconds between writes of what was scored


@dataclass(frozen=True)
class CandidateTexts:
    """The texts to be scored and the input of each; None where the lists have no inputs."""

    texts: Sequence[str]
    inputs: Sequence[str] | None = None

    @classmethod
    def of(cls, data: NBest) -> CandidateTexts:
        """Those of all candidates of some lists."""
        if data.texts is None:
            raise DataError("neural models score texts, and these candidates have none.")
        return cls.of_lists(data.texts, data.inputs, data.group_of)

    @classmethod
    def of_lists(cls, texts: pa.Array, inputs: pa.Array | None, list_of: Ints) -> CandidateTexts:
        """Texts, the inputs of lists, and the list of each text; an input that is missing is an empty one."""
        given = None if inputs is None else inputs.fill_null("").take(pa.array(list_of)).to_pylist()
        return cls(texts.to_pylist(), given)


class NeuralScorer:
    """Scores texts by one model, which is loaded when a text comes that no one has scored yet.

    Cost: a pass of the network over each different pair of input and text (masked models: for each token of a text).
    With the same texts the scores are the same to the last bit on the same device, whatever their order, and also when
    a run was interrupted and went on; with other texts beside them the last digits can differ.

    Parameters
    ----------
    model
        Kind and folder.
    device
        "auto", or a device of torch.
    folder
        Where scores are kept; None: in memory alone.
    keep_after
        Seconds of work from which on scores are written.
    """

    def __init__(
        self, model: NeuralModel, device: str = "auto", folder: str | Path | None = None, *, keep_after: float = 0.0
    ) -> None:
        check_folder(model)
        self.model, self.device, self._keep_after = model, device, keep_after
        self._kept = KeptScores(model.fingerprint, None if folder is None else Path(folder))
        self._network: Network | None = None
        self.scored = self.cut = 0  # texts: scored by the network now, and too long for it

    @property
    def network(self) -> Network:
        """The loaded model."""
        if self._network is None:
            from runoff.features.neural.networks import NETWORKS

            self._network = NETWORKS[self.model.how.network](self.model, self.device)
        return self._network

    def columns(self, texts: CandidateTexts, *, verbose: bool = False) -> tuple[tuple[str, ...], Floats]:
        """Names of columns and a row of scores for every text."""
        given = texts.inputs if self.model.reads_input else None
        pairs = (
            list(zip(given, texts.texts, strict=True)) if given is not None else [(None, text) for text in texts.texts]
        )
        keys = [content_key(*pair) for pair in pairs]
        different = dict(zip(keys, pairs, strict=True))
        if any(key not in self._kept for key in different):
            self._score(different, verbose)
        names = self._kept.columns or self.network.columns
        out = np.array([self._kept.get(key) for key in keys]).reshape(len(keys), len(names))
        return tuple(f"{self.model.name}:{name}" for name in names), out

    def notes(self) -> list[str]:
        """What the user should know."""
        if not self.cut:
            return []
        return [
            f"{self.model.folder} reads {self.network.limit:,} tokens at most: "
            f"{self.cut:,} texts were cut (with their inputs, if it reads those)."
        ]

    def _score(self, different: dict[bytes, tuple[str | None, str]], verbose: bool) -> None:
        """Score what is not known, in batches that depend on the texts alone and not on what is known of them."""
        network, began = self.network, time.monotonic()
        written = began
        encoded = {key: network.encode(*pair) for key, pair in different.items()}
        self.cut += sum(each.cut for each in encoded.values())
        batches = [batch for batch in _batches(encoded, network) if any(key not in self._kept for key in batch)]
        title = f"{self.model.name} on {network.device}"
        with progress(title, sum(map(len, batches)), verbose=verbose) as step:
            done = 0
            try:
                for batch in batches:
                    self.scored += sum(key not in self._kept for key in batch)
                    self._kept.add(batch, network.scores([encoded[key] for key in batch]), network.columns)
                    done += len(batch)
                    step(done)
                    if time.monotonic() - written > _EVERY:
                        self._kept.save()
                        written = time.monotonic()
            finally:
                if time.monotonic() - began >= self._keep_after:
                    self._kept.save()


def _batches(encoded: dict[bytes, Encoded], network: Network) -> Iterator[list[bytes]]:
    """Texts by length, longest first, so that a batch that is too large for the memory fails at once."""
    room, batch, width, rows = network.tokens_of_batch, list[bytes](), 0, 0
    for key in sorted(encoded, key=lambda key: (-encoded[key].length, key)):
        each = encoded[key]
        own = network.rows_of(each)
        if batch and (rows + own) * width > room:
            yield batch
            batch, rows = [], 0
        if not batch:
            width = each.length
        batch.append(key)
        rows += own
    if batch:
        yield batch
