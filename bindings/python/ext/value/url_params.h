/*
 * The parameters of a URL as a mapping (url_params.c).
 */
#ifndef CROSSTIE_EXT_URL_PARAMS_H
#define CROSSTIE_EXT_URL_PARAMS_H

#include "../base/state.h"

/** A Params of a map of the library's. Consumes the map. */
PyObject *ext_url_params_new(ext_state *state, ctie_value *map);
/** The map of a Params that no program has read as a whole, a new reference; NULL, without an exception, of any other. */
ctie_value *ext_url_params_value(PyObject *params);
/** The mapping of a Params. */
PyObject *ext_url_params_values(PyObject *params);

extern PyType_Spec ext_url_params_spec;

#endif
