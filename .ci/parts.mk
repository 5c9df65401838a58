# The parts of .ci/run. Each runs in a clone of its own, so that none sees what another one writes;
# the longest come first.
BIN := $(CURDIR)/.venv/bin
PART := .ci/part
MAKE_IN := make BIN=$(BIN) --old-file=.venv/installed --old-file=.venv/site
SITE := $(if $(shell command -v chromium),test-site,site)

.PHONY: all tests another-processor reproduce train site golden-here golden-there faults lab papermill

all: tests another-processor reproduce train site golden-here golden-there faults lab papermill

tests:
	$(PART) $@ $(MAKE_IN) test JOBS=1

reproduce:
	$(PART) $@ $(MAKE_IN) reproduce OPTIONS="--jobs 1"

another-processor:
	$(PART) $@ .ci/another_processor $(MAKE_IN) reproduce OPTIONS="--jobs 1 --rewrite"

golden-here:
	$(PART) $@ $(MAKE_IN) test-golden JOBS=1

golden-there:
	$(PART) $@ .ci/another_processor $(MAKE_IN) test-golden JOBS=1

train:
	$(PART) $@ $(MAKE_IN) reproduce OPTIONS="--jobs 1 --profile smoke --fresh"

lab:  # skipped without Chromium
	$(PART) $@ $(MAKE_IN) test-lab

papermill:
	$(PART) $@ $(MAKE_IN) test-papermill

faults:
	$(PART) $@ $(MAKE_IN) test-faults

site:  # any warning is an error
	$(PART) $@ $(MAKE_IN) $(SITE)
