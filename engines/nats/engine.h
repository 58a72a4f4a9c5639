/* A member of a group over a server. */
#ifndef ENGINE_H
#define ENGINE_H

#include "clock.h"
#include "envelope.h"
#include "names.h"
#include "retired.h"

#include <crosstie/engine_plugin.h>
#include <jansson.h>
#include <nats/nats.h>
#include <pthread.h>

typedef struct asking asking;       /* ask.c */
typedef struct keeper keeper;       /* keeper.c */
typedef struct outbox outbox;       /* outbox.c */
typedef struct settings settings;   /* settings.c */
typedef struct bindings bindings;   /* bind.c */
typedef struct recent recent;       /* recent.c */
typedef struct presence presence;   /* presence.c */
typedef struct joins joins;         /* joins.c */

enum { SERVER_MOST = 320 };

typedef struct engine {
    settings *settings;
    const ctie_engine_host *host;
    pid_t pid;
    uint64_t max_value_size;    /* the host's */
    group_names names;
    sender self;
    int64_t since;              /* when it was opened, by CLOCK_REALTIME */
    natsConnection *connection; /* NULL until `open` has made it */
    asking *asking;
    keeper *keeper;
    outbox *outbox;
    retired *retired;
    bindings *bindings;
    recent *recent;
    presence *presence;
    joins *joins;
    pthread_mutex_t reporting;    /* around the host's connection_changed, so that its last call has the last state */
    pthread_rwlock_t host_lock; /* host_enter() */
    bool is_host_released;
    pthread_mutex_t lock;       /* of what follows; held shortly, never while libnats or the host is called */
    pthread_cond_t changed;     /* CLOCK_MONOTONIC; signaled when any of it changes */
    int users;                  /* of this memory: the opening, libnats, and each subscription */
    int32_t state;              /* CTIE_CONNECTION_… */
    ctie_status refusal;        /* why it is closed, or why the group cannot be used; else CTIE_OK */
    char reason[400];           /* in words; also why it is reconnecting */
    bool is_closing;
    bool is_open; /* set by `open`, read by `close`: it has succeeded */
    int64_t state_since;        /* by CLOCK_REALTIME */
    char server[SERVER_MOST];   /* the address of the server connected to; else empty */
    uint64_t connections;       /* counts each time that the server was connected to */
    uint64_t checked;           /* the last of them after which the streams were checked */
    int64_t max_payload;        /* bytes, of the server connected to */
    bool has_no_direct_gets;    /* the server is older than 2.9 */
    char epoch[64];             /* the stream's creation time; empty until it is known */
    bool has_new_epoch;         /* the keeper has not told the bindings yet */
    uint64_t offset;            /* added to the stream's numbers: above all those of an earlier epoch */
    uint64_t highest;           /* the highest number (with its offset) that this member has seen */
} engine;

/* --- memory.c --- */

/* The host may be called between these two, on any thread. False: it is released, and leaving is not allowed. */
bool host_enter(engine *it);
void host_leave(engine *it);
/* It is not called any more. */
void host_release(engine *it);
/* Keeps the memory of the engine, and gives it up. */
void engine_retain(engine *it);
void engine_release(engine *it);
ctie_status engine_new(const ctie_engine_server *server, void **out);

/* --- problem.c: errors --- */

