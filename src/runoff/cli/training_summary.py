"""Summary of a training, from the provenance of the model."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from runoff.tables import counted, text_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.learners import Learner
    from runoff.metrics import Metric


def learner_line(learner: Learner) -> str:
    """Name of a learner, and what it is."""
    inner = getattr(learner, "learner", learner)
    return f"{inner.name}. {(inspect.getdoc(type(inner)) or '').splitlines()[0]}"


def interruption_message(provenance: Mapping[str, Any]) -> str:
    """What Ctrl-C left unfinished."""
    unit = next((unit for unit in ("epochs", "steps") if unit in provenance), "rounds")
    where = provenance.get("interrupted_in", [])
    auto = "dev" in provenance and provenance["parameters"].get(unit) == "auto"
    kind = "from the best" if auto else "from the last"
    model = f"the model is {kind} of the {unit} so far."
    if "bags" in where:
        return "interrupted before all bootstrap samples were learned: the model is that of all lists."
    if "folds" not in where:
        return f"interrupted: {model}"
    rest = model if "rounds" in where else "the final training is complete."
    return f"interrupted during cross-validation: parameters were chosen by the folds so far; {rest}"


# Entries of the provenance that are printed, with their labels; every learner has some of them.
_LABELS = {
    "sigma": "width of the prior",
    "smoothing": "smoothing",
    "pairs": "pairs to learn from",
    "setting": "objective and settings",
    "order": "order and margin",
    "tau": "scale of the margins, tau",
    "epochs": "epochs",
    "epochs_tried": "epochs tried",
    "mistakes": "violated pairs in the chosen epoch",
    "violated_pairs_found_by": "violated pairs found by",
    "rounds": "rounds",
    "rounds_tried": "rounds tried",
    "bags": "bootstrap samples that are averaged",
    "steps": "steps",
    "converged": "converged",
    "loss": "loss on the training data",
    "work": "work, in naive passes",
    "savings": "savings over the naive algorithm",
    "savings_by_rounds": "savings by rounds",
    "drift": "drift of the sums",
    "effective_samples": "effective sample size",
    "dropped_groups": "groups left out (no pair to learn from)",
    "columns_left_out": "features left out (rare, or the same in every pair)",
    "dev": "dev",
}


_OF_ROUNDS = ("work", "savings", "savings_by_rounds", "drift")  # meaningless without rounds


def fact_lines(provenance: Mapping[str, Any]) -> list[str]:
    """A line for every known fact with a label."""
    left_out = _OF_ROUNDS if provenance.get("rounds_tried") == 0 else ()
    return [
        f"{words}: {_format(provenance[name])}"
        for name, words in _LABELS.items()
        if name not in left_out and provenance.get(name) is not None
    ]


def selection_lines(provenance: Mapping[str, Any], metric: Metric) -> list[str]:
    """The metric that chose and where, and the best score, for every parameter that was chosen; member by member."""
    chosen = [f"chosen by: {metric.label} on {provenance['chosen_on']}"] if "chosen_on" in provenance else []
    return (
        chosen
        + _best_lines(provenance, metric)
        + [
            f"{name}, of the blend: {'; '.join(_best_lines(each, metric)) or counted(each['rounds'], 'rounds')}"
            for name, each in provenance.get("members", {}).items()
        ]
        + ([_share_line(provenance["trees"])] if "trees" in provenance else [])
    )


def _share_line(trees: Mapping[str, Any]) -> str:
    """The share of trees in a blend, or why there is none."""
    if not trees["share"]:
        return f"trees, of the blend: none, as {trees['why']}"
    return (
        f"trees, of the blend: {trees['share']:.0%} of the scores by {counted(trees['rounds'], 'trees')}, which gain "
        f"{_format(trees['gain'])} on {trees['judged_on']}, at least {_format(trees['gain_low'])}"
    )


def _best_lines(provenance: Mapping[str, Any], metric: Metric) -> list[str]:
    on_dev = "on dev" if "dev" in provenance else "by folds"
    how = {
        "chosen_by_folds": "by folds",
        "chosen_on_dev": "on dev",
        "smoothing_scores": "on dev",
        "sigma_scores": on_dev,
    }
    return [
        f"best {how[name]}: {_best_setting(provenance, provenance[name], metric)}"
        for name in how
        if provenance.get(name)
    ]


def _best_setting(provenance: Mapping[str, Any], found: str | Mapping[str, Any], metric: Metric) -> str:
    """The setting with the best score, the first of equal ones; a text is returned unchanged."""
    if isinstance(found, str):
        return found
    entries = {key: each if isinstance(each, dict) else {"score": each} for key, each in found.items()}
    sign = 1 if metric.higher_is_better else -1
    _, best = max((sign * each["score"], -at) for at, each in enumerate(entries.values()))
    key, entry = list(entries.items())[-best]
    what = next((f"{kind} {key}" for kind in ("smoothing", "sigma") if kind in provenance), key)
    steps = "".join(f", {counted(entry[unit], unit)}" for unit in ("rounds", "epochs") if unit in entry)
    return f"{what}{steps}, {metric.signature.split('|')[0]} {_format(entry['score'])}, of {len(entries)} tried"


def _format(value: Any) -> str:
    if isinstance(value, dict) and "score" not in value:
        return ", ".join(f"{name}: {_format(each)}" for name, each in value.items()) or "none"
    if isinstance(value, dict):  # a score and the signature of its metric
        first = f" (first round {_format(value['first_round'])})" if "first_round" in value else ""
        return f"{value['metric'].split('|')[0]} {_format(value['score'])}{first}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


# -------------------------------------------------------------------- rerankers that try recipes, and thresholds


def recipe_lines(provenance: Mapping[str, Any], seconds: Mapping[str, float], metric: Metric, judged: int) -> list[str]:
    """How a reranker was trained: its features, the held-out gain of every recipe, and which one was kept."""
    families = provenance["families"]
    lines = [
        f"{counted(provenance['features'], 'features')} of {counted(len(families), 'families')} "
        f"({', '.join(families)}) in {_seconds(seconds['features'])}; "
        f"{counted(len(provenance['recipes']), 'recipes')} tried in {_seconds(seconds['training'])}.",
        "",
        text_table(*_recipe_table(provenance, metric)),
        "",
        f"Gains in {metric.label} over the first round, on {provenance['judged_on']} ({counted(judged, 'lists')}).",
    ]
    kept, found, fallback = provenance["recipe"], provenance["recipes"][provenance["recipe"]], provenance["fallback"]
    nested = _nested_gain(provenance, metric)
    if provenance["threshold"] is None:
        lines.append(f"Kept: {kept}, without a threshold (--bold): the candidate with the best score always wins.")
        if found["gain_without_threshold"] <= 0:
            lines.append("It gains nothing over the first round there; without --bold, every first choice would stay.")
    elif provenance["threshold"]["keeps_first_choice"]:
        why = "" if found["keeps_first_choice"] else f"{nested} That is not a reliable gain. "
        return [*lines, f"{why}Kept: none. Every first choice stays."]
    elif fallback is not None:
        gain = _gain_with_interval(provenance["held_out_gain"], provenance, metric)
        lines.append(f"Kept: {kept}, which needs no training. Its gain is {gain}.")
        nested += f" That is not reliable, or not above the gain of {kept}."
    else:
        lines.append(f"Kept: {kept}; {_threshold_sentence(found, judged, 'held-out')}")
    return [*lines, nested, "To test it: `runoff eval` on other lists, or --folds on these."]


def _nested_gain(provenance: Mapping[str, Any], metric: Metric) -> str:
    """The gain on lists that did not choose the recipe, unlike the gains in the table."""
    return (
        "The gain of the best of several recipes is optimistically biased. With the recipe chosen on all folds but one "
        f"and tested on that one, the gain is {_gain_with_interval(provenance['surest'], provenance, metric)}."
    )


def _gain_with_interval(gain: Mapping[str, float], provenance: Mapping[str, Any], metric: Metric) -> str:
    places, confidence = metric.digits, provenance["parameters"]["confidence"]
    interval = f"{gain['low']:+.{places}f} to {gain['high']:+.{places}f}"
    return f"{gain['delta']:+.{places}f} ({confidence:.0%} interval {interval})"


def threshold_lines(provenance: Mapping[str, Any], metric: Metric, judged: int) -> list[str]:
    """The lead that a candidate needs to replace the first choice, for a model trained with --careful."""
    found = provenance.get("threshold")
    if found is None:
        return []
    if found["keeps_first_choice"]:
        return ["Careful: no threshold gains reliably on the dev data, so every first choice stays."]
    places = metric.digits
    bare = f"{found['gain_without_threshold']:+.{places}f}"
    gain = f"a gain of {found['gain']:.{places}f} {metric.label} (without a threshold {bare})"
    return [
        f"Careful: {_threshold_sentence(found, judged, 'dev')}",
        f"On the dev data that is {gain}.",
        "This is optimistically biased, because the threshold was chosen there; test it on other lists.",
    ]


def _recipe_table(provenance: Mapping[str, Any], metric: Metric) -> tuple[list[str], list[list[str]]]:
    """Recipes, the most reliable gain first."""
    places, bold = metric.digits, provenance["threshold"] is None
    by = "gain_without_threshold" if bold else "gain_low"
    rows = []
    for name, found in sorted(
        provenance["recipes"].items(), key=lambda item: (-item[1][by], -item[1]["gain_without_threshold"])
    ):
        bare = f"{found['gain_without_threshold']:+.{places}f}"
        if bold:
            rows.append([name, bare])
        elif found["keeps_first_choice"]:
            rows.append([name, "unreliable", "", "0", bare])
        else:
            won = [f"{found[key]:+.{places}f}" for key in ("gain", "gain_low")]
            rows.append([name, *won, f"{found['switched']:,}", bare])
    return ["recipe", *(["gain"] if bold else ["gain", "at least", "switches", "without threshold"])], rows


def _threshold_sentence(found: Mapping[str, Any], judged: int, kind: str) -> str:
    lists = f"{found['switched']:,} of {judged:,} {kind} lists"
    if found["threshold"] == 0:
        return f"any lead replaces the first choice; that happens in {lists}."
    return f"a lead of more than {found['threshold']:,.3g} replaces the first choice; that happens in {lists}."


def _seconds(value: float) -> str:
    return f"{value:,.1f} s"
