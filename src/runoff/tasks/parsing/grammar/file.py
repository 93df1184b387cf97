"""A grammar on disk: one zip file with `grammar.json` and numpy arrays, nothing that can run code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError, UsageError
from runoff.files import reason
from runoff.kernels.coarse_chart import Rules
from runoff.opening.archive import open_archive, write_archive
from runoff.opening.limits import DamagedFileError
from runoff.tasks.parsing.grammar.coarse_grammar import CoarseGrammar
from runoff.tasks.parsing.grammar.grammar import VERSION, Grammar
from runoff.tasks.parsing.grammar.header_validation import check_header
from runoff.tasks.parsing.grammar.lexicon import Lexicon
from runoff.tasks.parsing.grammar.settings import Settings
from runoff.tasks.parsing.grammar.step_probabilities import StepProbabilities
from runoff.tasks.parsing.grammar.symbols import Symbols
from runoff.tasks.parsing.grammar.validation import check_grammar
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from runoff.opening.archive import Archive

_HEADER = "grammar.json"
_TABLES = ("states", "units", "state_labels", "unit_labels")


def save(grammar: Grammar, path: str | Path) -> None:
    """Write a grammar; see `Grammar.save`."""
    lexicon, symbols = grammar.lexicon, grammar.symbols
    header = {
        "format": "runoff-grammar",
        "version": VERSION,
        "runoff": __version__,
        "settings": grammar.settings.to_dict(),
        "provenance": grammar.provenance,
        "symbols": {"names": symbols.names, "plain": symbols.plain, "labels": symbols.n_labels},
        "classes": lexicon.names,
        "tags": [[its_class, tag, count] for (its_class, tag), count in lexicon.tag_counts.items()],
        "rare_words": [[word, *pair] for word, tags in lexicon.rare_words.items() for pair in tags.items()],
        "goals": [coarse.goal for coarse in grammar.coarse],
    }
    arrays: dict[str, NDArray[Any]] = {"class_of": grammar.class_of, "tag_priors": grammar.tag_priors}
    arrays |= {f"probabilities.{name}": array for name, array in grammar.probabilities._asdict().items()}
    for at, coarse in enumerate(grammar.coarse):
        arrays |= {f"coarse{at}.{name}": getattr(coarse, name) for name in _TABLES}
        arrays |= {f"coarse{at}.rules.{name}": array for name, array in coarse.rules._asdict().items()}
    with write_archive(path) as archive:
        archive.add_json(_HEADER, header)
        for name, array in arrays.items():
            archive.add_array(f"{name}.npy", array)


def load_grammar(path: str | Path) -> Grammar:
    """Open a grammar that `Grammar.save` wrote.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.grammar import train_grammar
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.grammar"
    >>> train_grammar([parse_tree("(S (NP (PRP I)) (VP (VBP run)))")] * 5).save(path)
    >>> load_grammar(path).nbest(["I", "run"], k=1).trees
    ['(TOP (S (NP (PRP I)) (VP (VBP run))))']
    """
    try:
        with open_archive(path) as archive:
            header = archive.json(_HEADER) if _HEADER in archive.names else {}
            _check(header, path)
            try:
                return _grammar(header, archive)
            except (ModelError, UsageError) as error:
                raise ModelError(f"{path} is not a Runoff grammar, or it is damaged: {error}") from error
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {reason(error)}.") from error
    except DamagedFileError as error:
        raise ModelError(f"{path} is not a Runoff grammar, or it is damaged: {error}.") from error
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{path} is not a Runoff grammar, or it is damaged.") from error


def _check(header: Any, path: str | Path) -> None:
    if not isinstance(header, dict) or header.get("format") != "runoff-grammar":
        raise ModelError(f"{path} is not a Runoff grammar; `runoff parse train` trains one on a treebank.")
    if header["version"] != VERSION:
        raise ModelError(
            f"{path} has version {header['version']} of the grammar format (written by Runoff {header.get('runoff')}); "
            f"this Runoff reads version {VERSION}. Train it again with `runoff parse train`."
        )


def _grammar(header: dict[str, Any], archive: Archive) -> Grammar:
    settings = Settings.from_dict(header["settings"])
    check_header(header)
    named = header["symbols"]
    symbols = Symbols(tuple(named["names"]), tuple(named["plain"]), named["labels"])
    rare_words: dict[str, dict[int, int]] = {}
    for word, tag, count in header["rare_words"]:
        rare_words.setdefault(word, {})[tag] = count
    tag_counts = {(its_class, tag): count for its_class, tag, count in header["tags"]}
    lexicon = Lexicon(header["classes"], tag_counts, rare_words, settings.unseen)
    probabilities = StepProbabilities(*(_array(archive, f"probabilities.{name}") for name in StepProbabilities._fields))
    one, two = (_coarse(archive, at, goal) for at, goal in enumerate(header["goals"]))
    class_of, tag_priors = _array(archive, "class_of"), _array(archive, "tag_priors")
    grammar = Grammar(settings, symbols, lexicon, probabilities, (one, two), class_of, tag_priors, header["provenance"])
    check_grammar(grammar)
    return grammar


def _coarse(archive: Archive, at: int, goal: int) -> CoarseGrammar:
    rules = Rules(*(_array(archive, f"coarse{at}.rules.{name}") for name in Rules._fields))
    states, units, state_labels, unit_labels = (_array(archive, f"coarse{at}.{name}") for name in _TABLES)
    return CoarseGrammar(rules, states, units, state_labels, unit_labels, goal)


def _array(archive: Archive, name: str) -> NDArray[Any]:
    return archive.array(f"{name}.npy").copy()  # can be written to, as those of training: the same compiled loops
