# Every target sets up what it needs. Needed on the machine: Python >= 3.11 with venv, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SCENE ?= show

.PHONY: run studio test check bench papers docs pictures clean

run: $(VENV)/.warm
	$(BIN)/pliant run $(SCENE) --out out/$(SCENE).html
	@echo "open $(CURDIR)/out/$(SCENE).html in a browser"

studio: $(VENV)/.warm
	$(BIN)/pliant studio $(SCENE)

test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist worksteal

check: $(VENV)/.test
	tools/check

bench: $(VENV)/.test
	$(BIN)/pliant bench

papers: $(VENV)/.run
	$(BIN)/pliant papers --out out/papers

docs: $(VENV)/.test
	$(BIN)/python -m pytest -q tests/docs

pictures: $(VENV)/.run
	$(BIN)/python tools/pictures.py

clean:
	rm -rf $(VENV) out

$(VENV)/.venv:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pliant needs Python 3.11 or newer; say make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

$(VENV)/.run: $(VENV)/.venv pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[render,video,studio]"
	touch $@

$(VENV)/.test: $(VENV)/.run pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $@

# machine code, compiled by all cores at once
$(VENV)/.warm: $(VENV)/.run $(shell find src -name '*.py')
	@$(BIN)/pliant doctor --warm
	@touch $@
