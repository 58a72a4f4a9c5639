# Crosstie. `make help` lists the targets.

VERSION  := 0.1.0
SOVERSION := 0
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
PYTHON   ?= /usr/bin/python3
CC       := gcc
JOBS     ?= 2
BUILD    := $(CURDIR)/.build
DIST     := $(BUILD)/dist
VENV     := $(BUILD)/venv

SONAME   := libcrosstie.so.$(SOVERSION)
LIBRARY  := $(DIST)/lib/libcrosstie.so.$(VERSION)
HEADERS  := $(shell find include -name '*.h')
SOURCES  := Package.swift packaging/crosstie.map $(HEADERS) $(shell find Sources -type f)

# The shipped library carries the Swift runtime in itself and shows ctie_* alone. These flags stay out of
# Package.swift: as unsafeFlags they would stop versioned packages from depending on this one.
LINK_FLAGS := -Xswiftc -static-stdlib -Xswiftc -use-ld=lld \
    -Xlinker --version-script=$(CURDIR)/packaging/crosstie.map -Xlinker -soname=$(SONAME) \
    -Xlinker --gc-sections -Xlinker -z -Xlinker nodelete -Xlinker --no-undefined

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all help setup lib python demo test bench install wheel clean

all: lib python ## build the library and the Python extension (the default)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the Debian packages that are missing, or say which
	@packaging/setup-debian.sh

# --- the library -------------------------------------------------------------------------------------------

lib: $(LIBRARY) ## build the shipped library and its headers into .build/dist

$(LIBRARY): $(SOURCES) Makefile
	@packaging/setup-debian.sh --check
	swift build -c release --product CrosstieShared --scratch-path $(BUILD)/ship -j $(JOBS) $(LINK_FLAGS)
	@rm -rf $(DIST)/include && mkdir -p $(DIST)/lib
	@cp -R include $(DIST)/include
	strip --strip-unneeded -o $@ $(BUILD)/ship/release/libCrosstieShared.so
	@ln -sf libcrosstie.so.$(VERSION) $(DIST)/lib/$(SONAME)
	@ln -sf $(SONAME) $(DIST)/lib/libcrosstie.so

# --- Python ------------------------------------------------------------------------------------------------

python: $(VENV)/.crosstie ## build the Python package into .build/venv

$(VENV)/.requirements: Tests/Python/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(VENV)/.crosstie: $(LIBRARY) $(VENV)/.requirements $(shell find bindings/python -type f \
        -not -path '*/build/*' -not -path '*.egg-info/*' -not -name '*.pyc' -not -name '*.so*' 2>/dev/null)
	CROSSTIE_PREFIX=$(DIST) $(VENV)/bin/pip install --quiet --disable-pip-version-check \
	    --no-build-isolation --no-deps --force-reinstall ./bindings/python
	@touch $@

# --- cleaning ----------------------------------------------------------------------------------------------

clean: ## remove everything that was built
	rm -rf $(BUILD) bindings/python/build bindings/python/src/*.egg-info
