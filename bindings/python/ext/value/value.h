/*
 * Values: Python objects as Crosstie's values, and back.
 */
#ifndef CROSSTIE_EXT_VALUE_H
#define CROSSTIE_EXT_VALUE_H

#include "../base/state.h"

/* ---- Any object (value.c, plain.c) ---------------------------------------------------------------- */

/** Registers Python objects as foreign values. Called when the module is made. */
int ext_value_start(PyObject *module, ext_state *state);
/** A value that carries an object unchanged; None, booleans and integers become values of their kinds. */
ctie_value *ext_value_carrying(PyObject *object);
/** Releases a value that may carry a Python object, quicker than ctie_value_release(). The value may be NULL. */
void ext_value_release(ctie_value *value);
/** A value with the content of an object, without any object in it. */
ctie_value *ext_value_plain(ext_state *state, PyObject *object);
/** The object of a value. An object of another host becomes its content, or a crosstie.Foreign. */
PyObject *ext_value_object(ext_state *state, const ctie_value *value);
/** The object of a value that a function of Crosstie gave, or an exception for its status. Consumes value and error. */
PyObject *ext_value_result(ext_state *state, ctie_status status, ctie_value *value, ctie_error *error);
/**
 * The Python object that a foreign value carries, borrowed; it may be a _Keywords. NULL, without an exception, if the
 * value carries none.
 */
PyObject *ext_value_carried(const ctie_value *value);

/* ---- Parameters (params.c, keywords.c) ------------------------------------------------------------ */

/** The parameters of a request: NULL for None, a dict as itself, another mapping copied into a dict. */
int ext_params_read(ext_state *state, PyObject *object, ctie_value **out);

#define EXT_MAX_KEYWORDS 16

/** The parameters of a call with keywords: a _Keywords, or a dict if there are more than EXT_MAX_KEYWORDS. */
PyObject *ext_keywords_new(ext_state *state, PyObject *names, PyObject *const *objects);
/** The object as a program sees it, a new reference: a dict in place of a _Keywords. */
PyObject *ext_keywords_shown(const ext_state *state, PyObject *object);
Py_ssize_t ext_keywords_count(PyObject *keywords);
/** The object of a name, borrowed; NULL, without an exception, if there is none. */
PyObject *ext_keywords_find(PyObject *keywords, PyObject *name);

/* ---- Objects of other languages (foreign.c) ------------------------------------------------------- */

/** A crosstie.Foreign around a value. */
PyObject *ext_foreign_new(ext_state *state, const ctie_value *value);
/** The value in a crosstie.Foreign; NULL, without an exception, for any other object. */
ctie_value *ext_foreign_value(ext_state *state, PyObject *object);

/* ---- Open files (descriptor.c) -------------------------------------------------------------------- */

/** A crosstie.Descriptor of a value. */
PyObject *ext_descriptor_new(ext_state *state, const ctie_value *value);
/** The value of a crosstie.Descriptor; NULL, without an exception, for a closed one and any other object. */
ctie_value *ext_descriptor_value(ext_state *state, PyObject *object);

/* ---- Exceptions as failures (failure.c) ----------------------------------------------------------- */

/** The failure that Crosstie makes of an exception; `bytes` keeps the message and is the reader's to release. */
typedef struct ext_failure {
    int32_t code;
    ctie_value *value;
    ctie_str message;
    PyObject *bytes; /**< may be NULL */
} ext_failure;

void ext_failure_read(ext_state *state, PyObject *exception, ext_failure *out);
/** Ends a request with an exception. Returns the status of ctie_request_fail(). */
ctie_status ext_fail_with(ext_state *state, ctie_request *request, PyObject *exception);

/* ---- Functions of the module (codec.c) ------------------------------------------------------------ */

PyObject *ext_to_json(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *ext_from_json(PyObject *module, PyObject *text);
PyObject *ext_to_msgpack(PyObject *module, PyObject *value);
PyObject *ext_from_msgpack(PyObject *module, PyObject *message);

extern PyType_Spec ext_descriptor_spec;
extern PyType_Spec ext_foreign_spec;
extern PyType_Spec ext_keywords_spec;

#endif
