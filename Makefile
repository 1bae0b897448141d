# Everything a person types: install, demo, test, lint, bench. Each target installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNNING := $(VENV)/.running
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet

BENCH := .venv-bench
BENCH_STAMP := $(BENCH)/.installed

.PHONY: help install demo test lint bench bench-long bench-peers constraints clean

install: $(STAMP)

help:
	@echo "make demo         the pipeline on its embedded default, with the console"
	@echo "make install      all that it runs on and all that its tests need, into $(VENV)"
	@echo "make test, lint   the tests; style, types and who may import whom"
	@echo "make bench        measures, half an hour; bench-long: what takes longer"
	@echo "make clean        removes what these made"
	@echo "PYTHON=python3.12 before or behind them chooses the Python."

# What the system runs on, which is all that a demo needs: half of the way to what its tests need.
$(RUNNING): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Tablewatch needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@# Without pip it was made half: somebody pressed Ctrl-C, or Debian's Python has no ensurepip.
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || \
		{ echo "Could not make $(VENV). On Debian and Ubuntu: apt-get install python3-venv"; exit 2; }
	@$(BIN)/python deploy/docker/runtime_pins.py pyproject.toml constraints.txt > $(VENV)/running.txt
	@$(BIN)/python deploy/docker/runtime_pins.py pyproject.toml constraints.txt hatchling editables > $(VENV)/building.txt
	@echo "Installing what Tablewatch runs on into $(VENV): one to five minutes, in which pip says nothing …"
	$(PIP) --no-deps --require-hashes -r $(VENV)/running.txt -r $(VENV)/building.txt
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(STAMP): $(RUNNING)
	@echo "Installing what its tests and measurements need: some minutes more …"
	@# All that is needed is named there; of what the tests bring little is ever imported, and compiled then.
	$(PIP) --no-deps --no-compile --require-hashes -r constraints.txt
	@touch $@
	@echo "Installed. Commands beside these: . $(BIN)/activate"

# What is compiled is kept, even where the surroundings say otherwise: the tests start hundreds of processes.
test: export PYTHONDONTWRITEBYTECODE =
test: install
	@command -v java >/dev/null || echo "No Java here: the tests on a real Kafka broker are skipped."
	@# Maven is asked for the broker's jars once.
	@! command -v java >/dev/null || command -v mvn >/dev/null || ls -d "$${TABLEWATCH_KAFKA_JARS:-.cache/kafka}"/*-*/ >/dev/null 2>&1 || \
		echo "No Maven here to fetch Kafka's jars: the tests on a real Kafka broker are skipped."
	@command -v go >/dev/null || echo "No Go here: the check with clickhouse-go is skipped."
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
		command -v google-chrome >/dev/null || \
		echo "No Chromium here: the tests of the console in a browser are skipped (Debian: apt-get install chromium-headless-shell)."
	@command -v docker-compose >/dev/null || echo "No docker-compose here: docker-compose.yml is held against the schema alone."
	@# Four beside each other, on two cores too: much of the time they wait for processes that they have started.
	$(BIN)/python -m pytest -n 4 --dist loadgroup

demo: $(RUNNING)
	$(BIN)/tablewatch demo

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Half an hour: the ratios, and docs/benchmarks.md made of them.
bench: bench-peers
	$(BENCH)/bin/python -m bench

# Many hours: a thousand kills, a hundred million rows, a floor's whole day.
bench-long: bench-peers
	$(BENCH)/bin/python -m bench --long

bench-peers: $(BENCH_STAMP)

# What Tablewatch is held against, and what draws the pictures, in an environment of their own that sees $(VENV).
$(BENCH_STAMP): bench/peers/requirements.txt $(STAMP)
	$(BIN)/python -m venv --clear $(BENCH)
	$(BIN)/python -c 'import sysconfig as s; print("import site; site.addsitedir(" + repr(s.get_path("purelib")) + ")")' \
		> "$$($(BENCH)/bin/python -c 'import sysconfig as s; print(s.get_path("purelib"))')/tablewatch.pth"
	$(BENCH)/bin/python -m pip install --disable-pip-version-check --quiet --no-deps --require-hashes -r bench/peers/requirements.txt
	@touch $@

constraints: install
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
		--python-version 3.11 --group dev pyproject.toml -o constraints.txt

clean:
	rm -rf $(VENV) $(BENCH) .mypy_cache .ruff_cache .pytest_cache .hypothesis
