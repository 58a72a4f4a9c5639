/* A host's own engine: complete, in plain C, in the memory of this process. Each member has a thread that delivers. It
   delivers with its lock held, which an engine may. */
#ifndef ENGINE_MEMORY_H
#define ENGINE_MEMORY_H

#include <crosstie.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EM_TOKENS = 64, EM_BATCH = 16 };

/** A message that was sent. It stays in its group's log. */
typedef struct em_record {
    uint64_t sequence; /* of one that waits for its time: its own number */
    int32_t kind, pid;
    char *id; /* empty: everything */
    uint8_t *value;
    size_t value_size;
    ctie_header *headers;
    size_t header_count;
    int64_t time, expires, not_before;
    char *sender;
    bool superseded; /* a newer one of its identifier stands for it, to listeners of states */
    bool destroyed;  /* it was queued before its identifier was destroyed */
} em_record;

typedef struct em_delivery { /* of a durable consumer: in hand, or to be made again */
    struct em_delivery *next;
    em_record *record;
    uint64_t claim, binding; /* 0: not in hand */
    struct engine_memory *holder;
    uint32_t count;      /* of deliveries so far */
    int64_t since, due;  /* in hand since; to be made again from then on */
} em_delivery;

typedef struct em_durable {
    struct em_durable *next;
    char *topic, *name;
    ctie_durable_options options;
    uint64_t position; /* everything up to it has been delivered once */
    em_delivery *deliveries;
    uint64_t missed, missed_up_to, delivered;
    int64_t listened;
} em_durable;

typedef struct em_binding {
    struct em_binding *next;
    uint64_t number;
    char *topic;
    uint32_t delivery, credit;
    bool is_initial; /* the initial delivery is under way */
    char *shown;     /* the last identifier of it; NULL before the first one */
    uint64_t snapshot, position, missed, missed_up_to;
    em_durable *durable;
} em_binding;

typedef struct em_group {
    struct em_group *next;
    char *name;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    em_record **log, **waiting; /* in the order of numbers */
    size_t count, room, waiting_count, waiting_room;
    uint64_t last, last_claim;
    em_durable *durables;
    struct engine_memory *openings;
} em_group;

/** The user_data of one wormhole. Zero everything, and set what the test needs. */
typedef struct engine_memory {
    struct engine_memory *next;
    em_group *group;
    const ctie_engine_host *host;
    em_binding *bindings;
    pthread_t thread;
    bool is_over, has_thread;
    int64_t since;
    struct { uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE]; uint64_t first; size_t sent; } tokens[EM_TOKENS];
    size_t token_count;
    uint32_t abilities;     /* 0: all that it has */
    bool is_mute;           /* it delivers nothing; the test does */
    bool returns_by_credit; /* it takes no credit back from `deliver` */
    /* The next sends that answer this status: before they are done, and after. */
    _Atomic int fails_before, fails_after;
    _Atomic ctie_status failure;
    _Atomic int nap_ms; /* how long a function takes */
    _Atomic size_t fails_at;     /* sending one after another: the failure comes before this one, then never; 0: none */
    _Atomic int sends_each;
    _Atomic int sends, credits, resolved, unbound, closed, calls_after_close;
    _Atomic int resolve_calls;       /* each with at least one answer */
    _Atomic int outcomes[4];         /* how many answers had each */
    _Atomic int64_t last_time;       /* the last timeout that it was given */
    _Atomic uint64_t last_binding;
    _Atomic uint32_t refused;        /* deliveries that were not taken */
    void (*_Atomic meanwhile)(struct engine_memory *); /* called inside each function but `close`, before its work */
} engine_memory;

static em_group *em_groups;
static pthread_mutex_t em_groups_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Texts and times ----------------------------------------------------------------------------- */

static inline int64_t em_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void *em_copy(const void *bytes, size_t size) {
    char *copy = calloc(1, size + 1);
    if (size > 0) { memcpy(copy, bytes, size); }
    return copy;
}

static inline char *em_text(ctie_str text) { return em_copy(text.data, text.size); }

static inline ctie_str em_lend(const char *text) { return ctie_str_from(text); }

/** Whether a topic covers an identifier; the empty one is everything. */
static inline bool em_covers(const char *topic, const char *id) {
    size_t size = strlen(topic);
    if (id[0] == 0) { return true; }
    if (topic[size - 1] != '*') { return strcmp(topic, id) == 0; }
    return strncmp(topic, id, size - 1) == 0;
}

static inline bool em_expired(const em_record *it) { return it->expires != 0 && it->expires <= em_now(); }

static inline void em_meanwhile(engine_memory *it) {
    void (*meanwhile)(engine_memory *) = it->meanwhile;
    if (meanwhile != NULL) { meanwhile(it); }
}

/** The beginning of every function that may wait. */
static inline void em_begin(engine_memory *it, int64_t timeout_ms) {
    if (it->closed) { it->calls_after_close++; }
    it->last_time = timeout_ms;
    em_meanwhile(it);
    int64_t nap = it->nap_ms < timeout_ms ? it->nap_ms : timeout_ms;
    struct timespec left = {nap / 1000, nap % 1000 * 1000000};
    if (nap > 0) { nanosleep(&left, NULL); }
}

/* ---- Records --------------------------------------------------------------------------------------- */

