# `make report` and `make test` need Python 3.11 or newer and make; everything else is installed into .venv on the first run.
# Later runs need no network.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

# no usage reports, no update checks, no state outside this folder
export DVC_NO_ANALYTICS := 1
export DVC_SITE_CACHE_DIR := $(CURDIR)/.dvc/tmp/site
export WORKERS
# the pipeline calls `sim` and `python`
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup report verify exact ladders small test deep soak lint bench lab clean constraints docs

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile | expand -t 20

setup: $(STAMP) ## create .venv and install everything, once

$(STAMP): pyproject.toml constraints.txt
	@for p in $(PYTHON) python3 python3.13 python3.12 python3.11 python3.14 python; do \
	  if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$p; break; fi; done; \
	if [ -z "$$found" ]; then echo "make: no Python 3.11 or newer found; install one, or name it: make setup PYTHON=/path/to/python3" >&2; exit 1; fi; \
	if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	  echo "creating $(VENV) with $$($$found --version)"; \
	  "$$found" -m venv --clear $(VENV) || { echo "make: $$found cannot create $(VENV); on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }; fi
	@echo "installing the libraries of constraints.txt into $(VENV) (about a minute, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.8"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --constraints constraints.txt --editable . --group dev
	@touch $@

report: $(STAMP) ## simulate, analyse and write reports/ (a second run does nothing)
	@if [ -e .git ] && command -v git >/dev/null; then \
	  if grep -qs no_scm .dvc/config.local; then $(BIN)/dvc config --quiet --local --unset core.no_scm; fi; \
	else $(BIN)/dvc config --quiet --local core.no_scm true; fi
	@$(BIN)/dvc repro $(DRY) $(STAGES)

verify: $(STAMP) ## simulated results against exact ones, as the pipeline does it
	@$(BIN)/sim verify --workers $(WORKERS) --out reports/verification.json

exact: $(STAMP) ## long exact computations into data/exact/, two hours at most; run again, it goes on
	@$(BIN)/sim exact --workers $(WORKERS)

ladders: $(STAMP) ## ladders of policies into data/ladders/, chosen from sweeps/ladders/, and their page
	@$(BIN)/sim ladder sweeps/ladders/*.yaml --workers $(WORKERS) --out data/ladders
	@$(BIN)/python docs/_generate.py

small: $(STAMP) ## small data for the notebooks into data/small/, the same bytes each time (minutes)
	@$(BIN)/python notebooks/_small.py --workers $(WORKERS)

test: $(STAMP) ## run the tests
	@$(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder

deep: $(STAMP) ## run the slower statistical checks
	@$(BIN)/python -m pytest -m deep -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder

soak: $(STAMP) ## sweeps that are killed, robbed of workers and disk space, and compared byte for byte (minutes)
	@$(BIN)/python -m benchmarks.soak
	@$(BIN)/python -m benchmarks.soak --detail games --games 60000 --kills 10

lint: $(STAMP) ## style, format and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(STAMP) ## speed beside other programs (needs a C compiler; installs OpenSpiel)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --constraints constraints.txt --group bench
	@$(BIN)/sim bench

lab: $(STAMP) ## JupyterLab; notebooks/*.py open as notebooks
	@JUPYTER_CONFIG_PATH=$(CURDIR)/notebooks/_jupyter $(BIN)/jupyter lab --notebook-dir=notebooks

docs: $(STAMP) ## rewrite the generated parts of docs/ and README.md
	@$(BIN)/python docs/_generate.py

constraints: $(STAMP) ## rewrite constraints.txt from pyproject.toml (needs the network)
	@$(BIN)/uv lock --quiet --upgrade
	@$(BIN)/uv export --quiet --all-groups --all-extras --no-hashes --no-emit-project --no-header --no-annotate --output-file constraints.txt

clean: ## remove data, reports and caches; .venv stays
	@find data reports -mindepth 1 -maxdepth 1 ! -name README.md ! -name headline.json ! -name exact ! -name ladders ! -name league ! -name small -exec rm -rf {} +
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache .dvc/tmp .dvc/cache
	@find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
