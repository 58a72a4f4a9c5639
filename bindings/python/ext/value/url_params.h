/*
 * The parameters of a URL as a mapping (url_params.c).
 */
#ifndef CROSSTIE_EXT_URL_PARAMS_H
#define CROSSTIE_EXT_URL_PARAMS_H

#include "../base/state.h"

/** The Params of a request. */
PyObject *ext_url_params_read(ext_state *state, ctie_request *request);
/** Whether it is that of a request, and no program has read it as a whole. */
bool ext_url_params_are_unread(PyObject *params);
/** The map of such a Params, a new reference; NULL without memory. */
ctie_value *ext_url_params_value(PyObject *params);
/** The mapping of a Params. */
PyObject *ext_url_params_values(PyObject *params);

extern PyType_Spec ext_url_params_spec;

#endif
