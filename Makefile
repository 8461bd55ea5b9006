# Every target sets up what it needs; a second run is quick. `make` alone lists them.

BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := .venv/.ready
# One numeric thread a process: the suites and the small networks of the scenarios run fastest so.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help run test check lint format bench measurements mutants torture demo translations package bundle clean

help: ## list the targets
	@sed -nE 's/^([a-z]+):.*## /  make \1\t/p' Makefile | expand -t 16

run: $(READY) ## open the window (without a display: run a program and draw the window to a file)
	@scripts/run.sh

test: $(READY) ## the whole test suite, without the oracle
	@QT_QPA_PLATFORM=offscreen $(BIN)/pytest -q -n auto -m "not torch"

check: lint ## style, types, contracts, and the quick tests of what changed: for every minute
	@chosen=$$($(BIN)/python scripts/changed_tests.py); test -z "$$chosen" || \
		QT_QPA_PLATFORM=offscreen $(BIN)/pytest -q -n auto -m "not torch and not slow" $$chosen

lint: $(READY) ## formatting, style, types on all three systems, the contracts between the layers, the workflows
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32
	@$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin
	@$(BIN)/lint-imports
	@test ! -x $(BIN)/actionlint || $(BIN)/actionlint .github/workflows/*.yml

format: $(READY) ## put the sources in form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(READY) ## measure the window, the debugger, the agent, and the core against NumPy and torch; PART=window for one
ifeq ($(PART),window)
	@$(BIN)/python tests/benchmarks/window $(ONLY)
else
	@QT_QPA_PLATFORM=offscreen $(BIN)/pytest -q -p no:xdist -p no:cacheprovider --benchmark-enable --benchmark-only \
		--benchmark-columns=median,iqr,rounds --benchmark-sort=name tests/benchmarks
	@$(BIN)/python tests/benchmarks/time_travel.py; travelled=$$?; \
		$(BIN)/python tests/benchmarks/agent_overhead.py || travelled=1; \
		$(BIN)/python tests/benchmarks/core_ratio.py --json bench.json || travelled=1; \
		$(BIN)/python tests/benchmarks/window --minutes 2 $(ONLY) && exit $$travelled
endif

measurements: $(READY) ## measure the window anew and write docs/measurements.md
	@$(BIN)/python tests/benchmarks/window; $(BIN)/python scripts/measurements.py

mutants: $(READY) ## mutate a room's code and count what its tests catch: make mutants ROOM=optim DIGITS=7 (a tenth)
	@$(BIN)/python scripts/mutants.py $(or $(ROOM),optim) --digits "$(DIGITS)"

torture: $(READY) ## attack what is kept and opened: make torture KIND=sessions COUNT=100000 (or programs, lessons, expressions, kills, places)
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.torture $(KIND) --count $(or $(COUNT),2000) $(if $(JSON),--json $(JSON))

demo: $(READY) ## run every scenario headless and take the README's pictures
	@scripts/demo.sh

translations: $(READY) ## bring resources/translations up to date with the texts of the window, and list what is not translated
	@$(BIN)/python scripts/translations.py

package: $(READY) ## build the wheel and the source distribution, install both into fresh environments and try them out
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[package]'
	@$(BIN)/python scripts/check_package.py $(if $(QUICK),--quick) $(addprefix --python ,$(PYTHONS))

bundle: $(READY) ## make a folder that starts without Python, packed, and an AppImage where appimagetool is installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bundle]'
	@$(BIN)/python scripts/make_bundle.py

clean: ## remove everything that the targets above have made
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks
	@rm -rf build dist gradstep-demo.* bench.json
	@find core gradstep_gui tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml scripts/setup.sh
	@scripts/setup.sh
