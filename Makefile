# Crosstie. `make help` lists the targets.

VERSION   := $(shell awk '/define CTIE_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $$3; dot = "." }' \
    include/crosstie/version.h)
# Before 1.0 a minor number may break programs, so the soname has it.
SOVERSION := $(shell echo $(VERSION) | sed -E 's/^(0\.[0-9]+).*/\1/; s/^([1-9][0-9]*)\..*/\1/')
PREFIX    ?= /usr/local
LIBDIR    ?= $(PREFIX)/lib
PYTHON    ?= /usr/bin/python3
ifeq ($(origin CC),default)
CC        := gcc
endif
JOBS      ?= 2
BUILD     := $(CURDIR)/.build
DIST      := $(BUILD)/dist
VENV      := $(BUILD)/venv
BUILDER   := $(BUILD)/builder
WHEELS    := $(BUILD)/wheels
PYTHONS   ?= $(PYTHON)

SONAME    := libcrosstie.so.$(SOVERSION)
LIBRARY   := $(DIST)/lib/libcrosstie.so.$(VERSION)
HEADERS   := $(shell find include -name '*.h')
CPP_HEADERS := $(shell find include -name '*.hpp')
SOURCES   := Package.swift packaging/crosstie.map $(HEADERS) $(shell find Sources -type f -not -path '*/CrosstieTool/*')
TOOL      := $(DIST)/bin/crosstie

# Debug builds, and so the Swift tests, check exclusive access to variables; in the shipped library a failing check
# would end the host. A section for each function lets the linker drop and fold internal functions, too.
SHIP_FLAGS := -Xcc -DCP_RUNTIME_INSIDE -Xswiftc -enforce-exclusivity=unchecked -Xswiftc -static-stdlib \
    -Xswiftc -Xfrontend -Xswiftc -function-sections \
    -Xswiftc -use-ld=$(CURDIR)/packaging/link-reachable -Xlinker -z -Xlinker nostart-stop-gc

# If malloc() fails, the runtimes in the library allocate from a reserve: see Sources/CPlatform/reserve.c.
RESERVE_FLAGS := $(foreach name,malloc calloc realloc posix_memalign aligned_alloc free malloc_usable_size, \
    -Xlinker --wrap=$(name))

# The shipped library contains the Swift runtime and exports only ctie_*. These flags stay out of Package.swift: as
# unsafeFlags they would stop versioned packages from depending on this one. The C++ runtime that Swift's needs is
# linked in, too: finding and relocating a shared one took more than half of the load time. The unused names of Unicode
# scalars stay out: Sources/CPlatform/unicode_names.c replaces the function that looks them up, and the linker drops its
# tables, 553 kB.
LINK_FLAGS := $(SHIP_FLAGS) -Xlinker -L$(BUILD)/static \
    -Xlinker --version-script=$(CURDIR)/packaging/crosstie.map -Xlinker -soname=$(SONAME) \
    -Xlinker --gc-sections -Xlinker -z -Xlinker nodelete -Xlinker --no-undefined \
    -Xlinker --icf=all -Xlinker --wrap=_swift_stdlib_getScalarName $(RESERVE_FLAGS)

# With CROSSTIE_SHIP the manifest adds the flags that only the library's own targets have.
SHIP_BUILD := CROSSTIE_SHIP=1 swift build -c release -j $(JOBS)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all help setup setup-tests lib tool python docs pictures demo test bench install uninstall wheel wheels test-wheels deb clean

all: lib python ## build the library and the Python extension (the default)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install missing Debian packages, or print them
	@.ci/progress setup packaging/setup-debian.sh lib python

setup-tests: ## the same, with the packages for tests
	@.ci/progress setup packaging/setup-debian.sh lib tool python tests

# --- the library -------------------------------------------------------------------------------------------

# The C++ headers, which programs use but the library is not built from.
DIST_CPP  := $(DIST)/include/crosstie.hpp

lib: $(LIBRARY) $(DIST_CPP) ## build the shipped library and its headers into .build/dist

