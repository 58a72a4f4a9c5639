# Crosstie. `make help` lists the targets.

VERSION   := $(shell awk '/define CTIE_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $$3; dot = "." }' \
    include/crosstie/version.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))
PREFIX    ?= /usr/local
PYTHON    ?= /usr/bin/python3
ifeq ($(origin CC),default)
CC        := gcc
endif
JOBS      ?= 2
BUILD     := $(CURDIR)/.build
DIST      := $(BUILD)/dist
VENV      := $(BUILD)/venv

SONAME    := libcrosstie.so.$(SOVERSION)
LIBRARY   := $(DIST)/lib/libcrosstie.so.$(VERSION)
HEADERS   := $(shell find include -name '*.h')
SOURCES   := Package.swift packaging/crosstie.map $(HEADERS) $(shell find Sources -type f -not -path '*/CrosstieTool/*')
TOOL      := $(DIST)/bin/crosstie

# Exclusive access to variables is checked in debug builds, that is in the Swift tests; in what is shipped a failing check
# would end the host.
SHIP_FLAGS := -Xswiftc -enforce-exclusivity=unchecked -Xswiftc -static-stdlib \
    -Xswiftc -use-ld=$(CURDIR)/packaging/link-reachable -Xlinker -z -Xlinker nostart-stop-gc

# The shipped library carries the Swift runtime in itself and shows ctie_* alone. These flags stay out of
# Package.swift: as unsafeFlags they would stop versioned packages from depending on this one.
# The C++ runtime that Swift's needs is linked in, too: finding and relocating a shared one took more than half of the
# time to load. The names of Unicode scalars, which nobody asks for, stay out: Sources/CPlatform/unicode_names.c stands
# for the function that looks them up, and the linker drops its tables, 553 kB.
LINK_FLAGS := $(SHIP_FLAGS) -Xlinker -L$(BUILD)/static \
    -Xlinker --version-script=$(CURDIR)/packaging/crosstie.map -Xlinker -soname=$(SONAME) \
    -Xlinker --gc-sections -Xlinker -z -Xlinker nodelete -Xlinker --no-undefined \
    -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=all -Xlinker --wrap=_swift_stdlib_getScalarName

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all help setup setup-tests lib tool python demo test bench install wheel clean

all: lib python ## build the library and the Python extension (the default)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the Debian packages that are missing, or say which
	@packaging/setup-debian.sh

setup-tests: ## the same, with what the tests need besides
	@packaging/setup-debian.sh --tests

# --- the library -------------------------------------------------------------------------------------------

lib: $(LIBRARY) ## build the shipped library and its headers into .build/dist

$(LIBRARY): $(SOURCES) Makefile
	@packaging/setup-debian.sh --check
	@rm -f $(BUILD)/ship/release/libCrosstieShared.so
	@mkdir -p $(BUILD)/static && ln -sf "$$($(CC) -print-file-name=libstdc++.a)" $(BUILD)/static/
	swift build -c release --product CrosstieShared --scratch-path $(BUILD)/ship -j $(JOBS) $(LINK_FLAGS)
	@rm -rf $(DIST)/include && mkdir -p $(DIST)/lib
	@cp -R include $(DIST)/include
	strip --strip-unneeded -o $@ $(BUILD)/ship/release/libCrosstieShared.so
	@ln -sf libcrosstie.so.$(VERSION) $(DIST)/lib/$(SONAME)
	@ln -sf $(SONAME) $(DIST)/lib/libcrosstie.so

# --- the command-line tool ---------------------------------------------------------------------------------

tool: $(TOOL) ## build the command-line tool into .build/dist/bin

