"""Notes and warnings about data that comes block by block, said once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.cli.options import say

if TYPE_CHECKING:
    from runoff.model import LinearModel
    from runoff.nbest import NBest


class NotesOnce:
    """Collects what a reader noted of block after block."""

    def __init__(self) -> None:
        self._notes = dict[str, None]()

    def of(self, block: NBest) -> NBest:
        """The block, whose notes are kept."""
        self._notes.update(dict.fromkeys(block.notes))
        return block

    def say(self) -> None:
        """Say every note once."""
        for note in self._notes:
            say(f"note: {note}")


class BlockWarnings:
    """Says what a reader noted of every block, and how all of them differ from the model's training data."""

    def __init__(self, model: LinearModel) -> None:
        from runoff.report.data_warnings import BlockNotes

        self._notes, self._said = BlockNotes(model), set[str]()

    def look_at(self, block: NBest) -> None:
        """Say the notes of a block, and count the features that the model does not know."""
        for note in block.notes:
            if note not in self._said:
                self._said.add(note)
                say(f"note: {note}")
        for warning in self._notes.add(block):
            say(warning)

    def facts(self) -> dict[str, Any]:
        """Say what is unknown in all blocks together; the number of unknown features."""
        for sentence in self._notes.of_features():
            say(sentence if sentence.startswith("Warning") else f"note: {sentence}")
        return {"unseen_features": self._notes.unseen_features}