$(DIST_CPP): $(CPP_HEADERS) $(LIBRARY)
	@mkdir -p $(DIST)/include/crosstie/cpp
	@cp include/crosstie/cpp/*.hpp $(DIST)/include/crosstie/cpp/ && cp include/crosstie.hpp $@

# In a build folder with the tool's argument parser, the manifest keeps the dependency; otherwise each `make lib` would
# remove it.
WITH_TOOL := $(if $(wildcard $(BUILD)/ship/checkouts/swift-argument-parser),CROSSTIE_TOOL=1)

$(LIBRARY): $(SOURCES) Makefile
	@packaging/setup-debian.sh --check lib
	@rm -f $(BUILD)/ship/release/libCrosstieShared.so
	@mkdir -p $(BUILD)/static && ln -sf "$$($(CC) -print-file-name=libstdc++.a)" $(BUILD)/static/
	$(WITH_TOOL) $(SHIP_BUILD) --product CrosstieShared --scratch-path $(BUILD)/ship $(LINK_FLAGS)
	@rm -rf $(DIST)/include && mkdir -p $(DIST)/lib
	@cp -R include $(DIST)/include
	strip --strip-unneeded -o $@ $(BUILD)/ship/release/libCrosstieShared.so
	@ln -sf libcrosstie.so.$(VERSION) $(DIST)/lib/$(SONAME)
	@ln -sf $(SONAME) $(DIST)/lib/libcrosstie.so

# --- the engine over a nats-server ---------------------------------------------------------------------------

# libcrosstie.so loads it at the first address nats:// or tls://. Its soname has the number of engine_plugin.h's structs.
NATS_SONAME  := libcrosstie-nats.so.0
NATS_LIBRARY := $(DIST)/lib/libcrosstie-nats.so.0.1.0
NATS_SOURCES := $(wildcard engines/nats/*.c)
NATS_BUILD   := $(BUILD)/nats
NATS_OBJECTS := $(NATS_SOURCES:engines/nats/%.c=$(NATS_BUILD)/%.o)
NATS_NEEDS   := libnats jansson libcrypto
NATS_CFLAGS  := -std=gnu11 -Wall -Wextra $(if $(CROSSTIE_STRICT),-Werror) -O2 -g -pthread -fPIC -fvisibility=hidden \
    -I include -I engines/nats $(NATS_TESTED)

.PHONY: nats
nats: $(NATS_LIBRARY) ## build the engine over a nats-server into .build/dist/lib

$(NATS_BUILD)/%.o: engines/nats/%.c $(wildcard engines/nats/*.h) $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(NATS_CFLAGS) $(shell pkg-config --cflags $(NATS_NEEDS)) -c -o $@ $<

# Debug information is for tests under tools; the shipped copy is stripped.
$(NATS_BUILD)/libcrosstie-nats.so: $(NATS_OBJECTS) packaging/crosstie-nats.map
	@packaging/setup-debian.sh --check nats
	$(CC) -shared -pthread -Wl,-z,defs -Wl,-soname=$(NATS_SONAME) -Wl,--as-needed \
	    -Wl,--version-script=packaging/crosstie-nats.map -o $@ $(NATS_OBJECTS) $(shell pkg-config --libs $(NATS_NEEDS))

$(NATS_LIBRARY): $(NATS_BUILD)/libcrosstie-nats.so
	@mkdir -p $(@D)
	strip --strip-unneeded -o $@ $<
	@ln -sf $(@F) $(DIST)/lib/$(NATS_SONAME)

# --- the command-line tool ---------------------------------------------------------------------------------

# The completions for shells and the manual page are from the tool's own declarations. A shell sources its file, so that the
# first line names no interpreter.
SHARE         := $(DIST)/share
COMPLETE_BASH := $(SHARE)/bash-completion/completions/crosstie
COMPLETE_ZSH  := $(SHARE)/zsh/site-functions/_crosstie
COMPLETE_FISH := $(SHARE)/fish/vendor_completions.d/crosstie.fish
MANUAL        := $(SHARE)/man/man1/crosstie.1
TOOL_TEXTS    := $(COMPLETE_BASH) $(COMPLETE_ZSH) $(COMPLETE_FISH) $(MANUAL)

tool: $(TOOL) $(TOOL_TEXTS) ## build the command-line tool into .build/dist/bin; fetches the argument parser

# It compiles with the library's flags, so that nothing of the library is compiled again; only the linker gets fewer.
$(TOOL): $(LIBRARY) $(shell find Sources/CrosstieTool -name '*.swift')
	@packaging/setup-debian.sh --check lib tool
	CROSSTIE_TOOL=1 $(SHIP_BUILD) --product crosstie --scratch-path $(BUILD)/ship \
	    $(SHIP_FLAGS) -Xlinker --gc-sections -Xlinker -L$(BUILD)/static
	@mkdir -p $(@D)
	strip -o $@ $(BUILD)/ship/release/crosstie

$(COMPLETE_BASH): SHELL_NAME = bash
$(COMPLETE_ZSH):  SHELL_NAME = zsh
$(COMPLETE_FISH): SHELL_NAME = fish
$(COMPLETE_BASH) $(COMPLETE_ZSH) $(COMPLETE_FISH): $(TOOL)
	@mkdir -p $(@D)
	@$(TOOL) --generate-completion-script $(SHELL_NAME) | sed '1{/^#!/d;}' >$@

$(MANUAL): $(TOOL) packaging/manual.py
	@mkdir -p $(@D)
	@$(TOOL) --experimental-dump-help | \
	    $(PYTHON) packaging/manual.py $(VERSION) "$$(awk 'NR == 1 { print $$4 }' packaging/crosstie.3)" >$@

# --- Python ------------------------------------------------------------------------------------------------

python: $(VENV)/.crosstie ## build the Python package into .build/venv

# The extension is built by the system's setuptools, if there is one, so that nothing is fetched. The build tools have a
# venv of their own, so that the system's packages are not visible where the package is used.
$(BUILDER)/.made:
	@packaging/setup-debian.sh --check lib python
	$(PYTHON) -m venv --system-site-packages $(BUILDER)
	@$(BUILDER)/bin/python -c 'import setuptools.build_meta, wheel' 2>/dev/null || \
	    $(BUILDER)/bin/pip install --quiet --disable-pip-version-check 'setuptools>=77' wheel
	@touch $@

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.requirements: Tests/Python/requirements.txt | $(VENV)/.made
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

BINDING := $(shell find bindings/python -type f \
    -not -path '*/build/*' -not -path '*.egg-info/*' -not -name '*.pyc' -not -name '*.so*' 2>/dev/null)

$(VENV)/.crosstie: $(LIBRARY) $(BINDING) | $(BUILDER)/.made $(VENV)/.made
	@rm -rf $(BUILD)/python # what was linked for a wheel looks elsewhere for the library
	CROSSTIE_PREFIX=$(DIST) $(BUILDER)/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	    --wheel-dir $(BUILD)/python/wheel ./bindings/python
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall \
	    $(BUILD)/python/wheel/*.whl
	@touch $@

# The wheel contains libcrosstie under its own soname, so that it shares the copy of a host that has loaded it; only the
# library's dependencies are bundled under names of the wheel's own.
wheel: $(WHEELS)/.made ## build a self-contained wheel into .build/wheels

$(WHEELS)/.made: $(LIBRARY) $(BINDING) $(VENV)/.requirements LICENSE NOTICE $(wildcard packaging/licenses/*)
	@rm -rf $(BUILD)/python $(WHEELS) && mkdir -p $(WHEELS)
	@$(VENV)/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	    --wheel-dir $(WHEELS)/plain ./bindings/python
	@PATH=$(VENV)/bin:$$PATH auditwheel repair --exclude $(SONAME) --wheel-dir $(WHEELS) \
	    $(WHEELS)/plain/*.whl >$(WHEELS)/repair.log 2>&1 || { cat $(WHEELS)/repair.log; exit 1; }
	@ls $(WHEELS)/*.whl
	@touch $@

# The engine over a nats-server is a wheel of its own, with libnats and what that needs; it is for every interpreter.
NATS_WHEELS := $(BUILD)/wheels-nats

.PHONY: wheel-nats
wheel-nats: nats $(VENV)/.requirements ## build the self-contained wheel crosstie-nats into .build/wheels-nats
	@rm -rf $(BUILD)/python-nats $(NATS_WHEELS) && mkdir -p $(NATS_WHEELS)
	@$(VENV)/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	    --wheel-dir $(NATS_WHEELS)/plain ./bindings/python-nats
	@PATH=$(VENV)/bin:$$PATH auditwheel repair --wheel-dir $(NATS_WHEELS) \
	    $(NATS_WHEELS)/plain/*.whl >$(NATS_WHEELS)/repair.log 2>&1 || { cat $(NATS_WHEELS)/repair.log; exit 1; }
	@ls $(NATS_WHEELS)/*.whl

# Each interpreter has a folder of its own, with a virtual environment that has the tests' packages.
EACH_PYTHON = for python in $(PYTHONS); do folder=$(BUILD)/pythons/$$(basename $$python)

wheels: $(LIBRARY) ## build a wheel for each interpreter of PYTHONS into .build/pythons
	@$(EACH_PYTHON); \
	    $(MAKE) --no-print-directory wheel PYTHON=$$python VENV=$$folder/venv WHEELS=$$folder/wheels || exit 1; done

test-wheels: wheels ## the Python tests with each of these wheels
	@$(EACH_PYTHON); $$folder/venv/bin/python --version; \
	    $$folder/venv/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall \
	        $$folder/wheels/*.whl && \
	    $(MAKE) --no-print-directory test-python-installed VENV=$$folder/venv || exit 1; done

# --- documentation -----------------------------------------------------------------------------------------

DOCS := $(BUILD)/docs

# Of the project it needs only the sources; of Debian, doxygen and python3-venv.
docs: $(DOCS)/venv/.made ## build the documentation as a site into .build/docs/html; fetches Sphinx
	@$(DOCS)/venv/bin/python -B docs/site/build.py $(VERSION) $(DOCS)

$(DOCS)/venv/.made: docs/site/requirements.txt
	@rm -rf $(@D)
	$(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

pictures: ## draw the pictures of the pages again, from docs/pictures/*.dot; needs Debian's graphviz
	@docs/pictures/draw.py

# --- running -----------------------------------------------------------------------------------------------

demo: setup ## set up, build, and watch two processes open links and exchange messages
	@.ci/progress build $(MAKE) --no-print-directory --silent all
	@Examples/demo/run.sh

bench: setup ## print this project's speed beside its peers'; QUICK=1: one turn; ONLY=join: joined buses alone; ONLY=nats: groups over a nats-server alone; ONLY=growth: its curves alone, SVG=folder: draw them there
	@.ci/progress build $(MAKE) --no-print-directory --silent all
	-@$(MAKE) --no-print-directory --silent nats # without it groups over a server are left out
	@.ci/progress bench Benchmarks/run.sh $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY)) $(if $(SVG),--svg $(SVG))

# --- tests -------------------------------------------------------------------------------------------------

PYTEST := $(VENV)/bin/python -m pytest --quiet -p no:cacheprovider -n $(JOBS) --dist loadfile

test: setup-tests ## set up, build, and run every test
	@.ci/test

.PHONY: test-swift test-c test-cpp test-python test-scenarios test-hosts test-examples test-consumers test-packaging test-tool

# Parts that the tests need: .ci/steps builds them first.
.PHONY: venvs swift-tests ctests programs

venvs: $(BUILDER)/.made $(VENV)/.nats $(DOCS)/venv/.made

programs: ctests cpptests nats natstests hostile $(BUILD)/soak/flat

# Tests run at once on as many threads as there are cores, and those that block would keep the tasks of the others waiting:
# on a loaded machine for longer than a request's deadline. So the tests of `async` functions are a run of their own.
test-swift: ## the Swift tests
	swift test -j $(JOBS) --skip Scenario --skip CrosstieConcurrencyTests
	swift test -j $(JOBS) --filter CrosstieConcurrencyTests

swift-tests:
	swift build --build-tests -j $(JOBS)

# An index of the sources is for editors; and for `swift build --build-tests`, which finds the tests by it.
SWIFT_DEBUG := -j $(JOBS) --disable-index-store

# A C test is one program that uses the installed header and library, and nothing else of the project.
CTESTS      := $(BUILD)/ctests
CTEST_FLAGS := -O1 -g
CTEST_NAMES := $(basename $(notdir $(wildcard Tests/C/test_*.c Tests/C/test_*.cpp))) test_bad_arguments
PLUGINS     := $(patsubst Tests/C/%.c,$(CTESTS)/%.so,$(wildcard Tests/C/plugins/*.c))
BAD_ARGUMENTS := $(BUILD)/generated/test_bad_arguments.c

ctests: $(addprefix $(CTESTS)/,$(CTEST_NAMES) player)

# -rdynamic: the performer finds functions of the program by their names.
COMPILE = -Wall -Wextra $(if $(CROSSTIE_STRICT),-Werror) -pthread -rdynamic $(CTEST_FLAGS) -I $(DIST)/include -I Tests/C -o $@ \
    $(filter %.c %.cpp,$^) -L $(DIST)/lib -lcrosstie -Wl,-rpath,$(DIST)/lib $(MORE_FLAGS)
COMPILE_C = mkdir -p $(@D) && $(CC) -std=gnu11 $(COMPILE)

$(CTESTS)/%: Tests/C/%.c $(LIBRARY) $(wildcard Tests/C/*.h)
	@$(COMPILE_C)

$(CTESTS)/%: Tests/C/%.cpp $(LIBRARY) $(wildcard Tests/C/*.h)
	@mkdir -p $(@D) && $(CXX) -std=c++17 $(COMPILE)

$(CTESTS)/plugins/%.so: Tests/C/plugins/%.c $(LIBRARY)
	@$(COMPILE_C)

$(CTESTS)/plugins/%.so: MORE_FLAGS = -shared -fPIC
$(CTESTS)/test_glib $(CTESTS)/test_listen_glib: MORE_FLAGS = $(shell pkg-config --cflags --libs glib-2.0)
$(CTESTS)/test_plugin $(CTESTS)/test_address $(CTESTS)/test_connection $(CTESTS)/test_set_uid: $(PLUGINS)
$(CTESTS)/test_engine_kills: $(filter-out %/main.c,$(wildcard Examples/c/engine/*.c)) $(wildcard Examples/c/engine/*.h)
$(CTESTS)/test_engine_kills: MORE_FLAGS = -I Examples/c/engine

$(CTESTS)/test_bad_arguments: $(BAD_ARGUMENTS) Tests/C/bad_arguments.h $(LIBRARY)
	@$(COMPILE_C)

$(CTESTS)/test_bad_arguments: MORE_FLAGS = -O0 # it is one call after the other, 77,000 lines

$(CTESTS)/player: $(wildcard Tests/Scenarios/runners/c/*.[ch]) $(LIBRARY)
	@$(COMPILE_C)

$(BAD_ARGUMENTS): $(HEADERS) .ci/headers.py Tests/C/generate_bad_arguments.py
	@mkdir -p $(@D)
	$(PYTHON) Tests/C/generate_bad_arguments.py >$@

test-c: lib ## the C tests, and every function with every bad argument
	@$(MAKE) --no-print-directory -j$(JOBS) ctests
	@.ci/run-programs --jobs $(JOBS) $(addprefix $(CTESTS)/,$(CTEST_NAMES))

# The C++ tests use the installed headers as a C++ program does; one of them is compiled without exceptions and type
# information.
CPPTESTS  := $(BUILD)/cpptests
CPPTEST_NAMES := $(basename $(notdir $(wildcard Tests/Cpp/test_*.cpp)))
COMPILE_CPP = mkdir -p $(@D) && $(CXX) -std=c++17 -pedantic $(COMPILE)

.PHONY: cpptests
cpptests: $(addprefix $(CPPTESTS)/,$(CPPTEST_NAMES))

$(CPPTESTS)/%: Tests/Cpp/%.cpp $(DIST_CPP) $(wildcard Tests/Cpp/*.hpp) Tests/C/check.h
	@$(COMPILE_CPP)

$(CPPTESTS)/plugins/%.so: Tests/Cpp/plugins/%.cpp $(DIST_CPP)
	@$(COMPILE_CPP)

$(CPPTESTS)/plugins/%.so: MORE_FLAGS = -shared -fPIC
$(CPPTESTS)/test_without_exceptions: MORE_FLAGS = -fno-exceptions -fno-rtti
$(CPPTESTS)/test_components: $(CPPTESTS)/plugins/greeter.so
# Linked last, so that what both files define comes from the one without exceptions.
$(CPPTESTS)/test_mixed_forms: MORE_FLAGS = -fno-exceptions -fno-rtti $(CPPTESTS)/mixed/throwing.o
$(CPPTESTS)/test_mixed_forms: $(CPPTESTS)/mixed/throwing.o

$(CPPTESTS)/mixed/%.o: Tests/Cpp/mixed/%.cpp $(DIST_CPP) $(wildcard Tests/Cpp/*.hpp)
	@mkdir -p $(@D) && $(CXX) -std=c++17 -pedantic -Wall -Wextra $(if $(CROSSTIE_STRICT),-Werror) -pthread \
	    $(filter-out -Wl% -fuse-ld=% -shared-libasan,$(CTEST_FLAGS)) -I $(DIST)/include -I Tests/C -I Tests/Cpp -c -o $@ $<

test-cpp: lib ## the C++ tests
	@$(MAKE) --no-print-directory -j$(JOBS) cpptests
	@.ci/run-programs --jobs $(JOBS) $(addprefix $(CPPTESTS)/,$(CPPTEST_NAMES))

test-python: python $(VENV)/.requirements test-python-installed ## the Python tests

.PHONY: test-python-installed
test-python-installed:
	@$(PYTEST) Tests/Python --ignore Tests/Python/test_scenarios.py

test-scenarios: python $(VENV)/.requirements $(CTESTS)/player ## one set of scenarios, played in C, Python and Swift
	@$(CTESTS)/player Tests/Scenarios
	@$(PYTEST) Tests/Python/test_scenarios.py
	@swift test -j $(JOBS) --filter Scenario
	@CROSSTIE_BUILD=$(BUILD) Tests/Scenarios/pairs/run

test-hosts: lib python ## C and Swift hosts that embed Python
	@Tests/Hosts/run.sh

test-examples: lib python nats $(VENV)/.requirements ## every example, against the output beside it
	@Examples/run.sh

test-consumers: lib python $(VENV)/.requirements ## outside projects that build against the installed library
	@Tests/Consumers/run.sh

test-packaging: lib tool wheel wheel-nats ## installing and removing, licenses, the build scripts
	@Tests/Packaging/run.sh

test-tool: tool python $(VENV)/.requirements ## the command-line tool, from outside
	@CROSSTIE=$(TOOL) CROSSTIE_VERSION=$(VERSION) $(PYTEST) Tests/Tool

include Tests/races.mk Tests/sanitized.mk Tests/long.mk Tests/coverage.mk Tests/nats.mk

# --- installing --------------------------------------------------------------------------------------------

PLACES := DIST=$(DIST) VERSION=$(VERSION) SOVERSION=$(SOVERSION) PREFIX=$(PREFIX) LIBDIR=$(LIBDIR) DESTDIR=$(DESTDIR)

install: $(LIBRARY) $(TOOL) $(TOOL_TEXTS) ## install library, headers, tool, pkg-config and CMake files: PREFIX=/usr/local LIBDIR= DESTDIR=
	@$(PLACES) packaging/install

uninstall: ## remove the files of `make install` with the same variables
	@$(PLACES) packaging/install --remove

deb: lib tool nats ## build the Debian packages into .build/deb: REVISION=1
	@packaging/setup-debian.sh --check lib tool python nats deb
	@BUILD=$(BUILD) VERSION=$(VERSION) SOVERSION=$(SOVERSION) REVISION=$(REVISION) packaging/deb

# --- cleaning ----------------------------------------------------------------------------------------------

clean: ## remove all build results
	rm -rf $(BUILD) bindings/python/build bindings/python/src/*.egg-info \
	    bindings/python/LICENSE bindings/python/NOTICE bindings/python/licenses \
	    bindings/python-nats/src/*.egg-info bindings/python-nats/LICENSE bindings/python-nats/licenses
