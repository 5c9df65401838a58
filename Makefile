# `make reproduce` and `make test` need a Python of PYTHONS with venv, and make; nothing else.
# The newest is taken for which all packages of requirements.lock have wheels; `make PYTHON=...`
# takes another one.
PYTHONS := python3.14 python3.13 python3.12 python3.11 python3 python
FITS := import ensurepip, sys, venv; sys.exit(not (3, 11, 5) <= sys.version_info[:3] < (3, 15))
PYTHON ?= $(shell for one in $(PYTHONS); do "$$one" -c "$(FITS)" && echo "$$one" && break; done 2>/dev/null)
TORCH ?= torch==2.13.0
BIN := .venv/bin
JOBS ?= 2
EXTRAS := compute notebooks environments paper ray tests
RESOLVE = uv pip compile --quiet --universal --python-version 3.11.5 --generate-hashes --no-annotate \
  --custom-compile-command "make lock, for Python 3.11.5 to 3.14 on Linux, macOS and Windows" \
  --excludes build/apart.txt $(OPTIONS) pyproject.toml

.PHONY: reproduce test test-slow test-golden test-faults test-install test-papermill lab test-lab site test-site paper release lock timings clean

reproduce: .venv/installed
	$(BIN)/abstractor reproduce $(OPTIONS)

test: .venv/installed
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

# What takes seconds and is not the first of its kind.
test-slow: .venv/installed
	$(BIN)/python -m pytest -n $(JOBS) -m slow

# All tiny runs of every model again; `make test` has one of each experiment.
test-golden: .venv/installed
	$(BIN)/python -m pytest -n $(JOBS) -m "slow or not slow" tests/test_golden.py

# Disks that are full, workers without memory, pipes that nobody reads, files that nobody should trust.
test-faults: .venv/installed
	$(BIN)/python -m pytest tests/faults

# Builds wheel and source distribution, and installs each in an empty environment; resolves the locks
# for Linux, macOS and Windows; hands files of other people's formats to their tools.
test-install: .venv/installed
	TORCH="$(TORCH)" $(BIN)/python -m pytest tests/install

# Notebooks run by papermill alone, three at once.
test-papermill: .venv/installed
	$(BIN)/python -m pytest tests/papermill

# JupyterLab lists each notebook once, without the .py file beside it. It begins in notebooks/, and
# sees the pictures and pages outside that notebooks link to.
lab: .venv/installed
	$(BIN)/jupyter lab --notebook-dir . --ServerApp.preferred_dir notebooks \
	  --ContentsManager.hide_globs="[0-9][0-9]_*.py" $(OPTIONS)

# Opens each notebook there, in headless Chromium, and runs some.
test-lab: .venv/site
	$(BIN)/python -m pytest tests/lab

# A site of static pages, build/site/index.html, made of the executed notebooks.
site: .venv/site
	$(BIN)/abstractor site

# Looks at each of its pages, and plays with the exhibits, in headless Chromium (Debian: apt-get
# install chromium).
test-site: site
	$(BIN)/python -m pytest tests/site tests/exhibits

# An article on what came out, build/paper.pdf; its numbers come from the records.
# With REVIEWER=name, short runs are computed again, and stand beside the papers' and ours.
paper: .venv/installed
	$(BIN)/abstractor paper $(if $(REVIEWER),--reviewer "$(REVIEWER)")

# An archive of the last commit, with checksums, build/release.
release: .venv/installed
	$(BIN)/abstractor release

# Resolves both locks for all systems at once, with uv (pip install uv); OPTIONS=--upgrade takes newer
# versions. torch stays out: each of its builds has a hash of its own. Of what torch needs, nothing
# else asks for fsspec and setuptools; the latter also builds this package.
lock:
	mkdir -p build && echo torch > build/apart.txt
	printf "fsspec\nsetuptools\n" | $(RESOLVE) - $(EXTRAS:%=--extra %) -o requirements.lock
	$(RESOLVE) --extra site --extra onnx --constraint requirements.lock -o docs/requirements.lock \
	  $$(sed -n "s/^\([^ #=]*\)==.*/--no-emit-package \1/p" requirements.lock)

timings: .venv/installed
	$(BIN)/abstractor timing 1-reproduce make reproduce
	$(BIN)/abstractor timing 2-test make test
	$(BIN)/abstractor timing 3-smoke $(BIN)/abstractor reproduce --profile smoke --fresh

.venv/installed: requirements.lock pyproject.toml
	@"$(PYTHON)" -c "$(FITS)" 2>/dev/null || { echo >&2 "make: $(if $(PYTHON),$(PYTHON) is not,there is no) \
	Python 3.11.5 to 3.14 with venv; make PYTHON=/path/to/python names one"; exit 2; }
	"$(PYTHON)" -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet $(TORCH)
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

.venv/site: docs/requirements.lock .venv/installed
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r docs/requirements.lock
	touch $@

clean:
	rm -rf .venv build
