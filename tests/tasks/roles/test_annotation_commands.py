"""`runoff roles annotate` and `predicates` as a person runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from helpers.annotated_sentences import POS, bare, sentences
from runoff.cli import main
from runoff.tasks.parsing.grammar import train_grammar
from runoff.tasks.roles.annotation_commands import read_annotated, syntax_options, tool_paths
from runoff.tasks.roles.predicates import train_finder
from runoff.tasks.roles.propositions import RoleSentence
from runoff.tasks.roles.role_files import read_roles, write_roles

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["roles", *(str(each) for each in arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gold sentences, their trees, a grammar, a finder and a text."""
    found = tmp_path_factory.mktemp("roles")
    gold = sentences()
    trees = [each.tree for each in gold if each.tree is not None]
    write_roles(gold, found / "gold.jsonl")
    (found / "trees.mrg").write_text("\n".join(map(str, trees)))
    train_grammar(trees).save(found / "grammar.runoff")
    train_finder(gold).save(found / "predicates.runoff")
    (found / "text.txt").write_text("The cat knew he slept.\n")
    (found / "empty.txt").write_text("")
    return found


def test_raw_text_gets_trees_and_predicates(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "text.jsonl"
    tools = ("--grammar", folder / "grammar.runoff", "--predicates", folder / "predicates.runoff", "--clauses", "tree")
    done = run("annotate", folder / "text.txt", *tools, "-o", out)
    assert done.exit_code == 0, done.output
    assert "1 sentence and 2 predicates" in done.output
    assert "sentences with pos 1, trees 1, clauses 1." in done.output
    (found,) = read_roles(out)
    assert found.pos == POS
    assert found.clauses == ((0, 6), (3, 5), (3, 5))
    assert [(each.predicate, each.lemma) for each in found.propositions] == [(2, "know"), (4, "sleep")]


def test_what_is_there_is_kept_unless_it_is_to_be_replaced(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.mrg"
    other.write_text((folder / "trees.mrg").read_text().replace("SBAR", "XBAR"))
    out = tmp_path / "out.jsonl"
    done = run("annotate", folder / "gold.jsonl", "--trees", other, "-o", out)
    assert "note: Sentences that had trees already, which were kept (--replace replaces them): 54." in done.output
    assert "XBAR" not in out.read_text()
    done = run("annotate", folder / "gold.jsonl", "--trees", other, "--replace", "-o", out, "--json")
    assert json.loads(done.stdout)["trees"] == 54
    assert all("XBAR" in str(each.tree) for each in read_roles(out))
    assert [each.propositions for each in read_roles(out)] == [each.propositions for each in sentences()]
    done = run("annotate", folder / "gold.jsonl", "--predicates", folder / "predicates.runoff", "-o", out)
    assert "note: The sentences had predicates already" in done.output


def test_a_sentence_may_have_several_trees(folder: Path, tmp_path: Path) -> None:
    lists, out = tmp_path / "lists.jsonl", tmp_path / "out.jsonl"
    lists.write_text('{"id": "1", "nbest": [[-1, "(S (NP (PRP I)) (VP (VBD left)))"], [-2, "(X (PRP I) (VBD left))"]]}')
    (tmp_path / "text.txt").write_text("I left\n")
    done = run("annotate", tmp_path / "text.txt", "--trees", lists, "--best", 5, "--temperature", 0.5, "-o", out)
    assert done.exit_code == 0, done.output
    (found,) = read_roles(out)
    assert found.trees is not None
    assert [round(each.probability, 3) for each in found.trees] == [0.881, 0.119]  # 1 / (1 + exp(-1 / 0.5))
    run("annotate", tmp_path / "text.txt", "--trees", lists, "-o", out)
    assert read_roles(out)[0].trees is None
    refused = run("annotate", tmp_path / "text.txt", "--best", 5, "-o", out)
    assert "several trees per sentence come from a grammar or from lists of parses" in refused.output
    assert run("annotate", tmp_path / "text.txt", "--trees", lists, "--temperature", 0, "-o", out).exit_code == 2


def test_predicates_are_learned_and_counted(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "predicates.runoff"
    done = run("predicates", folder / "gold.jsonl", "--dev", folder / "gold.jsonl", "-o", out)
    assert done.exit_code == 0, done.output
    assert "108 correct of 108 found, 108 gold: precision 100.00, recall 100.00, F1 100.00" in done.output
    assert "trained on 54 sentences" in done.output
    done = run("predicates", folder / "gold.jsonl", "--dev", folder / "gold.jsonl", "-o", out, "--json")
    assert json.loads(done.stdout)["dev"]["f1"] == 100.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("annotate", "text.txt", "--pos", "grammar.runoff"), "grammar.runoff is not a Runoff tagger"),
        (("annotate", "text.txt", "--predicates", "predicates.runoff"), "give them tags or trees first"),
        (("annotate", "text.txt", "--trees", "trees.mrg"), "none of the 54 trees has the words of a sentence"),
        (("annotate", "empty.txt", "--grammar", "grammar.runoff"), "the file is empty"),
        (("annotate", "text.txt", "--trees", "empty.txt"), "the file is empty"),
        (
            ("annotate", "text.txt", "--trees", "text.txt"),
            "expected lists of parses, but the file starts with 'The cat",
        ),
        (("annotate", "text.txt", "--trees", "none.mrg"), "none.mrg"),
        (("annotate", "text.txt", "--reranker", "grammar.runoff"), "a reranker chooses among trees"),
        (("annotate", "text.txt", "--clauses", "tree"), "has no tree to take clauses from"),
        (("predicates", "text.txt"), "there are no predicates to learn from"),
    ],
)
def test_mistakes_are_said(folder: Path, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    named = [str(folder / each) if "." in each else each for each in arguments]
    done = run(*named, "-o", tmp_path / "out.jsonl")
    assert done.exit_code != 0
    assert message in done.output
    assert "Traceback" not in done.output
    assert not (tmp_path / "out.jsonl").exists()


def test_a_tool_is_not_overwritten(folder: Path) -> None:
    done = run("annotate", folder / "text.txt", "--trees", folder / "trees.mrg", "-o", folder / "trees.mrg")
    assert done.exit_code != 0
    assert "is named twice" in done.output


def test_other_commands_can_have_the_options(folder: Path) -> None:
    @click.command()
    @syntax_options
    def count(**options: object) -> None:
        click.echo(f"{len(tool_paths(options))} {len(read_annotated(folder / 'text.txt', **options)[0].propositions)}")

    done = CliRunner().invoke(
        count, ["--grammar", str(folder / "grammar.runoff"), "--predicates", str(folder / "predicates.runoff")]
    )
    assert done.stdout == "2 2\n"


def test_any_file_may_be_raw_text(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "text.dat"
    path.write_text("The cat knew he slept . A man said it left .")
    assert [len(each.words) for each in read_annotated(path, sentences="words")] == [12]
    assert read_annotated(folder / "gold.jsonl")[0].words == bare(sentences())[0].words
    assert isinstance(read_annotated(path, sentences="rules")[0], RoleSentence)
