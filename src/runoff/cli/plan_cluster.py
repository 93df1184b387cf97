"""`runoff plan-cluster`: how long stages would take on clusters of several sizes, and what that would cost."""

from __future__ import annotations

import re
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING

import click

from runoff.cli.options import FILE, as_json, print_json
from runoff.cluster.simulator import ClusterOf, plan, read_costs
from runoff.errors import UsageError
from runoff.tables import text_table

if TYPE_CHECKING:
    from runoff.cluster.simulator import StagePlan

_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:e[0-9]{1,2})?)([KMGT]?)(bit|B)?", re.IGNORECASE)


@click.command()
@click.option("--candidates", required=True, metavar="N", help="Candidates of all lists, e.g. 1e9 or 20M.")
@click.option("--workers", default="1,10,100", show_default=True, metavar="N,…", help="Sizes of the cluster, in cores.")
@click.option("--bandwidth", default="10Gbit", show_default=True, help="Of the machine that gives out the work.")
@click.option("--latency", default=0.5, show_default=True, help="Milliseconds of a message there and back.")
@click.option("--start", default=60.0, show_default=True, help="Seconds until workers have begun.")
@click.option("--spread", default=0.1, show_default=True, help="How much workers differ in speed, as a share.")
@click.option("--price", default=0.05, show_default=True, help="Of a core and hour, in any currency.")
@click.option("--stages", metavar="NAME,…", help="Stages to plan. Default: all whose costs are known.")
@click.option("--costs", type=FILE, metavar="FILE", help="Costs as benchmarks/scale.py prints them for a machine.")
@as_json
def plan_cluster(
    candidates: str,
    workers: str,
    bandwidth: str,
    latency: float,
    start: float,
    spread: float,
    price: float,
    stages: str | None,
    costs: Path | None,
    as_json: bool,
) -> None:
    """Say how long every stage would take on clusters of several sizes, and what that would cost.

    A simulation from measured costs: docs/scale.md says how far it was from the truth where that was known.

    \b
    Example:  runoff plan-cluster --candidates 1e9 --workers 1,64,512 --price 0.04
    """
    many, found = _amount(candidates, "--candidates"), read_costs(costs)
    names = [each.name for each in found] if stages is None else stages.split(",")
    unknown = [name for name in names if name not in [each.name for each in found]]
    if unknown:
        raise UsageError(f"there are no costs of {unknown[0]!r}; there are: {', '.join(each.name for each in found)}.")
    sizes = [_workers(text) for text in workers.split(",")]
    plans: dict[str, list[StagePlan]] = {}
    for each in found:
        if each.name in names:
            plans[each.name] = [
                plan(
                    each, many, ClusterOf(size, _amount(bandwidth, "--bandwidth"), latency / 1000, start, spread, price)
                )
                for size in sizes
            ]
    if as_json:
        rows = {
            name: {str(size): one.to_dict() for size, one in zip(sizes, several, strict=True)}
            for name, several in plans.items()
        }
        print_json({"candidates": many, "stages": rows})
        return
    header = [f"{many:,.0f} candidates", *(f"{size:,} worker{'s' * (size != 1)}" for size in sizes)]
    body = [[name, *(f"{_time(one.seconds)}, {one.price:,.2f}" for one in several)] for name, several in plans.items()]
    click.echo(text_table(header, body))
    click.echo("Time, and price of all workers for as long.")


def _workers(text: str) -> int:
    if not text.strip().isdecimal() or int(text) == 0:
        raise UsageError(f"--workers must be whole numbers of at least 1, with commas between them; found {text!r}.")
    return int(text)


def _amount(text: str, option: str) -> float:
    """A number with a unit; bits become bytes."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None or not float(match[1]):
        raise UsageError(f"{option} must be a number above 0, such as 1e9, 20M or 10Gbit; found {text!r}.")
    return float(match[1]) * _UNITS[match[2].upper()] / (8 if (match[3] or "").lower() == "bit" else 1)


def _time(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.1f} s"
