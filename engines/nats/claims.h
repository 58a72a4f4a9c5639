/* Messages of durable consumers in hand. All functions are called with the binding's lock. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "deeds.h"
#include "letter.h"
#include "parts.h"

/* --- claims.c --- */

claim *claim_of(binding *it, uint64_t number); /* NULL if there is none */
/* That of a message; `again_at` is 0 for one of the first consumer, `is_outlived` for one of the consumer before. */
claim *claim_on(binding *it, uint64_t in_stream, uint64_t again_at, bool is_outlived);
/* A claim with the fields of `from`; NULL if there is no room. */
claim *claim_new(binding *it, const char *reply, const claim *from);
void claim_free(binding *it, claim *which);
/* Whether a delivered message is in hand already, or acknowledged; then that is done with it. */
bool claim_is_known(binding *it, const char *reply, const place *at, uint64_t again_at);
/* One of its two consumers. */
consumer_id claim_consumer(const binding *it, bool is_again);
/* Hands a message to the library. */
void claim_deliver(binding *it, claim *mine, ctie_engine_message *message);
/* A message was lost to the listener. */
void claims_miss(binding *it, uint64_t number);
/* The number of a message in hand, in the group. */
uint64_t claim_number(const binding *it, const claim *of);

/* --- deliveries.c --- */

/* Hands out those that wait, as far as there is credit. */
void claims_hand_out(binding *it);

/* --- outcomes.c --- */

/* It is processed. */
void claim_done(binding *it, claim *which);
/* No listener has seen it: others get it. */
void claim_unseen(binding *it, claim *which);
/* The same for a message that is not in hand. */
void claim_return(binding *it, const char *reply, const claim *what);
/* Leaves it to a deed; `answer` may be NULL. */
void claim_resolve(binding *it, claim *which, deed_kind kind, const ctie_engine_answer *answer);
/* The server delivers it again, after a delay. */
void negate(binding *it, const char *reply, int64_t delay_ns);

/* --- again_take.c: dead letters that were retried --- */

bool again_is_of(const binding *it, const place *at);
/* Takes one; true: it keeps the message. */
bool again_take(binding *it, natsMsg *message, const place *at);
/* The subject of a letter's message. */
bool again_subject(const binding *it, natsMsg *message, char out[SUBJECT_MOST]);

/* --- again.c: their consumer --- */

/* A message has come that was asked for. */
void again_came(binding *it);
/* A request has ended; false: it was none of these. */
bool again_ended(binding *it, natsMsg *message);
/* Asks for what the credit allows; gives when to look again. */
int64_t again_more(binding *it, int64_t now);
/* Whether those that are there already have been asked for. */
bool again_is_clear(const binding *it);
void again_forget(binding *it);
/* Not with the lock: makes the second consumer, and names it. */
ctie_status again_make(engine *it, const char *base, int64_t deadline, char out[CONSUMER_NAME_MOST]);
ctie_status again_delete(engine *it, const char *base, int64_t deadline);

#endif
