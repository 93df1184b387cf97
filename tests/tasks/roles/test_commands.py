"""`runoff roles eval`, `show` and `convert` as a person runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from helpers.role_sentences import contents
from runoff.cli import main
from runoff.tasks.roles import RoleSentence, evaluate_roles, read_roles, write_roles
from runoff.tasks.roles.propositions import Proposition

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

WORDS = ("The", "man", "said", "so", "often")
POS = ("DT", "NN", "VBD", "RB", "RB")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["roles", *(str(each) for each in arguments)])


def said(*roles: tuple[int, int, str]) -> Proposition:
    return Proposition.of(2, "say", [(2, 3, "V"), *roles], "say.01")


GOLD = RoleSentence(WORDS, (said((0, 2, "A0"), (3, 4, "A1"), (4, 5, "AM-TMP")),), pos=POS, id="d#7", document="d")
OLD = GOLD.with_propositions([said((0, 2, "A0"), (3, 5, "A1"))])
NEW = GOLD.with_propositions([said((0, 2, "A0"), (3, 4, "A1"), (4, 5, "AM-MNR"))])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of twelve sentences: gold, old and new roles."""
    for name, sentence in (("gold", GOLD), ("old", OLD), ("new", NEW)):
        write_roles([sentence] * 12, tmp_path / f"{name}.conll")
    return tmp_path


def test_eval_prints_what_the_library_finds(folder: Path) -> None:
    done = run("eval", "--gold", folder / "gold.conll", folder / "old.conll")
    assert done.exit_code == 0
    found = evaluate_roles([GOLD] * 12, [OLD] * 12)
    assert done.stdout == f"{found}\n"
    assert "   Overall       12      12      24    50.00   33.33   40.00\n" in done.stdout
    assert json.loads(
        run("eval", "--gold", folder / "gold.conll", folder / "old.conll", "--json").stdout
    ) == json.loads(json.dumps(found.to_dict()))
    with_matrix = run("eval", "--gold", folder / "gold.conll", folder / "old.conll", "--confusion").stdout
    assert with_matrix == f"{found}\n\n{found.confusion_matrix()}\n"


def test_two_files_are_compared(folder: Path) -> None:
    arguments = ("eval", "--gold", folder / "gold.conll", folder / "old.conll", "--compare", folder / "new.conll")
    done = run(*arguments)
    assert "old.conll: precision" in done.stdout
    assert "F1 40.00 and 66.67: difference +26.67" in done.stdout
    found = json.loads(run(*arguments, "--json").stdout)
    assert found["difference"]["p"] < 0.01
    assert found["second"]["correct"] == 24
    assert run(*arguments, "--confusion").exit_code == 2


def test_verbs_and_predicates_that_differ(folder: Path) -> None:
    more = GOLD.with_propositions([*GOLD.propositions, Proposition.of(1, "man", [(1, 2, "V"), (0, 1, "A0")])])
    write_roles([more] * 12, folder / "more.conll")
    done = run("eval", "--gold", folder / "gold.conll", folder / "more.conll")
    assert done.exit_code == 1
    assert "sentence 1 (d#7) has the predicate 'man' at word 2, which the gold roles have not" in done.stderr
    assert "--lenient" in done.stderr
    lenient = run("eval", "--gold", folder / "gold.conll", folder / "more.conll", "--lenient", "--json")
    assert json.loads(lenient.stdout)["f"] == 100.0
    assert "more.conll: Predicates that the gold roles have not, which are not counted: 12." in lenient.stderr
    verbs = run("eval", "--gold", folder / "more.conll", folder / "gold.conll", "--verbs", "--json")
    assert json.loads(verbs.stdout)["propositions"] == 12


