"""`runoff serve`: models as a service."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from runoff.cli.options import FILE, external_option, say
from runoff.errors import UsageError

_LOCAL = "127.0.0.1", "::1", "localhost"


@click.command()
@click.argument("models", metavar="[NAME=]MODEL...", nargs=-1, required=True)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to serve at; other machines reach 0.0.0.0."
)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0: any that is free.")
@click.option("--token-file", type=FILE, help="File with a token that callers must present. Default: RUNOFF_TOKEN.")
@click.option("--max-body", default=16.0, show_default=True, metavar="MIB", help="Largest request.")
@click.option("--max-candidates", default=10_000, show_default=True, help="Most candidates of a request.")
@click.option("--max-seconds", default=30.0, show_default=True, help="Longest wait for an answer.")
@click.option("--max-waiting", default=1_000, show_default=True, help="Most requests that wait for a model.")
@click.option("--batch", default=64, show_default=True, help="Most requests that are scored together.")
@click.option("--quiet", is_flag=True, help="Log no requests that went well.")
@external_option
def serve(
    models: tuple[str, ...],
    host: str,
    port: int,
    token_file: Path | None,
    quiet: bool,
    allow_external: bool,
    **limits: Any,
) -> None:
    """Serve models over HTTP, to this machine unless told otherwise.

    POST /choose takes lists of candidates in Runoff's JSON, POST /rerank a query and documents as rerank clients send
    them. GET / describes both. A model whose file is replaced is replaced in the service, too.

    \b
    Example:  runoff serve wer.runoff
              runoff serve wer.runoff search=ranker.runoff --host 0.0.0.0 --token-file token.txt
              curl http://127.0.0.1:8000/choose -d '{"candidates": ["the cats at", "the cat sat"]}'
    """
    try:
        import fastapi  # noqa: F401 - only whether they are there
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UsageError("serving models needs a few more packages: pip install 'runoff[serve]'.") from error
    from runoff.server.app import create_app
    from runoff.server.request_log import RequestLog
    from runoff.server.served_model import open_models
    from runoff.server.service_settings import ServiceSettings
    from runoff.server.web_server import listening, server_of

    settings = ServiceSettings(
        body=int(limits["max_body"] * (1 << 20)),
        candidates=limits["max_candidates"],
        seconds=limits["max_seconds"],
        waiting=limits["max_waiting"],
        batch=limits["batch"],
        token=_token(token_file),
    )
    named = [_named(each) for each in models]
    where = listening(host, port)
    found = open_models(named, allow_external=allow_external, say=say)
    address = f"http://{host if ':' not in host else f'[{host}]'}:{where.getsockname()[1]}"
    if host not in _LOCAL and settings.token is None:
        say(f"Warning: whoever reaches {host} can use this service; give it a token with --token-file.")
    say(f"serving {', '.join(found)} at {address}; Ctrl-C stops.")
    server_of(create_app(found, settings, RequestLog(quiet=quiet)), settings.receiving).run(sockets=[where])


def _named(given: str) -> tuple[str | None, Path]:
    """A model's name and path; a path that exists may have an equals sign."""
    name, equals, path = given.partition("=")
    if equals and name and "/" not in name and not Path(given).exists():
        return name, Path(path)
    return None, Path(given)


def _token(path: Path | None) -> str | None:
    if path is None:
        return os.environ.get("RUNOFF_TOKEN") or None
    from runoff.files import reason

    try:
        token = path.read_text("ascii").strip()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason(error)}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} holds no token, which is one line of ASCII characters.") from error
    if not token:
        raise UsageError(f"{path} is empty; write a token into it.")
    return token
