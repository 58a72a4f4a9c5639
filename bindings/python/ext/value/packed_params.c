/*
 * The parameters of a request in one block. Their texts are copied, since they live no longer than the request, and become
 * objects when a program reads them: most handlers read each once, and some of them never.
 */
#include "packed_params.h"
#include "value.h"
#include "../base/error.h"
#include "../base/text.h"

/* ---- Reading -------------------------------------------------------------------------------------- */

#define MOST_PARAMS 16
#define MOST_BYTES 512

/** The parameters while they are visited, without memory of their own. */
typedef struct reading {
    size_t count, size; /**< of parameters; of their bytes */
    bool is_beyond;     /**< they do not fit */
    ext_packed_param params[MOST_PARAMS];
    char bytes[MOST_BYTES];
} reading;

static void add_text(reading *self, ctie_str text) {
    if (text.size > 0) {
        memcpy(self->bytes + self->size, text.data, text.size);
        self->size += text.size;
    }
}

static bool add_param(ctie_str name, ctie_str text, const ctie_value *value, void *user_data) {
    reading *self = user_data;
    size_t room = MOST_BYTES - self->size;
    if (self->count == MOST_PARAMS || name.size > room || text.size > room - name.size) {
        self->is_beyond = true;
        return false;
    }
    self->params[self->count++] = (ext_packed_param){
        value == NULL ? NULL : ctie_value_retain(value), (uint32_t)name.size, (uint32_t)text.size, (uint32_t)self->size};
    add_text(self, name);
    add_text(self, text);
    return true;
}

static void release_values(const ext_packed_param *params, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (params[i].value != NULL) {
            ext_value_release(params[i].value);
        }
    }
}

/** The block of what has been visited, which takes the values. */
static ext_packed *pack(const reading *self) {
    size_t params_size = self->count * sizeof(ext_packed_param);
    ext_packed *packed = PyMem_Malloc(sizeof(ext_packed) + params_size + self->size);
    if (packed == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    packed->count = self->count;
    memcpy(packed->params, self->params, params_size);
    memcpy((char *)packed->params + params_size, self->bytes, self->size);
    return packed;
}

int ext_packed_read(ext_state *state, ctie_request *request, ext_packed **out) {
    reading reading;
    reading.count = reading.size = 0;
    reading.is_beyond = false;
    ctie_status status = ctie_request_each_param(request, add_param, &reading);
    if (status != CTIE_OK) {
        ext_raise(state, status, NULL);
    }
    *out = status != CTIE_OK || reading.is_beyond ? NULL : pack(&reading);
    if (*out == NULL) {
        release_values(reading.params, reading.count);
    }
    return *out != NULL || (status == CTIE_OK && reading.is_beyond) ? 0 : -1;
}

void ext_packed_free(ext_packed *packed) {
    if (packed != NULL) {
        release_values(packed->params, packed->count);
        PyMem_Free(packed);
    }
}

/* ---- Use ------------------------------------------------------------------------------------------ */

static ctie_str name_of(const ext_packed *packed, const ext_packed_param *param) {
    return (ctie_str){(const char *)(packed->params + packed->count) + param->offset, param->name_size};
}

static ctie_str text_of(const ext_packed *packed, const ext_packed_param *param) {
    ctie_str name = name_of(packed, param);
    return (ctie_str){name.data + name.size, param->text_size};
}

const ext_packed_param *ext_packed_find(const ext_packed *packed, ctie_str name) {
    for (size_t i = 0; i < packed->count; i++) {
        ctie_str other = name_of(packed, &packed->params[i]);
        if (other.size == name.size && memcmp(other.data, name.data, name.size) == 0) {
            return &packed->params[i];
        }
    }
    return NULL;
}

PyObject *ext_packed_object(ext_state *state, const ext_packed *packed, const ext_packed_param *param) {
    return param->value == NULL ? ext_text_object(text_of(packed, param)) : ext_value_object(state, param->value);
}

PyObject *ext_packed_dict(ext_state *state, const ext_packed *packed) {
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < packed->count; i++) {
        PyObject *name = ext_text_object(name_of(packed, &packed->params[i]));
        PyObject *object = name == NULL ? NULL : ext_packed_object(state, packed, &packed->params[i]);
        if (object == NULL || PyDict_SetItem(dict, name, object) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(name);
        Py_XDECREF(object);
    }
    return dict;
}

ctie_value *ext_packed_map(const ext_packed *packed) {
    ctie_pair pairs[MOST_PARAMS];
    for (size_t i = 0; i < packed->count; i++) {
        const ext_packed_param *param = &packed->params[i];
        pairs[i].key = name_of(packed, param);
        pairs[i].value = param->value == NULL ? ctie_value_string(text_of(packed, param)) : ctie_value_retain(param->value);
    }
    return ctie_value_map(pairs, packed->count); /* takes them, also where one is missing for want of memory */
}
