"""An island that does not exist: its towns, rivers, bridges, people, books and firms, drawn by a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from runoff.tasks.answers.demo.markup import Name

_TOWNS = (
    "Tarnwick Halverton Mossgate Eldersby Kestrow Windlemere Brackhaven Dunmorrow Fellbrook Saltminster Orrinford "
    "Penhallow"
)
_RIVERS = "Arle Brune Corven Dessel Eddar Fenna Gorrel Hendle"
_FIRST = (
    "Alma Bertil Clara Doran Edith Felix Greta Hugo Irma Jonas Katrin Lorenz Mira Nils Olga Pavel Rosa Stellan Thea "
    "Viktor Wanda Anselm Birgit Caspar Dagny Emil Flora Gustav Hedda Ivo"
)
_LAST = (
    "Averill Brenning Corvane Dahlmark Ellering Farrow Gildersen Hollow Ironside Jessamy Kettering Lindmark Marlow "
    "Norrend Oakhurst Pemberly Quillon Ravensby Strandell Thorvald Umberton Vantery Westerly Yarrow Zeller Aldermoor "
    "Birkland Carrowick Denholt Esterly"
)
_BRIDGES = "Falcon Lantern Orchard Miller Harbour Iron Swan Copper Abbey Beacon"
_BOOKS = (
    "The Salt Road/DT NNP NNP|A Winter of Glass/DT NNP IN NNP|The Blue Orchard/DT NNP NNP|Nine Lanterns/CD NNPS|"
    "The Last Ferry/DT NNP NNP|The Quiet Mill/DT NNP NNP|A Map of Rain/DT NNP IN NNP|The Heron Sky/DT NNP NNP|"
    "Letters from Kestrow/NNPS IN NNP|The Ninth Bell/DT NNP NNP"
)
_DEVICES = (
    "tide clock|folding ladder|pocket lamp|steam plough|rain gauge|paper lantern|foot pump|wind organ|ice saw|map wheel"
)
_FIRMS = (
    "Northgale Works|Silverlock Mills|Redfern Motors|Oakline Press|Bluewater Foundry|Stonefield Glass|"
    "Harrow Instruments|Larkfield Dairies"
)
_PRODUCTS = "ploughs cloth lorries atlases anchors bottles telescopes cheese"


@dataclass(frozen=True)
class Town:
    """A town on a river."""

    name: Name
    river: Name
    population: Name
    founded: Name
    mayor: Name


@dataclass(frozen=True)
class Person:
    """Somebody who wrote a book and invented a device."""

    name: Name
    born: Name
    town: Name
    book: Name
    published: Name
    device: Name


@dataclass(frozen=True)
class Bridge:
    """A bridge over a river in a town."""

    name: Name
    town: Name
    river: Name
    builder: Name
    opened: Name
    length: Name


@dataclass(frozen=True)
class Firm:
    """A firm that makes something."""

    name: Name
    town: Name
    founder: Name
    founded: Name
    product: Name
    workers: Name


@dataclass(frozen=True)
class Island:
    """All of the island.

    Examples
    --------
    >>> island = Island.of(0)
    >>> len(island.towns), len(island.people), len(island.bridges), len(island.firms)
    (12, 10, 10, 8)
    """

    towns: tuple[Town, ...]
    people: tuple[Person, ...]
    bridges: tuple[Bridge, ...]
    firms: tuple[Firm, ...]

    @classmethod
    def of(cls, seed: int) -> Island:
        """The same island for the same seed; no two people have the same name."""
        rng = random.Random(seed)  # noqa: S311 - nothing is secret
        people = _people(rng)
        # Mayors, then builders: founders of firms may have built bridges, and mayors too.
        others = iter([*people[18:], *people[10:18], *people[18:]])
        towns = [Name(name, "NNP", "GPE") for name in _drawn(_TOWNS.split(), rng)]
        rivers = [Name(name, "NNP", "LOCATION") for name in _RIVERS.split()]
        return cls(
            tuple(
                Town(town, rng.choice(rivers), _count(rng, 1_200, 58_000), _year(rng, 1200, 1700), next(others))
                for town in towns
            ),
            tuple(
                _person(person, rng.choice(towns), book, device, rng)
                for person, book, device in zip(
                    people, _drawn(_BOOKS.split("|"), rng), _drawn(_DEVICES.split("|"), rng), strict=False
                )
            ),
            tuple(
                Bridge(
                    Name(f"{name} Bridge", "NNP NNP", "FAC"),
                    rng.choice(towns),
                    rng.choice(rivers),
                    next(others),
                    _year(rng, 1700, 1960),
                    Name(f"{rng.randrange(40, 900)} metres", "CD NNS", "QUANTITY"),
                )
                for name in _drawn(_BRIDGES.split(), rng)
            ),
            tuple(
                Firm(
                    Name(name, "NNP NNP", "ORGANIZATION"),
                    rng.choice(towns),
                    founder,
                    _year(rng, 1800, 1960),
                    Name(product, "NN" if product in ("cloth", "cheese") else "NNS"),
                    _count(rng, 30, 900),
                )
                for name, founder, product in zip(_FIRMS.split("|"), people[10:], _PRODUCTS.split(), strict=False)
            ),
        )


def _person(name: Name, town: Name, book: str, device: str, rng: random.Random) -> Person:
    born = rng.randrange(1680, 1900)
    title, pos = book.split("/")
    return Person(
        name,
        Name(str(born), "CD", "DATE"),
        town,
        Name(title, pos, "WORK_OF_ART"),
        _year(rng, born + 25, born + 60),
        Name(device, "NN NN"),
    )


def _people(rng: random.Random) -> list[Name]:
    pairs = zip(_drawn(_FIRST.split(), rng), _drawn(_LAST.split(), rng), strict=True)
    return [Name(f"{first} {last}", "NNP NNP", "PERSON") for first, last in pairs]


def _drawn(names: list[str], rng: random.Random) -> list[str]:
    return rng.sample(names, len(names))


def _year(rng: random.Random, first: int, end: int) -> Name:
    return Name(str(rng.randrange(first, end)), "CD", "DATE")


def _count(rng: random.Random, least: int, end: int) -> Name:
    return Name(f"{rng.randrange(least, end):,}", "CD", "CARDINAL")
