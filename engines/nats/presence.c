#include "outbox.h"
#include "parts.h"
#include "presence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HELLO_MS = 300,     /* by then all others have answered a hello, unless they are stopped */
    LENIENT_MS = 3000,  /* after a reconnect */
};

void presence_changed(presence *it) {
    if (!host_enter(it->of)) { return; }
    it->of->host->members_changed(it->of->host->context);
    host_leave(it->of);
}

static size_t count_members(presence *it) {
    pthread_mutex_lock(&it->lock);
    size_t count = it->count + 1;
    pthread_mutex_unlock(&it->lock);
    return count;
}

/* Nothing is lost if it cannot be sent now, or only after waiting: hello follows a reconnect, the rest comes with the
   next roll-call. */
void presence_say(presence *it, const char *subject, const char *type, const char *reply) {
    char *text = greeting_text(it->of, type, count_members(it), NULL);
    natsConnection *connection = it->of->connection;
    if (text == NULL || connection == NULL || !outbox_is_clear(it->of)) {
        free(text);
        return;
    }
    int size = (int)strlen(text);
    if (reply == NULL) { natsConnection_Publish(connection, subject, text, size); }
    if (reply != NULL) { natsConnection_PublishRequest(connection, subject, reply, text, size); }
    free(text);
}

/* This has to reach the others, so that the thread of the bindings sends it: it may wait for the server. */
void presence_notify(presence *it, const char *durable) {
    char *text = greeting_text(it->of, "look", count_members(it), durable);
    if (text != NULL && feed_start(it->of->bindings) == CTIE_OK) {
        order_send(it->of->bindings, it->of->names.presence, NULL, text, strlen(text));
    }
    free(text);
}

/* ---- Coming and leaving ----------------------------------------------------------------------------- */

presence *presence_new(engine *it) {
    pthread_condattr_t monotonic;
    presence *made = calloc(1, sizeof *made);
    if (made == NULL) { return NULL; }
    made->of = it;
    pthread_mutex_init(&made->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&made->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return made;
}

void presence_free(presence *it) {
    if (it == NULL) { return; }
    members_clear(it);
    pthread_cond_destroy(&it->changed);
    pthread_mutex_destroy(&it->lock);
    free(it);
}

/* The hello is a request, which the others answer: then they know each other. */
static void say_hello(presence *it) {
    char reply[PRESENCE_INBOX_MOST + 2];
    pthread_mutex_lock(&it->lock);
    it->found_by = deadline_after(HELLO_MS);
    it->announced = 0;
    pthread_mutex_unlock(&it->lock);
    snprintf(reply, sizeof reply, "%s0", it->inbox);
    presence_say(it, it->of->names.presence, "hello", reply);
}

static ctie_status subscribe(presence *it) {
    char own[SUBJECT_MOST + MEMBER_ID], answers[PRESENCE_INBOX_MOST + 2];
    const char *subjects[] = {it->of->names.presence, own, answers};
    snprintf(own, sizeof own, "%s.%s", it->of->names.presence, it->of->self.member);
    snprintf(answers, sizeof answers, "%s>", it->inbox);
    for (int i = 0; i < 3; i++) {
        ctie_status status = connection_subscribe(it->of, subjects[i], i < 2 ? receive_request : receive_answer, it,
                                                  &it->subscriptions[i]);
        if (status != CTIE_OK) { return status; }
    }
    return CTIE_OK;
}

ctie_status presence_open(engine *it, int64_t deadline) {
    presence *of = it->presence;
    natsInbox *inbox = NULL;
    (void)deadline; /* nothing here waits for the server */
    natsStatus made = natsInbox_Create(&inbox);
    if (made != NATS_OK) { return fail_nats(it, made, "the subject of answers"); }
    snprintf(of->inbox, sizeof of->inbox, "%s.", inbox);
    natsInbox_Destroy(inbox);
    ctie_status status = subscribe(of);
    if (status == CTIE_OK) { say_hello(of); }
    return status;
}

void presence_reconnected(engine *it) {
    pthread_mutex_lock(&it->presence->lock);
    it->presence->lenient_until = deadline_after(LENIENT_MS);
    pthread_mutex_unlock(&it->presence->lock);
    say_hello(it->presence);
}

void presence_close(engine *it) {
    presence *of = it->presence;
    if (of == NULL) { return; }
    roll_end(of);
    if (of->subscriptions[0] != NULL) { presence_say(of, it->names.presence, "bye", NULL); }
    for (int i = 0; i < 3; i++) {
        retire(it->retired, of->subscriptions[i]);
        of->subscriptions[i] = NULL;
    }
}

/* ---- The function of the engine ----------------------------------------------------------------------- */

static ctie_engine_member described(const member *who, bool is_own) {
    return (ctie_engine_member){sizeof(ctie_engine_member), ctie_str_from(who->name), who->since, who->pid, is_own};
}

ctie_status engine_members(void *data, ctie_engine_member_fn visit, void *context, int64_t timeout_ms) {
    engine *it = data;
    size_t count = 0;
    int64_t deadline = deadline_after(timeout_ms);
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    ctie_status status = connection_ready(it, deadline);
    if (status != CTIE_OK) { return status; }
    roll_watch(it->presence);
    roll_all(it->presence, deadline);
    pthread_mutex_lock(&it->presence->lock);
    member *others = members_copy(it->presence, 0, &count);
    pthread_mutex_unlock(&it->presence->lock);
    if (others == NULL) { return CTIE_E_NO_MEMORY; }
    ctie_engine_member own = {sizeof own, ctie_str_from(it->self.name), it->since, it->self.pid, 1};
    bool goes_on = visit(&own, context);
    for (size_t i = 0; goes_on && i < count; i++) {
        ctie_engine_member each = described(&others[i], false);
        goes_on = visit(&each, context);
    }
    free(others);
    return CTIE_OK;
}
