/*
 * The log of buses and wormholes, which goes to the `logging` module.
 */
#include "owner.h"
#include "error.h"

/** The level of the `logging` module for a level of Crosstie. */
static int logging_level(int32_t level) {
    static const int levels[] = {10, 20, 30, 40};
    return level >= CTIE_LOG_DEBUG && level <= CTIE_LOG_ERROR ? levels[level] : 40;
}

void ext_log_line(int32_t level, ctie_str message, void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return;
    }
    PyObject *text = PyUnicode_DecodeUTF8(message.data, (Py_ssize_t)message.size, "replace");
    PyObject *result = text == NULL ? NULL : PyObject_CallFunction(user_data, "isO", logging_level(level), "%s", text);
    if (result == NULL) {
        ext_unraisable(user_data);
    }
    Py_XDECREF(text);
    Py_XDECREF(result);
    ext_gil_leave(&gil);
}

void ext_log_drop(void *user_data) {
    EXT_GIL(gil);
    if (ext_gil_enter(&gil)) {
        Py_DECREF((PyObject *)user_data);
        ext_gil_leave(&gil);
    }
}
