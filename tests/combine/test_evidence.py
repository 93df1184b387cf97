"""Table 7 of Màrquez, Surdeanu, Comas & Turmo (2005), against a slow version and their example."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helpers.noisy_roles import SYSTEMS, noisy_lists
from runoff.combine.evidence import evidence
from runoff.combine.pool import pools
from runoff.combine.systems import Systems
from runoff.nbest import NBest
from runoff.tasks.roles.role_parts import RoleParts


def solutions_only(data: NBest) -> list[list[tuple[object, set[str]]]]:
    reader, systems = RoleParts(), Systems.of(data)
    return [
        [
            (part, {name for name, _ in row})
            for part, row in zip(pool.parts, evidence(pool, reader, systems.names, "solutions"), strict=True)
        ]
        for pool in pools(data, reader, systems)
    ]


def test_the_papers_sequence_of_labels() -> None:
    # Table 7: "the argument sequence for the proposition illustrated in Figure 1 is: ARG0 - ARGM-TMP - P - ARG1 -
    # ARGM-LOC".
    text = "B-A0 B-AM-TMP B-V B-A1 I-A1 B-AM-LOC I-AM-LOC"
    data = NBest.from_arrays(texts=[text], sizes=[1], inputs=["a b c d e f g"], metric="srl-eval")
    (found,) = solutions_only(data)
    assert all("sequence:A0-AM-TMP-V-A1-AM-LOC" in names for _, names in found)


@given(st.integers(0, 10_000))
def test_all_of_table_7_by_a_slow_version(seed):
    data, reader = noisy_lists(4, seed), RoleParts()
    for group, found in zip(data, solutions_only(data), strict=True):
        solutions = dict(zip(SYSTEMS, reader.split(group.texts.to_pylist()), strict=True))
        for part, names in found:
            words = set(range(part.start, part.stop))
            slow = {f"label:{part.label}"}
            agreeing = [system for system, own in solutions.items() if part in own]
            slow |= {f"agree:{len(agreeing)}", *(f"by:{system}" for system in agreeing)}
            slow |= {
                f"sequence:{reader.outline(solutions[system], text)}"
                for system, text in zip(SYSTEMS, group.texts.to_pylist(), strict=True)
                if system in agreeing
            }
            kinds = {
                "same": lambda other, words=words: other == words,
                "inside": lambda other, words=words: other < words,
                "around": lambda other, words=words: other > words,
                "across": lambda other, words=words: bool(other & words) and not other <= words and not other >= words,
            }
            for kind, holds in kinds.items():
                own = [
                    system
                    for system, parts in solutions.items()
                    if any(holds(set(range(each.start, each.stop))) for each in parts if each != part)
                ]
                if own:
                    slow |= {f"{kind}:{len(own)}", *(f"{kind}:{system}" for system in own)}
            assert names == slow


def test_confidences_are_those_of_the_lists_or_of_the_systems() -> None:
    columns = ["a:found", "a:score", "a:rank", "b:found", "b:score", "b:rank"]
    rows = [[1, 0.0, 1, 0, -9, 0], [1, 0.0, 0.5, 1, -1.0, 1], [0, -9, 0, 1, -1.0 - 1.0986, 0.5]]
    data = NBest.from_arrays(
        rows,
        feature_names=columns,
        sizes=[3],
        texts=["B-A0 B-V", "B-A1 B-V", "O B-V"],
        inputs=["x y"],
        attributes={"b:proposals": ["0 1 A1 0.4000"]},
        metric="srl-eval",
    )
    reader, systems = RoleParts(), Systems.of(data)
    pool = next(pools(data, reader, systems))
    assert [part.label for part in pool.parts] == ["A0", "A1"]
    # System a has two candidates with equal scores or ranks 1 and 1/2 (all its scores are 0: ranks count).
    assert [round(mass, 3) for mass in pool.masses[0]] == [0.667, 0.333]
    assert pool.firsts == [0, 1]
    values = dict(evidence(pool, reader, systems.names)[1])
    assert round(values["p:a"], 3) == 0.333
