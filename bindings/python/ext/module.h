/*
 * The parts of the module that are neither types nor their methods.
 */
#ifndef CROSSTIE_EXT_MODULE_H
#define CROSSTIE_EXT_MODULE_H

#include "base/state.h"

/** Adds the identifiers of the headers (names.c), and their numbers (constants.c). */
int ext_names_add(PyObject *module);
int ext_constants_add(PyObject *module);

#endif
