/* The work of one binding, on the thread of the bindings. */
#include "claims.h"
#include "problem.h"

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

static bool is_last_round(bindings *all) {
    pthread_mutex_lock(&all->lock);
    bool is_over = all->is_over;
    pthread_mutex_unlock(&all->lock);
    return is_over;
}

/* Takes what is left of a binding that has ended; gives when to look again, 0 when nothing is left. */
static int64_t end(binding *it, int64_t now) {
    if (!it->is_closing) {
        if (it->delivery != CTIE_ENGINE_DURABLE) { consumer_delete(it); }
        binding_close_inbox(it);
        atomic_store(&it->is_unsubscribed, true);
        it->pause = now + 2 * ACK_WAIT_MS * NS_PER_MS;
    }
    bool is_closed = atomic_load(&it->is_closed);
    if (is_closed || now >= it->pause || is_last_round(it->of)) {
        if (it->inbox_of_pulls != NULL) { binding_close_inbox(it); }
        return 0;
    }
    return it->inbox_of_pulls == NULL ? 0 : it->pause;
}

/* With the lock. A server of a cluster that has just started may not know a consumer yet. So one that is missing was
   forgotten if another member says so, or if that stays so. */
static void note_missing(binding *it, int64_t now) {
    if (it->missing_since == 0) { it->missing_since = now; }
    bool is_sure = it->has_notice || now - it->missing_since >= MISSING_MS * NS_PER_MS;
    if (!is_sure) { return; }
    durable_forgotten(it);
    if (it->has_notice) { return; }
    log_line(it->engine, CTIE_LOG_WARNING, "the durable consumer '%s' of '%s' is not there any more: its listener ends",
             it->name, it->topic);
}

/* With the lock: what a binding is after its durable consumer was not found, or is of another making. */
static void note_status(binding *it, ctie_status status) {
    if (it->delivery != CTIE_ENGINE_DURABLE) { return; }
    if (status == CTIE_E_NOT_FOUND) { note_missing(it, clock_now(CLOCK_MONOTONIC)); }
    if (status == CTIE_E_CONFLICT) { durable_forgotten(it); }
}

/* Makes the consumer again. */
static int64_t make(binding *it, int64_t now) {
    if (!feed_is_connected(it->engine)) { return now + RETRY_MS * NS_PER_MS; }
    ctie_status status = consumer_make(it, deadline_after(MAKING_MS));
    if (status == CTIE_OK) { return now; }
    pthread_mutex_lock(&it->lock);
    note_status(it, status);
    pthread_mutex_unlock(&it->lock);
    return clock_now(CLOCK_MONOTONIC) + RETRY_MS * NS_PER_MS;
}

static bool is_lasting(ctie_status status) {
    return status == CTIE_E_CONFLICT || status == CTIE_E_CORRUPT || status == CTIE_E_DENIED || status == CTIE_E_LIMIT;
}

/* Reads the record of a durable consumer again. Until that is done the binding goes on as before. The server first gets to
   know what all bindings have in hand, so that it waits for these meanwhile. */
static void look(binding *it) {
    ctie_status status = CTIE_E_UNAVAILABLE;
    if (feed_is_connected(it->engine)) {
        claims_report_all(it->of);
        if (it->look_ms == 0) { it->look_ms = LOOKING_MS; }
        status = consumer_make(it, deadline_after(it->look_ms));
        bool is_too_short = status == CTIE_E_TIMEOUT && it->look_ms == LOOKING_MOST_MS;
        if (is_too_short || is_lasting(status)) { complain(it->of, COMPLAINT_LOOK, last_problem()); }
        it->look_ms = status != CTIE_E_TIMEOUT ? 0 : is_too_short ? LOOKING_MOST_MS : 2 * it->look_ms;
    }
    pthread_mutex_lock(&it->lock);
    note_status(it, status);
    it->look_at = status == CTIE_OK ? 0 : clock_now(CLOCK_MONOTONIC) + RETRY_MS * NS_PER_MS;
    pthread_mutex_unlock(&it->lock);
}

/* With the lock: what a binding that flows has to do. */
static int64_t flow(binding *it, int64_t now) {
    if (pull_is_lost(it, now) || (it->credit > 0 && it->stalled != 0 && now - it->stalled > STALL_MS * NS_PER_MS &&
                                  it->delivery != CTIE_ENGINE_DURABLE)) {
        flow_restart(it);
        return now;
    }
    if (it->credit > 0) { it->stalled = 0; }
    int64_t due = INT64_MAX;
    everything last;
    if (flow_has_everything(it, &last)) {
        due = last.seen + EVERYTHING_MS * NS_PER_MS;
        if (due <= now) {
            flow_everything(it, UINT64_MAX);
            due = INT64_MAX;
        }
    }
    if (it->pending == 0 || it->is_missed_unknown) { flow_missed(it); }
    if (it->delivery == CTIE_ENGINE_DURABLE) {
        claims_hand_out(it);
        due = earlier(due, again_more(it, now));
    }
    pull_more(it);
    for (uint32_t i = 0; i < it->pull_count; i++) {
        due = earlier(due, it->pulls[i].asked + (PULL_LOST_MS + 10) * NS_PER_MS);
    }
    if (it->pull_count == 0 && it->credit > 0) {
        due = earlier(due, it->pause > now ? it->pause : now + RETRY_MS * NS_PER_MS);
    }
    if (it->claim_count > 0) {
        if (now - it->progress >= PROGRESS_MS * NS_PER_MS) { claims_report_progress(it, now); }
        due = earlier(due, it->progress + PROGRESS_MS * NS_PER_MS);
    }
    return due;
}

/* Does what a binding has to do; gives when to look again, 0 when it has ended. */
int64_t serve(binding *it) {
    int64_t now = clock_now(CLOCK_MONOTONIC), due = INT64_MAX;
    pthread_mutex_lock(&it->lock);
    if (it->is_ended) {
        pthread_mutex_unlock(&it->lock);
        return end(it, now);
    }
    if (it->phase == IS_MADE_LATER) {
        pthread_mutex_unlock(&it->lock);
        return make(it, now);
    }
    if (it->phase == IS_FLOWING && it->has_to_look && it->look_at <= now) {
        pthread_mutex_unlock(&it->lock);
        look(it);
        return now; /* it may have ended meanwhile */
    }
    if (it->phase == HAS_STORED) { stored_deliver(it); }
    if (it->phase == IS_FLOWING) { due = flow(it, now); }
    if (it->phase == IS_FLOWING && it->has_to_look) { due = earlier(due, it->look_at > now ? it->look_at : now); }
    pthread_mutex_unlock(&it->lock);
    return due;
}
