/*
 * The module's state, and the pools of freed objects.
 */
#include "state.h"

ext_state *ext_state_current;

/** The definition of the module, by which a subclass of one of its types finds the module. */
static PyModuleDef *module_definition;

void ext_state_start(PyModuleDef *definition) {
    module_definition = definition;
}

ext_state *ext_state_of(PyObject *module) {
    return PyModule_GetState(module);
}

ext_state *ext_state_of_type(PyTypeObject *type) {
    PyObject *module = PyType_GetModuleByDef(type, module_definition);
    return module == NULL ? NULL : PyModule_GetState(module);
}

/* ---- Pools ---------------------------------------------------------------------------------------- */

PyObject *ext_pool_take(ext_pool *pool, PyTypeObject *type) {
    if (pool->count > 0) {
        return PyObject_Init(pool->objects[--pool->count], type);
    }
    return PyType_IS_GC(type) ? (PyObject *)_PyObject_GC_New(type) : _PyObject_New(type);
}

static void free_object(PyObject *object, bool is_gc) {
    if (is_gc) {
        PyObject_GC_Del(object);
    } else {
        PyObject_Free(object);
    }
}

void ext_pool_give(ext_pool *pool, PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if (pool->count < EXT_POOL_SIZE) {
        pool->objects[pool->count++] = object;
    } else {
        free_object(object, PyType_IS_GC(type));
    }
    Py_DECREF(type);
}

void ext_pool_clear(ext_pool *pool, bool is_gc) {
    while (pool->count > 0) {
        free_object(pool->objects[--pool->count], is_gc);
    }
}