static inline em_record *em_record_of(const ctie_engine_message *from) {
    em_record *it = calloc(1, sizeof *it);
    it->kind = from->kind, it->pid = from->sender_pid;
    it->id = em_text(from->identifier), it->sender = em_text(from->sender_name);
    it->value = em_copy(from->value.data, from->value.size), it->value_size = from->value.size;
    it->time = from->time, it->expires = from->expires, it->not_before = from->not_before;
    it->header_count = from->header_count;
    it->headers = calloc(from->header_count + 1, sizeof *it->headers);
    for (size_t i = 0; i < from->header_count; i++) {
        it->headers[i].name = (ctie_str){em_text(from->headers[i].name), from->headers[i].name.size};
        it->headers[i].value = (ctie_str){em_text(from->headers[i].value), from->headers[i].value.size};
    }
    return it;
}

static inline void em_record_free(em_record *it) {
    for (size_t i = 0; i < it->header_count; i++) {
        free((void *)it->headers[i].name.data);
        free((void *)it->headers[i].value.data);
    }
    free(it->headers), free(it->id), free(it->value), free(it->sender), free(it);
}

static inline ctie_engine_message em_message_of(const em_record *it) {
    ctie_engine_message out;
    memset(&out, 0, sizeof out);
    out.size = sizeof out;
    out.kind = it->kind;
    out.identifier = em_lend(it->id);
    out.value = (ctie_bytes){it->value_size > 0 ? it->value : NULL, it->value_size};
    out.headers = it->header_count > 0 ? it->headers : NULL, out.header_count = it->header_count;
    out.sequence = it->sequence, out.time = it->time, out.expires = it->expires;
    out.sender_name = em_lend(it->sender), out.sender_pid = it->pid;
    return out;
}

static inline ctie_engine_message em_notice(int32_t kind, const char *id, uint64_t sequence, uint64_t missed) {
    ctie_engine_message out;
    memset(&out, 0, sizeof out);
    out.size = sizeof out;
    out.kind = kind, out.identifier = em_lend(id), out.sequence = sequence, out.missed = missed;
    return out;
}

static inline void em_append(em_record ***to, size_t *count, size_t *room, em_record *it) {
    if (*count == *room) {
        *room = *room * 2 + 64;
        *to = realloc(*to, *room * sizeof **to);
    }
    (*to)[(*count)++] = it;
}

/** The index of the first record after a number. */
static inline size_t em_after(const em_group *in, uint64_t sequence) {
    size_t low = 0, high = in->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (in->log[middle]->sequence <= sequence) { low = middle + 1; } else { high = middle; }
    }
    return low;
}

/** The newest value or destroying of an identifier; NULL if it was never there. */
static inline em_record *em_current(const em_group *in, const char *id) {
    for (size_t i = in->count; i > 0; i--) {
        em_record *it = in->log[i - 1];
        if (it->kind != CTIE_MESSAGE_SIGNAL && (it->id[0] == 0 || strcmp(it->id, id) == 0)) { return it; }
    }
    return NULL;
}

/** The value that is stored under the first identifier after one; up to a number. NULL at the end. */
static inline em_record *em_next_stored(const em_group *in, const char *topic, const char *after, uint64_t up_to) {
    em_record *found = NULL;
    for (size_t i = 0; i < in->count; i++) {
        em_record *it = in->log[i];
        if (it->kind != CTIE_MESSAGE_VALUE || it->superseded || it->sequence > up_to || em_expired(it)) { continue; }
        if (!em_covers(topic, it->id) || (after != NULL && strcmp(it->id, after) <= 0)) { continue; }
        if (found == NULL || strcmp(it->id, found->id) < 0) { found = it; }
    }
    return found;
}

/** Enters a record as the newest; the lock is held. */
static inline void em_enter(em_group *in, em_record *it) {
    it->sequence = ++in->last;
    for (size_t i = 0; i < in->count; i++) {
        em_record *old = in->log[i];
        bool is_same = it->id[0] == 0 || strcmp(old->id, it->id) == 0;
        if (!is_same) { continue; }
        if ((old->kind == CTIE_MESSAGE_SIGNAL) == (it->kind == CTIE_MESSAGE_SIGNAL)) { old->superseded = true; }
        if (it->kind == CTIE_MESSAGE_DESTROYED) { old->destroyed = true; }
    }
    em_append(&in->log, &in->count, &in->room, it);
    if (it->kind != CTIE_MESSAGE_DESTROYED || it->id[0] != 0) { return; }
    for (size_t i = 0; i < in->waiting_count; i++) { em_record_free(in->waiting[i]); }
    in->waiting_count = 0;
}

/* ---- Delivering -------------------------------------------------------------------------------------- */

/** Hands over one message; the lock is held. */
static inline void em_deliver(engine_memory *to, em_binding *binding, const ctie_engine_message *message) {
    uint32_t returned = 0;
    ctie_status status = to->host->deliver(to->host->context, binding->number, message, 1,
                                           to->returns_by_credit ? NULL : &returned);
    binding->credit += returned - 1;
    if (status != CTIE_OK) { to->refused++; }
}

