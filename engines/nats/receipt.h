/* The server's answer to a message that it was to store. */
#ifndef RECEIPT_H
#define RECEIPT_H

#include "engine.h"

typedef struct receipt {
    uint64_t in_stream; /* its number */
    bool is_duplicate;  /* one with its token was stored before */
} receipt;

/* CTIE_OK; the status of the server's error; CTIE_E_UNCERTAIN if another than the group's stream has answered. */
ctie_status receipt_read(engine *it, natsMsg *answer, receipt *out);

#endif
