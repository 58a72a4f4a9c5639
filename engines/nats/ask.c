/* Requests with an inbox of our own. libnats's requests know nothing of a refused permission, and wait for their answer
   until the deadline. */
#include "ask.h"
#include "outbox.h"
#include "problem.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUCKETS = 1024, INBOX_MOST = 64, REPLY_MOST = INBOX_MOST + 24 };

/* The requests that one thread waits for. */
typedef struct turn {
    pthread_cond_t done;
    size_t left;
} turn;

typedef struct waiter {
    struct waiter *next;
    turn *of;
    uint64_t number;
    uint64_t place;   /* in all that is sent */
    natsMsg *request; /* owned */
    natsMsg *answer;  /* owned */
    ctie_status status;
    bool is_waiting;  /* in the table */
    bool is_sent;     /* it may have been sent */
    bool is_explained; /* the caller's error has its words */
} waiter;

struct asking {
    pthread_mutex_t lock;
    waiter *buckets[BUCKETS];
    uint64_t last;
    natsSubscription *subscription;
    char inbox[INBOX_MOST];
    size_t inbox_size;
    bool is_closed, is_refused; /* no permission for the inbox */
};

/* ---- The table: with its lock -------------------------------------------------------------------- */

static waiter **place_of(asking *in, uint64_t number) {
    waiter **at = &in->buckets[number % BUCKETS];
    while (*at != NULL && (*at)->number != number) { at = &(*at)->next; }
    return at;
}

static void end(asking *in, waiter *one, ctie_status status, natsMsg *answer) {
    *place_of(in, one->number) = one->next;
    one->is_waiting = false;
    one->status = status, one->answer = answer;
    if (--one->of->left == 0) { pthread_cond_signal(&one->of->done); }
}

static ctie_status enter(asking *in, waiter *one, turn *of) {
    ctie_status status = in->is_closed ? CTIE_E_CLOSED : in->is_refused ? CTIE_E_DENIED : CTIE_OK;
    one->status = status;
    if (status != CTIE_OK) { return status; }
    one->of = of, one->number = ++in->last;
    one->next = in->buckets[one->number % BUCKETS];
    in->buckets[one->number % BUCKETS] = one;
    one->is_waiting = one->is_sent = true;
    of->left++;
    return CTIE_OK;
}

static void end_each(asking *in, ctie_status status, bool (*is_meant)(const waiter *, const void *), const void *what) {
    pthread_mutex_lock(&in->lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        for (waiter *one = in->buckets[i], *next; one != NULL; one = next) {
            next = one->next;
            if (is_meant(one, what)) { end(in, one, status, NULL); }
        }
    }
    pthread_mutex_unlock(&in->lock);
}

/* ---- What libnats says --------------------------------------------------------------------------- */

static void take_answer(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
    asking *in = ((engine *)closure)->asking;
    const char *subject = natsMsg_GetSubject(message);
    uint64_t number;
    (void)connection, (void)subscription;
    bool is_ours = strncmp(subject, in->inbox, in->inbox_size) == 0 &&
                   text_number(subject + in->inbox_size, strlen(subject + in->inbox_size), UINT64_MAX, &number);
    waiter *one = NULL;
    pthread_mutex_lock(&in->lock);
    if (is_ours) { one = *place_of(in, number); }
    if (one != NULL) {
        outbox_heard(closure, one->place);
        end(in, one, CTIE_OK, message);
    }
    pthread_mutex_unlock(&in->lock);
    if (one == NULL) { natsMsg_Destroy(message); }
}

typedef struct refused {
    const char *subject;
    size_t size;
    bool is_cut;
} refused;

static bool is_refused(const waiter *one, const void *what) {
    const refused *which = what;
    const char *subject = natsMsg_GetSubject(one->request);
    return strncmp(subject, which->subject, which->size) == 0 && (which->is_cut || subject[which->size] == 0);
}

static bool is_any(const waiter *one, const void *what) {
    (void)what;
    return one->is_sent;
}

void asking_refused(engine *it, const char *subject, bool is_cut) {
    asking *in = it->asking;
    refused which = {subject, strlen(subject), is_cut};
    if (in == NULL) { return; }
    bool is_inbox = strncmp(subject, in->inbox, in->inbox_size) == 0;
    if (is_inbox) {
        pthread_mutex_lock(&in->lock);
        in->is_refused = true;
        pthread_mutex_unlock(&in->lock);
    }
    end_each(in, CTIE_E_DENIED, is_inbox ? is_any : is_refused, &which);
}

