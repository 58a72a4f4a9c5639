/* Swift imports nothing of Python.h: its feature macros and those of other C modules exclude each other. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "interpreter.h"

static PyThreadState *saved;

bool interpreter_import(const char *module) {
    Py_InitializeEx(0);
    PyObject *imported = PyImport_ImportModule(module);
    if (imported == NULL) PyErr_Print();
    bool is_there = imported != NULL;
    Py_XDECREF(imported);
    saved = PyEval_SaveThread();
    return is_there;
}

bool interpreter_end(void) {
    PyEval_RestoreThread(saved);
    return Py_FinalizeEx() == 0;
}
