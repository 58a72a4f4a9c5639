/* Outcomes of messages that need more than one message to the server: dead letters, and what goes with them. A thread of
   the engine, which begins with the first of them, does them in their order. */
#ifndef DEEDS_H
#define DEEDS_H

#include "parts.h"

typedef enum {
    DEED_CHECK,    /* delivered, and perhaps a dead letter already: to be handed out, or not */
    DEED_REJECT,   /* rejected by a listener */
    DEED_LEAVE,    /* its listener was removed */
    DEED_RETURN,   /* no listener has seen it */
    DEED_FINISH,   /* acknowledged: of a dead letter that was retried */
    DEED_COMPLETE, /* a letter that another member has left dying */
} deed_kind;

typedef struct deed {
    struct deed *next;
    deed_kind kind;
    binding *of;               /* retained */
    uint64_t claim;            /* 0: it is not in hand, and `reply` is its reply subject */
    uint64_t in_stream, again_at;
    uint32_t count;            /* of deliveries */
    char life[SUFFIX_MOST];    /* the suffix of the consumer that counts them; "-": it has none */
    int64_t delay_ns;          /* negative: as declared */
    char *reply, *reason;      /* owned; may be NULL */
} deed;

/* --- deeds.c: the thread --- */

deeds *deeds_new(void); /* NULL without memory */
/* With the lock of the binding. A copy of the texts is made. False: the message comes again. */
bool deed_add(const deed *what);
/* Ends the thread. Other members do the rest. */
void deeds_end(bindings *all);
void deeds_free(deeds *it);

/* --- deed.c: one of them --- */

/* Does it; CTIE_OK if there is nothing left to do. CTIE_PENDING: another member was faster, it is to be done again. */
ctie_status deed_do(const deed *what, int64_t deadline);
/* deed_end.c: it cannot be done, and the message comes again later. */
void deed_give_up(const deed *what, ctie_status status);

#endif
