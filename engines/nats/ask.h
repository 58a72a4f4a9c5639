/* Requests, for the files that have to know more about them. */
#ifndef ASK_H
#define ASK_H

#include "engine.h"
#include "waiters.h"

/* As ask(); says whether CTIE_E_UNAVAILABLE means that nobody answers on that subject. */
ctie_status ask_somebody(engine *it, natsMsg *request, int64_t deadline, natsMsg **answer, bool *is_nobody);

/* A request that is made with the subject for its answer. */
typedef struct asked {
    uint64_t number;
    char reply[REPLY_MOST];
} asked;

void ask_begin(engine *it, asked *out);
/* As ask_somebody(), but CTIE_E_UNAVAILABLE also if the request could not be sent at once. */
ctie_status ask_once(engine *it, const asked *one, natsMsg *request, int64_t deadline, natsMsg **answer, bool *is_nobody);

#endif
