/*
 * Rule tables: loading and converting them, the one that is loaded, and the URLs of its rules.
 */
#include "bus.h"
#include "../base/error.h"
#include "../base/owner.h"
#include "../base/text.h"
#include "../value/value.h"

/** The lists of ctie_rules_options, in their order. */
enum { PUBLIC_SCHEMES, PRIVATE_SCHEMES, ROUTE_HOSTS, WEB_HOSTS, LISTS };

static const char *const list_names[LISTS] = {"public_schemes", "private_schemes", "route_hosts", "web_hosts"};

/** A document or its path, the options, and the objects that keep the texts. */
typedef struct document {
    Py_buffer json;
    PyObject *path; /**< NULL: the text is in `json` */
    ctie_str path_text;
    ext_texts lists[LISTS];
    ctie_rules_options options;
} document;

static int read_json(PyObject *json, Py_buffer *out) {
    if (!PyUnicode_Check(json)) {
        return PyObject_GetBuffer(json, out, PyBUF_SIMPLE);
    }
    ctie_str text;
    return ext_text(json, "the document", &text) < 0
               ? -1
               : PyBuffer_FillInfo(out, json, (void *)text.data, (Py_ssize_t)text.size, 1, PyBUF_SIMPLE);
}

static void document_clear(document *self) {
    PyBuffer_Release(&self->json);
    for (int i = 0; i < LISTS; i++) {
        ext_texts_clear(&self->lists[i]);
    }
}

static int read_options(document *self, PyObject *platform, PyObject *const *lists) {
    self->options.size = sizeof(ctie_rules_options);
    if (ext_text(platform, "platform", &self->options.platform) < 0) {
        return -1;
    }
    for (int i = 0; i < LISTS; i++) {
        if (lists[i] != NULL && ext_texts_read(lists[i], list_names[i], &self->lists[i]) < 0) {
            return -1;
        }
    }
    self->options.public_schemes = self->lists[PUBLIC_SCHEMES].list;
    self->options.private_schemes = self->lists[PRIVATE_SCHEMES].list;
    self->options.route_hosts = self->lists[ROUTE_HOSTS].list;
    self->options.web_hosts = self->lists[WEB_HOSTS].list;
    return 0;
}

/** (json, path, *, platform, the four lists, rollback); one of the first two is None. */
static int document_read(document *self, ext_state *state, PyObject *args, PyObject *keywords) {
    static char *names[] = {"",            "",          "platform", "public_schemes", "private_schemes",
                            "route_hosts", "web_hosts", "rollback", NULL};
    int rollback = 0;
    PyObject *json, *path, *platform = state->empty, *lists[LISTS] = {NULL};
    memset(self, 0, sizeof(*self));
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|$OOOOOp", names, &json, &path, &platform, &lists[0], &lists[1],
                                     &lists[2], &lists[3], &rollback)) {
        return -1;
    }
    self->options.flags = rollback ? CTIE_RULES_ROLLBACK : 0;
    self->path = path == Py_None ? NULL : path;
    if ((self->path == NULL && read_json(json, &self->json) < 0) ||
        (self->path != NULL && ext_text(self->path, "path", &self->path_text) < 0) ||
        read_options(self, platform, lists) < 0) {
        document_clear(self);
        return -1;
    }
    return 0;
}

static ctie_str json_of(const document *self) {
    return (ctie_str){self->json.buf, (size_t)self->json.len};
}

PyObject *ext_rules_load(PyObject *bus, PyObject *args, PyObject *keywords) {
    ext_owner *owner = (ext_owner *)bus;
    document source;
    if (document_read(&source, owner->state, args, keywords) < 0) {
        return NULL;
    }
    ctie_bus *handle = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = source.path == NULL ? ctie_rules_load(handle, json_of(&source), &source.options, &error)
                                 : ctie_rules_load_file(handle, source.path_text, &source.options, &error);
    Py_END_ALLOW_THREADS
    document_clear(&source);
    return ext_done(owner->state, status, error);
}

PyObject *ext_rules_convert(PyObject *module, PyObject *args, PyObject *keywords) {
    ext_state *state = ext_state_of(module);
    document source;
    if (document_read(&source, state, args, keywords) < 0) {
        return NULL;
    }
    ctie_value *text = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = source.path == NULL ? ctie_rules_convert(json_of(&source), &source.options, &text, &error)
                                 : ctie_rules_convert_file(source.path_text, &source.options, &text, &error);
    Py_END_ALLOW_THREADS
    document_clear(&source);
    return ext_value_result(state, status, text, error);
}

PyObject *ext_rules_unload(PyObject *bus, PyObject *Py_UNUSED(unused)) {
    ext_owner *owner = (ext_owner *)bus;
    ctie_bus *handle = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_rules_unload(handle, &error);
    Py_END_ALLOW_THREADS
    return ext_done(owner->state, status, error);
}

PyObject *ext_rules_document(PyObject *bus, PyObject *Py_UNUSED(unused)) {
    ext_owner *owner = (ext_owner *)bus;
    ctie_value *value = NULL;
    ctie_status status = ctie_rules_document(owner->handle, &value);
    if (status == CTIE_E_NOT_FOUND) {
        Py_RETURN_NONE;
    }
    return ext_value_result(owner->state, status, value, NULL);
}

PyObject *ext_generate_for_rule(PyObject *object, PyObject *args) {
    ext_owner *self = (ext_owner *)object;
    PyObject *name_object, *params_object;
    int is_web, is_private, is_by_target;
    ctie_str name;
    if (!PyArg_ParseTuple(args, "OOppp:_generate_for_rule", &name_object, &params_object, &is_web, &is_private,
                          &is_by_target) ||
        ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    ctie_value *params = ext_value_plain(self->state, params_object);
    if (params == NULL) {
        return NULL;
    }
    uint32_t flags = (is_web ? CTIE_RULES_WEB : 0u) | (is_private ? CTIE_RULES_PRIVATE : 0u) |
                     (is_by_target ? CTIE_RULES_BY_TARGET : 0u);
    ctie_value *url = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_rules_generate(self->handle, name, params, flags, &url, &error);
    ctie_value_release(params);
    return ext_value_result(self->state, status, url, error);
}
