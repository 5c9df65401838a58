# The parts of .ci/run. Each runs in a clone of its own, so that none sees what another one writes.
# Those that always run come first. The others begin only while there is time: the training and the
# site first, then the rest, of which .ci/run puts another one first for each commit.
BIN := $(CURDIR)/.venv/bin
PART := .ci/part
IF_TIME := .ci/part --if-time
MAKE_IN := make BIN=$(BIN) --old-file=.venv/installed --old-file=.venv/site
SITE := $(if $(shell command -v chromium),test-site,site)
ALWAYS := another-processor tests
OTHERS ?= train site slow reproduce golden-there lab papermill faults install

.PHONY: all $(ALWAYS) $(OTHERS)

all: $(ALWAYS) $(OTHERS)

tests:
	$(PART) $@ $(MAKE_IN) test JOBS=1

another-processor:
	$(PART) $@ .ci/another_processor $(MAKE_IN) reproduce OPTIONS="--jobs 1 --rewrite --audit 0"

train:
	$(IF_TIME) $@ $(MAKE_IN) reproduce OPTIONS="--jobs 1 --profile smoke --fresh"

site:  # any warning is an error
	$(IF_TIME) $@ $(MAKE_IN) $(SITE)

slow:
	$(IF_TIME) $@ $(MAKE_IN) test-slow JOBS=1

reproduce:
	$(IF_TIME) $@ $(MAKE_IN) reproduce OPTIONS="--jobs 1"

golden-there:
	$(IF_TIME) $@ .ci/another_processor $(MAKE_IN) test-golden JOBS=1

lab:  # skipped without Chromium
	$(IF_TIME) $@ $(MAKE_IN) test-lab

papermill:
	$(IF_TIME) $@ $(MAKE_IN) test-papermill

faults:
	$(IF_TIME) $@ $(MAKE_IN) test-faults

install:
	$(IF_TIME) $@ $(MAKE_IN) test-install
