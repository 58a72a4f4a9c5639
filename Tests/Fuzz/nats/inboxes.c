/* The inboxes of the engine, and the messages on their way to them. */
#include "inboxes.h"
#include "connection.h"
#include "simulated.h"
#include "tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INBOXES_MOST = 64, TURNS_MOST = 4096, INBOX_NAME_MOST = 256 };

struct __natsSubscription {
    char subject[INBOX_NAME_MOST], last_reply[INBOX_NAME_MOST];
    natsMsgHandler handler; /* NULL: sim_next() */
    void *closure, *complete_closure;
    natsOnCompleteCB complete;
    bool is_over;               /* gets nothing more */
    bool is_closed;             /* nor what is on its way */
    bool is_destroyed;          /* given up by the engine */
    size_t waiting;             /* turns */
};

/* A message on its way; without one: the inbox has ended. Without an inbox: the connection changes. libnats says both on
   threads of its own. */
typedef struct turn {
    natsSubscription *to;
    natsMsg *message;
} turn;

static natsSubscription *inboxes[INBOXES_MOST];
static unsigned inbox_count, inbox_number;
static turn turns[TURNS_MOST];
static size_t first_turn, turn_count;

/* ---- What is on its way -------------------------------------------------------------------------- */

void inbox_put(natsSubscription *to, natsMsg *message) {
    if (turn_count == TURNS_MOST) {
        if (message == NULL) { give_up("too much is on its way"); }
        natsMsg_Destroy(message);
        return;
    }
    turns[(first_turn + turn_count++) % TURNS_MOST] = (turn){to, message};
    if (to != NULL) { to->waiting++; }
}

static void free_if_done(natsSubscription *it) {
    if (!it->is_destroyed || it->waiting > 0) { return; }
    for (unsigned i = 0; i < inbox_count; i++) {
        if (inboxes[i] == it) { inboxes[i] = NULL; }
    }
    free(it);
}

bool inboxes_turn(void) {
    if (turn_count == 0) { return false; }
    turn next = turns[first_turn];
    first_turn = (first_turn + 1) % TURNS_MOST, turn_count--;
    natsSubscription *to = next.to;
    if (to == NULL) {
        connection_change();
        return true;
    }
    if (next.message == NULL) {
        if (to->complete != NULL) { to->complete(to->complete_closure); }
    } else if (to->is_closed) {
        natsMsg_Destroy(next.message);
    } else {
        to->handler(NULL, to, next.message, to->closure);
    }
    to->waiting--;
    free_if_done(to);
    return true;
}

/* ---- Inboxes ------------------------------------------------------------------------------------- */

natsStatus sim_subscribe(natsSubscription **out, natsConnection *it, const char *subject, natsMsgHandler handler,
                         void *closure) {
    if (it == NULL || sim_payload(it) == 0) { return NATS_CONNECTION_CLOSED; }
    unsigned at = 0;
    while (at < INBOXES_MOST && inboxes[at] != NULL) { at++; }
    natsSubscription *made = at < INBOXES_MOST ? calloc(1, sizeof *made) : NULL;
    if (made == NULL) { return NATS_NO_MEMORY; }
    snprintf(made->subject, sizeof made->subject, "%s", subject);
    made->handler = handler, made->closure = closure;
    inboxes[at] = made;
    if (at == inbox_count) { inbox_count++; }
    *out = made;
    return NATS_OK;
}

natsStatus sim_subscribe_sync(natsSubscription **out, natsConnection *it, const char *subject) {
    return sim_subscribe(out, it, subject, NULL, NULL);
}

/* The input's next answer is the next message. */
natsStatus sim_next(natsMsg **out, natsSubscription *from, int64_t timeout_ms) {
    piece given;
    *out = NULL;
    if (from->is_over) { return NATS_CONNECTION_CLOSED; }
    if (pieces_take_answer(&given)) { *out = piece_message(given, from->last_reply); }
    if (*out != NULL) { return NATS_OK; }
    struct timespec pause = {timeout_ms / 1000, timeout_ms % 1000 * 1000000};
    sim_sleep(&pause, NULL);
    return NATS_TIMEOUT;
}

natsStatus sim_on_complete(natsSubscription *it, natsOnCompleteCB handler, void *closure) {
    if (it->is_over) { return NATS_INVALID_SUBSCRIPTION; }
    it->complete = handler, it->complete_closure = closure;
    return NATS_OK;
}

natsStatus sim_limits(natsSubscription *it, int messages, int bytes) {
    (void)messages, (void)bytes;
    return it->is_over ? NATS_INVALID_SUBSCRIPTION : NATS_OK;
}

natsSubscription *inbox_for(const char *subject) {
    for (unsigned i = 0; subject != NULL && i < inbox_count; i++) {
        natsSubscription *each = inboxes[i];
        if (each == NULL || each->is_over) { continue; }
        size_t size = strlen(each->subject);
        bool has_tail = each->subject[size - 1] == '*' || each->subject[size - 1] == '>';
        if (has_tail ? strncmp(subject, each->subject, size - 1) == 0 : strcmp(subject, each->subject) == 0) {
            snprintf(each->last_reply, sizeof each->last_reply, "%s", subject);
            return each;
        }
    }
    return NULL;
}

bool inbox_has_handler(const natsSubscription *it) { return it->handler != NULL; }

static void end_inbox(natsSubscription *it) {
    if (it->is_over) { return; }
    it->is_over = true;
    if (it->handler != NULL) { inbox_put(it, NULL); }
}

void inboxes_end_all(void) {
    for (unsigned i = 0; i < inbox_count; i++) {
        if (inboxes[i] != NULL) { end_inbox(inboxes[i]); }
    }
}

natsStatus sim_drain(natsSubscription *it) {
    if (it->is_destroyed) { give_up("an inbox is drained that was given up"); }
    if (it->is_over) { return NATS_INVALID_SUBSCRIPTION; }
    end_inbox(it);
    return NATS_OK;
}

natsStatus sim_unsubscribe(natsSubscription *it) {
    if (it->is_destroyed) { give_up("an inbox is closed that was given up"); }
    if (it->is_closed) { return NATS_INVALID_SUBSCRIPTION; }
    end_inbox(it);
    it->is_closed = true;
    return NATS_OK;
}

void sim_give_up(natsSubscription *it) {
    if (it == NULL) { return; }
    if (it->is_destroyed) { give_up("an inbox is given up twice"); }
    end_inbox(it);
    it->is_destroyed = it->is_closed = true;
    free_if_done(it);
}

const char *sim_subject(natsSubscription *it) { return it->subject; }

natsStatus sim_inbox(natsInbox **out) {
    char text[32];
    snprintf(text, sizeof text, "_INBOX.%u", inbox_number++);
    *out = (natsInbox *)strdup(text);
    return *out != NULL ? NATS_OK : NATS_NO_MEMORY;
}

void sim_inbox_free(natsInbox *it) { free(it); }

void inboxes_receive(unsigned index, piece message) {
    natsSubscription *to = inbox_count > 0 ? inboxes[index % inbox_count] : NULL;
    if (to == NULL || to->is_over || to->handler == NULL || !connection_is_there()) { return; }
    natsMsg *made = piece_message(message, to->last_reply[0] != 0 ? to->last_reply : to->subject);
    if (made != NULL) { inbox_put(to, made); }
}

void inboxes_begin(void) { inbox_count = inbox_number = 0; }

void inboxes_end(void) {
    for (unsigned i = 0; i < inbox_count; i++) {
        if (inboxes[i] != NULL) { give_up("an inbox is left over"); }
    }
    if (turn_count > 0) { give_up("something is left on its way"); }
}
