/*
 * Bus.open(), open_async() and can_open().
 */
#include "bus.h"
#include "spec.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../request/trust.h"

/** Reads the URL and the keywords, which follow the one positional argument. */
static inline int read_open(ext_state *state, ext_options *options, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords, ext_spec *spec) {
    if (count != 1) {
        PyErr_Format(PyExc_TypeError, "expected 1 positional argument, the URL (%zd given)", count);
        return -1;
    }
    spec->kind = CTIE_REQUEST_KIND_OPEN;
    spec->params = NULL;
    if (keywords != NULL && ext_options_add_all(state, options, keywords, args + 1) < 0) {
        return -1;
    }
    if (ext_text(args[0], "url", &spec->target) < 0) {
        ext_options_clear(options);
        return -1;
    }
    return 0;
}

PyObject *ext_bus_open(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    ext_options options = EXT_OPTIONS_INIT(false);
    ext_spec spec;
    return read_open(self->state, &options, args, count, keywords, &spec) < 0 ? NULL : ext_spec_run(self, &spec, &options);
}

PyObject *ext_bus_open_async(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    ext_options options = EXT_OPTIONS_INIT(true);
    ext_spec spec;
    return read_open(self->state, &options, args, count, keywords, &spec) < 0
               ? NULL
               : ext_spec_start(self, &spec, &options, args[0], self->state->empty);
}

/** Reads a URL. A str that is not valid Unicode becomes a malformed URL rather than an exception. */
static int read_url(PyObject *object, ctie_str *out) {
    size_t byte;
    int result = PyUnicode_Check(object) ? ext_utf8(object, out, &byte) : ext_text(object, "url", out);
    if (result > 0) {
        *out = CTIE_STR("\xff");
    }
    return result < 0 ? -1 : 0;
}

PyObject *ext_bus_can_open(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "origin", "mode", "anywhere", NULL};
    ext_owner *self = (ext_owner *)object;
    PyObject *url_object, *origin_object = self->state->origin_local, *mode_object = Py_None;
    ctie_str url;
    ctie_origin origin;
    ctie_match_mode mode;
    int anywhere = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OOp:can_open", names, &url_object, &origin_object,
                                     &mode_object, &anywhere) ||
        read_url(url_object, &url) < 0 || ext_origin(self->state, origin_object, &origin) < 0 ||
        ext_match_mode(mode_object, &mode) < 0) {
        return NULL;
    }
    int is_remote_context = ext_trust_is_marked(self->state);
    if (is_remote_context < 0) {
        return NULL;
    }
    ctie_opened_by opened_by = CTIE_OPENED_BY_NONE;
    ctie_bus *handle = self->handle;
    ctie_status status;
    origin = is_remote_context ? CTIE_ORIGIN_REMOTE : origin;
    Py_BEGIN_ALLOW_THREADS /* providers in any language may be called */
    status = (anywhere ? ctie_can_open_anywhere : ctie_can_open)(handle, url, origin, mode, &opened_by);
    Py_END_ALLOW_THREADS
    if (status != CTIE_OK) {
        return ext_raise(self->state, status, NULL);
    }
    if (ext_interrupt_raise()) {
        return NULL;
    }
    if (opened_by == CTIE_OPENED_BY_NONE) {
        Py_RETURN_NONE;
    }
    static const char *const parts[] = {
        [CTIE_OPENED_BY_ROUTE] = "route", [CTIE_OPENED_BY_PROVIDER] = "provider", [CTIE_OPENED_BY_SYSTEM] = "system",
        [CTIE_OPENED_BY_PEER] = "peer",
    };
    return PyUnicode_InternFromString(parts[opened_by]);
}