/** The next message of a state; false if there is none. */
static inline bool em_deliver_state(engine_memory *to, em_binding *binding) {
    em_group *group = to->group;
    if (binding->is_initial) {
        bool is_first = binding->shown == NULL;
        bool is_one = binding->topic[strlen(binding->topic) - 1] != '*';
        em_record *next = em_next_stored(group, binding->topic, binding->shown, binding->snapshot);
        ctie_engine_message message =
            next != NULL ? em_message_of(next) : em_notice(CTIE_MESSAGE_NONE, binding->topic, 0, 0);
        binding->is_initial = next != NULL && !is_one;
        if (next == NULL && !(is_one && is_first)) { return true; }
        free(binding->shown);
        binding->shown = next != NULL ? em_copy(next->id, strlen(next->id)) : NULL;
        message.flags = CTIE_ENGINE_STORED;
        em_deliver(to, binding, &message);
        return true;
    }
    for (size_t i = em_after(group, binding->position); i < group->count; i++) {
        em_record *it = group->log[i];
        binding->position = it->sequence;
        if (it->superseded || !em_covers(binding->topic, it->id) || em_expired(it)) { continue; }
        ctie_engine_message message = em_message_of(it);
        em_deliver(to, binding, &message);
        return true;
    }
    return false;
}

/** Tells of missed messages, if there are any. */
static inline bool em_deliver_missed(engine_memory *to, em_binding *binding, uint64_t *missed, uint64_t up_to) {
    if (*missed == 0) { return false; }
    ctie_engine_message message = em_notice(CTIE_MESSAGE_MISSED, "", up_to, *missed);
    *missed = 0;
    em_deliver(to, binding, &message);
    return true;
}

static inline bool em_deliver_queue(engine_memory *to, em_binding *binding) {
    em_group *group = to->group;
    for (size_t i = em_after(group, binding->position); i < group->count; i++) {
        em_record *it = group->log[i];
        if (!em_covers(binding->topic, it->id)) {
            binding->position = it->sequence;
        } else if (it->destroyed || em_expired(it)) {
            binding->position = binding->missed_up_to = it->sequence;
            binding->missed++;
        } else {
            if (em_deliver_missed(to, binding, &binding->missed, binding->missed_up_to)) { return true; }
            binding->position = it->sequence;
            ctie_engine_message message = em_message_of(it);
            em_deliver(to, binding, &message);
            return true;
        }
    }
    return em_deliver_missed(to, binding, &binding->missed, binding->missed_up_to);
}

static inline void em_hand_out(engine_memory *to, em_binding *binding, em_delivery *it) {
    ctie_engine_message message = em_message_of(it->record);
    it->claim = ++to->group->last_claim, it->binding = binding->number, it->holder = to;
    it->since = em_now(), it->count++;
    message.delivery_count = it->count, message.claim = it->claim;
    binding->durable->delivered++;
    em_deliver(to, binding, &message);
}

static inline em_delivery **em_due(em_durable *in) {
    em_delivery **found = NULL;
    int64_t now = em_now();
    for (em_delivery **at = &in->deliveries; *at != NULL; at = &(*at)->next) {
        if ((*at)->claim != 0 || (*at)->due > now) { continue; }
        if (found == NULL || (*at)->record->sequence < (*found)->record->sequence) { found = at; }
    }
    return found;
}

static inline bool em_deliver_durable(engine_memory *to, em_binding *binding) {
    em_group *group = to->group;
    em_durable *durable = binding->durable;
    if (durable == NULL) { return false; }
    for (em_delivery **at; (at = em_due(durable)) != NULL;) {
        em_delivery *again = *at;
        if (!again->record->destroyed && !em_expired(again->record)) {
            em_hand_out(to, binding, again);
            return true;
        }
        *at = again->next;
        durable->missed += again->count == 0;
        if (again->record->sequence > durable->missed_up_to) { durable->missed_up_to = again->record->sequence; }
        free(again);
    }
    for (size_t i = em_after(group, durable->position); i < group->count; i++) {
        em_record *it = group->log[i];
        if (!em_covers(durable->topic, it->id)) {
            durable->position = it->sequence;
        } else if (it->destroyed || em_expired(it)) {
            durable->position = durable->missed_up_to = it->sequence;
            durable->missed++;
        } else {
            if (em_deliver_missed(to, binding, &durable->missed, durable->missed_up_to)) { return true; }
            em_delivery *fresh = calloc(1, sizeof *fresh);
            durable->position = it->sequence;
            fresh->record = it;
            fresh->next = durable->deliveries, durable->deliveries = fresh;
            em_hand_out(to, binding, fresh);
            return true;
        }
    }
    return em_deliver_missed(to, binding, &durable->missed, durable->missed_up_to);
}

static inline bool em_deliver_next(engine_memory *to, em_binding *binding) {
    if (binding->credit == 0) { return false; }
    switch (binding->delivery) {
    case CTIE_ENGINE_STATE: return em_deliver_state(to, binding);
    case CTIE_ENGINE_QUEUE: return em_deliver_queue(to, binding);
    default: return em_deliver_durable(to, binding);
    }
}

/** Sends what is due; gives when the next message or redelivery is: nanoseconds, INT64_MAX for never. */
static inline int64_t em_heed_time(em_group *in) {
    int64_t now = em_now(), next = INT64_MAX;
    for (bool goes_on = true; goes_on;) {
        size_t due = in->waiting_count;
        for (size_t i = 0; i < in->waiting_count; i++) {
            if (in->waiting[i]->not_before > now) { continue; }
            if (due == in->waiting_count || in->waiting[i]->not_before < in->waiting[due]->not_before) { due = i; }
        }
        goes_on = due < in->waiting_count;
        if (!goes_on) { break; }
        em_record *it = in->waiting[due];
        memmove(in->waiting + due, in->waiting + due + 1, (--in->waiting_count - due) * sizeof *in->waiting);
        it->not_before = 0;
        em_enter(in, it);
        pthread_cond_broadcast(&in->changed);
    }
    for (size_t i = 0; i < in->waiting_count; i++) {
        if (in->waiting[i]->not_before < next) { next = in->waiting[i]->not_before; }
    }
    for (em_durable *each = in->durables; each != NULL; each = each->next) {
        for (em_delivery *it = each->deliveries; it != NULL; it = it->next) {
            if (it->claim == 0 && it->due > now && it->due < next) { next = it->due; }
        }
    }
    return next;
}

