# The tests over nats-servers of their own. The Makefile includes this.

.PHONY: test-nats natstests

NATSTESTS := $(BUILD)/natstests
NATSTEST_NAMES := $(basename $(notdir $(wildcard Tests/Nats/test_*.c)))

$(VENV)/.nats: Tests/Nats/requirements.txt $(VENV)/.requirements
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# A C test calls the engine's parts without libcrosstie.
$(NATSTESTS)/%: Tests/Nats/%.c $(NATS_OBJECTS) $(wildcard engines/nats/*.h Tests/Nats/*.h) Tests/C/check.h
	@mkdir -p $(@D)
	@$(CC) $(NATS_CFLAGS) -I Tests/Nats -I Tests/C -o $@ $< $(NATS_OBJECTS) $(shell pkg-config --libs $(NATS_NEEDS))

natstests: $(addprefix $(NATSTESTS)/,$(NATSTEST_NAMES))

# They wait more than they compute, so more of them than there are cores run at a time.
NATS_JOBS := 4

test-nats: nats python $(VENV)/.nats $(CTESTS)/player ## the tests over nats-servers of their own: kills, proxies, TLS, a cluster
	@packaging/setup-debian.sh --check nats-tests
	@$(MAKE) --no-print-directory -j$(JOBS) natstests
	@.ci/run-programs --jobs $(NATS_JOBS) $(addprefix $(NATSTESTS)/,$(NATSTEST_NAMES))
	@CROSSTIE_ENGINES=$(DIST)/lib CROSSTIE_PLAYER=$(CTESTS)/player $(PYTEST) -n $(NATS_JOBS) --no-loadscope-reorder Tests/Nats
