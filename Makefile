# Two commands need nothing installed but Python >= 3.11 with venv, make and git:
#   make demo    the main job, with pictures
#   make test    the tests (JOBS=2 processes); make test-long and make test-nightly the rest
# Another interpreter: make PYTHON=python3.12 demo.  Arguments for pytest: make test ARGS='-k press'

PYTHON ?= python3
VENV ?= .venv
OUT ?= out/demo
PINS ?= constraints.txt
ARGS ?=

BIN := $(VENV)/bin
# Says every 15 s of silence that a command is still running.
ALOUD = .ci/aloud.py
PIP = $(BIN)/python -m pip --disable-pip-version-check
INSTALL = $(BIN)/python $(ALOUD) --only-failures pip $(PIP) install
RUN_STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev

JOBS ?= 2
# A worker that crashes ends the run: a new one would leave the other waiting for ever. One thread
# of BLAS in each: two times two threads on two cores wait for each other.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python $(ALOUD) pytest $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# Where this is set, every command would compile its modules anew: a fifth of a second and more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-long test-nightly test-fast test-lowest test-python docs gallery docs-numbers torture durations lint install install-dev kernels wheel \
    libraries format pins clean
.DELETE_ON_ERROR:

help:
	@echo 'make demo     install into $(VENV) and run the main job: pictures and a table in $(OUT)'
	@echo 'make test     install with the tests'\'' tools and run the tests'
	@echo 'make test-long  the second stage: whole commands of README, tutorial and pages, kills, torture'
	@echo 'make test-nightly  the third stage, not in CI: whole experiments of papers, the tutorial'\''s study'
	@echo 'make test-fast  the tests measured as quick (tests/durations.json)'
	@echo 'make test-lowest  the same with the lowest versions that pyproject.toml admits'
	@echo 'make test-python  named kernels with NUMBA_DISABLE_JIT=1 give the numbers of machine code'
	@echo 'make docs-numbers  the tables of numbers in docs/, made again and compared (ARGS=theory: one page)'
	@echo 'make torture  random contact problems, drops, scenarios and bad input in large numbers (an hour)'
	@echo 'make docs     the documentation site in out/site, every link checked'
	@echo 'make gallery  the pictures of docs/gallery, made again (ARGS=drop: one)'
	@echo 'make lint     formatting, types and import arrows: what pre-commit and CI check'
	@echo 'make install  only install (make install-dev: with the tests'\'' tools and robot models)'
	@echo 'make wheel    two wheels in dist/: a pure one, and one with machine code for this Python'
	@echo 'make clean    remove $(VENV), $(OUT) and the caches'

# All kernels in parallel, with progress; a second if machine code is there. Before the tests, so
# that two of their processes do not compile the same.
COMPILE = $(BIN)/sole compile > /dev/null

# What the demo calls, and no more.
demo: $(RUN_STAMP) | libraries
	@$(BIN)/sole compile --job condense --job press --job stiffness > /dev/null
	@$(BIN)/sole demo -o $(OUT)
	@echo '`sole` is $(BIN)/sole; try: $(BIN)/sole --help'

test: $(DEV_STAMP) | libraries
	@$(COMPILE)
	@$(PYTEST) -m 'not long and not nightly' $(ARGS)

test-long: $(DEV_STAMP) | libraries
	@$(COMPILE)
	@$(PYTEST) -m 'long and not nightly' $(ARGS)

test-nightly: $(DEV_STAMP) | libraries
	@$(COMPILE)
	@$(PYTEST) -m nightly $(ARGS)
	@TEST_DOORS=compiled $(PYTEST) -m 'not long and not nightly' $$(grep -rlE --include='test_*.py' 'import (compiled_)?door$$' tests)

test-fast: $(DEV_STAMP) | libraries
	@$(COMPILE)
	@$(PYTEST) --fast -m 'not nightly' $(ARGS)

