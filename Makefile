# Everything a person types: install, demo, test, lint, bench. Each target installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test lint bench constraints clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Tablewatch needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ echo "Could not make $(VENV). On Debian and Ubuntu: apt-get install python3-venv"; exit 2; }
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes -r constraints.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	@touch $@

test: install
	@command -v java >/dev/null && command -v mvn >/dev/null || echo "No Java or Maven here: the tests on a real Kafka broker are skipped."
	@command -v go >/dev/null || echo "No Go here: the check with clickhouse-go is skipped."
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
		echo "No Chromium here: the tests of the console in a browser are skipped (Debian: apt-get install chromium)."
	@command -v docker-compose >/dev/null || echo "No docker-compose here: docker-compose.yml is held against the schema alone."
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not browser"
	@# On their own: while a browser is driven an event loop runs in its thread, and others could not start theirs.
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m browser

demo: install
	$(BIN)/tablewatch demo

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: install
	$(BIN)/python -m bench

constraints: install
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
		--python-version 3.11 --group dev pyproject.toml -o constraints.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
