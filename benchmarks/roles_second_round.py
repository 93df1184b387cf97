"""Lists of labellings of predicates: jackknifed for training, and what a second round wins on them.

`lists`: for every kind of labeller the 20 best labellings of every predicate with all proposals, those of the training
sentences by labellers of other folds of documents, as RUNOFF_WORK/lists/KIND.{train,dev,test,…}.jsonl.gz. What is there
already is kept. Labellers of base phrases and of siblings have the recipe of benchmarks/roles.py; that of constituents
learns from the first trees alone, as its copies with other trees would take an hour more.
Usage: python benchmarks/roles_second_round.py [lists …]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roles import NAMES, domains, prepared, timed
from runoff.io import write
from runoff.tasks.roles.frames import read_frames
from runoff.tasks.roles.labeller_file import load_labeller
from runoff.tasks.roles.role_lists import jackknifed_lists, role_lists
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roles import Parts
    from runoff.tasks.roles.labeller import RoleLabeller
    from runoff.tasks.roles.propositions import RoleSentence

FOLDS = 3
K = 20
WITHOUT_COPIES = ("constituents",)


def main() -> None:
    """Make what was asked for, or all."""
    folder = data_folder()
    trains = [] if folder is None else sorted((folder / "roles").glob("*.train.*"))
    if folder is None or not trains:
        skip("no roles with train, dev and test; set RUNOFF_DATA")
        return
    frames = read_frames(next((folder / "roles").glob("*frames*")))
    work = Path(os.environ.get("RUNOFF_WORK") or tempfile.mkdtemp())
    parts = prepared(folder, trains[0].name.partition(".")[0], work)
    sections = {"lists": lists}
    finish({name: sections[name](parts, frames, folder, work) for name in sys.argv[1:] or sections})


def lists(parts: Parts, frames: Mapping[str, str], folder: Path, work: Path) -> dict[str, Any]:
    """The lists of all kinds, the quickest first."""
    found: dict[str, Any] = {}
    (work / "lists").mkdir(exist_ok=True)
    for kind in NAMES:
        began = time.process_time()
        files = {
            part: work / "lists" / f"{kind}.{part}.jsonl.gz" for part in ("dev", "test", *domains(folder), "train")
        }
        if all(path.exists() for path in files.values()):
            continue
        saved = work / (f"{kind}.first-trees.runoff" if kind in WITHOUT_COPIES else f"{kind}.runoff")
        whole = trained(saved, parts["train"], kind, parts, frames, parts["dev"])
        for part, path in files.items():
            if part != "train":
                write(role_lists(whole, parts[part], K), path)
        folds: list[int] = []

        def of_fold(material: list[RoleSentence], kind: str = kind, own: RoleLabeller = whole) -> RoleLabeller:
            saved = work / f"{kind}.fold{folds[-1]}.runoff"  # noqa: B023 - called before the next kind
            # One price, so that scores mean the same in all lists.
            return replace(trained(saved, material, kind, parts, frames), price=own.price)

        made = jackknifed_lists(parts["train"], FOLDS, K, of_fold, step=folds.append)
        write(made, files["train"])
        (work / f"READY-{kind}").touch()
        found[kind] = {"cpu_seconds": time.process_time() - began, "lists": len(made)}
        print(kind, found[kind], flush=True)
    return found


def trained(
    saved: Path,
    material: list[RoleSentence],
    kind: str,
    parts: Parts,
    frames: Mapping[str, str],
    dev: list[RoleSentence] | None = None,
) -> RoleLabeller:
    """A labeller of these sentences and their copies with other trees; from its file if there is one."""
    if saved.exists():
        return load_labeller(saved)
    known = {each.id for each in material}
    names = [] if kind in WITHOUT_COPIES else ["train.gold"] if kind == "partial" else ["train.second", "train.gold"]
    copies = [each for name in names for each in parts[name] if each.id in known]
    labeller = timed(material, kind, frames, copies=copies, dev=dev)[0]
    labeller.save(saved)
    return labeller


if __name__ == "__main__":
    main()
