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

/* Whether a message is there for a topic; else it does not concern the topic, or counts as missed. */
static bool look_at(const engine *it, const char *topic, uint64_t number, stored *out, bool *is_missed) {
    ctie_status status = message_at(&it->files, number, out);
    *is_missed = status != CTIE_OK;
    if (status != CTIE_OK) return false;
    bool is_covered = topic_covers(topic, out->message.identifier);
    bool is_removed = out->is_destroyed || has_expired(out);
    *is_missed = is_covered && is_removed;
    if (is_covered && !is_removed) return true;
    message_free(out);
    return false;
}

/* The next message of a state or a queue. Says whether there was one. */
bool deliver_next(engine *it, binding *to, uint64_t last) {
    stored found;
    bool is_missed = false;
    for (; to->position < last; to->position++) {
        bool is_there = look_at(it, to->topic, to->position + 1, &found, &is_missed);
        if (is_missed && to->delivery == CTIE_ENGINE_QUEUE) to->missed++, to->missed_up_to = to->position + 1;
        if (!is_there) continue;
        if (to->missed == 0) {
            hand_over(it, to, &found.message);
            to->position++;
        }
        message_free(&found);
        if (to->missed == 0) return true;
        break;
    }
    if (to->missed == 0) return false;
    hand_over_notice(it, to, CTIE_MESSAGE_MISSED, "", to->missed_up_to, to->missed);
    to->missed = 0;
    return true;
}

/* Hands out a message of a durable consumer: first it is written who has it, so that it is never lost. */
static void hand_out(engine *it, binding *to, uint32_t index, stored *found) {
    claim *mine = &it->room.claims[index], before = *mine;
    mine->claim = ++it->last_claim, mine->member = it->member, mine->binding = to->number;
    mine->count++;
    if (durable_save(&it->files, to->file, &it->room) == CTIE_OK) {
        found->message.claim = mine->claim, found->message.delivery_count = mine->count;
        hand_over(it, to, &found->message);
    } else {
        *mine = before; /* the disk is full, perhaps: it is tried again */
    }
}

/* A message that is to be delivered again. */
static bool deliver_again(engine *it, binding *to) {
    stored found;
    bool is_missed;
    for (uint32_t index; (index = durable_due(&it->room)) < CLAIMS_MOST;) {
        claim *due = &it->room.claims[index];
        if (look_at(it, to->topic, due->number, &found, &is_missed)) {
            hand_out(it, to, index, &found);
            message_free(&found);
            return true;
        }
        if (due->count == 0) it->room.missed++;
        if (due->number > it->room.missed_up_to) it->room.missed_up_to = due->number;
        durable_remove_claim(&it->room, index);
    }
    return false;
}

static bool deliver_durable(engine *it, binding *to, uint64_t last) {
    durable *of = &it->room;
    stored found;
    bool is_missed;
    if (deliver_again(it, to)) return true;
    for (; of->position < last && of->claim_count < CLAIMS_MOST; of->position++) {
        bool is_there = look_at(it, to->topic, of->position + 1, &found, &is_missed);
        if (is_missed) of->missed++, of->missed_up_to = of->position + 1;
        if (!is_there) continue;
        if (of->missed == 0) {
            of->claims[of->claim_count++] = (claim){++of->position, 0, 0, 0, 0, 0, 0};
            hand_out(it, to, of->claim_count - 1, &found);
        }
        message_free(&found);
        if (of->missed == 0) return true;
        break;
    }
    if (of->missed == 0) return false;
    hand_over_notice(it, to, CTIE_MESSAGE_MISSED, "", of->missed_up_to, of->missed);
    of->missed = 0;
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
    if (durable_next_due(of) < it->next) it->next = durable_next_due(of);
    if (count > 0 || has_buried || position != of->position || claims != of->claim_count) {
        durable_save(&it->files, to->file, of);
    }
    *has_changed |= has_buried;
    return count == BATCH;
}
