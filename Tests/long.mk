# Long runs: fuzzing, soaks, counting what is left open, packages in a bare system. The Makefile includes this.

.PHONY: fuzz soak hostile flat test-deb

fuzz: ## fuzz under AddressSanitizer for a long time: FUZZ_RUNS=10000000 of each target, or FUZZ_SECONDS=
	@packaging/setup-debian.sh --check lib
	@JOBS=$(JOBS) Tests/Fuzz/run $(FUZZ_TARGETS)

# The target `nats`: the engine, its threads, time and connections simulated.
FUZZ_NATS         := $(BUILD)/fuzz/nats
FUZZ_NATS_OBJECTS := $(patsubst engines/nats/%.c,$(FUZZ_NATS).objects/engine/%.o,$(NATS_SOURCES)) \
    $(patsubst Tests/Fuzz/nats/%.c,$(FUZZ_NATS).objects/%.o,$(wildcard Tests/Fuzz/nats/*.c))
FUZZ_NATS_C       = mkdir -p $(@D) && $(CLANG) -std=gnu11 -D_GNU_SOURCE= -Wall -Wextra $(if $(CROSSTIE_STRICT),-Werror) \
    -g -O2 -I include -I engines/nats -fno-sanitize-recover=undefined -c -o $@ $<

$(FUZZ_NATS): $(FUZZ_NATS_OBJECTS)
	@packaging/setup-debian.sh --check nats
	@$(CLANG) -fuse-ld=lld -fsanitize=fuzzer,address,undefined -pthread -o $@ $^ $(shell pkg-config --libs $(NATS_NEEDS))

$(FUZZ_NATS).objects/engine/%.o: engines/nats/%.c Tests/Fuzz/nats/simulated.h $(wildcard engines/nats/*.h) $(HEADERS)
	@$(FUZZ_NATS_C) -include Tests/Fuzz/nats/simulated.h -fsanitize=fuzzer-no-link,address,undefined

$(FUZZ_NATS).objects/%.o: Tests/Fuzz/nats/%.c $(wildcard Tests/Fuzz/nats/*.h) $(HEADERS)
	@$(FUZZ_NATS_C) -fsanitize=address,undefined

soak: ctests hostile flat delays tsan python tool nats $(VENV)/.nats ## repeat races, kills and hostile input for a long time: SOAK_ROUNDS=
	@Tests/Soak/run

hostile: $(BUILD)/soak/hostile

$(BUILD)/soak/hostile: Tests/Soak/hostile.c Tests/Soak/tables.c Tests/Soak/tables.h Tests/C/latch.h $(LIBRARY)
	@$(COMPILE_C)

flat: $(BUILD)/soak/flat python

$(BUILD)/soak/flat: Tests/Soak/flat.c $(wildcard Tests/Soak/*.h Tests/C/*.h) $(LIBRARY)
	@$(COMPILE_C)

test-deb: lib tool ## install, use, upgrade and purge the Debian packages in a bare Debian 12; needs root and debootstrap
	@Tests/Packaging/debian12/run
