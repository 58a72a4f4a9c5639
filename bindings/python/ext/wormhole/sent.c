/*
 * crosstie.Sent: the result of sending a message.
 */
#include "wormhole.h"

#include "docstrings.h"

static PyStructSequence_Field sent_fields[] = {
    {"sequence", DOC(Sent, sequence)},
    {"listeners", DOC(Sent, listeners)},
    {NULL, NULL},
};

PyStructSequence_Desc ext_sent_desc = {"crosstie.Sent", DOC_Sent, sent_fields, 2};

PyObject *ext_sent_new(ext_state *state, uint64_t sequence, uint32_t listeners) {
    PyObject *sent = PyStructSequence_New(state->sent_type);
    if (sent == NULL) {
        return NULL;
    }
    PyStructSequence_SetItem(sent, 0, PyLong_FromUnsignedLongLong(sequence));
    PyStructSequence_SetItem(sent, 1, PyLong_FromUnsignedLong(listeners));
    if (PyErr_Occurred()) {
        Py_CLEAR(sent);
    }
    return sent;
}
