/*
 * Texts (text.c) and numbers (number.c) between Python and Crosstie.
 */
#ifndef CROSSTIE_EXT_TEXT_H
#define CROSSTIE_EXT_TEXT_H

#include "state.h"

static inline PyObject *ext_text_object(ctie_str text) {
    return PyUnicode_DecodeUTF8(text.data == NULL ? "" : text.data, (Py_ssize_t)text.size, NULL);
}
/** Reads the UTF-8 of a str, which lives as long as the str does. Raises a crosstie.Error for a lone surrogate. */
int ext_text(PyObject *object, const char *what, ctie_str *out);
/**
 * The same for a caller with its own answer to a lone surrogate, as os.fsdecode() makes of bytes that are not UTF-8.
 * Returns 1, without an exception, and the surrogate's position.
 */
int ext_utf8(PyObject *text, ctie_str *out, size_t *byte);

/** A sequence of str as a list of texts. */
typedef struct ext_texts {
    ctie_str_list list;
    ctie_str *items;
    PyObject *sequence; /**< keeps the texts */
} ext_texts;

int ext_texts_read(PyObject *object, const char *what, ext_texts *out);
/** Callable on a list whose fields are all zero. */
void ext_texts_clear(ext_texts *texts);

/* ---- Numbers of options: ValueError or TypeError names the option `what`; for NULL `out` stays ------ */

int ext_uint64(PyObject *object, const char *what, uint64_t most, uint64_t *out);
int ext_uint32(PyObject *object, const char *what, uint32_t *out);
int ext_int32(PyObject *object, const char *what, int32_t *out);
/** Milliseconds, rounded up; -1 for None. */
int ext_milliseconds(PyObject *seconds, const char *what, int64_t *out);
/** Nanoseconds since 1970 of seconds or a datetime, 1 at least; 0 for None. */
int ext_moment(PyObject *object, const char *what, int64_t *out);
/**
 * The same for the time of a first message, minus a microsecond: floats and datetimes are not exact, and the time that a
 * message shows must include that message.
 */
int ext_start(PyObject *object, const char *what, int64_t *out);

#endif
