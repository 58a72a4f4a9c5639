/* The state of an engine, and the functions of its parts. */
#ifndef PARTS_H
#define PARTS_H

#include "durable.h"
#include "engine.h"

#include <pthread.h>

enum { TOKENS = 64, BATCH = 64 };

typedef struct binding {
    struct binding *next;
    uint64_t number;
    uint32_t delivery;
    char topic[ID_MOST];
    char file[24]; /* of a durable consumer */
    uint32_t credit; /* so many messages may be delivered */
    uint32_t added;  /* credit that the thread has not taken yet; with `small` */
    bool is_initial; /* of a state: the stored values are being delivered */
    bool has_shown;
    char shown[ID_MOST]; /* the last identifier of it */
    uint64_t position;   /* it has everything up to this number */
    uint64_t missed, missed_up_to;
} binding;

/* An outcome that the thread has not noted yet. */
typedef struct outcome {
    struct outcome *next;
    char file[24];
    ctie_engine_answer answer;
} outcome;

typedef struct engine {
    char path[PATH_MOST];
    directory files;
    const ctie_engine_host *host;
    uint64_t member, last_claim;
    int member_file, watch, wake; /* inotify and eventfd */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t work;  /* the thread delivers; the bindings change */
    pthread_mutex_t small; /* credit and outcomes */
    binding *bindings, *ended;
    outcome *outcomes, **outcomes_end;
    bool is_over;
    int64_t next;          /* when the thread has something to do by itself */
    int64_t looked;        /* when it last looked for members that have died */
    uint64_t members_seen; /* something that changes with them */
    struct { uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE]; uint64_t first; } tokens[TOKENS];
    size_t token_count;
    durable room; /* the durable consumer that the thread works on */
} engine;

/* The next messages of a binding, with the group's lock and `work`. */
void deliver_stored(engine *it, binding *to);
bool deliver_next(engine *it, binding *to, uint64_t last);
/* Says whether others may have something to do, and returns whether this one may have more. */
bool deliver_durables(engine *it, binding *to, uint64_t last, bool buries, bool *has_changed);

/* The thread that delivers, until `is_over`. */
void *run_engine(void *data);
void wake(engine *it);

/* Functions of the engine for listeners. */
ctie_status bind_listener(void *data, uint64_t number, const ctie_engine_binding *how, int64_t timeout_ms);
ctie_status unbind_listener(void *data, uint64_t number, int64_t timeout_ms);
void add_credit(void *data, uint64_t number, uint32_t count);
void take_outcomes(void *data, uint64_t number, const ctie_engine_answer *answers, size_t count);
ctie_status forget_durable(void *data, ctie_str topic, ctie_str name, int64_t timeout_ms);

#endif
