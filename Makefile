# Two commands matter: `make quickstart` and `make test`. Each makes its own virtual environment when there is none.
PYTHON ?= python3
VENV ?= .venv
TORCH ?= 2.13.0
PIP = $(VENV)/bin/python -m pip --disable-pip-version-check --quiet
CPU_INDEX = https://download.pytorch.org/whl/cpu
PACKAGE = pyproject.toml setup.py
SHELL = /bin/bash
.SHELLFLAGS = -eu -o pipefail -c
RUN = OMP_NUM_THREADS=1 $(VENV)/bin/turnwise
PYTEST = $(VENV)/bin/python -m pytest --numprocesses 2 --dist worksteal
unexport PYTHONDONTWRITEBYTECODE  # hundreds of processes would each compile every module again

.PHONY: quickstart smoke test test-slow test-all interop interop-light check types lint format docs build clean

quickstart: $(VENV)/.train  ## two small agents learn on this machine, side by side, and a control does not; then a page to open
	rm -rf runs/quickstart && mkdir -p runs/quickstart
	($(RUN) train quickstart_guess --out runs/quickstart/guess --require-rise 30 2>&1 | sed -u 's/^/[guess] /') & guess=$$!; \
	({ $(RUN) train quickstart_frozen_lake --out runs/quickstart/frozen_lake --require-rise 30 && \
	$(RUN) train quickstart_frozen_lake --shuffle-rewards --steps 40 --out runs/quickstart/frozen_lake_control; } 2>&1 | sed -u 's/^/[lake]  /') & \
	lake=$$!; failed=0; wait $$guess || failed=1; wait $$lake || failed=1; exit $$failed
	$(RUN) report runs/quickstart --out runs/quickstart/report.html

smoke: $(VENV)/.train  ## the same in less than a minute; fails unless something was learned
	rm -rf runs/smoke
	$(RUN) train smoke --out runs/smoke --require-rise 15

test: $(VENV)/.test  ## every kind of test: a few minutes
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.test  ## what `make test` left: more seeds and examples, training runs, programs end to end
	$(PYTEST) -m slow

test-all: test test-slow

interop:  ## other frameworks' own clients and loops play our environments, each in a virtual environment of its own
	TORCH=$(TORCH) $(PYTHON) tests/interop/run.py $(INTEROP)

interop-light:  ## those of them that need few and small packages
	$(PYTHON) tests/interop/run.py --light

check: lint types

lint: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/.dev
	$(VENV)/bin/mypy

format: $(VENV)/.dev
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

docs: $(VENV)/.docs  ## the documentation as a site, build/docs/site/index.html; a warning fails
	OMP_NUM_THREADS=1 $(VENV)/bin/python docs/generate.py build/docs/pages
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --strict --config-file docs/mkdocs.yml

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

$(VENV)/.docs: $(PACKAGE)
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --editable '.[docs]'
	touch $@

$(VENV)/.dev: $(VENV)/.torch $(PACKAGE)
	$(PIP) install --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info runs