void asking_lost(engine *it) {
    asking *in = it->asking;
    if (in == NULL) { return; }
    pthread_mutex_lock(&in->lock);
    in->is_refused = false; /* the next server may allow it */
    pthread_mutex_unlock(&in->lock);
    outbox_lost(it);
    end_each(in, CTIE_E_UNCERTAIN, is_any, NULL);
}

/* ---- Opening and closing ------------------------------------------------------------------------- */

ctie_status asking_new(engine *it) {
    asking *in = calloc(1, sizeof *in);
    natsInbox *inbox = NULL;
    if (in == NULL || natsInbox_Create(&inbox) != NATS_OK) {
        free(in);
        return fail(it, CTIE_E_NO_MEMORY, "the inbox for answers");
    }
    int size = snprintf(in->inbox, sizeof in->inbox, "%s.", (const char *)inbox);
    in->inbox_size = (size_t)size;
    natsInbox_Destroy(inbox);
    pthread_mutex_init(&in->lock, NULL);
    it->asking = in;
    return CTIE_OK;
}

ctie_status asking_open(engine *it) {
    char subject[INBOX_MOST + 2];
    if (it->asking->subscription != NULL) { return CTIE_OK; }
    snprintf(subject, sizeof subject, "%s*", it->asking->inbox);
    return connection_subscribe(it, subject, take_answer, it, &it->asking->subscription);
}

void asking_close(engine *it) {
    asking *in = it->asking;
    if (in == NULL) { return; }
    pthread_mutex_lock(&in->lock);
    in->is_closed = true;
    pthread_mutex_unlock(&in->lock);
    end_each(in, CTIE_E_CLOSED, is_any, NULL);
}

void asking_free(engine *it) {
    asking *in = it->asking;
    if (in == NULL) { return; }
    natsSubscription_Destroy(in->subscription);
    pthread_mutex_destroy(&in->lock);
    free(in);
    it->asking = NULL;
}

/* ---- Sending ------------------------------------------------------------------------------------- */

/* The request with a reply subject: libnats sets one only when a message is made. */
static natsStatus with_reply(natsMsg *request, const char *reply, natsMsg **out) {
    const char **keys = NULL;
    int count = 0;
    natsStatus status = natsMsg_Create(out, natsMsg_GetSubject(request), reply, natsMsg_GetData(request),
                                       natsMsg_GetDataLength(request));
    if (status == NATS_OK) { status = natsMsgHeader_Keys(request, &keys, &count); }
    if (status == NATS_NOT_FOUND) { return NATS_OK; }
    for (int i = 0; status == NATS_OK && i < count; i++) {
        const char *value = NULL;
        status = natsMsgHeader_Get(request, keys[i], &value);
        if (status == NATS_OK) { status = natsMsgHeader_Set(*out, keys[i], value); }
    }
    free(keys);
    if (status == NATS_OK) { return NATS_OK; }
    natsMsg_Destroy(*out);
    *out = NULL;
    return status;
}

static ctie_status publish(engine *it, waiter *one, int64_t deadline) {
    char reply[REPLY_MOST];
    natsMsg *message = NULL;
    snprintf(reply, sizeof reply, "%s%" PRIu64, it->asking->inbox, one->number);
    natsStatus status = with_reply(one->request, reply, &message);
    if (status != NATS_OK) { return fail_nats(it, status, "a request"); }
    return outbox_send(it, message, one->place, deadline);
}

static bool is_inbox_refused(asking *in) {
    pthread_mutex_lock(&in->lock);
    bool is_so = in->is_refused;
    pthread_mutex_unlock(&in->lock);
    return is_so;
}

/* Sends a request, again after a reconnect if it was not sent. What it returns is also the waiter's status, unless it is
   CTIE_OK. */
static void send_one(engine *it, waiter *one, turn *of, int64_t deadline) {
    asking *in = it->asking;
    for (;;) {
        ctie_status status = connection_up(it, deadline);
        one->place = outbox_place(it, one->request);
        if (status == CTIE_OK) {
            pthread_mutex_lock(&in->lock);
            status = enter(in, one, of);
            pthread_mutex_unlock(&in->lock);
        }
        if (status != CTIE_OK) {
            one->status = status, one->is_explained = status != CTIE_E_DENIED || !is_inbox_refused(in);
            return;
        }
        status = publish(it, one, deadline);
        if (status == CTIE_OK) { return; }
        one->is_explained = true;
        pthread_mutex_lock(&in->lock);
        if (one->is_waiting) { end(in, one, status, NULL); }
        natsMsg *answer = one->answer;
        one->status = status, one->answer = NULL;
        pthread_mutex_unlock(&in->lock);
        natsMsg_Destroy(answer);
        if (status != CTIE_E_UNAVAILABLE || deadline_left(deadline) == 0) { return; }
    }
}

