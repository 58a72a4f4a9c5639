# Libraries that find races: one with random pauses, one for ThreadSanitizer. The Makefile includes this.

.PHONY: delays tsan

# The C tests with data races to look for.
RACING  := storm unregister completion_races reentry nested gates async closing completions interceptor proceed listen_races join_races engine

# The library with a random pause between any two racing steps; `make lib` builds without. It also has the portable code in
# place of SSE2's, so that one more build serves two checks.
DELAYS  := $(BUILD)/delays

delays: $(DELAYS)/libcrosstie.so $(addprefix $(CTESTS)/test_,$(RACING)) ## build a library with random delays, for tests

$(DELAYS)/libcrosstie.so: $(LIBRARY)
	@rm -f $(DELAYS)/release/libCrosstieShared.so
	$(SHIP_BUILD) --product CrosstieShared --scratch-path $(DELAYS) $(LINK_FLAGS) \
	    -Xswiftc -DCROSSTIE_DELAYS -Xcc -U__SSE2__
	@ln -sf release/libCrosstieShared.so $(DELAYS)/$(SONAME)
	@ln -sf $(SONAME) $@

# ThreadSanitizer needs every program and library to be built with it. Swift's clang has the runtime for Swift's
# instrumentation; that runtime's dependencies are beside Swift's own.
TSAN    := $(BUILD)/tsan
CLANG   := $(dir $(realpath $(shell command -v swiftc)))clang
BESIDE  := $(realpath $(dir $(CLANG))../lib/swift/linux)

tsan: $(addprefix $(TSAN)/test_,$(RACING)) ## build library and tests that race for ThreadSanitizer into .build/tsan

$(TSAN)/libcrosstie.so: $(SOURCES) Makefile
	swift build --sanitize=thread --product CrosstieShared --scratch-path $(TSAN) $(SWIFT_DEBUG) -Xlinker -soname=$(@F) \
	    -Xswiftc -DCROSSTIE_TSAN -Xlinker --defsym=__tsan_external_write=cp_ignore_access
	@ln -sf debug/libCrosstieShared.so $@

$(TSAN)/test_%: Tests/C/test_%.c $(TSAN)/libcrosstie.so $(wildcard Tests/C/*.h)
	@$(CLANG) -std=gnu11 -O1 -g -fsanitize=thread -pthread -I include -I Tests/C -o $@ $< -L $(TSAN) -lcrosstie \
	    -Wl,-rpath,$(TSAN) -L $(BESIDE) -ldispatch -lBlocksRuntime -Wl,-rpath,$(BESIDE)
