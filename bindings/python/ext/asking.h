/*
 * What a Request tells beside its URL (asking.c), and what it takes beside its answer (hooking.c).
 */
#ifndef CROSSTIE_ASKING_H
#define CROSSTIE_ASKING_H

#include "crosstie_ext.h"

PyObject *ext_request_kind(PyObject *request, void *closure);
PyObject *ext_request_target(PyObject *request, void *closure);
PyObject *ext_request_action(PyObject *request, void *closure);
PyObject *ext_request_flags(PyObject *request, void *closure);
PyObject *ext_request_params(PyObject *request, void *closure);
PyObject *ext_request_given(PyObject *request, void *closure);
PyObject *ext_request_is_ended(PyObject *request, void *closure);
PyObject *ext_request_is_cancelled(PyObject *request, void *closure);
PyObject *ext_request_time_left(PyObject *request, void *closure);

PyObject *ext_request_refuse(PyObject *request, PyObject *const *args, Py_ssize_t count);
PyObject *ext_request_progress(PyObject *request, PyObject *value);
PyObject *ext_request_on_cancel(PyObject *request, PyObject *function);
PyObject *ext_request_on_return(PyObject *request, PyObject *function);
PyObject *ext_request_set_params(PyObject *request, PyObject *params);
PyObject *ext_request_set_user_info(PyObject *request, PyObject *user_info);

#endif
