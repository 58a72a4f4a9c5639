/* The frames that a join sends, and its end. */
#include "joins.h"

#include <unistd.h>

enum { LEAVING_MS = 2000 }; /* for a server that does not read */

/* With the lock. */
static join *numbered(joins *all, uint64_t number) {
    for (join *each = all->first; each != NULL; each = each->next) {
        if (each->number == number) { return each; }
    }
    return NULL;
}

ctie_status engine_send_frame(void *data, uint64_t number, uint64_t peer, ctie_bytes frame, uint64_t max_waiting) {
    engine *it = data;
    joins *all = it->joins;
    ctie_status status = CTIE_E_PEER_GONE;
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    pthread_mutex_lock(&all->lock);
    join *from = numbered(all, number);
    channel *to = from != NULL ? channel_numbered(from, peer) : NULL;
    if (to != NULL) { status = from->kept_size > max_waiting ? CTIE_E_BUSY : CTIE_OK; }
    if (status == CTIE_OK) { frame_send(from, to, frame); }
    pthread_mutex_unlock(&all->lock);
    return status;
}

void engine_disconnect(void *data, uint64_t number, uint64_t peer) {
    engine *it = data;
    joins *all = it->joins;
    if (getpid() != it->pid) { return; }
    pthread_mutex_lock(&all->lock);
    join *from = numbered(all, number);
    channel *to = from != NULL ? channel_numbered(from, peer) : NULL;
    if (to != NULL) {
        channel_say_bye(from, to->address, to->own, to->theirs);
        channel_close(from, to, "this side has ended the connection");
    }
    pthread_mutex_unlock(&all->lock);
}

/* ---- Leaving ------------------------------------------------------------------------------------- */

static void say_goodbye(join *it) {
    for (const channel *each = it->channels; each != NULL; each = each->next) {
        channel_say_bye(it, each->address, each->own, each->theirs);
    }
}

ctie_status engine_leave(void *data, uint64_t number, int64_t timeout_ms) {
    engine *it = data;
    joins *all = it->joins;
    int64_t deadline = deadline_after(timeout_ms < LEAVING_MS ? timeout_ms : LEAVING_MS);
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    pthread_mutex_lock(&all->lock);
    join *found = numbered(all, number);
    if (found != NULL) {
        say_goodbye(found);
        packets_flush(found, deadline);
        join_take_out(all, number);
        while (found->channels != NULL) {
            channel *first = found->channels;
            found->channels = first->next;
            channel_free(first);
        }
        packets_clear(found);
    }
    pthread_mutex_unlock(&all->lock);
    if (found != NULL) { join_end(found); }
    return CTIE_OK;
}

