/* Destroyings of everything. A consumer has one filter, which covers its topic, so that one more consumer for each
   engine watches for them. */
#include "parts.h"

#include <stdio.h>
#include <string.h>

void everything_note(bindings *all, uint64_t in_stream, const ctie_engine_message *message) {
    pthread_mutex_lock(&all->lock);
    everything *last = &all->last_everything;
    bool is_new = in_stream > last->in_stream;
    if (is_new) {
        *last = (everything){.in_stream = in_stream, .seen = clock_now(CLOCK_MONOTONIC)};
        if (message != NULL) {
            last->time = message->time, last->sender_pid = message->sender_pid;
            snprintf(last->sender_name, sizeof last->sender_name, "%.*s", (int)message->sender_name.size,
                     message->sender_name.size > 0 ? message->sender_name.data : "");
        }
        for (binding *each = all->first; each != NULL; each = each->next) { each->is_woken = true; }
        pthread_cond_signal(&all->changed);
    }
    pthread_mutex_unlock(&all->lock);
}

/* The watch is the first binding of the engine, and lives as long as it. */
ctie_status everything_watch(bindings *all, int64_t deadline) {
    pthread_mutex_lock(&all->lock);
    while (all->watch == WATCH_IS_MADE) {
        struct timespec until = {deadline / 1000000000, deadline % 1000000000};
        if (pthread_cond_timedwait(&all->changed, &all->lock, &until) != 0) { break; }
    }
    int watch = all->watch;
    if (watch == WATCH_IS_NOT_THERE) { all->watch = WATCH_IS_MADE; }
    pthread_mutex_unlock(&all->lock);
    if (watch == WATCH_IS_THERE) { return CTIE_OK; }
    if (watch == WATCH_IS_MADE) { return CTIE_E_TIMEOUT; }
    ctie_engine_binding how = {.size = sizeof how, .topic = CTIE_STR("*"), .delivery = DELIVERED_TO_ALL, .credit = 64};
    binding *it = binding_new(all, 0, &how);
    ctie_status status = it != NULL ? binding_begin(it, deadline) : CTIE_E_NO_MEMORY;
    if (it != NULL) { binding_release(it); }
    pthread_mutex_lock(&all->lock);
    all->watch = status == CTIE_OK ? WATCH_IS_THERE : WATCH_IS_NOT_THERE;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    return status;
}

/* For queues that begin with older messages: the last one that the stream has. */
ctie_status everything_find_last(bindings *all, int64_t deadline) {
    engine *it = all->engine;
    char what[STREAM_MOST + 32];
    json_t *answer = NULL, *body = json_pack("{s:s}", "last_by_subj", it->names.everything);
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "STREAM.MSG.GET.%s", it->names.stream);
    ctie_status status = api(it, what, body, deadline, &answer);
    bool is_none = api_error(answer) == NO_MESSAGE;
    uint64_t found = api_number(json_object_get(answer, "message"), "seq");
    if (status == CTIE_OK && found > 0) { everything_note(all, found, NULL); }
    json_decref(answer);
    json_decref(body);
    return is_none ? CTIE_OK : status;
}
