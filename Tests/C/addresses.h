/* Groups on a server that a test pretends to have: an engine of plugins/ in the place of the one for `nats://`. */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include "group.h"
#include "server_plugin.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>

/** A folder for the library of the engine, which $CROSSTIE_ENGINES names. */
static char engines[] = "/tmp/crosstie-engines-XXXXXX", engine_link[PATH_MAX];

static inline void begin_engines(void) {
    CHECK(mkdtemp(engines) != NULL);
    snprintf(engine_link, sizeof engine_link, "%s/libcrosstie-nats.so.0", engines);
    setenv("CROSSTIE_ENGINES", engines, 1);
}

static inline void end_engines(void) {
    unlink(engine_link);
    CHECK(rmdir(engines) == 0);
}

/** Puts a shared object of plugins/ in the engine's place. */
static inline void use_engine(const char *name) {
    static char program[PATH_MAX], path[2 * PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    program[size > 0 ? size : 0] = 0;
    snprintf(path, sizeof path, "%s/plugins/%s.so", dirname(program), name);
    unlink(engine_link);
    CHECK(symlink(path, engine_link) == 0);
}

/** The notes of the engine in use. */
static inline server_notes *notes_of_engine(void) {
    void *handle = dlopen(engine_link, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != NULL);
    return handle == NULL ? NULL : (server_notes *)dlsym(handle, "fake_server");
}

static inline ctie_status open_address(const char *address, const ctie_wormhole_options *options, ctie_wormhole **out,
                                       ctie_error **error) {
    *out = NULL;
    return ctie_wormhole_open(ctie_str_from(address), options, out, error);
}

/** The status of an opening, which is closed again. */
static inline ctie_status try_address(const char *address, const ctie_wormhole_options *options) {
    ctie_wormhole *wormhole = NULL;
    ctie_status status = open_address(address, options, &wormhole, NULL);
    CHECK((status == CTIE_OK) == (wormhole != NULL));
    if (wormhole != NULL) { CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK); }
    return status;
}

#endif
