/* A message that comes, and may be a dead letter already. */
#include "work.h"

#include <string.h>

static const char PROCESS_ENDED[] = "its process ended";

/* The consumer passes the letter's message: a moved one for the first time. Of a letter that is processed again, another
   version would be delivered once more, so that the message waits for its outcome. */
static ctie_status pass(const work *it, letter *found) {
    enum { AGAIN_MS = 1000 };
    ctie_status status = CTIE_OK;
    bool is_first = strcmp(found->passed, it->record.suffix) != 0;
    if (found->state == LETTER_AGAIN && is_first) { return work_end(it->what, END_AGAIN, AGAIN_MS * NS_PER_MS); }
    if (found->state == LETTER_DYING) { return work_die_of(it, found->deliveries, NULL); }
    if (found->state == LETTER_DONE) { status = letter_remove(it->it, found->at, it->deadline); }
    if (found->state == LETTER_DEAD && is_first) {
        strcpy(found->passed, it->record.suffix);
        status = letter_write(it->it, found, found->message, it->deadline);
    }
    if (status == CTIE_E_CONFLICT) { return CTIE_PENDING; }
    return status == CTIE_OK ? work_end(it->what, END_DONE, 0) : status;
}

static ctie_status judge(const work *it, natsMsg *message) {
    uint32_t most = it->record.options.max_deliveries, deliveries = it->what->count;
    if (most > 0 && deliveries > most) {
        ctie_status status = work_count(it, &deliveries);
        bool is_dead = status == CTIE_OK && deliveries > most;
        if (status != CTIE_OK || is_dead) { natsMsg_Destroy(message); }
        if (status != CTIE_OK) { return status; }
        if (is_dead) { return work_die_of(it, deliveries - 1, PROCESS_ENDED); }
    }
    return work_hand_out(it, message, deliveries);
}

/* A letter that was retried, and has had all of its deliveries. */
static ctie_status check_again(const work *it) {
    natsMsg *message = NULL;
    ctie_status status = fetch(it->it, it->it->names.durable, it->what->again_at, it->deadline, &message);
    if (status == CTIE_E_NOT_FOUND) { return work_end(it->what, END_DONE, 0); } /* another version, or destroyed */
    return status == CTIE_OK ? judge(it, message) : status;
}

ctie_status work_check(const work *it) {
    natsMsg *message = NULL;
    letter found = {0};
    int32_t kind;
    ctie_str identifier;
    const deed *what = it->what;
    if (what->again_at != 0) { return check_again(it); }
    ctie_status status = fetch(it->it, it->it->names.stream, what->in_stream, it->deadline, &message);
    if (status == CTIE_E_NOT_FOUND) { return work_end(what, END_DONE, 0); } /* destroyed meanwhile, or removed by a limit */
    if (status != CTIE_OK) { return status; }
    if (names_read(&it->it->names, message_subject(message), &kind, &identifier)) {
        status = letter_find(it->it, it->key.base, what->in_stream, identifier, it->deadline, &found);
    }
    if (status == CTIE_OK && found.state == LETTER_NONE) { return judge(it, message); }
    if (status == CTIE_OK) { status = pass(it, &found); }
    letter_clear(&found);
    natsMsg_Destroy(message);
    return status;
}
