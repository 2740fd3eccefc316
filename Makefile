# Every target prepares what it needs: a bare clone, python3 (3.10 or later) with venv, and make are enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := build/demo

# Other people's files that some tests read, where a folder beside this one holds them; without, those tests are skipped.
FSMC_DATA ?= $(abspath $(patsubst %/transcripts,%,$(firstword $(wildcard ../*/data/transcripts))))
FSMC_VECTORS ?= $(abspath $(firstword $(wildcard ../*/vectors/reactive-fsm.yaml)))
export FSMC_DATA FSMC_VECTORS

.PHONY: demo test check format bench clean

demo: $(READY)
	@mkdir -p $(DEMO)
	$(BIN)/fsmc lint policies
	$(BIN)/fsmc show policies/booking/policy.yaml
	@for policy in policies/*/policy.*; do \
		name=$$(basename $$(dirname $$policy)); \
		echo "fsmc compile $$policy -o $(DEMO)/$$name.json"; \
		$(BIN)/fsmc compile $$policy -o $(DEMO)/$$name.json || exit; \
		$(BIN)/fsmc render $(DEMO)/$$name.json --format mermaid -o $(DEMO)/$$name.mmd || exit; \
		if command -v dot >/dev/null; then $(BIN)/fsmc render $(DEMO)/$$name.json --tools --format svg -o $(DEMO)/$$name.svg || exit; fi; \
	done
	$(BIN)/fsmc render $(DEMO)/booking.json
	@echo '$(BIN)/fsmc simulate $(DEMO)/booking.json policies/booking/traces (a refused call makes the exit code 1)'
	@$(BIN)/fsmc simulate $(DEMO)/booking.json policies/booking/traces || test $$? -eq 1
	@echo; echo 'tables and diagrams of the whole gallery: $(DEMO)'

test: $(READY)
	@echo 'optional data: $(or $(FSMC_DATA),none)'
	@echo 'optional vectors: $(or $(FSMC_VECTORS),none)'
	$(BIN)/python -m pytest -n 2

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The peers of the session benchmark are fetched here; without a network it runs without them. Both parts run, whatever misses.
bench: $(READY)
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m compileall -q fsmc $(VENV)/lib
	$(BIN)/python -m benchmarks.lint; lint=$$?; $(BIN)/python -m benchmarks.session && exit $$lint

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
