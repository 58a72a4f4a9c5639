/*
 * The keyword arguments of send(), signal() and send_many() that say how messages are sent.
 */
#ifndef CROSSTIE_EXT_SEND_OPTIONS_H
#define CROSSTIE_EXT_SEND_OPTIONS_H

#include "../base/owner.h"

/** The options, and the objects that keep their texts. Begin with CTIE_SEND_OPTIONS_INIT and zeros. */
typedef struct ext_send_options {
    ctie_send_options options;
    ctie_header headers[32];
    PyObject *pairs; /**< a list that keeps the headers' texts; may be NULL */
} ext_send_options;

/** Reads a keyword argument. `object` must stay as long as the options are used. */
int ext_send_options_read(ext_state *state, ext_send_options *self, const char *function, PyObject *name,
                          PyObject *object);
/** Releases the objects that keep the texts, also after a failure. */
void ext_send_options_end(ext_send_options *self);

#endif