static void wait_for(engine *it, turn *of, waiter *waiters, size_t count, int64_t deadline) {
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    pthread_mutex_lock(&it->asking->lock);
    while (of->left > 0 && pthread_cond_timedwait(&of->done, &it->asking->lock, &until) == 0) {}
    for (size_t i = 0; i < count; i++) {
        if (waiters[i].is_waiting) { end(it->asking, &waiters[i], CTIE_E_UNCERTAIN, NULL); }
    }
    pthread_mutex_unlock(&it->asking->lock);
}

/* ---- Asking -------------------------------------------------------------------------------------- */

static void turn_init(turn *of) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&of->done, &attributes);
    pthread_condattr_destroy(&attributes);
    of->left = 0;
}

/* Looks at an answer, and at what there is in its place. */
static ctie_status conclude(engine *it, waiter *one, natsMsg **answer, bool *is_nobody) {
    const char *subject = natsMsg_GetSubject(one->request);
    ctie_status status = one->status;
    *is_nobody = false;
    *answer = NULL;
    if (status == CTIE_OK && natsMsg_IsNoResponders(one->answer)) {
        natsMsg_Destroy(one->answer);
        *is_nobody = true;
        status = fail(it, CTIE_E_UNAVAILABLE, "nobody on the server answers on %s", subject);
    } else if (status == CTIE_OK) {
        *answer = one->answer;
    } else if (status == CTIE_E_DENIED && !one->is_explained) {
        fail(it, status, "the server does not permit %s %s", is_inbox_refused(it->asking) ? "the inbox for answers on" :
             "publishing to", subject);
    } else if (status == CTIE_E_UNCERTAIN && !one->is_explained) {
        fail(it, status, "the server has not answered on %s", subject);
    }
    natsMsg_Destroy(one->request);
    return status;
}

static void ask_all(engine *it, waiter *waiters, size_t count, int64_t deadline) {
    turn of;
    turn_init(&of);
    for (size_t i = 0; i < count; i++) { send_one(it, &waiters[i], &of, deadline); }
    wait_for(it, &of, waiters, count, deadline);
    pthread_cond_destroy(&of.done);
}

ctie_status ask_somebody(engine *it, natsMsg *request, int64_t deadline, natsMsg **answer, bool *is_nobody) {
    waiter one = {.request = request};
    *answer = NULL;
    *is_nobody = false;
    ctie_status status = getpid() != it->pid ? CTIE_E_FORKED : it->asking == NULL ? CTIE_E_UNAVAILABLE : CTIE_OK;
    if (status != CTIE_OK) {
        if (status != CTIE_E_FORKED) { natsMsg_Destroy(request); }
        return status;
    }
    ask_all(it, &one, 1, deadline);
    return conclude(it, &one, answer, is_nobody);
}

ctie_status ask(engine *it, natsMsg *request, int64_t deadline, natsMsg **answer) {
    bool is_nobody;
    return ask_somebody(it, request, deadline, answer, &is_nobody);
}

static void refuse_all(natsMsg **requests, size_t count, natsMsg **answers, ctie_status *statuses, ctie_status status) {
    for (size_t i = 0; i < count; i++) {
        if (status != CTIE_E_FORKED) { natsMsg_Destroy(requests[i]); }
        answers[i] = NULL, statuses[i] = status;
    }
}

void ask_many(engine *it, natsMsg **requests, size_t count, int64_t deadline, natsMsg **answers, ctie_status *statuses) {
    bool is_nobody;
    waiter *waiters = calloc(count > 0 ? count : 1, sizeof *waiters);
    ctie_status status = getpid() != it->pid ? CTIE_E_FORKED : it->asking == NULL ? CTIE_E_UNAVAILABLE : CTIE_OK;
    if (status == CTIE_OK && waiters == NULL) { status = CTIE_E_NO_MEMORY; }
    if (status != CTIE_OK) {
        refuse_all(requests, count, answers, statuses, status);
        free(waiters);
        return;
    }
    for (size_t i = 0; i < count; i++) { waiters[i].request = requests[i]; }
    ask_all(it, waiters, count, deadline);
    for (size_t i = 0; i < count; i++) { statuses[i] = conclude(it, &waiters[i], &answers[i], &is_nobody); }
    free(waiters);
}
