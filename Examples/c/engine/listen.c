/* The functions of the engine for listeners: bindings, credit, outcomes. */
#define _GNU_SOURCE
#include "parts.h"

#include <stdlib.h>

/* ---- Binding -------------------------------------------------------------------------------------- */

/* Whether a message is not there any more for a binding that begins. */
static bool is_removed(const engine *it, const char *topic, uint64_t number) {
    stored found;
    ctie_status status = message_at(&it->files, number, &found);
    if (status != CTIE_OK) return status == CTIE_E_NOT_FOUND || status == CTIE_E_CORRUPT;
    bool is_removed = topic_covers(topic, found.message.identifier) && (found.is_destroyed || has_expired(&found));
    message_free(&found);
    return is_removed;
}

/* Says whether a message was sent before a time, or is none. */
static ctie_status is_before(const engine *it, uint64_t number, int64_t time, bool *out) {
    stored found;
    *out = true;
    ctie_status status = message_at(&it->files, number, &found);
    if (status == CTIE_E_NOT_FOUND || status == CTIE_E_CORRUPT) return CTIE_OK;
    if (status != CTIE_OK) return status;
    *out = found.message.time < time;
    message_free(&found);
    return CTIE_OK;
}

/* The number after which a binding begins: a message that was removed before has not been missed. */
static ctie_status position_of(const engine *it, const char *topic, const ctie_engine_binding *how, uint64_t last,
                               uint64_t *out) {
    uint64_t position = 0;
    *out = last;
    if (how->start == CTIE_ENGINE_FROM_NEXT || how->delivery == CTIE_ENGINE_STATE) return CTIE_OK;
    if (how->start == CTIE_ENGINE_FROM_SEQUENCE && how->start_sequence > 0) position = how->start_sequence - 1;
    for (bool is_early = how->start == CTIE_ENGINE_FROM_TIME; is_early && position < last; position += is_early) {
        ctie_status status = is_before(it, position + 1, how->start_time, &is_early);
        if (status != CTIE_OK) return status;
    }
    while (position < last && is_removed(it, topic, position + 1)) position++;
    if (position < last) *out = position;
    return CTIE_OK;
}

/*
 * Finds the durable consumer of a binding, or makes it: only then its start counts. The group's lock is held all the
 * while, so of two processes that bind at once the first one makes it, and the second one finds it.
 */
static ctie_status bind_durable(engine *it, binding *to, const ctie_engine_binding *how, held *lock) {
    durable *of = &it->room;
    uint64_t number = 0;
    memset(of, 0, offsetof(durable, claims));
    ctie_status status = copy_text(of->name, sizeof of->name, how->name);
    if (status == CTIE_OK) status = copy_text(of->topic, sizeof of->topic, how->topic);
    if (status != CTIE_OK) return status;
    status = durable_find(&it->files, of->topic, of->name, to->file);
    if (status != CTIE_E_NOT_FOUND) return status;
    status = position_of(it, to->topic, how, lock->now.last, &of->position);
    if (status == CTIE_OK) status = directory_new_id(lock, &number);
    if (status != CTIE_OK) return status;
    name_of(number, to->file);
    return durable_save(&it->files, to->file, of);
}

static void append(engine *it, binding *fresh) {
    pthread_mutex_lock(&it->small);
    binding **end = &it->bindings;
    while (*end != NULL) end = &(*end)->next;
    *end = fresh;
    pthread_mutex_unlock(&it->small);
}

/* With the group's lock. */
static ctie_status bind_now(engine *it, binding *fresh, const ctie_engine_binding *how, held *lock) {
    pthread_mutex_lock(&it->work);
    ctie_status status = how->delivery == CTIE_ENGINE_DURABLE
                             ? bind_durable(it, fresh, how, lock)
                             : position_of(it, fresh->topic, how, lock->now.last, &fresh->position);
    if (status == CTIE_OK) append(it, fresh);
    pthread_mutex_unlock(&it->work);
    return status;
}

ctie_status bind_listener(void *data, uint64_t number, const ctie_engine_binding *how, int64_t timeout_ms) {
    engine *it = (engine *)data;
    held lock;
    binding *fresh = (binding *)calloc(1, sizeof *fresh);
    if (fresh == NULL) return CTIE_E_NO_MEMORY;
    fresh->number = number, fresh->delivery = how->delivery, fresh->credit = how->credit;
    fresh->is_initial = how->delivery == CTIE_ENGINE_STATE && (how->flags & CTIE_ENGINE_NO_INITIAL_DELIVERY) == 0;
    ctie_status status = copy_text(fresh->topic, sizeof fresh->topic, how->topic);
    if (how->topic.size == 0) status = CTIE_E_INVALID;
    if (status == CTIE_OK) status = directory_lock(&it->files, &lock, timeout_ms);
    if (status == CTIE_OK) {
        status = bind_now(it, fresh, how, &lock);
        directory_unlock(&lock, false); /* no other process has anything to do */
    }
    if (status != CTIE_OK) free(fresh);
    wake(it);
    return status;
}

/* It may not fail, and so it does not wait for the group's lock: the thread takes back what the listener had. */
ctie_status unbind_listener(void *data, uint64_t number, int64_t timeout_ms) {
    engine *it = (engine *)data;
    (void)timeout_ms;
    pthread_mutex_lock(&it->work);
    pthread_mutex_lock(&it->small);
    binding **at = &it->bindings;
    while (*at != NULL && (*at)->number != number) at = &(*at)->next;
    binding *found = *at;
    if (found != NULL) {
        *at = found->next;
        found->next = it->ended, it->ended = found;
    }
    pthread_mutex_unlock(&it->small);
    pthread_mutex_unlock(&it->work);
    wake(it);
    return found != NULL ? CTIE_OK : CTIE_E_NOT_FOUND;
}

/* ---- Credit and outcomes: these may not wait ---------------------------------------------------------- */

static binding *binding_of(engine *it, uint64_t number) {
    binding *found = it->bindings;
    while (found != NULL && found->number != number) found = found->next;
    return found;
}

void add_credit(void *data, uint64_t number, uint32_t count) {
    engine *it = (engine *)data;
    pthread_mutex_lock(&it->small);
    binding *found = binding_of(it, number);
    if (found != NULL) found->added += count;
    pthread_mutex_unlock(&it->small);
    wake(it);
}

void take_outcomes(void *data, uint64_t number, const ctie_engine_answer *answers, size_t count) {
    engine *it = (engine *)data;
    pthread_mutex_lock(&it->small);
    const binding *of = binding_of(it, number);
    bool are_added = true;
    for (size_t i = 0; i < count && of != NULL; i++) {
        are_added &= add_outcome(it, of->file, ctie_engine_answer_at(answers, i));
    }
    pthread_mutex_unlock(&it->small);
    if (!are_added) {
        it->host->log(it->host->context, CTIE_LOG_WARNING,
                      CTIE_STR("no memory for an outcome: its message comes again when its listener has ended"));
    }
    wake(it);
}

/* ---- Durable consumers ------------------------------------------------------------------------------- */

ctie_status forget_durable(void *data, ctie_str topic, ctie_str name, int64_t timeout_ms) {
    engine *it = (engine *)data;
    char of[ID_MOST], called[ID_MOST], file[NUMBER_MOST];
    held lock;
    ctie_status status = copy_text(of, sizeof of, topic);
    if (status == CTIE_OK) status = copy_text(called, sizeof called, name);
    if (status == CTIE_OK) status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    status = durable_find(&it->files, of, called, file);
    if (status == CTIE_OK) status = directory_remove(&it->files, "durables", file);
    directory_unlock(&lock, false);
    return status;
}
