/* Durable consumers and their messages in hand. The lock is held for every function. */
#ifndef DURABLE_H
#define DURABLE_H

#include "directory.h"

enum { CLAIMS_MOST = 1024 };

/* A message that was handed out and is not acknowledged. */
typedef struct claim {
    uint64_t number;          /* the message's */
    uint64_t claim;           /* the member's own number for this delivery */
    uint64_t member, binding; /* they have it in hand; member 0: it is in no hand, and is to be delivered again */
    int64_t due;              /* the earliest time of that, as of now_ns(): it must hold after a restart */
    uint32_t count;           /* of its deliveries */
    uint32_t reserved;
} claim;

/* A durable consumer, as its file has it. */
typedef struct durable {
    char topic[ID_MOST], name[ID_MOST];
    uint64_t position;             /* every message up to it has been handed out */
    uint64_t missed, missed_up_to; /* messages that were destroyed or have expired before that */
    uint32_t claim_count, reserved;
    claim claims[CLAIMS_MOST];
} durable;

/* The name of a durable consumer's file. CTIE_E_NOT_FOUND if there is none, and another error if that is not sure. */
ctie_status durable_find(const directory *it, const char *topic, const char *name, char file[NUMBER_MOST]);
ctie_status durable_load(const directory *it, const char *file, durable *out);
ctie_status durable_save(const directory *it, const char *file, const durable *from);

/* The claim that is to be delivered again now, of the oldest message; CLAIMS_MOST if there is none. */
uint32_t durable_due(const durable *in);
/* When the next one is; INT64_MAX for never. */
int64_t durable_next_due(const durable *in);
void durable_remove_claim(durable *from, uint32_t index);
/* Notes the outcome of a message. */
void durable_answer(durable *of, uint64_t member, const ctie_engine_answer *answer);
/* A binding has ended: no listener has seen what it has in hand. Says whether there was any. */
bool durable_end_binding(durable *of, uint64_t member, uint64_t binding);
/* Takes the messages in hand from members that are dead. Says whether there were any. */
bool durable_bury(const directory *it, durable *in, uint64_t own);

#endif
