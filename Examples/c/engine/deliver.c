/* Deliveries to a binding: stored values, new messages, and those of durable consumers. */
#define _GNU_SOURCE
#include "parts.h"

#include <stdio.h>

/* ---- Delivering --------------------------------------------------------------------------------- */

/* [deliver] */
/* Each message takes one of the binding's credit; the library gives some of it back at once. */
static void hand_over(engine *it, binding *to, const ctie_engine_message *message) {
    uint32_t returned = 0;
    it->host->deliver(it->host->context, to->number, message, 1, &returned);
    to->credit += returned - 1;
}
/* [end] */

static void hand_over_notice(engine *it, binding *to, int32_t kind, const char *id, uint64_t number, uint64_t missed) {
    ctie_engine_message message;
    memset(&message, 0, sizeof message);
    message.size = sizeof message, message.kind = kind, message.identifier = ctie_str_from(id);
    message.sequence = number, message.missed = missed;
    message.flags = kind == CTIE_MESSAGE_NONE ? CTIE_ENGINE_STORED : 0;
    hand_over(it, to, &message);
}

typedef struct show {
    engine *it;
    binding *to;
} show;

/* The stored values are those up to the binding's position; newer ones follow as messages. */
static bool show_current(const char *id, void *context) {
    show *with = (show *)context;
    binding *to = with->to;
    stored found;
    if (to->credit == 0) return false;
    if (!topic_covers(to->topic, ctie_str_from(id)) || (to->has_shown && strcmp(id, to->shown) <= 0)) return true;
    if (message_read(&with->it->files, "current", id, &found) != CTIE_OK) return true;
    if (found.message.sequence <= to->position && !has_expired(&found)) {
        found.message.flags = CTIE_ENGINE_STORED;
        hand_over(with->it, to, &found.message);
        snprintf(to->shown, sizeof to->shown, "%s", id);
        to->has_shown = true;
    }
    message_free(&found);
    return true;
}

void deliver_stored(engine *it, binding *to) {
    show with = {it, to};
    if (directory_list(&it->files, "current", show_current, &with) != CTIE_OK || to->credit == 0) return;
    bool is_prefix = to->topic[strlen(to->topic) - 1] == '*';
    if (!to->has_shown && !is_prefix) hand_over_notice(it, to, CTIE_MESSAGE_NONE, to->topic, 0, 0);
    to->is_initial = false;
}

/* A message as a binding sees it. */
typedef enum { IS_THERE, IS_OF_OTHERS, IS_MISSED, CANNOT_BE_READ } sight;

/* After IS_THERE, message_free(). */
static sight look_at(const engine *it, const char *topic, uint64_t number, stored *out) {
    ctie_status status = message_at(&it->files, number, out);
    if (status == CTIE_E_NOT_FOUND || status == CTIE_E_CORRUPT) return IS_MISSED;
    if (status != CTIE_OK) return CANNOT_BE_READ; /* now, as without memory: it is not lost */
    bool is_covered = topic_covers(topic, out->message.identifier);
    if (is_covered && !out->is_destroyed && !has_expired(out)) return IS_THERE;
    message_free(out);
    return is_covered ? IS_MISSED : IS_OF_OTHERS;
}

static void hand_over_missed(engine *it, binding *to, uint64_t *missed, uint64_t up_to) {
    hand_over_notice(it, to, CTIE_MESSAGE_MISSED, "", up_to, *missed);
    *missed = 0;
}

/* The next message of a state or a queue. Says whether there was one. */
bool deliver_next(engine *it, binding *to, uint64_t last) {
    for (; to->position < last; to->position++) {
        stored found;
        sight seen = look_at(it, to->topic, to->position + 1, &found);
        if (seen == CANNOT_BE_READ) return false;
        if (seen == IS_MISSED && to->delivery == CTIE_ENGINE_QUEUE) to->missed++, to->missed_up_to = to->position + 1;
        if (seen != IS_THERE) continue;
        if (to->missed > 0) {
            hand_over_missed(it, to, &to->missed, to->missed_up_to);
        } else {
            hand_over(it, to, &found.message);
            to->position++;
        }
        message_free(&found);
        return true;
    }
    if (to->missed == 0) return false;
    hand_over_missed(it, to, &to->missed, to->missed_up_to);
    return true;
}

