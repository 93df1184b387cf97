"""What a model's record has to say to the person who trained it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.tables import counted, text_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric


def interrupted(provenance: Mapping[str, Any]) -> str:
    """What Ctrl-C has left unfinished."""
    unit = next((unit for unit in ("epochs", "steps") if unit in provenance), "rounds")
    where = provenance.get("interrupted_in", [])
    auto = "dev" in provenance and provenance["parameters"].get(unit) == "auto"
    kind = "the best" if auto else "that"
    model = f"the model is {kind} of the {unit} so far."
    if "folds" not in where:
        return f"interrupted: {model}"
    rest = model if "rounds" in where else "the training after them is complete."
    return f"interrupted in the folds: they chose by what they had shown so far; {rest}"


# What a model's record says that is worth a line; learners have some of these each.
_TOLD = {
    "sigma": "width of the prior",
    "smoothing": "smoothing",
    "pairs": "pairs to learn from",
    "setting": "objective and how it was minimised",
    "order": "order and margin",
    "tau": "scale of the margins, tau",
    "epochs": "epochs",
    "epochs_tried": "epochs tried",
    "mistakes": "pairs violated in the one that was chosen",
    "violated_pairs_found_by": "violated pairs were found by",
    "rounds": "rounds",
    "rounds_tried": "rounds tried",
    "steps": "steps",
    "converged": "converged",
    "loss": "loss on the training data",
    "work": "work, in naive passes",
    "savings": "times less work than naive",
    "savings_by_rounds": "the same by rounds",
    "drift": "drift of the sums",
    "effective_samples": "samples of equal weight that an estimate was worth",
    "dropped_groups": "groups without a pair to learn from, left out",
    "columns_left_out": "features left out: rare, or telling no pair apart",
    "dev": "dev",
}


_OF_ROUNDS = ("work", "savings", "savings_by_rounds", "drift")  # says nothing where no round was made


def facts(provenance: Mapping[str, Any]) -> list[str]:
    """A line for everything that is known and worth one."""
    left_out = _OF_ROUNDS if provenance.get("rounds_tried") == 0 else ()
    return [
        f"{words}: {_shown(provenance[name])}"
        for name, words in _TOLD.items()
        if name not in left_out and provenance.get(name) is not None
    ]


def choices(provenance: Mapping[str, Any], metric: Metric) -> list[str]:
    """The score that decided on parameters, for everything that was chosen by dev data or by folds."""
    on_dev = "on dev" if "dev" in provenance else "by folds"
    how = {
        "chosen_by_folds": "by folds",
        "chosen_on_dev": "on dev",
        "smoothing_scores": "on dev",
        "sigma_scores": on_dev,
    }
    return [
        f"best {how[name]}: {_decided(provenance, provenance[name], metric)}" for name in how if provenance.get(name)
    ]


def _decided(provenance: Mapping[str, Any], found: str | Mapping[str, Any], metric: Metric) -> str:
    """Of scores by setting the best, of equal ones the first; or the words that stand there instead."""
    if isinstance(found, str):
        return found
    entries = {key: each if isinstance(each, dict) else {"score": each} for key, each in found.items()}
    sign = 1 if metric.higher_is_better else -1
    _, best = max((sign * each["score"], -at) for at, each in enumerate(entries.values()))
    key, entry = list(entries.items())[-best]
    what = next((f"{kind} {key}" for kind in ("smoothing", "sigma") if kind in provenance), key)
    steps = "".join(f", {counted(entry[unit], unit)}" for unit in ("rounds", "epochs") if unit in entry)
    return f"{what}{steps}, {metric.signature.split('|')[0]} {_shown(entry['score'])}, of {len(entries)} tried"


def _shown(value: Any) -> str:
    if isinstance(value, dict) and "score" not in value:
        return ", ".join(f"{name}: {_shown(each)}" for name, each in value.items()) or "none"
    if isinstance(value, dict):  # a score and the signature of its metric
        first = f" (first round {_shown(value['first_round'])})" if "first_round" in value else ""
        return f"{value['metric'].split('|')[0]} {_shown(value['score'])}{first}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


# -------------------------------------------------------------------- models for texts, and models that hold back


def recipes(provenance: Mapping[str, Any], seconds: Mapping[str, float], metric: Metric, judged: int) -> list[str]:
    """How a reranker of texts came about: features, what every recipe won on held-out lists, and which was kept."""
    families = provenance["families"]
    lines = [
        f"{counted(provenance['features'], 'features')} of {counted(len(families), 'families')} "
        f"({', '.join(families)}) in {_seconds(seconds['features'])}; "
        f"{counted(len(provenance['recipes']), 'recipes')} tried in {_seconds(seconds['training'])}.",
        "",
        text_table(*_recipes(provenance, metric)),
        "",
        f"Gains are in {metric.label}, over the first round, on {provenance['judged_on']} "
        f"({counted(judged, 'lists')}).",
    ]
    kept, found, outside = (
        provenance["recipe"],
        provenance["recipes"][provenance["recipe"]],
        _outside(provenance, metric),
    )
    if provenance["threshold"] is None:
        lines.append(f"Kept: {kept}. It is bold: whatever has the best score takes the first choice's place.")
        if found["gain_without_threshold"] <= 0:
            lines.append("It gains nothing over the first round there; without --bold the first choice would stay.")
    elif found["keeps_first_choice"]:
        return [*lines, "Kept: none. Every first choice stays as it is."]
    elif provenance["threshold"]["keeps_first_choice"]:
        return [*lines, f"{outside} That is not sure to be a gain, so every first choice stays as it is. Kept: none."]
    else:
        lines.append(f"Kept: {kept}; {_threshold(found, judged, 'held-out')}")
    return [*lines, outside, "To prove it: `runoff eval` on other lists, or --folds on these."]


def _outside(provenance: Mapping[str, Any], metric: Metric) -> str:
    """What the choice of a recipe is worth in lists on which it was not made, unlike the gains in the table."""
    gain, places = provenance["held_out_gain"], metric.digits
    return (
        "The best of several tries is flattered. Chosen on all folds of these lists but one and judged on that one, in "
        f"turn, the gain is {gain['delta']:+.{places}f} ({provenance['parameters']['confidence']:.0%} interval "
        f"{gain['low']:+.{places}f} to {gain['high']:+.{places}f})."
    )


def threshold(provenance: Mapping[str, Any], metric: Metric, judged: int) -> list[str]:
    """From which lead on a model of another learner leaves the first choice, where it was told to be careful."""
    found = provenance.get("threshold")
    if found is None:
        return []
    if found["keeps_first_choice"]:
        return ["Careful: no lead was sure to gain on the dev data; the model leaves every first choice as it is."]
    places = metric.digits
    bare = f"{found['gain_without_threshold']:+.{places}f}"
    gain = f"a gain of {found['gain']:.{places}f} {metric.label} (without a threshold {bare})"
    return [
        f"Careful: {_threshold(found, judged, 'dev')}",
        f"On the dev data that is {gain}; it is flattered, as it chose the threshold: prove it on other lists.",
    ]


def _recipes(provenance: Mapping[str, Any], metric: Metric) -> tuple[list[str], list[list[str]]]:
    """Recipes from the surest gain down."""
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
            rows.append([name, "never sure", "", "0", bare])
        else:
            won = [f"{found[key]:+.{places}f}" for key in ("gain", "gain_low")]
            rows.append([name, *won, f"{found['switched']:,}", bare])
    return ["recipe", *(["gain"] if bold else ["gain", "at least", "switches", "without threshold"])], rows


def _threshold(found: Mapping[str, Any], judged: int, kind: str) -> str:
    lists = f"{found['switched']:,} of {judged:,} {kind} lists"
    if found["threshold"] == 0:
        return f"any lead is enough to take the first choice's place; another candidate has one in {lists}."
    return (
        f"another candidate must lead by {found['threshold']:,.3g} to take the first choice's place; "
        f"it would have in {lists}."
    )


def _seconds(value: float) -> str:
    return f"{value:,.1f} s"
