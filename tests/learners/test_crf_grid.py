"""What a conditional random field chooses on dev data and by folds, and in which order."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from helpers.crf_data import RANKS, SET, STEPS, bits, lists
from runoff import CRF, NBest
from runoff.learners import epoch_learner
from runoff.learners.crf_grid import CRFGrid
from runoff.metrics import get

# ---------------------------------------------------------------- choices


def test_the_epoch_that_is_best_on_dev_is_taken() -> None:
    train, dev = lists(7, noise=2.0), lists(8, noise=2.0)
    given = {**RANKS, "max_epochs": 15, "patience": 15, "rate": 0.2}
    learner = CRF(**{**given, "epochs": "auto"}).fit(train, dev)
    scores, made = [entry["dev"] for entry in learner.history], learner.model.provenance
    assert min(scores) < max(scores)
    assert made["epochs"] == scores.index(max(scores)) + 1
    assert made["dev"]["metric"].startswith("ndcg")  # whole rankings are judged as such
    assert made["dev"]["score"] == pytest.approx(max(scores)) == pytest.approx(learner.score(dev))
    assert bits(CRF(**{**given, "epochs": made["epochs"]}).fit(train)) == bits(learner)


def test_what_is_not_given_is_chosen_on_dev() -> None:
    train, dev = lists(9, noise=2.0, most=12), lists(10, noise=2.0)
    learner = CRF("la", "permutations", max_epochs=4).fit(train, dev)
    provenance = learner.model.provenance
    found = {name: each["score"] for name, each in provenance["chosen_on_dev"].items()}
    # Rates and loss weights in all combinations; l2 at the best of them; documents at the best of all these.
    names = [
        f"la, loss weight {weight}, rate {rate}, l2 0.0, 6 documents" for weight in (1.0, 10.0) for rate in RATES_TRIED
    ]
    assert list(found)[:6] == names
    best = max(names, key=found.__getitem__)
    l2s = [best.replace("l2 0.0,", f"l2 {l2},") for l2 in ("0.0001", "0.001", "0.01")]
    assert list(found)[6:9] == l2s
    best = max([*names, *l2s], key=found.__getitem__)
    assert list(found)[9:] == [best.replace("6 documents", f"{many} documents") for many in (8, 10)]
    assert provenance["setting"] == max(found, key=found.__getitem__)
    assert min(found.values()) < max(found.values()) == found[provenance["setting"]] == provenance["dev"]["score"]
    alone = {name: provenance[name] for name in ("loss_weight", "rate", "l2", "documents", "epochs")}
    assert bits(CRF("la", "permutations", **alone).fit(train)) == bits(learner)
    assert provenance["parameters"]["rate"] == provenance["parameters"]["documents"] == "auto"
    batch = CRF("kl").fit(train, dev).model.provenance
    assert len(batch["chosen_on_dev"]) == 12
    assert batch["dev"]["metric"].startswith("quality")


RATES_TRIED = ("0.1", "0.01", "0.001")


def test_a_list_is_what_is_tried() -> None:
    train, dev = lists(9, noise=2.0), lists(10, noise=2.0)
    given = {"temperature": (0.5, 2.0, 0.5), "rate": [0.05], "l2": [0.5, 0], "documents": [4, 3], "epochs": 3}
    learner = CRF("kl", "permutations", **given).fit(train, dev)
    found = {name: each["score"] for name, each in learner.model.provenance["chosen_on_dev"].items()}
    names = [f"kl, temperature {each}, rate 0.05, l2 0.5, 4 documents" for each in (0.5, 2.0)]
    assert list(found)[:2] == names
    best = max(names, key=found.__getitem__)
    weaker = best.replace("l2 0.5", "l2 0.0")
    assert list(found)[2:] == [weaker, max((best, weaker), key=found.__getitem__).replace("4 doc", "3 doc")]
    alone = {name: learner.model.provenance[name] for name in ("temperature", "rate", "l2", "documents")}
    assert bits(CRF("kl", "permutations", **alone, epochs=3).fit(train)) == bits(learner)


def test_a_list_of_one_is_that_one() -> None:
    train, dev = lists(9), lists(10)
    for given in (RANKS, STEPS, {**SET, "epochs": 1}):
        several = {name: [given[name]] for name in (*SET, "documents") if name in given}
        for data in ((train,), (train, dev)):
            learner = CRF(**{**given, **several}).fit(*data)
            assert bits(learner) == bits(CRF(**given).fit(*data))
            assert not {"chosen_on_dev", "chosen_by_folds"} & set(learner.model.provenance)


def asked(longest: int, **given: Any) -> CRFGrid:
    return CRFGrid.of(CRF(**given), longest)


def test_what_auto_stands_for() -> None:
    ranks = asked(100, space="permutations")
    assert (ranks.strengths, ranks.rates, ranks.documents) == ((0.1, 1.0, 10.0), (0.1, 0.01, 0.001), (6, 8, 10))
    assert ranks.l2s == asked(100, method="adam").l2s == (0.0, 1e-4, 1e-3, 1e-2)
    assert asked(100, objective="la").strengths == (1.0, 10.0)
    for objective in ("ml", "ls", "el"):
        assert asked(100, objective=objective).strengths == (1.0,)
    # LS over more documents than can be enumerated is an estimate: not without being asked for.
    for given in ({"objective": "ls"}, {"orders": "enumerate"}):
        assert asked(100, space="permutations", **given).documents == (6, 7)
    assert asked(100, space="permutations", objective="ls", documents=[6, 9]).documents == (6, 9)


@pytest.mark.parametrize(("longest", "tried"), [(3, (6,)), (6, (6,)), (7, (6, 8)), (8, (6, 8)), (9, (6, 8, 10))])
def test_more_documents_than_any_list_has_are_not_tried_twice(longest: int, tried: tuple[int, ...]) -> None:
    assert asked(longest, space="permutations").documents == tried
    assert asked(longest, space="permutations", documents=12).documents == (12,)
    assert asked(longest, space="permutations", documents=[14, 12, 2]).documents == (12, 2)


def test_values_that_differ_in_late_digits_are_different_settings() -> None:
    grid = asked(9, space="permutations", objective="ml", rate=[0.1, 0.1000001], l2=[1e-9, 1.00000001e-9])
    first, other = grid.first()
    (more,) = grid.refinements()["l2"](first)
    assert len({str(first), str(other), str(more)}) == 3
    # Neighbours among the numbers of 64 bits, too.
    near = [1.0, np.nextafter(1.0, 2.0)]
    assert len({str(each) for each in asked(9, temperature=near, l2=near).first()}) == 4
    assert len({str(each) for each in asked(9, objective="la", method="sgd", rate=near, loss_weight=near).first()}) == 4


def test_candidates_have_no_documents_to_choose() -> None:
    for method in ("sgd", "lbfgs"):
        grid = asked(100, method=method, documents=[6, 8])
        assert grid.documents == (0,)
        assert list(grid.refinements()) == (["l2"] if method == "sgd" else [])
    assert len(asked(100, method="lbfgs").first()) == 12


def test_folds_try_the_same_as_dev_and_add_up_over_all_groups() -> None:
    data, judge = lists(31, groups=25, noise=2.0), get("ndcg")
    given = {"objective": "ml", "space": "permutations", "epochs": 2, "scale": "none"}
    learner = CRF(**given, rate=[0.5, 0.05], l2=[0.0, 0.3], documents=[5, 3]).fit(data)
    made, fold_of = learner.model.provenance, np.random.default_rng(0).permutation(25) % 5
    found = {name: each["score"] for name, each in made["chosen_by_folds"].items()}
    assert len(found) == 4
    for name, score in found.items():
        rate, l2, documents = re.fullmatch(r"ml, rate (.*), l2 (.*), (.) documents", name).groups()
        total = 0.0
        for fold in range(5):
            alone = {"rate": float(rate), "l2": float(l2), "documents": int(documents)}
            each, held_out = CRF(**given, **alone).fit(data[fold_of != fold]), data[fold_of == fold]
            total = total + judge.rows(held_out, each.model.ranking(held_out)).sum(axis=0)
        assert score == pytest.approx(float(judge.score(total)))
    first = list(found)[:2]
    assert all("l2 0.0, 5 documents" in name for name in first)
    assert list(found)[2] == max(first, key=found.__getitem__).replace("l2 0.0,", "l2 0.3,")
    assert made["setting"] == max(found, key=found.__getitem__)
    chosen = {name: made[name] for name in ("rate", "l2", "documents")}
    assert bits(CRF(**given, **chosen).fit(data)) == bits(learner)


def interrupted(stage: int) -> Any:
    """`run_all` that hears Ctrl-C at one of its calls, after a few visits of the first run."""
    calls, real = [], epoch_learner.run_all

    def run_all(runs: list, steps: int, **more: Any) -> bool:
        calls.append(runs)
        if len(calls) != stage:
            return real(runs, steps, **more)
        runs[0].advance(runs[0].length)
        return False

    return run_all


@pytest.mark.parametrize("by_folds", [True, False])
def test_ctrl_c_while_refining_chooses_by_what_there_is(monkeypatch: pytest.MonkeyPatch, by_folds: bool) -> None:
    given = {"objective": "ml", "space": "permutations", "rate": [0.1, 0.01], "l2": [0.0, 0.3], "epochs": 3}
    train, dev = lists(9), lists(10)
    data = (train,) if by_folds else (train, dev)
    whole = CRF(**given, documents=[4, 3]).fit(*data).model.provenance
    name = "chosen_by_folds" if by_folds else "chosen_on_dev"
    assert len(whole[name]) == 4
    monkeypatch.setattr(epoch_learner, "run_all", interrupted(7 if by_folds else 2))  # in the second fold, or on dev
    provenance = CRF(**given, documents=[4, 3]).fit(*data).model.provenance
    assert provenance["finished"] is False
    assert provenance["interrupted_in"] == (["folds"] if by_folds else ["rounds"])
    # In folds, l2 was tried in one of five and says nothing yet; on dev its first epoch counts. Documents had no turn.
    assert list(provenance[name]) == list(whole[name])[: 2 if by_folds else 3]
    assert provenance["documents"] == 4
    assert provenance[name][provenance["setting"]]["score"] == max(each["score"] for each in provenance[name].values())


def test_ls_over_more_orders_than_can_be_enumerated_says_that_it_is_an_estimate() -> None:
    data = lists(3, groups=20, most=12)
    note = "LS has no closed form over the orders of 8 documents: every step is an estimate from 20 orders drawn from"
    for objective, documents, told in (("ls", 8, True), ("ls", 7, False), ("kl", 8, False)):
        provenance = (
            CRF(**{**RANKS, "objective": objective, "documents": documents}, samples=20).fit(data).model.provenance
        )
        assert (
            [each for each in provenance["notes"] if note in each]
            == provenance["notes"][1:]
            == provenance["notes"][1 : 1 + told]
        )
        assert ("effective_samples" in provenance) == told
    made = CRF(**{**RANKS, "objective": "ls", "documents": 8}, samples=20).fit(data)
    assert 1 < made.model.provenance["effective_samples"] <= 20
    assert made.model.provenance["effective_samples"] == made.history[-1]["effective_samples"]
    assert (
        f"worth {made.model.provenance['effective_samples']:.1f} of equal weight" in made.model.provenance["notes"][1]
    )
    assert "estimated from `samples` orders" in CRF.__doc__


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"objective": "ml", "temperature": 2.0, "rate": 0.1}, "temperature, rate"),
        ({"objective": "la", "temperature": 2.0, "loss_weight": 1.0}, "temperature"),
        ({"documents": 6, "orders": "enumerate", "gain": "2^r-1", "discount": "letor"}, None),
        ({"samples": 10, "max_epochs": 3, "patience": 2, "average": False, "shuffle": False}, None),
        ({"method": "adam", "rate": 0.1, "epochs": 1, "max_iter": 5, "tolerance": 0.1}, "max_iter, tolerance"),
        ({"space": "permutations", "documents": 3, "epochs": 1, "rate": 0.1, "samples": 9}, "samples"),
        ({"space": "permutations", "documents": 3, "epochs": 1, "rate": 0.1, "gain": "2^r-1"}, ""),
        ({}, ""),
    ],
    ids=str,
)
def test_what_was_given_and_changes_nothing_is_named(given: dict[str, Any], names: str | None) -> None:
    expected = sorted(given) if names is None else sorted(filter(None, names.split(", ")))
    full = {"temperature": 1.0, **given} if given.get("objective", "kl") == "kl" else given
    notes = CRF(**{"l2": 0.01, **full}).fit(lists(9)).model.provenance["notes"]
    found = [each.rpartition(": ")[2].rstrip(".").split(", ") for each in notes if "no effect" in each]
    assert found == ([sorted(expected, key=list(CRF.parameters()).index)] if expected else [])


def test_without_dev_the_choice_is_by_folds() -> None:
    data = lists(30, groups=25, noise=2.0)
    learner = CRF("ml", scale="none").fit(data)
    provenance = learner.model.provenance
    fold_of = np.random.default_rng(0).permutation(25) % 5
    for l2 in (1e-4, 1e-3, 1e-2, 1e-1):
        chosen = []
        for fold in range(5):
            each, held_out = CRF("ml", l2=l2, scale="none", epochs=1).fit(data[fold_of != fold]), data[fold_of == fold]
            chosen += held_out.quality[held_out.offsets[:-1] + each.predict(held_out)].tolist()
        assert provenance["chosen_by_folds"][f"ml, l2 {l2!r}"]["score"] == pytest.approx(np.mean(chosen))
    scores = {name: each["score"] for name, each in provenance["chosen_by_folds"].items()}
    assert len(scores) == 4
    assert max(scores.values()) > scores["ml, l2 0.0001"]  # not the first, whichever it is
    assert scores[provenance["setting"]] == max(scores.values())
    assert bits(CRF("ml", scale="none", l2=provenance["l2"], epochs=1).fit(data)) == bits(learner)


def test_one_group_is_learned_from_with_stated_defaults() -> None:
    data = NBest.from_arrays([[1, 0], [0, 1], [1, 1]], quality=[1, 0, 0.5], sizes=[3])
    for given in ({}, {"space": "permutations"}, {"method": "adam"}):
        learner = CRF(**given).fit(data)
        assert "too few groups" in learner.model.provenance["chosen_by_folds"]
        assert learner.predict(data).tolist() == [0]