/* Gives the caller's error a text, and returns the status. Secrets never get into one. */
ctie_status fail(engine *it, ctie_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The status of a libnats function that did `what`. Nothing was sent. */
ctie_status fail_nats(engine *it, natsStatus status, const char *what);
/* The status that an `error` object of a JetStream answer means (err_code first, then code), with the server's
   words. */
ctie_status fail_api(engine *it, const json_t *error, const char *what);
void log_line(engine *it, int32_t level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* --- connection.c --- */

ctie_status connection_open(engine *it, int64_t deadline);
void connection_close(engine *it); /* may take long */
/* CTIE_OK if the group can be used now: the server is connected to, and the streams have been checked since. Waits for
   a reconnect until the deadline. CTIE_E_FORKED, CTIE_E_CLOSED, CTIE_E_UNAVAILABLE, CTIE_E_DENIED (the log-in was
   refused) with their words. Every function of the engine begins with it, and so does every repetition. */
ctie_status connection_ready(engine *it, int64_t deadline);
/* The same without the streams: for what makes and checks them. */
ctie_status connection_up(engine *it, int64_t deadline);
/* Subscribes. The engine's memory stays until the last call of `handler` has returned. The handler must not wait: all
   subscriptions of the process share a thread. */
ctie_status connection_subscribe(engine *it, const char *subject, natsMsgHandler handler, void *closure,
                                 natsSubscription **out);
/* --- keeper.c: a thread of the engine, which begins with the first reconnect --- */

keeper *keeper_new(void);
ctie_status keeper_wake(engine *it);
void keeper_has_opened(engine *it); /* inbox and presence are there; before the thread begins */
void keeper_end(engine *it);

/* --- ask.c: requests --- */

ctie_status asking_new(engine *it);
ctie_status asking_open(engine *it); /* subscribes */
void asking_close(engine *it);
void asking_free(engine *it);
/* Sends a request, which is destroyed, and waits for its answer, which the caller destroys. CTIE_E_UNAVAILABLE: it was
   not sent until the deadline, or nobody answers on that subject; CTIE_E_DENIED: no permission; CTIE_E_UNCERTAIN: sent,
   and no answer came until the deadline or the connection was lost meanwhile; CTIE_E_LIMIT: larger than the server
   takes. */
ctie_status ask(engine *it, natsMsg *request, int64_t deadline, natsMsg **answer);
/* Several at once, pipelined; answers[i] is NULL where statuses[i] is not CTIE_OK. All requests are destroyed. */
void ask_many(engine *it, natsMsg **requests, size_t count, int64_t deadline, natsMsg **answers, ctie_status *statuses);
/* connection.c calls these on libnats's threads: a permission was refused; the connection was lost. */
void asking_refused(engine *it, const char *subject, bool is_cut);
void asking_lost(engine *it);

/* --- api.c: JetStream's API --- */

/* Requests `$JS.API.<what>` with a body (borrowed; NULL: empty), and returns its answer (owned). An answer with an
   error is that status, and `*answer` still receives it if it is not NULL. No answer at all is CTIE_E_TIMEOUT: every
   request of this kind can be repeated, and is, when the connection is lost or a cluster has no leader. No responders:
   CTIE_E_UNSUPPORTED, JetStream is off. */
ctie_status api(engine *it, const char *what, const json_t *body, int64_t deadline, json_t **answer);
/* The `err_code` of an answer, or 0. */
int64_t api_error(const json_t *answer);
/* Members of an object as numbers and texts; 0 and "" if they are missing or of another type. */
uint64_t api_number(const json_t *object, const char *key);
const char *api_text(const json_t *object, const char *key);
/* RFC 3339 with nanoseconds, as JetStream writes times, from and to nanoseconds since 1970; 0 if it cannot be read. */
int64_t api_time(const char *text);
void api_time_text(int64_t time, char out[40]);

/* --- streams.c --- */

/* Makes the two streams, or checks that those there are of our making (CTIE_E_CONFLICT otherwise). Sets the epoch. */
ctie_status streams_open(engine *it, int64_t deadline);
/* After a reconnect, and when a request does not find the stream: makes them again if they were lost. True if this
   is another epoch; then `offset` has been raised above `highest`. */
ctie_status streams_check(engine *it, int64_t deadline, bool *is_new_epoch);
/* mend.c: a stream was not found. Has the keeper make both again: connection_ready() waits for that. */
ctie_status streams_mend(engine *it);
/* A request found nobody on its subject, or had no answer: looks whether the streams are there, else streams_mend(). */
void streams_doubt(engine *it, int64_t deadline);
/* The group's number of a number in the stream, and back (0: of an earlier epoch). Both with the lock inside. */
uint64_t number_of(engine *it, uint64_t in_stream);
uint64_t number_in_stream(engine *it, uint64_t number);
/* The same for a number that a stranger may have written: it does not raise `highest`. */
uint64_t number_of_letter(engine *it, uint64_t in_stream);

/* --- send.c --- */
ctie_status engine_send(void *data, const ctie_engine_message *messages, size_t count, const uint8_t *token,
                        uint64_t *first, uint32_t *listeners, int64_t timeout_ms);

/* --- batch.c --- */
ctie_status engine_send_each(void *data, const ctie_engine_message *messages, size_t count, const uint8_t *token,
                             uint64_t *first, size_t *sent, int64_t timeout_ms);

/* --- current.c, recent.c: what is stored --- */
ctie_status engine_current(void *data, ctie_str identifier, ctie_engine_message_fn visit, void *context,
                           int64_t timeout_ms);
ctie_status engine_identifiers(void *data, ctie_str topic, ctie_engine_identifier_fn visit, void *context,
                               int64_t timeout_ms);
recent *recent_new(void);
void recent_free(recent *it);
/* send.c: this member has stored a message under a number of the stream. */
void recent_note(engine *it, const ctie_engine_message *message, uint64_t in_stream);
/* Another epoch: forgets everything. */
void recent_reset(engine *it);
/* All that is stored under a topic, merged from both streams and from `recent`: the newest value of each identifier
   that was not destroyed after it. Sorted by identifier (memcmp). `stored.c` begins state listeners with it. */
typedef struct stored_value {
    char *subject;      /* owned */
    natsMsg *message;   /* owned */
    uint64_t in_stream; /* its number in the stream of all messages */
} stored_value;
typedef struct stored_values {
    stored_value *items; /* owned */
    size_t count;
    uint64_t up_to;      /* everything up to this number of the stream has been looked at */
} stored_values;
ctie_status current_all(engine *it, ctie_str topic, int64_t deadline, stored_values *out);
void stored_values_free(stored_values *it);

/* --- binding: bind.c and its files --- */
bindings *bindings_new(engine *it); /* NULL without memory */
void bindings_end(bindings *it);    /* ends all of them */
void bindings_free(bindings *it);   /* with the engine: threads of libnats may still look for a binding */
ctie_status engine_bind(void *data, uint64_t binding, const ctie_engine_binding *how, int64_t timeout_ms);
void engine_credit(void *data, uint64_t binding, uint32_t count);
void engine_resolve(void *data, uint64_t binding, const ctie_engine_answer *answers, size_t count);
ctie_status engine_unbind(void *data, uint64_t binding, int64_t timeout_ms);
ctie_status engine_forget(void *data, ctie_str topic, ctie_str name, int64_t timeout_ms);
ctie_status engine_declare(void *data, ctie_str topic, ctie_str name, const ctie_durable_options *options,
                           int64_t timeout_ms);
ctie_status engine_seek(void *data, ctie_str topic, ctie_str name, uint32_t start, uint64_t sequence, int64_t time,
                        int64_t timeout_ms);
ctie_status engine_durables(void *data, ctie_engine_durable_fn visit, void *context, int64_t timeout_ms);
ctie_status engine_dead_letters(void *data, ctie_str topic, ctie_str name, uint64_t after, size_t limit,
                                uint32_t has_values, ctie_engine_dead_letter_fn visit, void *context,
                                int64_t timeout_ms);
ctie_status engine_end_dead_letters(void *data, ctie_str topic, ctie_str name, uint64_t sequence, uint32_t action,
                                    uint64_t *count, int64_t timeout_ms);
/* Waits until the outcomes of messages that were given before have been carried out. CTIE_E_TIMEOUT. */
ctie_status bindings_conclude(engine *it, int64_t deadline);
/* connection.c, on a thread of the engine that may wait: the server is connected to again; another epoch. */
void bindings_reconnected(engine *it, bool is_new_epoch);

/* --- presence.c --- */
presence *presence_new(engine *it);
ctie_status presence_open(engine *it, int64_t deadline); /* answers others, and says hello */
void presence_close(engine *it);                         /* says bye */
void presence_free(presence *it);
void presence_reconnected(engine *it);
ctie_status engine_members(void *data, ctie_engine_member_fn visit, void *context, int64_t timeout_ms);

/* --- joins.c: joined buses --- */
joins *joins_new(engine *it); /* NULL without memory */
void joins_close(engine *it); /* before the connection ends */
void joins_free(joins *it);   /* all joins have left */
/* The connection was lost; it is there again. */
void joins_lost(engine *it);
void joins_reconnected(engine *it);
ctie_status engine_join(void *data, uint64_t join, uint64_t max_frame_size, int64_t timeout_ms);
ctie_status engine_send_frame(void *data, uint64_t join, uint64_t peer, ctie_bytes frame, uint64_t max_waiting);
void engine_disconnect(void *data, uint64_t join, uint64_t peer);
ctie_status engine_leave(void *data, uint64_t join, int64_t timeout_ms);

/* --- settings.c --- */
settings *settings_copy(const ctie_engine_server *server); /* NULL without memory, which has no secrets then */
void settings_free(settings *it);                          /* wipes the secrets */
/* The options of the connection, without callbacks. */
ctie_status settings_options(engine *it, natsOptions **out);
uint32_t settings_replicas(const settings *it);
bool settings_has_replicas(const settings *it); /* they were given */
int64_t settings_max_age(const settings *it); /* nanoseconds; 0: for ever */
uint64_t settings_max_messages(const settings *it);
uint64_t settings_max_bytes(const settings *it);
bool settings_is_offline(const settings *it);

/* --- engine.c --- */
extern const ctie_engine ENGINE_OF_NATS;

#endif
