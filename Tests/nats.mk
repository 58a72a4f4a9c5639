# The tests over a nats-server. The Makefile includes this.

.PHONY: test-nats

NATS_TESTS := $(BUILD)/natstests
NATS_TEST_NAMES := $(basename $(notdir $(wildcard Tests/Nats/test_*.c)))

$(VENV)/.nats: Tests/Nats/requirements.txt $(VENV)/.requirements
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# The C tests call the parts of crosstie-nats themselves. Libraries of the system, not the one under test, link them.
$(NATS_TESTS)/%: Tests/Nats/%.c $(NATS_SOURCES) $(wildcard engines/nats/*.h Tests/Nats/*.h) $(HEADERS)
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -Wall -Wextra $(if $(CROSSTIE_STRICT),-Werror) -O1 -g -pthread -I include -I engines/nats -I Tests/Nats \
	    -I Tests/C -o $@ $< $(NATS_SOURCES) $(shell pkg-config --libs $(NATS_NEEDS))

.PHONY: natstests
natstests: $(addprefix $(NATS_TESTS)/,$(NATS_TEST_NAMES))

test-nats: nats python $(VENV)/.nats $(CTESTS)/player ## the tests over nats-servers of their own: kills, proxies, TLS, a cluster
	@packaging/setup-debian.sh --check nats-tests
	@$(MAKE) --no-print-directory -j$(JOBS) natstests
	@.ci/run-programs --jobs $(JOBS) $(addprefix $(NATS_TESTS)/,$(NATS_TEST_NAMES))
	@CROSSTIE_ENGINES=$(DIST)/lib CROSSTIE_PLAYER=$(CTESTS)/player \
	    $(PYTEST) --no-loadscope-reorder Tests/Nats