# Kernels as plain Python: the same numbers without numba's compiler (tests/plain_python.py).
test-python: $(DEV_STAMP) | libraries
	@$(BIN)/python tests/plain_python.py

# With the lowest versions that pyproject.toml admits, in an environment of its own.
LOWEST = $(VENV)-lowest
test-lowest: $(LOWEST)/pins.txt
	@$(MAKE) --no-print-directory VENV=$(LOWEST) PINS=$< test-fast

$(LOWEST)/pins.txt: pyproject.toml constraints.txt
	@mkdir -p $(LOWEST)
	@$(PYTHON) .ci/lowest.py > $@

docs: $(DEV_STAMP) | libraries
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python $(ALOUD) mkdocs $(BIN)/python -m mkdocs build --quiet
	@$(BIN)/python website/check_links.py out/site
	@echo 'open out/site/index.html in a browser: it needs no server'

gallery: $(DEV_STAMP) | libraries
	@OMP_NUM_THREADS=1 $(BIN)/python examples/gallery $(ARGS)

docs-numbers: $(DEV_STAMP) | libraries
	@$(BIN)/python benchmarks/docs_numbers.py $(ARGS)

durations: $(DEV_STAMP) | libraries
	@$(COMPILE)
	@$(PYTEST) --store-durations

torture: $(DEV_STAMP) | libraries
	@$(BIN)/python benchmarks/torture $(ARGS)

lint: $(DEV_STAMP)
	@VENV=$(VENV) .ci/check

format: $(DEV_STAMP)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

install: $(RUN_STAMP) | libraries
	@$(COMPILE)
install-dev: $(DEV_STAMP) | libraries
	@$(COMPILE)

# After kernels were added, or called with other types: the lists that `sole compile` reads.
kernels: $(DEV_STAMP) | libraries
	@OMP_NUM_THREADS=1 $(BIN)/python .ci/kernels.py

# A pure one, and one with machine code for x86-64-v3 (for this processor, if that is something
# else) and the tag of this Python: hatch_build.py.
wheel: $(RUN_STAMP) | libraries
	@rm -rf sole/machine_code
	@$(COMPILE)
	@$(PIP) --quiet wheel --no-deps --wheel-dir dist .
	@SOLE_MACHINE_CODE=1 $(PIP) --quiet wheel --no-deps --wheel-dir dist .
	@ls -sh dist

# The stamps make a second call start at once; both follow the declared and the pinned versions.
$(RUN_STAMP): pyproject.toml $(PINS) | libraries
	@echo 'installing the project into $(VENV) (a few minutes the first time)'
	@$(INSTALL) -c $(PINS) -e '.[all]'
	@touch $@

$(DEV_STAMP): pyproject.toml $(PINS) | libraries
	@echo 'installing the project, robot models and test tools into $(VENV) (a few minutes the first time)'
	@$(INSTALL) -c $(PINS) -e '.[dev]'
	@touch $@ $(RUN_STAMP)

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.exit(sys.version_info < (3, 11) and \
	    f"error: Python >= 3.11 is needed, $(PYTHON) is {v}; try: make PYTHON=python3.12 ...")'
	@$(PYTHON) $(ALOUD) venv $(PYTHON) -m venv $(VENV)

# Looked for every time (it takes a tenth of a second): an environment may outlive its machine.
libraries: | $(BIN)/pip
	@$(BIN)/python $(ALOUD) 'system libraries' $(BIN)/python -P sole/base/system_libraries.py --install

# New pins: newest versions of everything in a clean environment; run the tests afterwards.
pins: | $(BIN)/pip
	@$(INSTALL) --upgrade -e '.[dev,bench,drake,3d-systems,force-dimension]'
	@( sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip freeze --exclude-editable ) > constraints.new
	@mv constraints.new constraints.txt

clean:
	rm -rf $(VENV) $(LOWEST) out dist sole/machine_code .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find sole contact robot tests examples benchmarks -name __pycache__ -prune -exec rm -rf {} +
