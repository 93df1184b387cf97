"""The public names are typed: a small program of a user passes mypy --strict, and wrong uses are found."""

import re
import shutil
import subprocess
import sys
from importlib import util
from pathlib import Path

HERE = Path(__file__).parent / "typed_client"
CACHE = Path(__file__).parents[1] / ".mypy_cache" / "typed_client"


def test_the_client_runs(tmp_path: Path) -> None:
    spec = util.spec_from_file_location("client", HERE / "client.py")
    client = util.module_from_spec(spec)
    sys.modules["client"] = client  # its dataclass looks itself up
    spec.loader.exec_module(client)
    outcome = client.main(tmp_path)
    assert outcome.low <= outcome.gain <= outcome.high
    assert outcome.gain == 100 * 2 / 3  # two of three words were wrong, and none is
    assert outcome.p < 0.05


def test_mypy_finds_nothing_in_the_client_and_every_mistake(tmp_path: Path) -> None:
    shutil.copy(HERE / "client.py", tmp_path)
    mistakes = (HERE / "mistakes.txt").read_text()  # no module, since it cannot be imported
    (tmp_path / "mistakes.py").write_text(mistakes)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(CACHE), "."]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = re.findall(r"^(\S+):(\d+): error: .*\[(\S+)\]$", found.stdout, re.MULTILINE)
    wrong = enumerate(mistakes.splitlines(), 1)
    expected = [("mistakes.py", str(at), line.split("  # ")[1]) for at, line in wrong if "  # " in line]
    assert told == expected, found.stdout + found.stderr
