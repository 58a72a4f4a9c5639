/* Deliveries of durable consumers. */
#define _GNU_SOURCE
#include "parts.h"

/* Adds the outcome of a message that the library has not taken: the thread notes it in its next turn. */
static void give_back(engine *it, const binding *from, uint64_t claim, uint32_t outcome) {
    ctie_engine_answer answer = {sizeof answer, claim, outcome, 0, 0, ctie_str_from(NULL)};
    pthread_mutex_lock(&it->small);
    bool is_added = add_outcome(it, from->file, &answer);
    pthread_mutex_unlock(&it->small);
    if (!is_added) complain(it, "a message stays in hand until its listener ends", CTIE_E_NO_MEMORY);
    wake(it);
}

/* Hands out a message: first the file says that this member has it, so it is never lost. Says whether it was one. */
static bool hand_out(engine *it, binding *to, uint32_t index, stored *found) {
    claim *mine = &it->room.claims[index], before = *mine;
    mine->claim = ++it->last_claim, mine->member = it->member, mine->binding = to->number;
    mine->count++;
    ctie_status status = durable_save(&it->files, to->file, &it->room);
    if (status != CTIE_OK) {
        complain(it, "a durable consumer cannot be written", status);
        *mine = before;
        mine->due = now_ns() + 1000000000; /* the disk is full, perhaps */
        return false;
    }
    found->message.claim = mine->claim, found->message.delivery_count = mine->count;
    status = hand_over(it, to, &found->message);
    if (status == CTIE_OK) return true;
    /* One that the library drops would be dropped again: it is done with, and missed. */
    bool was_dropped = status == CTIE_E_CORRUPT;
    give_back(it, to, mine->claim, was_dropped ? CTIE_ENGINE_ACKNOWLEDGED : CTIE_ENGINE_UNDELIVERED);
    if (was_dropped) it->room.missed++;
    if (was_dropped && mine->number > it->room.missed_up_to) it->room.missed_up_to = mine->number;
    return was_dropped;
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
            is_over = !hand_over_missed(it, to, &of->missed, of->missed_up_to);
        } else {
            of->claims[of->claim_count++] = (claim){++of->position, 0, 0, 0, 0, 0, 0};
            is_over = !hand_out(it, to, of->claim_count - 1, &found);
        }
        message_free(&found);
        return !is_over;
    }
    return of->missed > 0 && hand_over_missed(it, to, &of->missed, of->missed_up_to);
}

/* The thread is due again when the next rejected message is. */
static void plan(engine *it) {
    const int64_t soonest = 10000000; /* what could not be delivered now */
    int64_t due = durable_next_due(&it->room), now = now_ns(), left = due > now ? due - now : 0;
    if (due == INT64_MAX) return;
    int64_t next = steady_ns() + (left > soonest ? left : soonest);
    if (next < it->next) it->next = next;
}

bool deliver_durables(engine *it, binding *to, uint64_t last, bool buries, bool *has_changed) {
    durable *of = &it->room;
    if (to->credit == 0) return false;
    ctie_status status = durable_load(&it->files, to->file, of);
    if (status != CTIE_OK) {
        if (status != CTIE_E_NOT_FOUND) complain(it, "a durable consumer cannot be read", status); /* else: forgotten */
        return false;
    }
    uint64_t position = of->position, missed = of->missed;
    uint32_t claims = of->claim_count;
    int count = 0;
    bool has_buried = buries && durable_bury(&it->files, of, it->member);
    while (count < BATCH && to->credit > 0 && deliver_durable(it, to, last)) count++;
    if (to->credit > 0) plan(it);
    if (count > 0 || has_buried || position != of->position || claims != of->claim_count || missed != of->missed) {
        /* After a failure nothing is lost: the file has each message in hand already. */
        status = durable_save(&it->files, to->file, of);
        if (status != CTIE_OK) complain(it, "a durable consumer cannot be written", status);
    }
    *has_changed |= has_buried;
    return count == BATCH;
}