def test_propositions_alone_with_words(folder: Path) -> None:
    done = run("convert", folder / "gold.conll", folder / "gold.props")
    assert "note: Propositions by themselves cannot show id (12 sentences)" in done.stderr
    assert "wrote " in done.stderr
    assert run("eval", "--gold", folder / "gold.conll", folder / "gold.props", "--json").exit_code == 0
    (folder / "words").write_text("\n".join([*WORDS, ""]) * 11 + "\n".join([*WORDS[:-1], "seldom"]) + "\n")
    done = run("eval", "--gold", folder / "gold.conll", folder / "gold.props", "--words", folder / "words")
    assert done.exit_code == 1
    assert "expected words of 12 sentences" in done.stderr or "has other words" in done.stderr
    (folder / "words").write_text("\n".join([*WORDS, "", ""]) * 11 + "\n".join([*WORDS[:-1], "seldom"]) + "\n")
    done = run("eval", "--gold", folder / "gold.conll", folder / "gold.props", "--words", folder / "words")
    assert "sentence 12 (d#7) has other words than the one with gold roles: expected 'often' at word 5" in done.stderr


@pytest.mark.parametrize("kind", ["propbank", "conll2005", "conll2012", "jsonl"])
def test_convert_there_and_back(folder: Path, kind: str) -> None:
    assert run("convert", folder / "gold.conll", folder / "out", "--to", kind).exit_code == 0
    found = json.loads(run("convert", folder / "out", folder / "back.jsonl", "--json").stdout)
    assert (found["sentences"], found["propositions"]) == (12, 12)
    assert [each.propositions for each in read_roles(folder / "back.jsonl")] == [GOLD.propositions] * 12
    if kind in ("propbank", "jsonl"):
        assert contents(read_roles(folder / "back.jsonl")) == contents([GOLD] * 12)


def test_convert_with_named_columns(folder: Path) -> None:
    (folder / "some").write_text("1 I - (A0*)\n2 left leave (V*)\n")
    done = run(
        "convert", folder / "some", folder / "out.jsonl", "--format", "conll2005", "--columns", "_,word,lemma,props"
    )
    assert done.exit_code == 0
    assert read_roles(folder / "out.jsonl")[0].words == ("I", "left")
    assert run("convert", folder / "some", folder / "some").exit_code == 2


def test_show_as_text(folder: Path) -> None:
    assert run("show", folder / "gold.conll", "--sentence", 1).stdout == (
        "        The man said so   often\nsay.01  [A0---] [V-] [A1] [AM-TMP]\n"
    )
    both = run("show", folder / "gold.conll", "--sentence", "d#7", "--compare", folder / "old.conll").stdout
    assert both.splitlines()[1:3] == [
        "say.01 · gold.conll  [A0---] [V-] [≠ A1] [≠ AM-TMP]",
        "say.01 · old.conll   [A0---] [V-] [≠ A1-----------]",
    ]
    missing = run("show", folder / "gold.conll", "--sentence", 13)
    assert missing.exit_code == 2
    assert "gold.conll has no sentence '13'; sentences are known by their ids, or by their numbers from 1 to 12" in (
        missing.stderr
    )


def test_show_as_a_picture(folder: Path) -> None:
    done = run(
        "show", folder / "gold.conll", "--sentence", 2, "--compare", folder / "new.conll", "-o", folder / "a.svg"
    )
    assert done.exit_code == 0
    assert "≠ AM-MNR" in (folder / "a.svg").read_text(encoding="utf-8")
    wrong = run("show", folder / "gold.conll", "--sentence", 2, "-o", folder / "a.gif")
    assert wrong.exit_code == 2
    assert "pictures are written as .png, .svg or .pdf" in wrong.stderr


def test_sentences_that_do_not_fit(folder: Path) -> None:
    write_roles([GOLD], folder / "one.conll")
    done = run("show", folder / "gold.conll", "--sentence", 2, "--compare", folder / "one.conll")
    assert "one.conll has 1 sentences, and gold.conll has 12" in done.stderr
    write_roles([RoleSentence(("Yes",))], folder / "yes.conll")
    done = run("show", folder / "gold.conll", "--sentence", 1, "--compare", folder / "yes.conll")
    assert (
        "sentence 1 has other words in yes.conll than in gold.conll: 'Yes' and 'The man said so often'" in done.stderr
    )
