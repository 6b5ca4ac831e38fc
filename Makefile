# Everything here sets itself up in .venv; nothing needs to be installed first but Python (3.11 or newer, with venv) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev run test test-slow lint clean

help:
	@echo "make run            ingest, audit, score, filter and report on the bundled corpus (ARGS=--json for one JSON line)"
	@echo "make test           run the tests (those that need Docker are skipped where no daemon answers)"
	@echo "make test-slow      run the slow tests too"
	@echo "make lint           ruff and mypy"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("river-envs needs Python 3.11 or newer; this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing river-envs into $(VENV) ..." >&2
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(VENV)/.installed
	@echo "installing what the tests need into $(VENV) ..." >&2
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

setup: $(VENV)/.installed
setup-dev: $(VENV)/.installed-dev

run: setup
	@$(BIN)/river-envs demo $(ARGS)

test: setup-dev
	@$(BIN)/python -m pytest -m "not slow" $(ARGS)

test-slow: setup-dev
	@$(BIN)/python -m pytest $(ARGS)

lint: setup-dev
	@$(BIN)/ruff check river_envs river_train cli tests benchmarks catalogs
	@$(BIN)/mypy

clean:
	rm -rf $(VENV) river-demo .pytest_cache .mypy_cache .ruff_cache