/** Delivers what is due on this thread, in place of the member's own, which may be late. */
static inline void em_deliver_now(engine_memory *it) {
    pthread_mutex_lock(&it->group->lock);
    for (em_binding *each = it->bindings; each != NULL; each = each->next) {
        while (em_deliver_next(it, each)) {}
    }
    pthread_mutex_unlock(&it->group->lock);
}

static inline void *em_run(void *user_data) {
    engine_memory *it = user_data;
    em_group *group = it->group;
    pthread_mutex_lock(&group->lock);
    while (!it->is_over) {
        int64_t next = em_heed_time(group);
        bool is_done = true;
        for (em_binding *each = it->bindings; each != NULL && !it->is_mute; each = each->next) {
            for (int i = 0; i < EM_BATCH && em_deliver_next(it, each); i++) { is_done = false; }
        }
        if (!is_done) { continue; }
        if (next == INT64_MAX) {
            pthread_cond_wait(&group->changed, &group->lock);
        } else {
            struct timespec until = {next / 1000000000, next % 1000000000};
            pthread_cond_timedwait(&group->changed, &group->lock, &until);
        }
    }
    pthread_mutex_unlock(&group->lock);
    return NULL;
}

/* ---- A server that loses its messages ------------------------------------------------------------------- */

/** Loses all messages but those that were sent first, so many, and everything of durable consumers but their names. The
    remaining messages get new numbers; each member goes on as engine.h says. */
static inline void em_lose(em_group *in, size_t kept) {
    pthread_mutex_lock(&in->lock);
    for (em_durable *each = in->durables; each != NULL; each = each->next) {
        for (em_delivery *next; each->deliveries != NULL; each->deliveries = next) {
            next = each->deliveries->next;
            free(each->deliveries);
        }
        each->missed = 0;
    }
    while (in->count > kept) { em_record_free(in->log[--in->count]); }
    size_t left = in->count;
    in->count = 0;
    for (size_t i = 0; i < left; i++) {
        in->log[i]->superseded = in->log[i]->destroyed = false;
        em_enter(in, in->log[i]);
    }
    uint64_t lost_up_to = ++in->last;
    for (em_durable *each = in->durables; each != NULL; each = each->next) { each->position = lost_up_to; }
    for (engine_memory *each = in->openings; each != NULL; each = each->next) {
        for (em_binding *it = each->bindings; it != NULL; it = it->next) {
            /* A state goes on from its position, so that it gets the remaining values. */
            if (it->delivery == CTIE_ENGINE_STATE) { continue; }
            ctie_engine_message message = em_notice(CTIE_MESSAGE_MISSED, "", lost_up_to, 0);
            it->position = lost_up_to;
            em_deliver(each, it, &message);
        }
    }
    pthread_cond_broadcast(&in->changed);
    pthread_mutex_unlock(&in->lock);
}

/* ---- The functions ------------------------------------------------------------------------------------ */

static inline ctie_status em_open(void *user_data, ctie_str name, const ctie_engine_host *host, uint32_t *abilities,
                                  int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    char *wanted = em_text(name);
    pthread_mutex_lock(&em_groups_lock);
    em_group *group = em_groups;
    while (group != NULL && strcmp(group->name, wanted) != 0) { group = group->next; }
    if (group == NULL) {
        group = calloc(1, sizeof *group);
        group->name = em_copy(wanted, strlen(wanted));
        pthread_mutex_init(&group->lock, NULL);
        pthread_cond_init(&group->changed, NULL);
        group->next = em_groups, em_groups = group;
    }
    pthread_mutex_unlock(&em_groups_lock);
    free(wanted);
    it->group = group, it->host = host, it->since = em_now();
    *abilities = it->abilities != 0 ? it->abilities
                                    : CTIE_ENGINE_ATOMIC_BATCHES | CTIE_ENGINE_COUNTS_LISTENERS |
                                          CTIE_ENGINE_EXACT_MISSED | CTIE_ENGINE_TOKENS | CTIE_ENGINE_SCHEDULES;
    pthread_mutex_lock(&group->lock);
    engine_memory **end = &group->openings;
    while (*end != NULL) { end = &(*end)->next; }
    *end = it;
    it->has_thread = pthread_create(&it->thread, NULL, em_run, it) == 0;
    for (engine_memory *each = group->openings; each != NULL; each = each->next) {
        each->host->members_changed(each->host->context);
    }
    pthread_mutex_unlock(&group->lock);
    return it->has_thread ? CTIE_OK : CTIE_E_SYSTEM;
}

static inline bool em_has_listener(em_group *in, const char *id) {
    for (engine_memory *each = in->openings; each != NULL; each = each->next) {
        for (em_binding *it = each->bindings; it != NULL; it = it->next) {
            if (em_covers(it->topic, id)) { return true; }
        }
        if (id[0] == 0) { return true; }
    }
    return false;
}

