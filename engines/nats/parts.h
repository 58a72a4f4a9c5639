/* The functions of the parts of bindings. */
#ifndef PARTS_H
#define PARTS_H

#include "binding.h"

/* --- bind.c --- */
binding *binding_retain(binding *it);
void binding_release(binding *it);
/* Has the thread look at a binding. */
void binding_wake(binding *it);
/* The binding of a number, retained; NULL if there is none. */
binding *binding_find(bindings *all, uint64_t number);
/* All of them, each retained; the array is the caller's. bindings_release() gives them up. */
binding **bindings_list(bindings *all, size_t *count);
void bindings_release(binding **list, size_t count);
/* Makes a binding known to the thread, which does not touch it before `is_bound`. */
void binding_enter(bindings *all, binding *it);
/* Opens its inbox, makes its consumer, and enters it; after an error it has ended. */
ctie_status binding_begin(binding *it, int64_t deadline);

/* --- opening.c: a binding's memory and its inbox --- */
binding *binding_new(bindings *all, uint64_t number, const ctie_engine_binding *how);
ctie_status binding_open_inbox(binding *it);
void binding_close_inbox(binding *it);

/* --- orders.c --- */
/* Leaves a message for the thread to send; `reply` may be NULL. Without memory it is not sent. */
void order_send(bindings *all, const char *subject, const char *reply, const char *body, size_t size);
/* Sends them; only the thread does. */
void orders_send_all(bindings *all);
/* Says something once. */
void complain(bindings *all, unsigned which, const char *text);
enum {
    COMPLAINT_FOREIGN = 1, COMPLAINT_REPLY = 2, COMPLAINT_REQUEST = 4,
    COMPLAINT_DEED = 8, COMPLAINT_LOOK = 16, COMPLAINT_LARGE = 32,
};

/* --- feed.c: the thread --- */
ctie_status feed_start(bindings *all);
/* Ends everything, and waits for libnats's last calls for a moment. */
void feed_stop(bindings *all);
bool feed_is_connected(engine *it);

/* --- serve.c --- */
/* Does what a binding has to do; gives when to look again, 0 when it has ended. */
int64_t serve(binding *it);

/* --- consumer.c --- */
epoch epoch_now(engine *it);
/* With the lock: whether a consumer that was just made is good. It is not if the connection or the messages were lost
   since this round and epoch. */
bool is_still_so(const binding *it, uint64_t round, const epoch *since);
/* Makes the consumer of a binding, for the first time or again. */
ctie_status consumer_make(binding *it, int64_t deadline);
void consumer_delete(binding *it);

/* --- start.c: where a consumer begins --- */
typedef struct beginning {
    const char *policy;
    uint64_t sequence;
    int64_t time;
    stored_values stored;
    bool has_stored;
    uint64_t skips_up_to, missed;
} beginning;
ctie_status beginning_find(binding *it, beginning *out, int64_t deadline);

/* --- pull.c --- */
/* With the lock: asks for what the credit allows. */
void pull_more(binding *it);
/* With the lock: no request is outstanding any more. */
void pull_forget_all(binding *it);
/* libnats's callback for the inbox of a binding. */
void pull_received(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure);
/* With the lock: true if a request has got no answer at all. */
bool pull_is_lost(binding *it, int64_t now);
/* Reads `$JS.ACK.…`; false for anything else. */
bool place_read(const char *reply, place *out);

/* --- everything.c --- */
/* The watch for destroyings of everything; before the first binding that needs it. */
ctie_status everything_watch(bindings *all, int64_t deadline);
/* One that was sent, or that the stream has. */
void everything_note(bindings *all, uint64_t in_stream, const ctie_engine_message *message);
ctie_status everything_find_last(bindings *all, int64_t deadline);

/* --- stored.c --- */
/* With the lock: delivers stored values for the credit there is. */
void stored_deliver(binding *it);
ctie_status stored_find(binding *it, stored_values *out, int64_t deadline);

/* --- flow.c: states and queues; all with the lock --- */
void flow_take(binding *it, natsMsg *message, const place *at);
void flow_everything(binding *it, uint64_t before);
bool flow_has_everything(binding *it, everything *out);
void flow_missed(binding *it);
/* Hands over one message, for one of the credit. */
ctie_status hand_over(binding *it, const ctie_engine_message *message);
void flow_restart(binding *it);
bool has_expired(const ctie_engine_message *message);

/* --- claims.c: messages of durable consumers; with the lock --- */
/* True: it keeps the message. */
bool claims_take(binding *it, natsMsg *message, const place *at);
void claims_report_progress(binding *it, int64_t now);
/* Without the lock: the same for all bindings, at once. */
void claims_report_all(bindings *all);
void claims_leave(binding *it);
/* The consumer was replaced: those in hand stay, and are not of the new one. */
void claims_outlive(binding *it);
/* The server has lost the messages: their outcomes do not count any more. */
void claims_forget(binding *it);
void claim_answer(binding *it, const ctie_engine_answer *answer);

/* --- acks.c: acknowledgements that the server has not confirmed --- */
acks *acks_new(bindings *all);
void acks_free(acks *it);
ctie_status acks_open(acks *it);
void acks_close(acks *it);
/* Acknowledges, and repeats it until the server confirms it. */
void acks_add(acks *it, consumer_id of, uint64_t in_stream, const char *reply);
/* Whether this member has acknowledged a message. */
bool acks_has(acks *it, consumer_id of, uint64_t in_stream);
/* A consumer is not there any more: its acknowledgements must not reach another one of its name. */
void acks_drop(acks *it, const char *consumer);
/* Repeats those that are due, or all of them; gives when the next ones are. */
int64_t acks_repeat(acks *it, int64_t now, bool is_new_connection);
void acks_reset(acks *it);

/* --- durable_changed.c --- */
/* With the lock: the durable consumer of a binding was forgotten. */
void durable_forgotten(binding *it);

/* --- durable.c --- */
/* Finds a durable consumer; makes it for a new binding, or after a loss. CTIE_E_CONFLICT; CTIE_E_NOT_FOUND: it was
   forgotten; CTIE_PENDING: the connection was lost meanwhile (`round` is another one). */
ctie_status durable_open(binding *it, uint64_t round, int64_t deadline);

#endif
