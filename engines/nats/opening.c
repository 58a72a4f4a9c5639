/* The memory of a binding, and its inbox: the subject to which the server sends what it asks for. */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

binding *binding_retain(binding *it) {
    atomic_fetch_add(&it->references, 1);
    return it;
}

void binding_release(binding *it) {
    if (atomic_fetch_sub(&it->references, 1) != 1) { return; }
    stored_values_free(&it->stored);
    for (size_t i = 0; it->claims != NULL && i < CLAIMS_MOST; i++) {
        free(it->claims[i].reply);
        natsMsg_Destroy(it->claims[i].waiting);
    }
    free(it->dead);
    free(it->claims);
    pthread_mutex_destroy(&it->lock);
    bindings *all = it->of;
    engine *of = it->engine;
    free(it);
    pthread_mutex_lock(&all->lock);
    all->live--;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    engine_release(of);
}

binding **bindings_list(bindings *all, size_t *count) {
    size_t room = 1;
    *count = 0;
    pthread_mutex_lock(&all->lock);
    for (const binding *each = all->first; each != NULL; each = each->next) { room++; }
    binding **list = calloc(room, sizeof *list);
    for (binding *each = all->first; list != NULL && each != NULL; each = each->next) {
        list[(*count)++] = binding_retain(each);
    }
    pthread_mutex_unlock(&all->lock);
    return list;
}

void bindings_release(binding **list, size_t count) {
    for (size_t i = 0; i < count; i++) { binding_release(list[i]); }
    free(list);
}

static void copy(char *out, size_t room, ctie_str text) {
    size_t size = text.size < room ? text.size : room - 1;
    if (size > 0) { memcpy(out, text.data, size); }
    out[size] = 0;
}

binding *binding_new(bindings *all, uint64_t number, const ctie_engine_binding *how) {
    binding *it = calloc(1, sizeof *it);
    if (it == NULL) { return NULL; }
    it->of = all, it->engine = all->engine, it->number = number;
    it->delivery = how->delivery, it->flags = how->flags, it->start = how->start;
    it->start_sequence = how->start_sequence, it->start_time = how->start_time;
    it->max_unacknowledged = how->max_unacknowledged, it->credit = how->credit;
    if (it->max_unacknowledged == 0 || it->max_unacknowledged > CLAIMS_MOST) { it->max_unacknowledged = CLAIMS_MOST; }
    it->is_first = true;
    copy(it->topic, sizeof it->topic, how->topic);
    copy(it->name, sizeof it->name, how->name);
    it->is_dense = strcmp(it->topic, "*") == 0;
    const group_names *names = &all->engine->names;
    if (it->delivery == DELIVERED_TO_ALL) {
        snprintf(it->filter, sizeof it->filter, "%s", names->everything);
    } else if (it->is_dense) {
        snprintf(it->filter, sizeof it->filter, "%s", names->messages);
    } else {
        names_filter(names, SUBJECT_ANY, how->topic, it->filter);
    }
    atomic_init(&it->references, 1);
    pthread_mutex_init(&it->lock, NULL);
    engine_retain(all->engine);
    pthread_mutex_lock(&all->lock);
    all->live++;
    pthread_mutex_unlock(&all->lock);
    if (it->delivery == CTIE_ENGINE_DURABLE) { it->claims = calloc(CLAIMS_MOST, sizeof *it->claims); }
    bool is_durable = it->delivery == CTIE_ENGINE_DURABLE;
    if (is_durable && (it->claims == NULL || !names_consumer(how->topic, how->name, it->base))) {
        binding_release(it);
        return NULL;
    }
    return it;
}

/* libnats's last call for an inbox. */
static void inbox_closed(void *closure) {
    binding *it = closure;
    atomic_store(&it->is_closed, true);
    binding_wake(it);
    binding_release(it);
}

ctie_status binding_open_inbox(binding *it) {
    natsInbox *inbox = NULL;
    char subject[INBOX_MOST + 2];
    if (natsInbox_Create(&inbox) != NATS_OK) { return CTIE_E_NO_MEMORY; }
    int size = snprintf(it->inbox, sizeof it->inbox, "%s.", inbox);
    natsInbox_Destroy(inbox);
    bool is_long = size < 0 || size >= (int)sizeof it->inbox;
    if (is_long) { return fail(it->engine, CTIE_E_SYSTEM, "an inbox's name is too long"); }
    snprintf(subject, sizeof subject, "%s*", it->inbox);
    natsSubscription *made = NULL;
    binding_retain(it);
    natsStatus status = natsConnection_Subscribe(&made, it->engine->connection, subject, pull_received, it);
    if (status != NATS_OK) {
        binding_release(it);
        return fail_nats(it->engine, status, "subscribe to an inbox");
    }
    it->inbox_of_pulls = made;
    /* The server sends no more than was asked for. */
    natsSubscription_SetPendingLimits(made, -1, -1);
    if (natsSubscription_SetOnCompleteCB(made, inbox_closed, it) != NATS_OK) {
        /* The connection has been closed. The reference stays, as the callback may still run. */
        atomic_store(&it->is_closed, true);
    }
    return CTIE_OK;
}

/* Messages of a durable consumer that are on their way go back to the server, so its inbox is drained first. */
void binding_close_inbox(binding *it) {
    bool drains = it->delivery == CTIE_ENGINE_DURABLE && !it->is_closing;
    it->is_closing = true;
    if (it->inbox_of_pulls == NULL) {
        atomic_store(&it->is_closed, true);
    } else if (!drains || natsSubscription_Drain(it->inbox_of_pulls) != NATS_OK) {
        retire(it->engine->retired, it->inbox_of_pulls);
        it->inbox_of_pulls = NULL;
    }
}