static inline bool em_send_next(engine_memory *from, const ctie_engine_message *message, uint64_t *number) {
    em_group *group = from->group;
    em_record *it = em_record_of(message);
    bool has_listener = false;
    if (message->not_before > em_now()) {
        it->sequence = *number = ++group->last;
        em_append(&group->waiting, &group->waiting_count, &group->waiting_room, it);
    } else {
        it->not_before = 0;
        has_listener = em_has_listener(group, it->id);
        em_enter(group, it);
        *number = it->sequence;
    }
    pthread_cond_broadcast(&group->changed);
    return has_listener;
}

static inline ctie_status em_send(void *user_data, const ctie_engine_message *messages, size_t count,
                                  const uint8_t *token, uint64_t *first, uint32_t *listeners, int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    it->sends++;
    if (it->fails_before > 0) {
        it->fails_before--;
        return it->failure;
    }
    pthread_mutex_lock(&it->group->lock);
    em_heed_time(it->group);
    for (size_t i = 0; token != NULL && i < it->token_count && i < EM_TOKENS; i++) {
        if (memcmp(it->tokens[i].token, token, CTIE_TRANSPORT_TOKEN_SIZE) != 0) { continue; }
        *first = it->tokens[i].first;
        pthread_mutex_unlock(&it->group->lock);
        return CTIE_OK;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0;
        *listeners |= em_send_next(it, ctie_engine_message_at(messages, i), &number);
        if (i == 0) { *first = number; }
    }
    if (token != NULL) {
        memcpy(it->tokens[it->token_count % EM_TOKENS].token, token, CTIE_TRANSPORT_TOKEN_SIZE);
        it->tokens[it->token_count++ % EM_TOKENS].first = *first;
    }
    pthread_mutex_unlock(&it->group->lock);
    if (it->fails_after == 0) { return CTIE_OK; }
    it->fails_after--;
    return it->failure;
}

/** The number of a token among those remembered; the next one to be used if it is new. */
static inline size_t em_token(const engine_memory *it, const uint8_t *token) {
    for (size_t i = 0; i < it->token_count && i < EM_TOKENS; i++) {
        if (memcmp(it->tokens[i].token, token, CTIE_TRANSPORT_TOKEN_SIZE) == 0) { return i; }
    }
    return it->token_count % EM_TOKENS;
}

static inline ctie_status em_send_each(void *user_data, const ctie_engine_message *messages, size_t count,
                                       const uint8_t *token, uint64_t *first, size_t *sent, int64_t timeout_ms) {
    engine_memory *it = user_data;
    size_t failing = it->fails_at, place = token != NULL ? em_token(it, token) : 0, done = 0;
    em_begin(it, timeout_ms);
    it->sends_each++;
    it->fails_at = 0;
    pthread_mutex_lock(&it->group->lock);
    bool is_known = token != NULL && place < it->token_count &&
                    memcmp(it->tokens[place].token, token, CTIE_TRANSPORT_TOKEN_SIZE) == 0;
    if (is_known) { done = it->tokens[place].sent, *first = it->tokens[place].first; }
    for (; done < count && (failing == 0 || done < failing); done++) {
        uint64_t number = 0;
        em_send_next(it, ctie_engine_message_at(messages, done), &number);
        if (done == 0) { *first = number; }
    }
    if (token != NULL) {
        memcpy(it->tokens[place].token, token, CTIE_TRANSPORT_TOKEN_SIZE);
        it->tokens[place].first = *first, it->tokens[place].sent = done;
        it->token_count += !is_known;
    }
    pthread_mutex_unlock(&it->group->lock);
    *sent = done;
    return done < count ? it->failure : CTIE_OK;
}

static inline ctie_status em_read(void *user_data, ctie_str identifier, ctie_engine_message_fn visit, void *context,
                                  int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    char *id = em_text(identifier);
    pthread_mutex_lock(&it->group->lock);
    em_heed_time(it->group);
    em_record *found = em_current(it->group, id);
    if (found != NULL && found->kind == CTIE_MESSAGE_VALUE && !em_expired(found)) {
        ctie_engine_message message = em_message_of(found);
        visit(&message, context);
    }
    pthread_mutex_unlock(&it->group->lock);
    free(id);
    return CTIE_OK;
}

static inline ctie_status em_identifiers(void *user_data, ctie_str topic, ctie_engine_identifier_fn visit,
                                         void *context, int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    char *wanted = em_text(topic);
    pthread_mutex_lock(&it->group->lock);
    em_heed_time(it->group);
    for (em_record *each = NULL; (each = em_next_stored(it->group, wanted, each == NULL ? NULL : each->id,
                                                       UINT64_MAX)) != NULL;) {
        if (!visit(em_lend(each->id), context)) { break; }
    }
    pthread_mutex_unlock(&it->group->lock);
    free(wanted);
    return CTIE_OK;
}

static inline em_durable **em_find(em_group *in, const char *topic, const char *name) {
    em_durable **at = &in->durables;
    while (*at != NULL && (strcmp((*at)->topic, topic) != 0 || strcmp((*at)->name, name) != 0)) { at = &(*at)->next; }
    return at;
}

