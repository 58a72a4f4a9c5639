#include <stddef.h>
#include <stdlib.h>

/*
 * Replaces functions of the C++ runtime that demangle names when the process is about to end anyway: of an uncaught
 * exception, and of functions in a backtrace. They would add 50 kB. No code of the library throws.
 */
#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void _ZN9__gnu_cxx27__verbose_terminate_handlerEv(void);
HIDDEN char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

void _ZN9__gnu_cxx27__verbose_terminate_handlerEv(void) { abort(); }

char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status) {
    const int not_valid = -2;
    (void)mangled, (void)buffer, (void)size;
    if (status != NULL) *status = not_valid;
    return NULL;
}
