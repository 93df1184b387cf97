"""Tables, figures and claims of Collins & Koo (2005)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from runoff.learners.boosting_work import INTERVALS
from runoff.reproduce.figures import Curve, Panel, above, diagram
from runoff.reproduce.paper import Figure, Line, PaperData, PaperTable
from runoff.reproduce.verdicts import Judgement, alike, better, exactly, sooner, untold

if TYPE_CHECKING:
    from runoff.reproduce.results import Results

SMOOTHINGS = (0.0001, 0.00025, 0.0005, 0.00075, 0.001, 0.0025, 0.005, 0.0075)
BEST = {True: "exploss", False: "exploss unweighted"}
ALIKE = 0.3  # of F
# Tables 2 and 3: best N and best score by smoothing.
PUBLISHED_N = (29_471, 22_468, 48_795, 43_386, 43_975, 90_386, 66_378, 80_746)
PUBLISHED_SCORES = (101.743, 101.849, 101.845, 101.809, 101.849, 101.864, 101.824, 101.722)
PUBLISHED_UNWEIGHTED = (101.744, 101.754, 101.778, 101.762, 101.778, 101.699, 101.610, 101.604)
# Table 4, and section 5.4.3.
PUBLISHED_SAVINGS = {
    "1-100000": 2_692.7,
    "1-10": 48.6,
    "11-100": 83.5,
    "101-1000": 280.0,
    "1001-10000": 1_263.9,
    "10001-50000": 2_920.2,
    "50001-100000": 4_229.8,
}
_BRACKETS = ("LR", "LP", "CBs", "0 CBs", "2 CBs")
# Table 1: of at most 40 words, and of all.
_SHORT: dict[str, tuple[str, tuple[float | None, ...]]] = {
    "Charniak 1997 (published only)": ("", (87.5, 87.4, 1.00, 62.1, 86.1)),
    "baseline (Collins 1999)": ("baseline", (88.5, 88.7, 0.92, 66.7, 87.1)),
    "Charniak 2000 (published only)": ("", (90.1, 90.1, 0.74, 70.1, 89.6)),
    "ExpLoss": (BEST[True], (90.2, 90.4, 0.73, 71.2, 90.2)),
}
_ALL: dict[str, tuple[str, tuple[float | None, ...]]] = {
    "Charniak 1997 (published only)": ("", (86.7, 86.6, 1.20, 59.5, 83.2)),
    "Ratnaparkhi 1998 (published only)": ("", (86.3, 87.5, 1.21, 60.2, None)),
    "baseline (Collins 1999)": ("baseline", (88.1, 88.3, 1.06, 64.0, 85.1)),
    "Charniak 2000 (published only)": ("", (89.6, 89.5, 0.88, 67.6, 87.7)),
    "ExpLoss": (BEST[True], (89.6, 89.9, 0.86, 68.7, 88.3)),
}
_OWN = {
    "ExpLoss, unweighted": BEST[False],
    "LogLoss (appendix B)": "logloss",
    "log-linear, Gaussian prior": "log-linear",
}


def smoothing_name(smoothing: float, *, weighted: bool) -> str:
    """Name of the run with this smoothing.

    Examples
    --------
    >>> smoothing_name(0.00025, weighted=False)
    'epsilon 0.00025 unweighted'
    """
    return f"epsilon {smoothing:g}{'' if weighted else ' unweighted'}"


def tables(material: PaperData) -> list[PaperTable]:
    """Tables 1 (in two parts), 2, 3 and 4, and F of everything that was tried."""
    own = tuple(Line(label, name) for label, name in _OWN.items())
    note = "Shares in per cent, with 95% bootstrap intervals over sentences; 2 CBs: at most two crossing brackets."
    sizes = {"table-1a": ("@40", _SHORT, "at most 40 words"), "table-1b": ("", _ALL, "all sentences")}
    found = [
        PaperTable(
            name,
            f"PARSEVAL on test, {material.name}, {words}",
            tuple(f"{column}{suffix}" for column in _BRACKETS),
            (*(Line(label, experiment, published) for label, (experiment, published) in lines.items()), *own),
            note=note,
        )
        for name, (suffix, lines, words) in sizes.items()
    ]
    f_lines = (
        Line("baseline (Collins 1999)", "baseline", (88.2,)),
        Line("ExpLoss", BEST[True], (89.75,)),
        *own,
    )
    found.append(PaperTable("f", f"F on test, {material.name} (section 1 of the paper)", ("F",), f_lines))
    runs = [(f"ε = {each:g}", smoothing_name(each, weighted=True)) for each in SMOOTHINGS]
    found.append(
        PaperTable(
            "table-2",
            "best number of rounds on dev by smoothing, and the score there (100: the parser's)",
            ("best N", "best score", "features"),
            tuple(
                Line(label, name, (float(rounds), score))
                for (label, name), rounds, score in zip(runs, PUBLISHED_N, PUBLISHED_SCORES, strict=True)
            ),
            digits=(0, 3, 0),
        )
    )
    other = [(f"ε = {each:g}, unweighted", smoothing_name(each, weighted=False)) for each in SMOOTHINGS]
    scores = (*PUBLISHED_SCORES, *PUBLISHED_UNWEIGHTED)
    found.append(
        PaperTable(
            "table-3",
            "best score on dev with weighted and with unweighted examples",
            ("best score",),
            tuple(Line(label, name, (score,)) for (label, name), score in zip([*runs, *other], scores, strict=True)),
            digits=3,
        )
    )
    columns = tuple(f"savings {first}-{last}" for first, last in INTERVALS)
    published = tuple(PUBLISHED_SAVINGS[f"{first}-{last}"] for first, last in INTERVALS)
    found.append(
        PaperTable(
            "table-4",
            "Savings(a, b): how many times fewer additions than the naive algorithm",
            columns,
            (Line("weighted, best ε", BEST[True], published),),
            digits=1,
            note="The paper's whole run saves 2,692.7 times, with 36,000 sentences and 500,000 features; savings grow "
            "with the number of features and of sentences.",
        )
    )
    return found


def figures(material: PaperData, results: Results) -> list[Figure]:
    """Figures 5 to 7: dev scores by rounds; 8 and 9: work and savings."""
    best, plain = results[BEST[True]], results[BEST[False]]
    name = best["chosen"]
    peak, at = results.value(BEST[True], "best score"), int(results.value(BEST[True], "best N"))
    under = f"{material.name}: {material.about}"
    five = f"The dev score peaks at {peak:.2f} after {at:,} rounds (the parser alone: 100)"
    scores = {each: results.value(smoothing_name(each, weighted=True), "best score") for each in SMOOTHINGS}
    six = f"Between the best and the worst smoothing lie {max(scores.values()) - min(scores.values()):.2f} points"
    gap = peak - results.value(BEST[False], "best score")
    seven = f"Weighted examples peak {above(gap, 'points')} unweighted ones"
    total, saved = best["work"][-1], best["savings"][-1]
    eight = f"{best['total_rounds']:,} rounds cost {total:.1f} passes over the data: {saved:,.0f} times fewer additions"

    def panel(runs: dict[str, str]) -> list[Panel]:
        drawn = [Curve(label, results[key]["rounds"], results[key]["curve"]) for label, key in runs.items()]
        return [Panel(drawn, "rounds", "score on dev (100: the parser)", reference=("the parser", 100.0), log_x=True)]

    few = {f"ε = {each:g}": smoothing_name(each, weighted=True) for each in (0.0001, 0.001, 0.0025, 0.0075)}
    reached = {key: value for key, value in PUBLISHED_SAVINGS.items() if key != "1-100000"}
    ends = [int(key.split("-")[1]) for key in reached]
    middles = {key: (int(key.split("-")[0]) * end) ** 0.5 for key, end in zip(reached, ends, strict=True)}
    ours = best["intervals"]
    places = [(int(key.split("-")[0]) * int(key.split("-")[1])) ** 0.5 for key in ours]
    work = [
        Panel([Curve("here", best["rounds"], best["work"])], "rounds n", "Work(n), in passes", "figure 8", log_x=True),
        Panel(
            [
                Curve("Savings(n)", best["rounds"], best["savings"]),
                Curve("Savings(a, b)", places, list(ours.values())),
                Curve("Savings(a, b), the paper", list(middles.values()), list(reached.values()), is_published=True),
            ],
            "rounds n",
            "times fewer additions",
            "figure 9 and table 4",
            log_x=True,
            log_y=True,
        ),
    ]
    return [
        diagram("figure-5", five, f"Learning curve on dev, {name}.", under, panel({name: BEST[True]})),
        diagram("figure-6", six, "Learning curves on dev by smoothing.", under, panel(few)),
        diagram(
            "figure-7",
            seven,
            "Learning curves on dev with and without weights of examples, each with its best smoothing.",
            f"{under}; {plain['chosen']} without weights",
            panel({"weighted": BEST[True], "unweighted": BEST[False]}),
        ),
        diagram("figure-8", eight, "Figures 8 and 9: Work(n), and Savings(n) beside the paper's table 4.", under, work),
    ]


def judged_claims(results: Results) -> dict[str, Judgement]:
    """Paired tests over sentences, and what was counted."""
    exp, base = BEST[True], "baseline"
    gain = better(results.compare(exp, base, ("ExpLoss", "the parser")))
    before, after = results.value(base, "F"), results.value(exp, "F")
    removed = 100 * (after - before) / (100 - before)
    told = f"{gain.reason}; {removed:.1f}% of the error is removed (the paper: 13%)"
    naive, speed, bound = results["naive"], results["speed"], results["bound"]
    intervals = list(results[exp]["intervals"].values())
    seconds = speed["seconds"]
    ratio = seconds["exact"] / max(seconds["exp"], 1e-9)
    return {
        "baseline": Judgement(gain.verdict, told, gain.p),
        "weights": better(results.compare(exp, BEST[False], ("weighted", "unweighted"))),
        "same": exactly(
            naive["same"] == naive["rounds"] == naive["engine_rounds"] and naive["largest_difference"] < 1e-9,
            f"{naive['same']} of {naive['rounds']} rounds chose the same feature on {naive['lists']} lists "
            f"({naive['pairs']:,} pairs), moves differ by at most {naive['largest_difference']:.1e}",
        ),
        "savings": exactly(
            results[exp]["savings"][-1] > 10,
            f"{results[exp]['savings'][-1]:,.1f} times fewer over {results[exp]['total_rounds']:,} rounds; ten times "
            "fewer would do",
        ),
        "grow": untold("fewer than two intervals of rounds were reached")
        if len(intervals) < 2
        else exactly(
            all(one < two for one, two in itertools.pairwise(intervals)),
            "by interval: " + ", ".join(f"{value:,.1f}" for value in intervals),
        ),
        "loss": alike(results.compare(exp, "logloss", ("ExpLoss", "LogLoss")), ALIKE),
        "slow": sooner(
            10 * seconds["exp"],
            seconds["exact"],
            f"{speed['rounds']} rounds on {speed['lists']:,} lists: {seconds['exact']:.2f} CPU seconds with exact "
            f"updates, {seconds['bound']:.2f} by appendix B, {seconds['exp']:.2f} under ExpLoss: {ratio:.0f} times "
            "(ten times would do; the paper: 85)",
        ),
        "bound": untold("no feature stands on both sides of pairs")
        if bound["worst"] is None
        else exactly(
            bound["worst"] < 1e-9,
            f"{bound['tried']} random features and margins: LogLoss exceeds the bound by at most {bound['worst']:.2e}",
        ),
        "prior": alike(results.compare(exp, "log-linear", ("ExpLoss", "log-linear")), ALIKE),
    }
