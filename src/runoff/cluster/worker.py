"""The program of a local worker process: reads requests from a pipe, and answers them until the pipe is closed."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import traceback
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from runoff.cluster import messages
from runoff.cluster.desk import Desk
from runoff.errors import RunoffError


class WorkerRequest(NamedTuple):
    """A method of `Desk`, and what it gets."""

    method: str
    arguments: tuple[Any, ...]


class WorkerAnswer(NamedTuple):
    """What a function gave; or the error that it raised, and where, unless it was a mistake of the user."""

    result: Any
    error: BaseException | None = None
    trace: str = ""


def main() -> None:
    """WorkerAnswer requests until there are none left; end at once where the one who asks is gone.

    The only argument is the folder of what is shared, which goes with the one who asks.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the process that asks, which ends this one
    folder = Path(os.environ["RUNOFF_SHARED"])
    answers = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(2, 1)  # what a library prints does not end up among the answers
    requests: SimpleQueue[Any] = SimpleQueue()

    def listen() -> None:
        while True:
            try:
                requests.put(messages.read(sys.stdin.buffer))
            except EOFError:  # it was killed, or it would have ended this process: nobody waits for an answer
                shutil.rmtree(folder, ignore_errors=True)
                os._exit(0)
            except Exception as error:
                requests.put(WorkerAnswer(None, error, traceback.format_exc()))

    threading.Thread(target=listen, daemon=True).start()
    desk = Desk(messages.mapped)
    while True:
        request = requests.get()
        answer = request if isinstance(request, WorkerAnswer) else _answer(desk, request)
        try:
            parts = messages.packed(answer)
        except Exception:
            parts = messages.packed(WorkerAnswer(None, None, traceback.format_exc()))
        messages.write(answers, parts)
        del request, answer, parts  # they may be large


def _answer(desk: Desk, request: WorkerRequest) -> WorkerAnswer:
    try:
        return WorkerAnswer(getattr(desk, request.method)(*request.arguments))
    except RunoffError as error:
        return WorkerAnswer(None, error)
    except Exception as error:
        return WorkerAnswer(None, error, traceback.format_exc())