/** The number after which a queue begins. */
static inline uint64_t em_start(const em_group *in, uint32_t start, uint64_t sequence, int64_t time) {
    switch (start) {
    case CTIE_ENGINE_FROM_OLDEST: return 0;
    case CTIE_ENGINE_FROM_SEQUENCE: return sequence - 1 < in->last ? sequence - 1 : in->last;
    case CTIE_ENGINE_FROM_TIME:
        for (size_t i = 0; i < in->count; i++) {
            if (in->log[i]->time >= time) { return in->log[i]->sequence - 1; }
        }
        return in->last;
    default: return in->last;
    }
}

static inline em_durable *em_make(em_group *in, const char *topic, const char *name, uint64_t position) {
    em_durable *it = calloc(1, sizeof *it);
    it->topic = em_copy(topic, strlen(topic)), it->name = em_copy(name, strlen(name));
    it->position = position;
    it->options = (ctie_durable_options)CTIE_DURABLE_OPTIONS_INIT;
    it->options.backoff_first_ms = 100, it->options.backoff_most_ms = 60000, it->options.backoff_factor = 2;
    it->next = in->durables, in->durables = it;
    return it;
}

static inline ctie_status em_bind(void *user_data, uint64_t number, const ctie_engine_binding *how,
                                  int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    em_group *group = it->group;
    em_binding *fresh = calloc(1, sizeof *fresh);
    fresh->number = number, fresh->topic = em_text(how->topic);
    fresh->delivery = how->delivery, fresh->credit = how->credit;
    pthread_mutex_lock(&group->lock);
    em_heed_time(group);
    fresh->is_initial = how->delivery == CTIE_ENGINE_STATE && (how->flags & CTIE_ENGINE_NO_INITIAL_DELIVERY) == 0;
    fresh->snapshot = group->last;
    fresh->position = em_start(group, how->start, how->start_sequence, how->start_time);
    if (how->delivery == CTIE_ENGINE_DURABLE) {
        char *name = em_text(how->name);
        em_durable *durable = *em_find(group, fresh->topic, name);
        fresh->durable = durable != NULL ? durable : em_make(group, fresh->topic, name, fresh->position);
        fresh->durable->listened = em_now();
        free(name);
    }
    em_binding **end = &it->bindings;
    while (*end != NULL) { end = &(*end)->next; }
    *end = fresh;
    it->last_binding = number;
    pthread_cond_broadcast(&group->changed);
    pthread_mutex_unlock(&group->lock);
    return CTIE_OK;
}

static inline void em_credit(void *user_data, uint64_t number, uint32_t count) {
    engine_memory *it = user_data;
    em_meanwhile(it);
    it->credits++;
    pthread_mutex_lock(&it->group->lock);
    for (em_binding *each = it->bindings; each != NULL; each = each->next) {
        if (each->number == number) { each->credit += count; }
    }
    pthread_cond_broadcast(&it->group->changed);
    pthread_mutex_unlock(&it->group->lock);
}

static inline int64_t em_pause(const em_durable *of, uint32_t count) {
    double pause = (double)of->options.backoff_first_ms;
    for (uint32_t i = 1; i < count && pause < (double)of->options.backoff_most_ms; i++) {
        pause *= of->options.backoff_factor;
    }
    if (pause > (double)of->options.backoff_most_ms) { pause = (double)of->options.backoff_most_ms; }
    return (int64_t)(pause * 1e6);
}

static inline void em_answer(em_durable *of, const ctie_engine_answer *answer) {
    em_delivery **at = &of->deliveries;
    while (*at != NULL && (*at)->claim != answer->claim) { at = &(*at)->next; }
    em_delivery *it = *at;
    if (it == NULL || answer->claim == 0) { return; }
    if (answer->outcome == CTIE_ENGINE_ACKNOWLEDGED) {
        *at = it->next;
        free(it);
        return;
    }
    int64_t pause = answer->delay_ns >= 0 ? answer->delay_ns : em_pause(of, it->count);
    int64_t now = em_now();
    it->due = answer->outcome != CTIE_ENGINE_REJECTED ? 0 : pause < INT64_MAX - now ? now + pause : INT64_MAX;
    it->claim = 0;
    if (answer->outcome == CTIE_ENGINE_UNDELIVERED) {
        it->count--;
        of->delivered--;
    }
}

static inline void em_resolve(void *user_data, uint64_t number, const ctie_engine_answer *answers, size_t count) {
    engine_memory *it = user_data;
    em_meanwhile(it);
    pthread_mutex_lock(&it->group->lock);
    for (em_binding *each = it->bindings; each != NULL; each = each->next) {
        if (each->number != number || each->durable == NULL) { continue; }
        for (size_t i = 0; i < count; i++) { em_answer(each->durable, ctie_engine_answer_at(answers, i)); }
    }
    for (size_t i = 0; i < count; i++) { it->outcomes[ctie_engine_answer_at(answers, i)->outcome & 3]++; }
    it->resolved += (int)count;
    it->resolve_calls++;
    pthread_cond_broadcast(&it->group->changed);
    pthread_mutex_unlock(&it->group->lock);
}

