"""`runoff translate align`: word alignments of parallel text, and their error rate where people drew some."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING

import click

from runoff.cli.options import FILE, as_json, check_outputs, interruptible, output, print_json, say
from runoff.tables import counted
from runoff.tasks.translation.command_options import aligner_option, symmetrise_option, tell

if TYPE_CHECKING:
    from runoff.tasks.translation.symmetrisation import Symmetrisation
    from runoff.tasks.translation.translator_settings import Aligner


@click.command(short_help="Align the words of parallel text.")
@click.argument("source_file", metavar="SOURCE", type=FILE)
@click.argument("target_file", metavar="TARGET", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the links, a line per pair.")
@aligner_option
@symmetrise_option
@click.option("--as-is", is_flag=True, help="Words are what stands between blanks. Default: Runoff's tokens.")
@click.option(
    "--tokens",
    type=FILE,
    nargs=2,
    metavar="SOURCE TARGET",
    help="Also write the tokens that links count, e.g. for another aligner.",
)
@click.option("--gold", type=FILE, help="Links of the first lines as people drew them, 0-0 sure and 0?1 possible.")
@as_json
def align(
    source_file: Path,
    target_file: Path,
    out: Path,
    aligner: Aligner,
    symmetrise: Symmetrisation,
    as_is: bool,
    tokens: tuple[Path, Path] | None,
    gold: Path | None,
    as_json: bool,
) -> None:
    """Link the words of SOURCE and TARGET that stand for each other, as `0-0 1-2 …`, counted from 0.

    `runoff translate train --alignment` takes such links of the same files, from whatever aligner.

    \b
    Example:  runoff translate align train.en train.de -o links.txt
              runoff translate align train.en train.de --as-is --gold hand.txt -o links.txt
    """
    from runoff.metrics.tokens import tokenised
    from runoff.tasks.translation.alignment_quality import alignment_error
    from runoff.tasks.translation.alignments import read_gold_alignments
    from runoff.tasks.translation.bitext import Bitext, read_parallel
    from runoff.tasks.translation.language import Language
    from runoff.tasks.translation.training import align_words

    check_outputs([out, *(tokens or ())], [source_file, target_file, gold])
    sides = read_parallel(source_file, target_file)
    if as_is:
        bitext = Bitext(*(tokenised(side, str.split) for side in sides))
    else:
        bitext = Bitext(*(Language.learn(side).tokens(side) for side in sides))
    hand_drawn = None if gold is None else read_gold_alignments(gold, bitext)
    with interruptible(f"{out} was not written"):
        links, notes = align_words(bitext, aligner, symmetrise, verbose=True)
        links.write(out)
        for path, side in zip(tokens or (), (bitext.source, bitext.target), strict=False):
            with output(path) as write:
                for at in range(len(side)):
                    write(" ".join(side.of(at)))
    tell(notes)
    found = None if hand_drawn is None else alignment_error(links.first(len(hand_drawn[0])), *hand_drawn)
    if as_json:
        error = None if found is None else found._asdict()
        print_json({"output": str(out), "pairs": len(links), "links": int(links.source.size), "error": error})
        return
    if found is not None:
        click.echo(
            f"alignment error rate {found.error_rate:.3f}: precision {found.precision:.3f}, recall {found.recall:.3f} "
            f"({counted(len(hand_drawn[0]) if hand_drawn else 0, 'pairs')} with {counted(found.links, 'links')})"
        )
    say(f"wrote {out}: {counted(int(links.source.size), 'links')} of {counted(len(links), 'pairs')}.")
    if not as_is:
        say(f"next: runoff translate train {source_file} {target_file} --alignment {out} -o MODEL.runoff")
