# The C and C++ tests with AddressSanitizer and UndefinedBehaviorSanitizer. The Makefile includes this.

.PHONY: sanitized

SANITIZED := $(BUILD)/ctests-sanitized
SANITIZE  := -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# clang's sanitizer, unlike gcc 12's, never leaves an allocator lock held in a forked child. It is a separate library
# here, so that a test that interposes a system function calls the sanitizer's version next.
SHARED_ASAN = -fuse-ld=lld -shared-libasan -Wl,-rpath,$(dir $(shell $(CLANG) -print-file-name=libclang_rt.asan-x86_64.so))

sanitized: lib ## build the C and C++ tests with the address sanitizer into .build/ctests-sanitized
	@$(MAKE) --no-print-directory -j$(JOBS) ctests cpptests CC=$(CLANG) CXX=$(CLANG)++ CTESTS=$(SANITIZED) \
	    CPPTESTS=$(SANITIZED)/clang CTEST_FLAGS='$(SANITIZE) $(SHARED_ASAN)'
	@$(MAKE) --no-print-directory -j$(JOBS) cpptests CXX=g++ CPPTESTS=$(SANITIZED)/gcc CTEST_FLAGS='$(SANITIZE)'
