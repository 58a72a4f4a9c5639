/* The functions of the engine for listeners: bindings, credit, outcomes. */
#define _GNU_SOURCE
#include "parts.h"

#include <stdio.h>
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

static bool is_before(const engine *it, uint64_t number, int64_t time) {
    stored found;
    if (message_at(&it->files, number, &found) != CTIE_OK) return true;
    bool is_before = found.message.time < time;
    message_free(&found);
    return is_before;
}

/* The number after which a binding begins: a message that was removed before has not been missed. */
static uint64_t position_of(const engine *it, const char *topic, const ctie_engine_binding *how, uint64_t last) {
    uint64_t position = 0;
    if (how->start == CTIE_ENGINE_FROM_NEXT || how->delivery == CTIE_ENGINE_STATE) return last;
    if (how->start == CTIE_ENGINE_FROM_SEQUENCE && how->start_sequence > 0) position = how->start_sequence - 1;
    while (how->start == CTIE_ENGINE_FROM_TIME && position < last && is_before(it, position + 1, how->start_time)) {
        position++;
    }
    while (position < last && is_removed(it, topic, position + 1)) position++;
    return position < last ? position : last;
}

/* Finds the durable consumer of a binding, or makes it. */
static ctie_status bind_durable(engine *it, binding *to, ctie_str name, held *lock, bool *is_new) {
    durable *of = &it->room;
    char text[ID_MOST];
    snprintf(text, sizeof text, "%.*s", (int)name.size, name.data);
    ctie_status status = durable_find(&it->files, to->topic, text, to->file);
    *is_new = status == CTIE_E_NOT_FOUND;
    if (!*is_new) return status;
    memset(of, 0, offsetof(durable, claims));
    snprintf(of->topic, sizeof of->topic, "%s", to->topic);
    snprintf(of->name, sizeof of->name, "%s", text);
    of->position = to->position;
    uint64_t number = 0;
    status = directory_new_id(lock, &number);
    if (status != CTIE_OK) return status;
    snprintf(to->file, sizeof to->file, "%020llu", (unsigned long long)number);
    return durable_save(&it->files, to->file, of);
}

ctie_status bind_listener(void *data, uint64_t number, const ctie_engine_binding *how, int64_t timeout_ms) {
    engine *it = (engine *)data;
    held lock;
    bool is_new = false;
    binding *fresh = (binding *)calloc(1, sizeof *fresh);
    if (fresh == NULL) return CTIE_E_NO_MEMORY;
    fresh->number = number, fresh->delivery = how->delivery, fresh->credit = how->credit;
    snprintf(fresh->topic, sizeof fresh->topic, "%.*s", (int)how->topic.size, how->topic.data);
    ctie_status status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return free(fresh), status;
    pthread_mutex_lock(&it->work);
    fresh->position = position_of(it, fresh->topic, how, lock.now.last);
    fresh->is_initial = how->delivery == CTIE_ENGINE_STATE && (how->flags & CTIE_ENGINE_NO_INITIAL_DELIVERY) == 0;
    if (how->delivery == CTIE_ENGINE_DURABLE) status = bind_durable(it, fresh, how->name, &lock, &is_new);
    if (status == CTIE_OK) {
        pthread_mutex_lock(&it->small);
        binding **end = &it->bindings;
        while (*end != NULL) end = &(*end)->next;
        *end = fresh;
        pthread_mutex_unlock(&it->small);
    } else {
        free(fresh);
    }
    pthread_mutex_unlock(&it->work);
    ctie_status unlocked = directory_unlock(&lock, is_new);
    wake(it);
    return status != CTIE_OK ? status : unlocked;
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
    binding *of = binding_of(it, number);
    for (size_t i = 0; i < count && of != NULL; i++) {
        outcome *fresh = (outcome *)calloc(1, sizeof *fresh);
        if (fresh == NULL) break; /* then the message comes again when the listener ends */
        fresh->answer = *ctie_engine_answer_at(answers, i);
        fresh->answer.reason = ctie_str_from(NULL); /* borrowed; a message's failures are not kept here */
        snprintf(fresh->file, sizeof fresh->file, "%s", of->file);
        *it->outcomes_end = fresh;
        it->outcomes_end = &fresh->next;
    }
    pthread_mutex_unlock(&it->small);
    wake(it);
}

/* ---- Durable consumers ------------------------------------------------------------------------------- */

ctie_status forget_durable(void *data, ctie_str topic, ctie_str name, int64_t timeout_ms) {
    engine *it = (engine *)data;
    char of[ID_MOST], called[ID_MOST], file[24];
    held lock;
    snprintf(of, sizeof of, "%.*s", (int)topic.size, topic.data);
    snprintf(called, sizeof called, "%.*s", (int)name.size, name.data);
    ctie_status status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    status = durable_find(&it->files, of, called, file);
    if (status == CTIE_OK) directory_remove(&it->files, "durables", file);
    directory_unlock(&lock, false);
    return status;
}
