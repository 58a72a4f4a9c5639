/*
 * The options of a group on a server, its address without secrets, and the library for it.
 */
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"

#include <dlfcn.h>
#include <string.h>

/** Reads the bytes of a path, which `holder` keeps; None is the empty text. */
int ext_path(PyObject *object, const char *what, PyObject **holder, ctie_str *out) {
    if (object == NULL || object == Py_None) {
        return 0;
    }
    *holder = PyOS_FSPath(object);
    if (*holder == NULL) {
        return -1;
    }
    if (PyUnicode_Check(*holder)) {
        return ext_text(*holder, what, out);
    }
    *out = (ctie_str){PyBytes_AS_STRING(*holder), (size_t)PyBytes_GET_SIZE(*holder)};
    return 0;
}

/** Reads a text; None is the empty one. */
static int read_text(PyObject *object, const char *what, ctie_str *out) {
    return object == NULL || object == Py_None ? 0 : ext_text(object, what, out);
}

/** Reads seconds as 1 millisecond at least; None is 0. */
static int read_age(PyObject *seconds, uint64_t *out) {
    int64_t milliseconds = 0;
    if (seconds == NULL || seconds == Py_None) {
        return 0;
    }
    if (ext_milliseconds(seconds, "max_age", &milliseconds) < 0) {
        return -1;
    }
    *out = milliseconds > 0 ? (uint64_t)milliseconds : 1;
    return 0;
}

int ext_server_read(const ext_server *server, PyObject **holders, ctie_wormhole_options *out) {
    if (ext_path(server->credentials, "credentials", &holders[0], &out->credentials) < 0 ||
        ext_path(server->tls_ca, "tls_ca", &holders[1], &out->tls_ca) < 0 ||
        ext_path(server->tls_certificate, "tls_certificate", &holders[2], &out->tls_certificate) < 0 ||
        ext_path(server->tls_key, "tls_key", &holders[3], &out->tls_key) < 0 ||
        read_text(server->nkey_seed, "nkey_seed", &out->nkey_seed) < 0 ||
        read_text(server->token, "token", &out->token) < 0 || read_text(server->user, "user", &out->user) < 0 ||
        read_text(server->password, "password", &out->password) < 0 ||
        ext_uint32(server->replicas, "replicas", &out->replicas) < 0 ||
        read_age(server->max_age, &out->max_age_ms) < 0) {
        return -1;
    }
    out->flags |= server->offline ? CTIE_WORMHOLE_OFFLINE : 0;
    return 0;
}

/** The end of an address's scheme; NULL for a group of another kind, and for an address that is too long. */
static const char *end_of_scheme(ctie_str text) {
    return text.size < 3 || text.size > 4096 ? NULL : memmem(text.data, text.size, "://", 3);
}

PyObject *ext_shown_group(PyObject *group, ctie_str text) {
    const char *mark = end_of_scheme(text);
    if (mark == NULL) {
        return Py_NewRef(group);
    }
    const char *hosts = mark + 3, *end = text.data + text.size;
    const char *at = memchr(hosts, '@', (size_t)(end - hosts));
    if (at == NULL) {
        return Py_NewRef(group);
    }
    PyObject *scheme = PyUnicode_FromStringAndSize(text.data, hosts - text.data);
    PyObject *rest = PyUnicode_FromStringAndSize(at + 1, end - at - 1);
    PyObject *shown = scheme == NULL || rest == NULL ? NULL : PyUnicode_Concat(scheme, rest);
    Py_XDECREF(scheme);
    Py_XDECREF(rest);
    return shown;
}

/* ---- The engine ----------------------------------------------------------------------------------- */

int ext_prepare_engine(ext_state *state, ctie_str address) {
    const char *mark = end_of_scheme(address);
    if (mark == NULL) {
        return 0;
    }
    PyObject *scheme = PyUnicode_FromStringAndSize(address.data, mark - address.data);
    PyObject *done = scheme == NULL ? NULL : PyObject_CallOneArg(state->load_engine, scheme);
    Py_XDECREF(scheme);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

PyObject *ext_load_library(PyObject *module, PyObject *path) {
    ctie_str text;
    if (ext_text(path, "path", &text) < 0) {
        return NULL;
    }
    /* libcrosstie finds it by its soname, and it stays. */
    if (dlopen(text.data, RTLD_NOW | RTLD_LOCAL) == NULL) {
        const char *why = dlerror();
        ext_raise_text(ext_state_of(module), CTIE_E_UNAVAILABLE, why != NULL ? why : "it cannot be loaded");
        return NULL;
    }
    Py_RETURN_NONE;
}
