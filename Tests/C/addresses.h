/* Groups on a server that a test pretends to have: an engine of plugins/ in the place of the one for `nats://`. */
#ifndef ADDRESSES_H
#define ADDRESSES_H

#include "group.h"
#include "server_plugin.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>

/** A folder with one for each engine, and the library in the one that $CROSSTIE_ENGINES names. A path that was loaded once
    stays what it was, so each engine has its own. */
static char engines[] = "/tmp/crosstie-engines-XXXXXX", engine_library[PATH_MAX];

static inline void begin_engines(void) { CHECK(mkdtemp(engines) != NULL); }

static inline void end_engines(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", engines);
    CHECK(system(command) == 0);
}

/** Makes the folder of an engine, and names it. */
static inline void name_engine(const char *name) {
    char folder[128];
    snprintf(folder, sizeof folder, "%s/%s", engines, name);
    CHECK(mkdir(folder, 0700) == 0 || errno == EEXIST);
    setenv("CROSSTIE_ENGINES", folder, 1);
    snprintf(engine_library, sizeof engine_library, "%s/libcrosstie-nats.so.0", folder);
}

/** Puts a shared object of plugins/ in the engine's place. */
static inline void use_engine(const char *name) {
    static char program[PATH_MAX], path[2 * PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    program[size > 0 ? size : 0] = 0;
    snprintf(path, sizeof path, "%s/plugins/%s.so", dirname(program), name);
    name_engine(name);
    CHECK(symlink(path, engine_library) == 0 || errno == EEXIST);
}

/** The notes of the engine in use. */
static inline server_notes *notes_of_engine(void) {
    void *handle = dlopen(engine_library, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != NULL);
    return handle == NULL ? NULL : (server_notes *)dlsym(handle, "fake_server");
}

static inline ctie_status open_address(const char *address, const ctie_wormhole_options *options, ctie_wormhole **out,
                                       ctie_error **error) {
    *out = NULL;
    return ctie_wormhole_open(ctie_str_from(address), options, out, error);
}

/** Opens a group and closes it again. Returns the status of that. */
static inline ctie_status try_address(const char *address, const ctie_wormhole_options *options) {
    ctie_wormhole *wormhole = NULL;
    ctie_status status = open_address(address, options, &wormhole, NULL);
    CHECK((status == CTIE_OK) == (wormhole != NULL));
    if (wormhole != NULL) { CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK); }
    return status;
}

#endif
