#include <stdbool.h>
#include <stdint.h>

/*
 * Replaces the parts of the backtracer that the Swift library refers to: its settings, all off, of which the library
 * reads the first, and a function that is never called. So the backtracer itself stays out of the shipped library: it
 * has 80 kB, and with SWIFT_BACKTRACE in the environment it would install signal handlers in the host.
 */
#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN bool _swift_backtrace_isThunkFunction(const char *name);
HIDDEN uint64_t _swift_backtraceSettings[32];

bool _swift_backtrace_isThunkFunction(const char *name) {
    (void)name;
    return false;
}
