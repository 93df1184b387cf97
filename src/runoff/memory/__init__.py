"""Work on data larger than memory: large arrays lie in files, and what is resident stays below a limit."""

from runoff.memory.bounded import Bounds, bounded, bounds_asked, bounds_now, keep_bounded, look
from runoff.memory.sizes import in_bytes, in_words

__all__ = ["Bounds", "bounded", "bounds_asked", "bounds_now", "in_bytes", "in_words", "keep_bounded", "look"]
