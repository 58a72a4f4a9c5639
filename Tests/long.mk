# Long runs: fuzzing, soaks, counting what is left open, packages in a bare system. The Makefile includes this.

.PHONY: fuzz soak hostile flat test-deb

fuzz: ## fuzz under AddressSanitizer for a long time: FUZZ_RUNS=10000000 of each target, or FUZZ_SECONDS=
	@packaging/setup-debian.sh --check lib
	@JOBS=$(JOBS) Tests/Fuzz/run $(FUZZ_TARGETS)

soak: ctests hostile flat delays tsan python tool $(VENV)/.requirements ## repeat races, kills and hostile input for a long time: SOAK_ROUNDS=
	@Tests/Soak/run

hostile: $(BUILD)/soak/hostile

$(BUILD)/soak/hostile: Tests/Soak/hostile.c Tests/Soak/tables.c Tests/Soak/tables.h Tests/C/latch.h $(LIBRARY)
	@$(COMPILE_C)

flat: $(BUILD)/soak/flat python

$(BUILD)/soak/flat: Tests/Soak/flat.c $(wildcard Tests/Soak/*.h Tests/C/*.h) $(LIBRARY)
	@$(COMPILE_C)

test-deb: lib tool ## install, use, upgrade and purge the Debian packages in a bare Debian 12; needs root and debootstrap
	@Tests/Packaging/debian12/run