static inline ctie_status em_unbind(void *user_data, uint64_t number, int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    pthread_mutex_lock(&it->group->lock);
    em_binding **at = &it->bindings;
    while (*at != NULL && (*at)->number != number) { at = &(*at)->next; }
    em_binding *found = *at;
    if (found != NULL) {
        *at = found->next;
        for (em_delivery *each = found->durable != NULL ? found->durable->deliveries : NULL; each != NULL;
             each = each->next) {
            ctie_engine_answer answer = {sizeof answer, each->claim, CTIE_ENGINE_UNDELIVERED, 0, 0, {NULL, 0}};
            if (each->claim != 0 && each->holder == it && each->binding == number) {
                em_answer(found->durable, &answer);
            }
        }
        if (found->durable != NULL) { found->durable->listened = em_now(); }
        free(found->topic), free(found->shown), free(found);
    }
    it->unbound++;
    pthread_cond_broadcast(&it->group->changed);
    pthread_mutex_unlock(&it->group->lock);
    return found != NULL ? CTIE_OK : CTIE_E_NOT_FOUND;
}

static inline ctie_status em_members(void *user_data, ctie_engine_member_fn visit, void *context,
                                     int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    pthread_mutex_lock(&it->group->lock);
    for (engine_memory *each = it->group->openings; each != NULL; each = each->next) {
        ctie_engine_member member = {sizeof member, each->host->name, each->since, each->host->pid, each == it};
        if (!visit(&member, context)) { break; }
    }
    pthread_mutex_unlock(&it->group->lock);
    return CTIE_OK;
}

static inline void em_close(void *user_data) {
    engine_memory *it = user_data;
    em_group *group = it->group;
    if (group == NULL) {
        it->closed++;
        return;
    }
    pthread_mutex_lock(&group->lock);
    engine_memory **at = &group->openings;
    while (*at != NULL && *at != it) { at = &(*at)->next; }
    if (*at != NULL) { *at = it->next; }
    it->is_over = true;
    for (engine_memory *each = group->openings; each != NULL; each = each->next) {
        each->host->members_changed(each->host->context);
    }
    pthread_cond_broadcast(&group->changed);
    pthread_mutex_unlock(&group->lock);
    if (it->has_thread) { pthread_join(it->thread, NULL); }
    it->closed++; /* from here on it may not exist any more */
}

static inline ctie_status em_forget(void *user_data, ctie_str topic, ctie_str name, int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    char *of = em_text(topic), *called = em_text(name);
    pthread_mutex_lock(&it->group->lock);
    em_durable **at = em_find(it->group, of, called), *found = *at;
    if (found != NULL) {
        *at = found->next;
        for (engine_memory *each = it->group->openings; each != NULL; each = each->next) {
            for (em_binding *one = each->bindings; one != NULL; one = one->next) {
                if (one->durable == found) { one->durable = NULL; }
            }
        }
        for (em_delivery *next; found->deliveries != NULL; found->deliveries = next) {
            next = found->deliveries->next;
            free(found->deliveries);
        }
        free(found->topic), free(found->name), free(found);
    }
    pthread_mutex_unlock(&it->group->lock);
    free(of), free(called);
    return found != NULL ? CTIE_OK : CTIE_E_NOT_FOUND;
}

enum { EM_HOLDERS = 64 };

/** Counts what a durable consumer has; the holders are in `room`. */
static inline ctie_engine_durable em_describe(em_group *in, em_durable *it, ctie_engine_holder *room) {
    ctie_engine_durable out;
    memset(&out, 0, sizeof out);
    out.size = sizeof out;
    out.name = em_lend(it->name), out.identifier = em_lend(it->topic), out.options = &it->options;
    out.deliveries = it->delivered, out.missed = it->missed, out.position = it->position, out.listened = it->listened;
    out.holders = room;
    for (em_delivery *each = it->deliveries; each != NULL; each = each->next) {
        if (each->claim != 0) {
            size_t i = 0;
            while (i < out.holder_count && room[i].pid != each->holder->host->pid) { i++; }
            if (i == out.holder_count && i < EM_HOLDERS) {
                room[out.holder_count++] = (ctie_engine_holder){sizeof *room, each->holder->host->name,
                                                                each->holder->host->pid, 0, each->since};
            }
            room[i].count++;
            if (each->since < room[i].since) { room[i].since = each->since; }
        } else if (each->due > em_now()) {
            out.retrying++;
            if (out.next_retry == 0 || each->due < out.next_retry) { out.next_retry = each->due; }
        } else {
            out.waiting++;
        }
    }
    for (size_t i = em_after(in, it->position); i < in->count; i++) {
        em_record *record = in->log[i];
        if (!em_covers(it->topic, record->id)) { continue; }
        if (record->destroyed || em_expired(record)) {
            out.missed++;
            continue;
        }
        out.waiting++, out.waiting_size += record->value_size;
        if (out.oldest == 0) { out.oldest = record->time; }
    }
    return out;
}

static inline ctie_status em_durables(void *user_data, ctie_engine_durable_fn visit, void *context,
                                      int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    pthread_mutex_lock(&it->group->lock);
    em_heed_time(it->group);
    for (em_durable *each = it->group->durables; each != NULL; each = each->next) {
        ctie_engine_holder holders[EM_HOLDERS + 1];
        ctie_engine_durable durable = em_describe(it->group, each, holders);
        if (!visit(&durable, context)) { break; }
    }
    pthread_mutex_unlock(&it->group->lock);
    return CTIE_OK;
}

