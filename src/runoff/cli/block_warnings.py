"""Notes and warnings about data that comes block by block, said once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from runoff.cli.options import say

if TYPE_CHECKING:
    from runoff.model import LinearModel
    from runoff.model.linear import Unseen
    from runoff.nbest import NBest


class BlockWarnings:
    """Says what a reader noted of every block, and how all of them differ from the model's training data."""

    def __init__(self, model: LinearModel) -> None:
        self._model, self._said = model, set[str]()
        self._unseen: Unseen | None = None

    def look_at(self, block: NBest) -> None:
        """Say the notes of a block, and count the features that the model does not know."""
        from runoff.report.data_warnings import warnings_of_parts

        for sentence in (*(f"note: {note}" for note in block.notes), *warnings_of_parts(self._model, block)):
            if sentence not in self._said:
                self._said.add(sentence)
                say(sentence)
        found = self._model.unseen(block)
        so_far = self._unseen
        if so_far is not None:  # blocks of a set have the same columns
            found = replace(found, values=so_far.values + found.values, of_values=so_far.of_values + found.of_values)
        self._unseen = found

    def facts(self) -> dict[str, Any]:
        """Say what is unknown in all blocks together; the number of unknown features."""
        from runoff.report.data_warnings import warnings_of_unseen

        if self._unseen is None:
            return {"unseen_features": 0}
        for sentence in warnings_of_unseen(self._unseen):
            say(sentence if sentence.startswith("Warning") else f"note: {sentence}")
        return {"unseen_features": self._unseen.columns}
