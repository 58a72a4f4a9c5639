#include <stdbool.h>
#include <stdint.h>

/* In place of what the Swift library refers to of its backtracer: settings, all off, of which it reads the first, and a
 * function that nobody calls. So the backtracer itself stays out of the shipped library: 80 kB, and with
 * SWIFT_BACKTRACE in the environment it would put signal handlers into the host. */
#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN bool _swift_backtrace_isThunkFunction(const char *name);
HIDDEN uint64_t _swift_backtraceSettings[32];

bool _swift_backtrace_isThunkFunction(const char *name) {
    (void)name;
    return false;
}
