/*
 * Providers.add_system(): the provider that the library has for the desktop.
 */
#include "component.h"

/** Reads a text that may be empty. */
static int read_text(PyObject *object, const char *name, ctie_str *out) {
    return object == NULL ? 0 : ext_text(object, name, out);
}

static PyObject *add(ext_owner *owner, const ctie_system_provider_options *options, size_t position) {
    ctie_bus *bus = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_add_system(bus, options, position, NULL, &error);
    Py_END_ALLOW_THREADS
    return ext_done(owner->state, status, error);
}

PyObject *ext_system_provider_add(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "name", "mail", "opener", "clipboard", "launcher", "directory", "keep_files", NULL};
    PyObject *position_object = Py_None, *name = NULL, *mail = NULL, *opener = NULL, *clipboard = NULL;
    PyObject *launcher = NULL, *directory = NULL;
    int keeps_files = 0;
    size_t position;
    ctie_system_provider_options options = CTIE_SYSTEM_PROVIDER_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$OOOOOOp:add_system", names, &position_object, &name,
                                     &mail, &opener, &clipboard, &launcher, &directory, &keeps_files) ||
        ext_position(position_object, &position) < 0 || read_text(name, "name", &options.name) < 0 ||
        read_text(mail, "mail", &options.mail) < 0 || read_text(opener, "opener", &options.opener) < 0 ||
        read_text(clipboard, "clipboard", &options.clipboard) < 0 || read_text(launcher, "launcher", &options.launcher) < 0 ||
        read_text(directory, "directory", &options.directory) < 0) {
        return NULL;
    }
    options.flags = keeps_files ? CTIE_SYSTEM_KEEP_FILES : 0u;
    return add((ext_owner *)bus, &options, position);
}
