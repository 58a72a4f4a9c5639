# Which lines the tests run: of the core, of the extension, of the Python package. The Makefile includes this.

.PHONY: coverage

COVERAGE      := $(BUILD)/coverage
COVERAGE_VENV := $(COVERAGE)/venv
# Of C sources too, and also by the linker, which adds the runtime that writes the counts.
COUNTED_C     := -fprofile-instr-generate -fcoverage-mapping
COUNTED       := -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping $(addprefix -Xcc ,$(COUNTED_C))

coverage: ctests python $(COVERAGE)/$(SONAME) $(COVERAGE_VENV)/.crosstie ## print which lines the tests run, by folder
	@Tests/coverage/run $(COVERAGE) $(addprefix $(CTESTS)/,$(CTEST_NAMES))

$(COVERAGE)/$(SONAME): $(SOURCES)
	swift build --product CrosstieShared --scratch-path $(COVERAGE) $(SWIFT_DEBUG) $(COUNTED) -Xlinker -soname=$(SONAME) \
	    -Xlinker --version-script=$(CURDIR)/packaging/crosstie.map
	@ln -sf debug/libCrosstieShared.so $@

# The extension by the compiler that comes with Swift's, so that one tool reads both.
$(COVERAGE_VENV)/.crosstie: $(VENV)/.crosstie Tests/coverage.mk Tests/Python/requirements.txt
	@rm -rf $(COVERAGE_VENV) $(COVERAGE)/wheel
	$(PYTHON) -m venv $(COVERAGE_VENV)
	@$(COVERAGE_VENV)/bin/pip install --quiet --disable-pip-version-check -r Tests/Python/requirements.txt pytest-cov
	CC=$(CLANG) CFLAGS="-O0 -g -fno-lto $(COUNTED_C)" LDSHARED="$(CLANG) -shared -fuse-ld=lld $(COUNTED_C)" \
	    CROSSTIE_PREFIX=$(DIST) \
	    $(BUILDER)/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	    --wheel-dir $(COVERAGE)/wheel ./bindings/python
	@$(COVERAGE_VENV)/bin/pip install --quiet --disable-pip-version-check --no-index --no-deps $(COVERAGE)/wheel/*.whl
	@touch $@
