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
    char file[NUMBER_MOST]; /* of a durable consumer */
    uint32_t credit;        /* so many messages may be delivered */
    uint32_t added;         /* credit that the thread has not taken yet; with `small` */
    bool is_initial;        /* of a state: the stored values are being delivered */
    bool has_shown;
    char shown[ID_MOST]; /* the last identifier of it */
    uint64_t position;   /* it has everything up to this number */
    uint64_t missed, missed_up_to;
} binding;

/* An outcome that the thread has not noted yet. */
typedef struct outcome {
    struct outcome *next;
    char file[NUMBER_MOST]; /* of its durable consumer */
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
    int64_t next;          /* of steady_ns(): when the thread has something to do by itself */
    int64_t looked;        /* likewise: when it last looked for members that have died */
    uint64_t members_seen; /* something that changes with them */
    const char *trouble;   /* of the thread: the failure that the log has already; NULL: none */
    bool has_trouble;      /* of the thread: something has failed in this turn */
    struct { uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE]; uint64_t first; } tokens[TOKENS];
    size_t token_count;
    durable room; /* the durable consumer that the thread works on */
} engine;

/* A message as a binding sees it. */
typedef enum { IS_THERE, IS_OF_OTHERS, IS_MISSED, CANNOT_BE_READ } sight;

/* Deliveries, with the group's lock and `work`. After IS_THERE, message_free(). */
sight look_at(engine *it, const char *topic, uint64_t number, stored *out);
/* The status of host->deliver(). Only after CTIE_OK and CTIE_E_CORRUPT (it was dropped) the engine is done with it. */
ctie_status hand_over(engine *it, binding *to, const ctie_engine_message *message);
bool hand_over_missed(engine *it, binding *to, uint64_t *missed, uint64_t up_to);
void deliver_stored(engine *it, binding *to);
/* The next message of a state or a queue. Says whether there was one. */
bool deliver_next(engine *it, binding *to, uint64_t last);
/* The next messages of a durable consumer. Says whether there may be more; `has_changed`: for other processes, too. */
bool deliver_durables(engine *it, binding *to, uint64_t last, bool buries, bool *has_changed);

/* The thread that delivers, until `is_over`. */
void *run_engine(void *data);
void wake(engine *it);
/* Logs a failure of the thread, once until a turn has no failure. The thread tries again. */
void complain(engine *it, const char *what, ctie_status status);

/* Outcomes. */
/* With `small`. False without memory. */
bool add_outcome(engine *it, const char *file, const ctie_engine_answer *answer);
/* Notes the outcomes, and takes back what bindings had that have ended. Says whether a message is delivered again. */
bool note_outcomes(engine *it);

/* Functions of the engine that read. */
ctie_status read_current(void *data, ctie_str identifier, ctie_engine_message_fn visit, void *context,
                         int64_t timeout_ms);
ctie_status list_identifiers(void *data, ctie_str topic, ctie_engine_identifier_fn visit, void *context,
                             int64_t timeout_ms);
ctie_status list_members(void *data, ctie_engine_member_fn visit, void *context, int64_t timeout_ms);

/* Functions of the engine for listeners. */
ctie_status bind_listener(void *data, uint64_t number, const ctie_engine_binding *how, int64_t timeout_ms);
ctie_status unbind_listener(void *data, uint64_t number, int64_t timeout_ms);
void add_credit(void *data, uint64_t number, uint32_t count);
void take_outcomes(void *data, uint64_t number, const ctie_engine_answer *answers, size_t count);
ctie_status forget_durable(void *data, ctie_str topic, ctie_str name, int64_t timeout_ms);

#endif
