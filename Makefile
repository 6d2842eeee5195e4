# Two commands matter: `make quickstart` and `make test`. Each makes its own virtual environment when there is none.
PYTHON ?= python3
VENV ?= .venv
TORCH ?= 2.13.0
PIP = $(VENV)/bin/python -m pip --disable-pip-version-check --quiet
CPU_INDEX = https://download.pytorch.org/whl/cpu
PACKAGE = pyproject.toml setup.py

.PHONY: quickstart smoke test check types lint format build clean

quickstart: $(VENV)/.train  ## a small agent learns two environments on this machine; then a report to open
	$(VENV)/bin/turnwise train quickstart --out runs/quickstart

smoke: $(VENV)/.train  ## the same in under a minute, and fails if nothing was learned
	$(VENV)/bin/turnwise train smoke --out runs/smoke

test: $(VENV)/.test  ## the whole test suite
	$(VENV)/bin/python -m pytest

check: lint types

lint: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/.dev
	$(VENV)/bin/mypy

format: $(VENV)/.dev
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

build: $(VENV)/.dev
	$(VENV)/bin/python -m build

# PyTorch first, and its CPU build where there is no NVIDIA GPU: anything else would bring gigabytes of CUDA packages.
$(VENV)/.torch:
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	if nvidia-smi -L >/dev/null 2>&1 || [ "$$(uname)" != Linux ]; then $(PIP) install "torch==$(TORCH)"; \
	else $(PIP) install "torch==$(TORCH)+cpu" 2>/dev/null \
	|| $(PIP) install "torch==$(TORCH)+cpu" --extra-index-url $(CPU_INDEX); fi
	touch $@

$(VENV)/.train: $(VENV)/.torch $(PACKAGE)
	$(PIP) install --editable '.[train]'
	touch $@

$(VENV)/.test: $(VENV)/.torch $(PACKAGE)
	$(PIP) install --editable '.[test]'
	touch $@

$(VENV)/.dev: $(VENV)/.torch $(PACKAGE)
	$(PIP) install --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info runs
