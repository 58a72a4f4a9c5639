/* Versions of dead letters as they come by the second consumer: those that were retried are handed out. All functions are
   called with the binding's lock. */
#include "claims.h"

#include <string.h>

enum { DYING_MS = 3000 }; /* the longest time that a letter is dying while its member lives */

bool again_is_of(const binding *it, const place *at) {
    return it->again.consumer[0] != 0 && strcmp(at->consumer, it->again.consumer) == 0;
}

bool again_subject(const binding *it, natsMsg *message, char out[SUBJECT_MOST]) {
    letter read;
    if (!letter_read(&it->engine->names, message, 0, &read)) { return false; }
    letter_subject(&it->engine->names, &read, out);
    return true;
}

/* One that another member has not finished: it is alive, or this one has to go on. */
static void take_dying(binding *it, const char *reply, const place *at, const claim *what) {
    claim *mine = at->deliveries > 1 ? claim_new(it, reply, what) : NULL;
    if (mine == NULL) {
        negate(it, reply, DYING_MS * NS_PER_MS);
    } else {
        claim_resolve(it, mine, DEED_COMPLETE, NULL);
    }
}

/* One that was retried; true: it keeps the message. A deed finds out whether all of its deliveries count. */
static bool take_retried(binding *it, const char *reply, natsMsg *message, claim *fresh) {
    uint32_t most = it->record.options.max_deliveries;
    bool is_doubtful = most > 0 && fresh->count > most;
    if (!is_doubtful) { fresh->waiting = message; }
    claim *mine = claim_new(it, reply, fresh);
    fresh->waiting = NULL;
    if (mine == NULL) {
        claim_return(it, reply, fresh);
    } else if (is_doubtful) {
        claim_resolve(it, mine, DEED_CHECK, NULL);
    }
    return mine != NULL && !is_doubtful;
}

static bool take(binding *it, natsMsg *message, const place *at) {
    const char *reply = natsMsg_GetReply(message);
    letter read;
    bool is_read = letter_read(&it->engine->names, message, at->in_stream, &read);
    uint64_t count = at->deliveries < UINT32_MAX - read.deliveries ? read.deliveries + at->deliveries : UINT32_MAX;
    claim fresh = {.in_stream = read.in_stream, .again_at = at->in_stream, .count = (uint32_t)count};
    if (is_read && read.state == LETTER_DYING) {
        take_dying(it, reply, at, &fresh);
        return false;
    }
    if (is_read && read.state == LETTER_AGAIN) { return take_retried(it, reply, message, &fresh); }
    order_send(it->of, reply, NULL, "+ACK", 4);
    return false;
}

bool again_take(binding *it, natsMsg *message, const place *at) {
    again_came(it);
    bool is_over = it->phase == IS_FORGOTTEN || it->is_lost;
    const char *reply = natsMsg_GetReply(message);
    if (is_over || claim_is_known(it, reply, at, at->in_stream)) { return false; }
    return take(it, message, at);
}
