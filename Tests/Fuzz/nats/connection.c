/* libnats without a network. The input's next answer, or that of the server, follows each request. */
#include "connection.h"
#include "inboxes.h"
#include "server.h"
#include "simulated.h"
#include "tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 256, PAYLOAD = 1 << 20 };

struct __natsConnection {
    bool is_lost, is_closed;
    uint64_t client; /* counts the times that it was made again */
    char words[WORDS_MOST];
};

static natsConnection *connection;
static natsConnectionHandler on_disconnected, on_reconnected, on_closed;
static natsErrHandler on_error;
static char last_words[WORDS_MOST];
static void *callbacks_closure;

/* ---- The connection ------------------------------------------------------------------------------ */

natsStatus sim_connect(natsConnection **out, natsOptions *options) {
    (void)options;
    *out = connection = calloc(1, sizeof *connection);
    return *out != NULL ? NATS_OK : NATS_NO_MEMORY;
}

/* The inboxes end with it. */
static void close_connection(void) {
    if (connection->is_closed) { return; }
    connection->is_closed = connection->is_lost = true;
    inboxes_end_all();
    on_closed(connection, callbacks_closure);
}

void sim_destroy(natsConnection *it) {
    if (it == NULL) { return; }
    if (it != connection) { give_up("another connection is destroyed"); }
    close_connection();
    free(it);
    connection = NULL;
}

natsStatus sim_url(natsConnection *it, char *out, size_t room) {
    (void)it;
    snprintf(out, room, "nats://user:secret@127.0.0.1:4222");
    return NATS_OK;
}

int64_t sim_payload(natsConnection *it) { return it->is_closed ? 0 : PAYLOAD; }

natsStatus sim_client(natsConnection *it, uint64_t *out) {
    *out = it->client + 1;
    return it->is_lost ? NATS_CONNECTION_CLOSED : NATS_OK;
}

natsStatus sim_last_error(natsConnection *it, const char **words) {
    *words = it->words;
    return NATS_ERR;
}

const char *sim_words(natsStatus *status) {
    *status = NATS_NOT_PERMITTED;
    return last_words;
}

natsStatus sim_on_disconnected(natsOptions *options, natsConnectionHandler handler, void *closure) {
    (void)options, on_disconnected = handler, callbacks_closure = closure;
    return NATS_OK;
}

natsStatus sim_on_reconnected(natsOptions *options, natsConnectionHandler handler, void *closure) {
    (void)options, (void)closure, on_reconnected = handler;
    return NATS_OK;
}

natsStatus sim_on_closed(natsOptions *options, natsConnectionHandler handler, void *closure) {
    (void)options, (void)closure, on_closed = handler;
    return NATS_OK;
}

natsStatus sim_on_error(natsOptions *options, natsErrHandler handler, void *closure) {
    (void)options, (void)closure, on_error = handler;
    return NATS_OK;
}

void connection_change(void) {
    if (connection == NULL || connection->is_closed) { return; }
    connection->is_lost = !connection->is_lost;
    if (!connection->is_lost) { connection->client++; }
    (connection->is_lost ? on_disconnected : on_reconnected)(connection, callbacks_closure);
}

void connection_refuse(const char *words) {
    if (connection == NULL || connection->is_closed) { return; }
    snprintf(connection->words, sizeof connection->words, "%s", words);
    close_connection();
}

void connection_complain(const char *words) {
    if (connection == NULL) { return; }
    snprintf(last_words, sizeof last_words, "%s", words);
    on_error(connection, NULL, NATS_NOT_PERMITTED, callbacks_closure);
}

/* ---- Publishing ---------------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Nobody but the server may have the engine send something to a subject of others. */
static void check_subject(const char *subject) {
    bool is_ours = begins_with(subject, "ctie.g.") || begins_with(subject, "$JS.ACK.") ||
                   begins_with(subject, "_INBOX.") || begins_with(subject, "$JS.API.STREAM.") ||
                   begins_with(subject, "$JS.API.CONSUMER.") || begins_with(subject, "$JS.API.DIRECT.GET.CTIE_g");
    if (!is_ours || strpbrk(subject, " \t\r\n") != NULL) {
        fprintf(stderr, "ERROR: it publishes to %s\n", subject);
        abort();
    }
}

/* `!` in place of an answer: it is lost; `~`: with the connection. */
static void answer_request(const char *subject, const char *reply, natsSubscription *to) {
    piece given;
    if (!pieces_take_answer(&given)) {
        natsMsg *made = server_answer(subject, reply);
        if (made != NULL) { inbox_put(to, made); }
        return;
    }
    if (given.size == 1 && given.bytes[0] == '!') { return; }
    if (given.size == 1 && given.bytes[0] == '~') {
        inbox_put(NULL, NULL);
        return;
    }
    natsMsg *made = piece_message(given, reply);
    if (made != NULL) { inbox_put(to, made); }
}

/* Members receive what they publish themselves. */
static void receive_own(const char *subject, const char *reply, const void *bytes, int size) {
    bool is_of_members = begins_with(subject, "ctie.g.p") || begins_with(subject, "ctie.g.j.");
    natsSubscription *to = is_of_members ? inbox_for(subject) : NULL;
    natsMsg *made = NULL;
    if (to != NULL && natsMsg_Create(&made, subject, reply, bytes, size) == NATS_OK) { inbox_put(to, made); }
}

static natsStatus publish(const char *subject, const char *reply, const void *bytes, int size) {
    if (connection == NULL || connection->is_closed) { return NATS_CONNECTION_CLOSED; }
    if (connection->is_lost) { return NATS_CONNECTION_DISCONNECTED; }
    check_subject(subject);
    receive_own(subject, reply, bytes, size);
    natsSubscription *to = inbox_for(reply);
    if (to == NULL) { return NATS_OK; }
    bool is_pull = begins_with(subject, "$JS.API.CONSUMER.MSG.NEXT.");
    if (inbox_has_handler(to) && !is_pull) { answer_request(subject, reply, to); }
    return NATS_OK;
}

natsStatus sim_publish(natsConnection *it, const char *subject, const void *bytes, int size) {
    (void)it;
    return publish(subject, NULL, bytes, size);
}

natsStatus sim_publish_request(natsConnection *it, const char *subject, const char *reply, const void *bytes,
                               int size) {
    (void)it;
    return publish(subject, reply, bytes, size);
}

natsStatus sim_publish_message(natsConnection *it, natsMsg *message) {
    (void)it;
    return publish(natsMsg_GetSubject(message), natsMsg_GetReply(message), natsMsg_GetData(message),
                   natsMsg_GetDataLength(message));
}

/* ---- Inputs -------------------------------------------------------------------------------------- */

bool connection_is_there(void) { return connection != NULL && !connection->is_lost; }

void connection_begin(void) {
    last_words[0] = 0;
    server_begin();
}

void connection_end(void) {
    if (connection != NULL) { give_up("the connection is left over"); }
}