/* ---- Durable consumers ---------------------------------------------------------------------------- */

/* Hands out a message: first its file says who has it, so that it is never lost. False if that cannot be written. */
static bool hand_out(engine *it, binding *to, uint32_t index, stored *found) {
    claim *mine = &it->room.claims[index], before = *mine;
    mine->claim = ++it->last_claim, mine->member = it->member, mine->binding = to->number;
    mine->count++;
    if (durable_save(&it->files, to->file, &it->room) == CTIE_OK) {
        found->message.claim = mine->claim, found->message.delivery_count = mine->count;
        hand_over(it, to, &found->message);
        return true;
    }
    *mine = before;
    mine->due = now_ns() + 1000000000; /* the disk is full, perhaps */
    return false;
}

/* A message that is to be delivered again, if there is one; `is_over` if nothing more can be delivered now. */
static bool deliver_again(engine *it, binding *to, bool *is_over) {
    for (uint32_t index; (index = durable_due(&it->room)) < CLAIMS_MOST;) {
        stored found;
        claim *due = &it->room.claims[index];
        sight seen = look_at(it, to->topic, due->number, &found);
        if (seen == IS_THERE) {
            *is_over = !hand_out(it, to, index, &found);
            message_free(&found);
            return true;
        }
        if (seen == CANNOT_BE_READ) return *is_over = true;
        if (due->count == 0) it->room.missed++;
        if (due->number > it->room.missed_up_to) it->room.missed_up_to = due->number;
        durable_remove_claim(&it->room, index);
    }
    return false;
}

/* The next message of a durable consumer. Says whether there was one. */
static bool deliver_durable(engine *it, binding *to, uint64_t last) {
    durable *of = &it->room;
    bool is_over = false;
    if (deliver_again(it, to, &is_over)) return !is_over;
    for (; of->position < last && of->claim_count < CLAIMS_MOST; of->position++) {
        stored found;
        sight seen = look_at(it, to->topic, of->position + 1, &found);
        if (seen == CANNOT_BE_READ) return false;
        if (seen == IS_MISSED) of->missed++, of->missed_up_to = of->position + 1;
        if (seen != IS_THERE) continue;
        if (of->missed > 0) {
            hand_over_missed(it, to, &of->missed, of->missed_up_to);
        } else {
            of->claims[of->claim_count++] = (claim){++of->position, 0, 0, 0, 0, 0, 0};
            is_over = !hand_out(it, to, of->claim_count - 1, &found);
        }
        message_free(&found);
        return !is_over;
    }
    if (of->missed == 0) return false;
    hand_over_missed(it, to, &of->missed, of->missed_up_to);
    return true;
}

bool deliver_durables(engine *it, binding *to, uint64_t last, bool buries, bool *has_changed) {
    durable *of = &it->room;
    if (to->credit == 0 || durable_load(&it->files, to->file, of) != CTIE_OK) return false; /* it was forgotten, perhaps */
    uint64_t position = of->position;
    uint32_t claims = of->claim_count;
    int count = 0;
    bool has_buried = buries && durable_bury(&it->files, of, it->member);
    while (count < BATCH && to->credit > 0 && deliver_durable(it, to, last)) count++;
    int64_t due = durable_next_due(of), soon = now_ns() + 10000000;
    if (due < soon) due = soon; /* what could not be delivered now */
    if (to->credit > 0 && due < it->next) it->next = due;
    if (count > 0 || has_buried || position != of->position || claims != of->claim_count) {
        durable_save(&it->files, to->file, of);
    }
    *has_changed |= has_buried;
    return count == BATCH;
}
