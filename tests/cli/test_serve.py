"""Mistakes of people who start a service."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from runoff.cli import main
from runoff.model import LinearModel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "rows.runoff"
    LinearModel.of({"lm": 1.0}).save(path)
    return path


def said(*arguments: object) -> str:
    done = CliRunner().invoke(main, ["serve", *map(str, arguments)])
    assert done.exit_code in {1, 2}
    return done.output


def test_a_port_that_is_taken_is_said(model: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"nothing can be served at 127.0.0.1:{port}: address already in use; choose another --port." in said(
            model, "--port", port
        )


def test_what_is_no_model_is_said(model: Path, tmp_path: Path) -> None:
    assert "nowhere.runoff" in said(tmp_path / "nowhere.runoff", "--port", 0)
    model.write_text("no model")
    assert "is not a Runoff model" in said(model, "--port", 0) or "rows.runoff" in said(model, "--port", 0)


def test_what_is_no_token_is_said(model: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    assert "cannot be read" in said(model, "--token-file", token)
    token.write_text("")
    assert "is empty; write a token into it" in said(model, "--token-file", token)
    token.write_bytes(b"\xff")
    assert "holds no token" in said(model, "--token-file", token)
    token.write_text("two\nlines")
    assert "printable ASCII" in said(model, "--token-file", token)


def test_limits_are_checked(model: Path) -> None:
    assert "candidates is at least 1; found 0" in said(model, "--max-candidates", 0)
    assert "seconds must be more than 0" in said(model, "--max-seconds", 0)


def test_missing_packages_are_named(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert "pip install 'runoff[serve]'" in said(model)
