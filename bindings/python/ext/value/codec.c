/*
 * JSON and MessagePack: the module's functions over Crosstie's readers and writers.
 */
#include "value.h"
#include "../base/text.h"

PyObject *ext_to_json(PyObject *module, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "pretty", NULL};
    ext_state *state = ext_state_of(module);
    PyObject *object;
    int pretty = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$p:to_json", names, &object, &pretty)) {
        return NULL;
    }
    ctie_value *value = ext_value_plain(state, object);
    if (value == NULL) {
        return NULL;
    }
    ctie_value *text = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_value_to_json(value, pretty ? CTIE_JSON_PRETTY : 0, &text, &error);
    ctie_value_release(value);
    return ext_value_result(state, status, text, error);
}

PyObject *ext_to_msgpack(PyObject *module, PyObject *object) {
    ext_state *state = ext_state_of(module);
    ctie_value *value = ext_value_plain(state, object);
    if (value == NULL) {
        return NULL;
    }
    ctie_value *message = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_value_to_msgpack(value, &message, &error);
    ctie_value_release(value);
    return ext_value_result(state, status, message, error);
}

typedef ctie_status (*reader)(ctie_str text, ctie_value **out, ctie_error **error);

static PyObject *read_with(reader read, ext_state *state, ctie_str text) {
    ctie_value *value = NULL;
    ctie_error *error = NULL;
    ctie_status status = read(text, &value, &error);
    return ext_value_result(state, status, value, error);
}

static PyObject *read_buffer(reader read, ext_state *state, PyObject *object) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    PyObject *result = read_with(read, state, (ctie_str){buffer.buf, (size_t)buffer.len});
    PyBuffer_Release(&buffer);
    return result;
}

PyObject *ext_from_json(PyObject *module, PyObject *object) {
    ext_state *state = ext_state_of(module);
    if (!PyUnicode_Check(object)) {
        return read_buffer(ctie_value_from_json, state, object);
    }
    ctie_str text;
    return ext_text(object, "text", &text) < 0 ? NULL : read_with(ctie_value_from_json, state, text);
}

PyObject *ext_from_msgpack(PyObject *module, PyObject *object) {
    return read_buffer(ctie_value_from_msgpack, ext_state_of(module), object);
}
