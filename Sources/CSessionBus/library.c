#include "libdbus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static struct libdbus library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// A pointer to data as one to a function, which C lets only a copy do.
static bool find(void *handle, const char *name, void *out) {
    void *found = dlsym(handle, name);
    memcpy(out, &found, sizeof found);
    return found != NULL;
}

static void load(void) {
    // It stays loaded: it may keep state of the threads that used it.
    void *handle = dlopen("libdbus-1.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) return;
#define FIND(result, name, arguments) if (!find(handle, #name, &library.name)) return;
    LIBDBUS_FUNCTIONS(FIND)
#undef FIND
    is_loaded = library.dbus_threads_init_default();
}

const struct libdbus *sb_library(void) {
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}
