/*
 * Bus.open(), open_async() and can_open().
 */
#include "kinds.h"

/** Reads the URL and the keywords, which follow the one positional argument. */
static inline int read_open(ext_state *state, ext_order *order, PyObject *const *args, Py_ssize_t count,
                            PyObject *keywords, ext_ask *ask) {
    if (count != 1) {
        PyErr_Format(PyExc_TypeError, "expected 1 positional argument, the URL (%zd given)", count);
        return -1;
    }
    ask->kind = CTIE_REQUEST_KIND_OPEN;
    ask->params = NULL;
    if (keywords != NULL && ext_order_add_all(state, order, keywords, args + 1) < 0) {
        return -1;
    }
    if (ext_text(args[0], "url", &ask->target) < 0) {
        ext_order_clear(order);
        return -1;
    }
    return 0;
}

PyObject *ext_bus_open(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    ext_order order = EXT_ORDER_INIT(false);
    ext_ask ask;
    return read_open(self->state, &order, args, count, keywords, &ask) < 0 ? NULL : ext_ask_sync(self, &ask, &order);
}

PyObject *ext_bus_open_async(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    ext_order order = EXT_ORDER_INIT(true);
    ext_ask ask;
    return read_open(self->state, &order, args, count, keywords, &ask) < 0
               ? NULL
               : ext_ask_async(self, &ask, &order, args[0], self->state->empty);
}

/** A URL that Python cannot write as UTF-8 is none for Crosstie either, which is no failure of a question. */
static int read_url(PyObject *object, ctie_str *out) {
    size_t byte;
    int result = PyUnicode_Check(object) ? ext_utf8(object, out, &byte) : ext_text(object, "url", out);
    if (result > 0) {
        *out = CTIE_STR("\xff");
    }
    return result < 0 ? -1 : 0;
}

PyObject *ext_bus_can_open(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "origin", "mode", NULL};
    ext_owner *self = (ext_owner *)object;
    PyObject *url_object, *origin_object = self->state->origin_local, *mode_object = Py_None;
    ctie_str url;
    ctie_origin origin;
    ctie_match_mode mode;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OO:can_open", names, &url_object, &origin_object,
                                     &mode_object) ||
        read_url(url_object, &url) < 0 || ext_origin(self->state, origin_object, &origin) < 0 ||
        ext_match_mode(mode_object, &mode) < 0) {
        return NULL;
    }
    int is_remote_context = ext_trust_is_lost(self->state);
    if (is_remote_context < 0) {
        return NULL;
    }
    ctie_opened_by opener = CTIE_OPENED_BY_NONE;
    ctie_bus *handle = self->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS /* providers may be asked, whoever has written them */
    status = ctie_can_open(handle, url, is_remote_context ? CTIE_ORIGIN_REMOTE : origin, mode, &opener);
    Py_END_ALLOW_THREADS
    if (status != CTIE_OK) {
        return ext_raise(self->state, status, NULL);
    }
    if (ext_interrupt_raise()) {
        return NULL;
    }
    if (opener == CTIE_OPENED_BY_NONE) {
        Py_RETURN_NONE;
    }
    static const char *const openers[] = {
        [CTIE_OPENED_BY_ROUTE] = "route", [CTIE_OPENED_BY_PROVIDER] = "provider", [CTIE_OPENED_BY_SYSTEM] = "system",
    };
    return PyUnicode_InternFromString(openers[opener]);
}
