/*
 * The options of a request, read from keyword arguments: the same for every request kind.
 */
#include "spec.h"
#include "../base/loop.h"
#include "../base/text.h"
#include "../request/hook.h"
#include "../request/request.h"
#include "../request/trust.h"
#include "../value/value.h"

int ext_origin(ext_state *state, PyObject *object, ctie_origin *out) {
    if (object == state->origin_local || object == state->origin_remote) {
        *out = object == state->origin_local ? CTIE_ORIGIN_LOCAL : CTIE_ORIGIN_REMOTE;
        return 0;
    }
    if (PyUnicode_Check(object)) {
        if (PyUnicode_Compare(object, state->origin_local) == 0) {
            *out = CTIE_ORIGIN_LOCAL;
            return 0;
        }
        if (PyUnicode_Compare(object, state->origin_remote) == 0) {
            *out = CTIE_ORIGIN_REMOTE;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "origin must be 'local' or 'remote', not %R", object);
    return -1;
}

int ext_match_mode(PyObject *object, ctie_match_mode *out) {
    *out = CTIE_MATCH_DEFAULT;
    if (object == Py_None) {
        return 0;
    }
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "exact") == 0) {
        *out = CTIE_MATCH_EXACT;
    } else if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "nearest") == 0) {
        *out = CTIE_MATCH_NEAREST;
    } else {
        PyErr_Format(PyExc_ValueError, "a match mode is 'exact' or 'nearest', not %R", object);
        return -1;
    }
    return 0;
}

/* ---- One keyword ---------------------------------------------------------------------------------- */

typedef int reader(ext_state *state, ext_options *options, PyObject *object);

static int read_origin(ext_state *state, ext_options *options, PyObject *object) {
    return ext_origin(state, object, &options->origin);
}

/** Carries the caller's own dict. It is read only if code of another language reads it. */
static int read_user_info(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    if (object == Py_None) {
        return 0;
    }
    if (!PyDict_Check(object)) {
        PyErr_Format(PyExc_TypeError, "user_info must be a dict, not %.100s", Py_TYPE(object)->tp_name);
        return -1;
    }
    ctie_value_release(options->user_info);
    options->user_info = ext_value_carrying(object);
    options->base.user_info = options->user_info;
    return options->user_info == NULL ? -1 : 0;
}

/** Reads a timeout: None and 0 mean no deadline. To Crosstie 0 means the default. */
static int read_timeout(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    if (ext_milliseconds(object, "timeout", &options->base.timeout_ms) < 0) {
        return -1;
    }
    if (options->base.timeout_ms == 0) {
        options->base.timeout_ms = -1;
    }
    return 0;
}

