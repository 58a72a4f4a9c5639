#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "interpreter.h"

void interpreter_start(void) {
    Py_InitializeEx(0);
}

bool interpreter_run(const char *lines) {
    return PyRun_SimpleString(lines) == 0;
}

bool interpreter_end(void) {
    return Py_FinalizeEx() == 0;
}