# It compiles with the library's flags, whose modules it shares; the linker alone is told less.
$(TOOL): $(LIBRARY) $(wildcard Sources/CrosstieTool/*.swift)
	swift build -c release --product crosstie --scratch-path $(BUILD)/ship -j $(JOBS) \
	    $(SHIP_FLAGS) -Xlinker --gc-sections
	@mkdir -p $(@D)
	strip -o $@ $(BUILD)/ship/release/crosstie

# --- Python ------------------------------------------------------------------------------------------------

python: $(VENV)/.crosstie ## build the Python package into .build/venv

$(VENV)/.requirements: Tests/Python/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(VENV)/.crosstie: $(LIBRARY) $(VENV)/.requirements $(shell find bindings/python -type f \
        -not -path '*/build/*' -not -path '*.egg-info/*' -not -name '*.pyc' -not -name '*.so*' 2>/dev/null)
	@rm -rf $(BUILD)/python # what was linked for a wheel looks elsewhere for the library
	CROSSTIE_PREFIX=$(DIST) $(VENV)/bin/pip install --quiet --disable-pip-version-check \
	    --no-build-isolation --no-deps --force-reinstall ./bindings/python
	@touch $@

# The wheel holds libcrosstie under its own soname, so that a host which has loaded it shares its copy; only what the
# library needs besides is bundled under names of the wheel's own.
wheel: $(LIBRARY) $(VENV)/.requirements ## build a self-contained wheel into .build/wheels
	@rm -rf $(BUILD)/python $(BUILD)/wheels && mkdir -p $(BUILD)/wheels
	@$(VENV)/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	    --wheel-dir $(BUILD)/wheels/plain ./bindings/python
	@PATH=$(VENV)/bin:$$PATH auditwheel repair --exclude $(SONAME) --wheel-dir $(BUILD)/wheels \
	    $(BUILD)/wheels/plain/*.whl >$(BUILD)/wheels/repair.log 2>&1 || { cat $(BUILD)/wheels/repair.log; exit 1; }
	@ls $(BUILD)/wheels/*.whl

# --- running -----------------------------------------------------------------------------------------------

demo: setup ## set up, build, and watch two processes open links and pass messages
	@$(MAKE) --no-print-directory --silent all
	@Examples/demo/run.sh

bench: setup ## print this project's speed beside its peers'
	@$(MAKE) --no-print-directory --silent all
	@Benchmarks/run.sh

# --- tests -------------------------------------------------------------------------------------------------

TEST_PARTS := swift c python scenarios hosts examples consumers tool
PYTEST := $(VENV)/bin/python -m pytest --quiet -p no:cacheprovider

test: setup-tests ## set up, build, and run every test
	@.ci/test $(TEST_PARTS)

.PHONY: $(addprefix test-,$(TEST_PARTS)) ctests

test-swift: ## the Swift tests
	swift test -j $(JOBS) --skip Scenario

# A C test is one program: it sees the installed header and library, and nothing else of the project.
CTESTS      := $(BUILD)/ctests
CTEST_FLAGS := -O1 -g
CTEST_NAMES := $(basename $(notdir $(wildcard Tests/C/test_*.c Tests/C/test_*.cpp))) test_bad_arguments
PLUGINS     := $(patsubst Tests/C/%.c,$(CTESTS)/%.so,$(wildcard Tests/C/plugins/*.c))
BAD_ARGUMENTS := $(BUILD)/generated/test_bad_arguments.c

ctests: $(addprefix $(CTESTS)/,$(CTEST_NAMES) player)

# -rdynamic: the performer finds functions of the program by their names.
COMPILE = -Wall -Wextra -Werror -pthread -rdynamic $(CTEST_FLAGS) -I $(DIST)/include -I Tests/C -o $@ \
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
$(CTESTS)/test_plugin: $(PLUGINS)

$(CTESTS)/test_bad_arguments: $(BAD_ARGUMENTS) Tests/C/bad_arguments.h $(LIBRARY)
	@$(COMPILE_C)

$(CTESTS)/player: $(wildcard Tests/Scenarios/runners/c/*.[ch]) $(LIBRARY)
	@$(COMPILE_C)

$(BAD_ARGUMENTS): $(HEADERS) .ci/headers.py Tests/C/generate_bad_arguments.py
	@mkdir -p $(@D)
	$(PYTHON) Tests/C/generate_bad_arguments.py >$@

test-c: ctests ## the C tests, and every function with every bad argument
	@.ci/run-programs $(addprefix $(CTESTS)/,$(CTEST_NAMES))

test-python: python ## the Python tests
	@$(PYTEST) Tests/Python --ignore Tests/Python/test_scenarios.py

test-scenarios: python $(CTESTS)/player ## one set of scenarios, played in C, Python and Swift
	@$(CTESTS)/player Tests/Scenarios
	@$(PYTEST) Tests/Python/test_scenarios.py
	@swift test -j $(JOBS) --filter Scenario

test-hosts: lib python ## C and Swift hosts that embed Python
	@Tests/Hosts/run.sh

test-examples: lib python ## every example, against the output that stands beside it
	@Examples/run.sh

test-consumers: lib python ## outside projects that build against the installed library
	@Tests/Consumers/run.sh

test-tool: tool $(VENV)/.requirements ## the command-line tool, from outside
	@CROSSTIE=$(TOOL) CROSSTIE_VERSION=$(VERSION) $(PYTEST) Tests/Tool

# --- libraries that find races -----------------------------------------------------------------------------

.PHONY: delays tsan

# The C tests of what races.
RACING  := storm unregister endings reentry nested passage async closing interceptor proceed listen_races

# The library with a random pause between any two steps that race; `make lib` has none of it.
DELAYS  := $(BUILD)/delays

delays: $(DELAYS)/libcrosstie.so $(addprefix $(CTESTS)/test_,$(RACING)) ## build a library with random delays, for tests

$(DELAYS)/libcrosstie.so: $(LIBRARY)
	@rm -f $(DELAYS)/release/libCrosstieShared.so
	swift build -c release --product CrosstieShared --scratch-path $(DELAYS) -j $(JOBS) $(LINK_FLAGS) \
	    -Xswiftc -DCROSSTIE_DELAYS
	@ln -sf release/libCrosstieShared.so $(DELAYS)/$(SONAME)
	@ln -sf $(SONAME) $@

# ThreadSanitizer wants every program and library to be made with it. Swift's clang has the runtime that goes with
# Swift's instrumentation; what that runtime needs lies beside Swift's own.
TSAN    := $(BUILD)/tsan
CLANG   := $(dir $(realpath $(shell command -v swiftc)))clang
BESIDE  := $(realpath $(dir $(CLANG))../lib/swift/linux)

tsan: $(addprefix $(TSAN)/test_,$(RACING)) ## build library and tests that race for ThreadSanitizer into .build/tsan

$(TSAN)/libcrosstie.so: $(SOURCES) Makefile
	swift build --sanitize=thread --product CrosstieShared --scratch-path $(TSAN) -j $(JOBS) -Xlinker -soname=$(@F) \
	    -Xswiftc -DCROSSTIE_TSAN -Xlinker --defsym=__tsan_external_write=cp_ignore_access
	@ln -sf debug/libCrosstieShared.so $@

$(TSAN)/test_%: Tests/C/test_%.c $(TSAN)/libcrosstie.so $(wildcard Tests/C/*.h)
	@$(CLANG) -std=gnu11 -O1 -g -fsanitize=thread -pthread -I include -I Tests/C -o $@ $< -L $(TSAN) -lcrosstie \
	    -Wl,-rpath,$(TSAN) -L $(BESIDE) -ldispatch -lBlocksRuntime -Wl,-rpath,$(BESIDE)

# --- long runs ---------------------------------------------------------------------------------------------

.PHONY: fuzz soak hostile flat

fuzz: ## fuzz under AddressSanitizer for long: FUZZ_RUNS=10000000 of each target, or FUZZ_SECONDS=
	@packaging/setup-debian.sh --check
	@JOBS=$(JOBS) Tests/Fuzz/run $(FUZZ_TARGETS)

soak: ctests hostile flat delays tsan python ## run what races, is killed, or is hostile, for long: SOAK_ROUNDS=
	@Tests/Soak/run

hostile: $(BUILD)/soak/hostile

$(BUILD)/soak/hostile: Tests/Soak/hostile.c Tests/Soak/tables.c Tests/Soak/tables.h Tests/C/latch.h $(LIBRARY)
	@$(COMPILE_C)

flat: $(BUILD)/soak/flat

$(BUILD)/soak/flat: Tests/Soak/flat.c $(wildcard Tests/Soak/*.h Tests/C/*.h) $(LIBRARY)
	@$(COMPILE_C)

# --- installing --------------------------------------------------------------------------------------------

INSTALLED  := $(DESTDIR)$(PREFIX)
FILL_IN    := sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@VERSION@|$(VERSION)|g' -e 's|@SOVERSION@|$(SOVERSION)|g'

install: $(LIBRARY) $(TOOL) ## install library, headers, tool, pkg-config and CMake files: PREFIX=/usr/local DESTDIR=
	install -d $(INSTALLED)/bin $(INSTALLED)/lib/pkgconfig $(INSTALLED)/lib/cmake/Crosstie \
	    $(INSTALLED)/include/crosstie $(INSTALLED)/share/man/man3
	install -m 755 $(TOOL) $(INSTALLED)/bin/
	install -m 755 $(LIBRARY) $(INSTALLED)/lib/
	ln -sf libcrosstie.so.$(VERSION) $(INSTALLED)/lib/$(SONAME)
	ln -sf $(SONAME) $(INSTALLED)/lib/libcrosstie.so
	install -m 644 include/crosstie.h $(INSTALLED)/include/
	install -m 644 include/crosstie/*.h $(INSTALLED)/include/crosstie/
	$(FILL_IN) packaging/crosstie.pc.in >$(INSTALLED)/lib/pkgconfig/crosstie.pc
	$(FILL_IN) packaging/CrosstieConfig.cmake.in >$(INSTALLED)/lib/cmake/Crosstie/CrosstieConfig.cmake
	$(FILL_IN) packaging/CrosstieConfigVersion.cmake.in >$(INSTALLED)/lib/cmake/Crosstie/CrosstieConfigVersion.cmake
	install -m 644 packaging/crosstie.3 $(INSTALLED)/share/man/man3/

# --- cleaning ----------------------------------------------------------------------------------------------

clean: ## remove everything that was built
	rm -rf $(BUILD) bindings/python/build bindings/python/src/*.egg-info
