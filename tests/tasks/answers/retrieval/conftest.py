"""Small folders of text, and passages of synthetic words with the obvious ways to search them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

BRIDGES = {
    "europe/tower.txt": "Tower Bridge crosses the Thames. It was built by Horace Jones.\n\nIt opened in 1894.",
    "america.txt": "The Golden Gate Bridge is red.\nStrauss built the bridge. Is it golden? The gate is not golden.",
    "asia.txt": "The Akashi Bridge is in Japan. It is the bridge with the longest span but one.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of three texts."""
    for name, text in BRIDGES.items():
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "texts"


@pytest.fixture(scope="session")
def random_passages() -> list[str]:
    """Passages of few words, in which every word comes often."""
    rng = random.Random(5)
    words = [f"w{rank}" for rank in range(40) for _ in range(40 // (rank + 1))]
    return [" ".join(rng.choices(words, k=rng.randint(1, 30))) for _ in range(400)]