static inline ctie_status em_seek(void *user_data, ctie_str topic, ctie_str name, uint32_t start, uint64_t sequence,
                                  int64_t time, int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    char *of = em_text(topic), *called = em_text(name);
    pthread_mutex_lock(&it->group->lock);
    em_durable *found = *em_find(it->group, of, called);
    if (found != NULL) {
        found->position = em_start(it->group, start, sequence, time);
        /* Messages that wait are acknowledged or come again, and those in hand after the position do, too. */
        for (em_delivery **at = &found->deliveries; *at != NULL;) {
            em_delivery *each = *at;
            if (each->claim != 0 && each->record->sequence <= found->position) {
                at = &each->next;
                continue;
            }
            *at = each->next;
            free(each);
        }
        found->missed = 0;
        pthread_cond_broadcast(&it->group->changed);
    }
    pthread_mutex_unlock(&it->group->lock);
    free(of), free(called);
    return found != NULL ? CTIE_OK : CTIE_E_NOT_FOUND;
}

static inline ctie_status em_declare(void *user_data, ctie_str topic, ctie_str name, const ctie_durable_options *options,
                                     int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    if (options->max_deliveries != 0 || options->dead_letter.size != 0 || options->max_messages != 0 ||
        options->max_size != 0 || options->when_full != 0 || options->expires_ms != 0 || options->backoff_jitter != 0) {
        return CTIE_E_UNSUPPORTED;
    }
    char *of = em_text(topic), *called = em_text(name);
    ctie_status status = CTIE_OK;
    pthread_mutex_lock(&it->group->lock);
    em_durable *found = *em_find(it->group, of, called);
    bool is_new = found == NULL;
    if (is_new) {
        bool is_old = (options->flags & CTIE_DURABLE_FROM_OLDEST) != 0;
        found = em_make(it->group, of, called, is_old ? 0 : it->group->last);
    }
    bool is_same = found->options.backoff_first_ms == options->backoff_first_ms &&
                   found->options.backoff_most_ms == options->backoff_most_ms &&
                   found->options.backoff_factor == options->backoff_factor;
    if (is_new || is_same || (options->flags & CTIE_DURABLE_CHANGE) != 0) {
        found->options.backoff_first_ms = options->backoff_first_ms;
        found->options.backoff_most_ms = options->backoff_most_ms;
        found->options.backoff_factor = options->backoff_factor;
    } else {
        status = CTIE_E_CONFLICT;
    }
    pthread_mutex_unlock(&it->group->lock);
    free(of), free(called);
    return status;
}

static inline ctie_status em_scheduled(void *user_data, ctie_str topic, ctie_engine_message_fn visit, void *context,
                                       int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    char *wanted = em_text(topic);
    pthread_mutex_lock(&it->group->lock);
    em_heed_time(it->group);
    for (size_t i = 0; i < it->group->waiting_count; i++) {
        em_record *each = it->group->waiting[i];
        ctie_engine_message message = em_message_of(each);
        message.not_before = each->not_before;
        if (em_covers(wanted, each->id) && !visit(&message, context)) { break; }
    }
    pthread_mutex_unlock(&it->group->lock);
    free(wanted);
    return CTIE_OK;
}

static inline ctie_status em_cancel(void *user_data, uint64_t number, int64_t timeout_ms) {
    engine_memory *it = user_data;
    em_begin(it, timeout_ms);
    ctie_status status = CTIE_E_NOT_FOUND;
    pthread_mutex_lock(&it->group->lock);
    em_group *group = it->group;
    em_heed_time(group);
    for (size_t i = 0; i < group->waiting_count; i++) {
        if (group->waiting[i]->sequence != number) { continue; }
        em_record_free(group->waiting[i]);
        memmove(group->waiting + i, group->waiting + i + 1, (--group->waiting_count - i) * sizeof *group->waiting);
        status = CTIE_OK;
        break;
    }
    pthread_mutex_unlock(&group->lock);
    return status;
}

static const ctie_engine ENGINE_MEMORY = {
    .size = sizeof(ctie_engine), .open = em_open, .send = em_send, .current = em_read, .identifiers = em_identifiers,
    .bind = em_bind, .credit = em_credit, .resolve = em_resolve, .unbind = em_unbind, .members = em_members,
    .close = em_close, .forget = em_forget, .durables = em_durables, .seek = em_seek, .declare = em_declare,
    .scheduled = em_scheduled, .cancel = em_cancel, .send_each = em_send_each};

/** Opens a wormhole on the engine; `it` was set up, and lives until the wormhole has closed. */
static inline ctie_status em_wormhole(engine_memory *it, const char *group, const char *name, ctie_wormhole **out,
                                      ctie_error **error) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.name = ctie_str_from(name);
    options.engine = &ENGINE_MEMORY;
    options.engine_data = it;
    return ctie_wormhole_open(ctie_str_from(group), &options, out, error);
}

/** Frees all groups, of which none is open. */
static inline void em_free_groups(void) {
    for (em_group *next; em_groups != NULL; em_groups = next) {
        em_group *it = em_groups;
        next = it->next;
        for (size_t i = 0; i < it->count; i++) { em_record_free(it->log[i]); }
        for (size_t i = 0; i < it->waiting_count; i++) { em_record_free(it->waiting[i]); }
        for (em_durable *after; it->durables != NULL; it->durables = after) {
            after = it->durables->next;
            for (em_delivery *then; it->durables->deliveries != NULL; it->durables->deliveries = then) {
                then = it->durables->deliveries->next;
                free(it->durables->deliveries);
            }
            free(it->durables->topic), free(it->durables->name), free(it->durables);
        }
        pthread_cond_destroy(&it->changed), pthread_mutex_destroy(&it->lock);
        free(it->log), free(it->waiting), free(it->name), free(it);
    }
}

#endif