static int read_parent(ext_state *state, ext_options *options, PyObject *object) {
    options->base.parent = object == Py_None ? NULL : ext_request_handle(state, object);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_mode(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    return ext_match_mode(object, &options->base.mode);
}

static int read_interceptors(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    options->interceptor_list = object;
    return 0;
}

static int read_dispatcher(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    return ext_text(object, "dispatcher", &options->base.dispatcher);
}

static int read_priority(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    static const char *const names[] = {"low", "normal", "high"};
    for (int i = 0; PyUnicode_Check(object) && i < 3; i++) {
        if (PyUnicode_CompareWithASCIIString(object, names[i]) == 0) {
            options->base.priority = CTIE_PRIORITY_LOW + i;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "priority must be 'low', 'normal' or 'high', not %R", object);
    return -1;
}

static int read_function(PyObject *object, const char *what, PyObject **out) {
    if (object != Py_None && !PyCallable_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be callable, not %.100s", what, Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = object;
    return 0;
}

static int read_progress(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    PyObject *function = NULL;
    int result = read_function(object, "progress", &function);
    options->progress = function == Py_None ? NULL : function;
    return result;
}

static int read_completion(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    return read_function(object, "completion", &options->completion);
}

static int read_loop(ext_state *state, ext_options *options, PyObject *object) {
    options->base.loop = object == Py_None ? NULL : ext_loop_handle(state, object);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_peer(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    return object == Py_None ? 0 : ext_text(object, "peer", &options->base.peer);
}

static int read_reach(ext_state *Py_UNUSED(state), ext_options *options, PyObject *object) {
    static const struct {
        const char *name;
        uint32_t flags;
    } reaches[] = {{"any", 0}, {"here", CTIE_REQUEST_HERE}, {"elsewhere", CTIE_REQUEST_ELSEWHERE}};
    for (int i = 0; PyUnicode_Check(object) && i < 3; i++) {
        if (PyUnicode_CompareWithASCIIString(object, reaches[i].name) == 0) {
            options->base.flags |= reaches[i].flags;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "reach must be 'any', 'here' or 'elsewhere', not %R", object);
    return -1;
}

#define KEYWORD(name, is_async_only) {#name, sizeof(#name) - 1, read_##name, is_async_only}

static const struct {
    const char *name;
    size_t size;
    reader *read;
    bool is_async_only;
} keywords[] = {
    KEYWORD(origin, false),     KEYWORD(timeout, false),  KEYWORD(user_info, false),  KEYWORD(interceptors, false),
    KEYWORD(mode, false),       KEYWORD(parent, false),   KEYWORD(completion, true),  KEYWORD(dispatcher, false),
    KEYWORD(priority, false),   KEYWORD(progress, false), KEYWORD(loop, false),       KEYWORD(peer, false),
    KEYWORD(reach, false),
};

/** The index of a keyword, also of a subclass of str; -1 for any other object. All keywords are ASCII. */
static int keyword_of(PyObject *name) {
    if (!PyUnicode_Check(name) || !PyUnicode_IS_ASCII(name)) {
        return -1;
    }
    const void *text = PyUnicode_DATA(name);
    size_t size = (size_t)PyUnicode_GET_LENGTH(name);
    for (int i = 0; i < (int)(sizeof(keywords) / sizeof(keywords[0])); i++) {
        if (keywords[i].size == size && memcmp(keywords[i].name, text, size) == 0) {
            return i;
        }
    }
    return -1;
}

int ext_options_add(ext_state *state, ext_options *options, PyObject *name, PyObject *object) {
    int keyword = keyword_of(name);
    if (keyword >= 0 && (options->is_async || !keywords[keyword].is_async_only)) {
        return keywords[keyword].read(state, options, object);
    }
    PyErr_Format(PyExc_TypeError, "unexpected keyword argument %R", name);
    return -1;
}

int ext_options_add_all(ext_state *state, ext_options *options, PyObject *names, PyObject *const *values) {
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (ext_options_add(state, options, PyTuple_GET_ITEM(names, i), values[i]) < 0) {
            ext_options_clear(options);
            return -1;
        }
    }
    return 0;
}

int ext_options_add_dict(ext_state *state, ext_options *options, PyObject *dict) {
    PyObject *name, *object;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &name, &object)) {
        if (ext_options_add(state, options, name, object) < 0) {
            ext_options_clear(options);
            return -1;
        }
    }
    return 0;
}

/* ---- The last step -------------------------------------------------------------------------------- */

void ext_options_clear_slowly(ext_options *options) {
    ctie_value_release(options->user_info);
    ext_interceptors_free(&options->interceptors);
}

/** Sets is_for_remote by Python's context and by the parent. */
static int read_trust(ext_state *state, ext_options *options) {
    int is_lost = ext_trust_is_marked(state);
    if (is_lost < 0) {
        return -1;
    }
    if (is_lost) {
        options->origin = CTIE_ORIGIN_REMOTE;
    }
    options->is_for_remote = is_lost || (options->base.parent != NULL && ext_trust_is_remote(options->base.parent));
    return 0;
}

static int add_hooks(ext_owner *bus, ext_options *options) {
    ext_hook *progress = NULL;
    if (options->progress != NULL) {
        progress = ext_hook_new(bus->state, options->progress, options->is_for_remote);
        if (progress == NULL) {
            return -1;
        }
    }
    if (options->interceptor_list != NULL &&
        ext_interceptors_read(bus, options->interceptor_list, false, &options->interceptors) < 0) {
        if (progress != NULL) {
            ext_hook_drop(progress);
        }
        return -1;
    }
    options->base.interceptors = options->interceptors.items;
    options->base.interceptor_count = options->interceptors.count;
    if (progress != NULL) {
        options->base.progress = CTIE_PROGRESS_OWNED(ext_hook_progress, progress, ext_hook_drop);
    }
    return 0;
}

int ext_options_close_slowly(ext_owner *bus, ext_options *options) {
    if (read_trust(bus->state, options) < 0 || add_hooks(bus, options) < 0) {
        ext_options_clear(options);
        return -1;
    }
    return 0;
}
