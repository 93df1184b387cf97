# `make demo` and `make test` do all set-up on a machine that has only Python 3.11+ and make.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Cold numba caches and the tests themselves share the machine's cores.
WORKERS ?= auto

# Compiled Python is kept: tests start processes, and each would otherwise compile everything it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check lint types imports test-slow test-browser docs notebooks release bench clean

demo: $(VENV)/.runtime
	$(BIN)/runoff demo
	@echo "   (Here, runoff is $(BIN)/runoff.)"

test: lint types imports
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow"

# One room in seconds: make check ROOM=metrics, make check ROOM=tasks/text
check: $(VENV)/.dev
	$(BIN)/ruff check src/runoff/$(ROOM) tests/$(ROOM)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow" tests/$(ROOM) src/runoff/$(ROOM)

# Everything, with many examples of every property.
test-slow: $(VENV)/.dev
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# The viewer in a real browser, which `make test` does too where there is one, and the types of its modules. It needs chromium
# and chromedriver (Debian: apt-get install chromium chromium-driver) and, for accessibility and types, node with npm.
NPM := $(VENV)/npm
test-browser: $(VENV)/.dev
	@command -v chromium chromedriver > /dev/null || echo "chromium or chromedriver is not installed: the tests are skipped"
	@mkdir -p $(NPM) && cd $(NPM) && for name in axe-core typescript@5; do \
	  test -d $${name%@*} || { npm pack --silent $$name && mkdir $${name%@*} && tar -xzf $${name%@*}-*.tgz -C $${name%@*}; } || \
	  echo "there is no $$name: its checks are skipped"; done
	@if test -d $(NPM)/typescript/package; then node $(NPM)/typescript/package/bin/tsc -p tests/browser/jsconfig.json; fi
	$(BIN)/python -m pytest -n 0 -rs tests/browser

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

# The site, in build/site: opens from disk, links and anchors checked.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "build/site/index.html"

# docs/notebooks, made of tutorials and run.
notebooks: $(VENV)/.runtime
	$(BIN)/python scripts/notebooks.py

# What would be published: built, its metadata checked, installed in a fresh environment, and tried in another folder; its
# types are those that a program of a user sees.
release: $(VENV)/.release $(VENV)/.dev
	rm -rf dist build/release
	$(BIN)/python -m build --quiet
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv build/release
	build/release/bin/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt dist/*.whl
	cd tests/typed_client && ../../$(BIN)/mypy --strict --config-file= --cache-dir ../../.mypy_cache/release \
	  --python-executable ../../build/release/bin/python client.py
	cd build && release/bin/runoff demo > demo.txt && tail -n 5 demo.txt && release/bin/runoff --version && rm -r runoff-demo
	@ls -l dist

BENCHMARKS := $(filter-out benchmarks/shared.py benchmarks/%_peers.py benchmarks/default_learner_sets.py benchmarks/parsing_tables.py benchmarks/tree_parses.py benchmarks/tree_letor.py, $(sort $(wildcard benchmarks/*.py)))

bench: $(VENV)/.dev
	@for script in $(BENCHMARKS); do echo "== $$script"; $(BIN)/python $$script || exit 1; done

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Runoff needs Python 3.11 or newer; run: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) install --constraint constraints.txt --editable ".[view]"
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) install --constraint constraints.txt --editable ".[dev]"
	@touch $(VENV)/.runtime $@

$(VENV)/.docs: $(VENV)/.dev
	$(PIP) install --constraint constraints.txt --editable ".[docs]"
	@touch $@

$(VENV)/.release: $(VENV)/bin/python constraints.txt
	$(PIP) install --constraint constraints.txt build twine
	@touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache runoff-demo runoff-*-demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
