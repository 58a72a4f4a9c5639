# The tests over nats-servers of their own. The Makefile includes this.

.PHONY: test-nats natstests natstests-asan natstests-tsan

NATSTESTS := $(BUILD)/natstests
NATSTEST_NAMES := $(basename $(notdir $(wildcard Tests/Nats/test_*.c)))

$(VENV)/.nats: Tests/Nats/requirements.txt $(VENV)/.requirements
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# A C test calls the engine's parts without libcrosstie.
$(NATSTESTS)/%: Tests/Nats/%.c $(NATS_OBJECTS) $(wildcard engines/nats/*.h Tests/Nats/*.h) Tests/C/check.h
	@mkdir -p $(@D)
	@$(CC) $(NATS_CFLAGS) -I Tests/Nats -I Tests/C -o $@ $< $(NATS_OBJECTS) $(shell pkg-config --libs $(NATS_NEEDS)) $(NATS_RUNTIME)

natstests: $(addprefix $(NATSTESTS)/,$(NATSTEST_NAMES))

# The same for sanitizers; so is the engine. The runtime of Swift's clang for threads needs libraries beside Swift's own.
NATS_FOR = $(MAKE) --no-print-directory -j$(JOBS) natstests CC=$(CLANG) NATSTESTS=$(NATSTESTS)-$(1) NATS_BUILD=$(BUILD)/nats-$(1)

natstests-asan:
	@$(call NATS_FOR,asan) NATS_RUNTIME=-fuse-ld=lld \
	    NATS_TESTED="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

natstests-tsan:
	@$(call NATS_FOR,tsan) NATS_TESTED=-fsanitize=thread \
	    NATS_RUNTIME="-L $(BESIDE) -ldispatch -lBlocksRuntime -Wl,-rpath,$(BESIDE)"

# They wait more than they compute, so more of them than there are cores run at a time.
NATS_JOBS := 4

test-nats: nats python $(VENV)/.nats $(CTESTS)/player $(CTESTS)/test_join ## the tests over nats-servers of their own: kills, proxies, TLS, a cluster
	@packaging/setup-debian.sh --check nats-tests
	@$(MAKE) --no-print-directory -j$(JOBS) natstests
	@.ci/run-programs --jobs $(NATS_JOBS) $(addprefix $(NATSTESTS)/,$(NATSTEST_NAMES))
	@CROSSTIE_ENGINES=$(DIST)/lib CROSSTIE_PLAYER=$(CTESTS)/player $(PYTEST) -n $(NATS_JOBS) --no-loadscope-reorder Tests/Nats
