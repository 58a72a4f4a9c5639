/* Connecting in time. */
#include "connection.h"
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAUSE_MS = 100, WORDS_MOST = 300 };

#define NO_ANSWER "the server does not answer"

/* A connection that is being made. libnats may wait for longer than the caller; the last of the two frees it. */
typedef struct attempt {
    engine *it;
    natsOptions *options;
    int64_t deadline;
    bool is_offline;
    natsConnection *connection;
    natsStatus status;
    /* With the engine's lock: */
    bool is_left; /* the caller does not wait any more */
    bool is_done, has_failed; /* and goes on */
    char words[WORDS_MOST]; /* of the last failure */
} attempt;

/* Whether to try again. Without the server, an offline member goes on without its caller. */
static bool goes_on_after_failure(attempt *of) {
    engine *it = of->it;
    const char *words = words_of_nats(of->status);
    bool is_lasting = status_of_nats(of->status) != CTIE_E_UNAVAILABLE;
    pthread_mutex_lock(&it->lock);
    snprintf(of->words, sizeof of->words, "%s", words);
    bool goes_on = !is_lasting && !it->is_closing &&
                   (of->is_offline || (!of->is_left && deadline_left(of->deadline) > 0));
    of->has_failed = goes_on;
    if (of->is_offline) { snprintf(it->reason, sizeof it->reason, NO_ANSWER ": %s", words); }
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    return goes_on;
}

/* libnats could try again by itself, but gives up if a server accepts the connection and says nothing. */
static void try_connecting(attempt *of) {
    for (;;) {
        of->status = natsConnection_Connect(&of->connection, of->options);
        if (of->status == NATS_OK) { return; }
        if (!goes_on_after_failure(of)) { return; }
        clock_pause(PAUSE_MS);
    }
}

static void attempt_free(attempt *of) {
    engine *it = of->it;
    natsOptions_Destroy(of->options);
    free(of);
    engine_release(it);
}

static const char *what_failed(natsStatus status) {
    switch (status) {
    case NATS_CONNECTION_AUTH_FAILED: return "the server refused the log-in";
    case NATS_SECURE_CONNECTION_WANTED: return "the server has no TLS";
    case NATS_SSL_ERROR: return "TLS with the server";
    default: return "connecting to the server";
    }
}

/* The caller does not wait any more here, but in other functions. */
static void go_on_alone(attempt *of) {
    engine *it = of->it;
    char reason[sizeof it->reason];
    if (of->status == NATS_OK) {
        connection_made(of->connection, it);
        return;
    }
    snprintf(reason, sizeof reason, "%s: %s", what_failed(of->status), of->words);
    if (of->is_offline) { connection_ended(it, status_of_nats(of->status), reason); }
}

static void *run_attempt(void *data) {
    attempt *of = data;
    engine *it = of->it;
    engine_retain(it); /* for the callbacks; on_closed() is the last */
    try_connecting(of);
    bool is_connected = of->status == NATS_OK;
    if (!is_connected) { engine_release(it); }
    pthread_mutex_lock(&it->lock);
    of->is_done = true;
    bool was_left = of->is_left;
    bool is_useless = it->is_closing || (was_left && !of->is_offline);
    if (is_connected && !is_useless) { it->connection = of->connection; }
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    if (!was_left) { return NULL; } /* its caller has it */
    if (is_connected && is_useless) { natsConnection_Destroy(of->connection); }
    if (!is_useless) { go_on_alone(of); }
    attempt_free(of);
    return NULL;
}

static bool start_thread(void *(*run)(void *), void *data) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, data) != 0) { return false; }
    pthread_detach(thread);
    return true;
}

/* Waits for the attempt, and leaves it if it takes too long, or longer than an offline member needs. */
static bool await_attempt(attempt *of, int64_t deadline, char words[WORDS_MOST]) {
    engine *it = of->it;
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    pthread_mutex_lock(&it->lock);
    while (!of->is_done && !(of->is_offline && of->has_failed)) {
        if (pthread_cond_timedwait(&it->changed, &it->lock, &until) != 0) { break; }
    }
    bool is_done = of->is_done;
    of->is_left = !is_done;
    snprintf(words, WORDS_MOST, "%s", of->words);
    pthread_mutex_unlock(&it->lock);
    return is_done;
}

static ctie_status take_attempt(engine *it, const attempt *of) {
    char address[SERVER_MOST];
    if (of->status != NATS_OK) {
        return fail(it, status_of_nats(of->status), "%s: %s", what_failed(of->status), of->words);
    }
    int64_t most = natsConnection_GetMaxPayload(of->connection);
    connection_address(of->connection, address);
    pthread_mutex_lock(&it->lock);
    if (it->connections == 0) { connection_set(it, address, most); } /* it may have been lost, and made again */
    pthread_mutex_unlock(&it->lock);
    connection_report(it);
    return CTIE_OK;
}

/* An offline member opens all the same. */
static ctie_status leave_attempt(engine *it, const char *words) {
    if (!settings_is_offline(it->settings)) {
        return fail(it, CTIE_E_UNAVAILABLE, "%s%s%s", NO_ANSWER, words[0] != 0 ? ": " : "", words);
    }
    connection_report(it);
    return CTIE_OK;
}

ctie_status connection_open(engine *it, int64_t deadline) {
    char words[WORDS_MOST];
    attempt *of = calloc(1, sizeof *of);
    if (of == NULL) { return fail(it, CTIE_E_NO_MEMORY, "connecting"); }
    of->it = it, of->deadline = deadline;
    of->is_offline = settings_is_offline(it->settings);
    snprintf(it->reason, sizeof it->reason, NO_ANSWER);
    engine_retain(it);
    ctie_status status = settings_options(it, &of->options);
    if (status == CTIE_OK) { status = connection_callbacks(it, of->options); }
    if (status == CTIE_OK && !start_thread(run_attempt, of)) {
        status = fail(it, CTIE_E_SYSTEM, "no thread to connect");
    }
    if (status != CTIE_OK) {
        attempt_free(of);
        return status;
    }
    if (!await_attempt(of, deadline, words)) { return leave_attempt(it, words); }
    status = take_attempt(it, of);
    attempt_free(of);
    return status;
}
