#include "last.h"
#include "recent.h"
#include "survey.h"

#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000 };

/* The questions, all at once: to the second stream, which keeps the last messages, and to that of all messages, which
   is ahead of it. */
enum { NOW_VALUE, NOW_DESTROYED, NOW_EVERYTHING, ALL_VALUE, ALL_DESTROYED, ALL_EVERYTHING, QUESTIONS };

typedef struct reading {
    engine *it;
    ctie_str identifier;
    natsMsg *value;     /* owned: the newest so far; NULL without one */
    uint64_t in_stream; /* its number */
    uint64_t destroyed; /* the number of the newest destroying so far */
} reading;

static natsMsg *question(const reading *of, int which) {
    static const ctie_str EVERYTHING = {"", 0};
    char subject[SUBJECT_MOST];
    const group_names *names = &of->it->names;
    bool is_value = which == NOW_VALUE || which == ALL_VALUE;
    bool is_everything = which == NOW_EVERYTHING || which == ALL_EVERYTHING;
    names_subject(names, is_value ? CTIE_MESSAGE_VALUE : CTIE_MESSAGE_DESTROYED,
                  is_everything ? EVERYTHING : of->identifier, subject);
    return last_request(which < ALL_VALUE ? names->now : names->stream, subject);
}

static void take_value(reading *to, natsMsg **message, uint64_t in_stream) {
    if (*message == NULL || in_stream <= to->in_stream) { return; }
    natsMsg_Destroy(to->value);
    to->value = *message, to->in_stream = in_stream;
    *message = NULL;
}

static ctie_status take_answer(reading *to, int which, natsMsg **answer) {
    uint64_t in_stream = 0;
    ctie_status status = last_read(to->it, *answer, &in_stream, NULL);
    if (status == CTIE_E_NOT_FOUND) { return CTIE_OK; }
    if (status != CTIE_OK) { return fail(to->it, status, "the server's answer cannot be read"); }
    if (which == NOW_VALUE || which == ALL_VALUE) {
        take_value(to, answer, in_stream);
    } else if (in_stream > to->destroyed) {
        to->destroyed = in_stream;
    }
    return CTIE_OK;
}

static ctie_status ask_once(reading *of, int64_t deadline) {
    natsMsg *requests[QUESTIONS], *answers[QUESTIONS] = {NULL};
    ctie_status statuses[QUESTIONS], first = CTIE_OK;
    int count = 0;
    natsMsg_Destroy(of->value);
    of->value = NULL, of->in_stream = of->destroyed = 0;
    while (count < QUESTIONS && (requests[count] = question(of, count)) != NULL) { count++; }
    if (count < QUESTIONS) {
        while (count > 0) { natsMsg_Destroy(requests[--count]); }
        return CTIE_E_NO_MEMORY;
    }
    int64_t soon = deadline_after(PATIENCE_MS);
    ask_many(of->it, requests, QUESTIONS, soon < deadline ? soon : deadline, answers, statuses);
    for (int i = 0; i < QUESTIONS; i++) {
        if (first == CTIE_OK) { first = statuses[i]; }
        if (first == CTIE_OK) { first = take_answer(of, i, &answers[i]); }
        natsMsg_Destroy(answers[i]);
    }
    return first;
}

static ctie_status ask_server(reading *of, int64_t deadline) {
    for (int pause = 1;; pause = pause < 50 ? pause * 2 : pause) {
        ctie_status status = connection_ready(of->it, deadline);
        if (status != CTIE_OK) { return status; }
        status = ask_once(of, deadline);
        if (status == CTIE_E_UNCERTAIN) { status = fail(of->it, CTIE_E_TIMEOUT, "the server has not answered"); }
        if (status != CTIE_E_UNAVAILABLE && status != CTIE_E_TIMEOUT) { return status; }
        if (deadline_left(deadline) <= pause) { return status; }
        streams_doubt(of->it, deadline); /* nobody answers a direct get from a stream that was lost */
        clock_pause(pause);
    }
}

static ctie_status take_own(reading *to) {
    recent_found own;
    ctie_status status = recent_find(to->it, to->identifier, &own);
    if (own.destroyed > to->destroyed) { to->destroyed = own.destroyed; }
    take_value(to, &own.message, own.in_stream);
    natsMsg_Destroy(own.message);
    return status;
}

/* Shows the value, if it was sent after the last destroying. */
static void show(const reading *of, ctie_engine_message_fn visit, void *context) {
    char subject[SUBJECT_MOST];
    const char *problem = NULL;
    envelope found;
    if (of->value == NULL || of->in_stream <= of->destroyed) { return; }
    names_subject(&of->it->names, CTIE_MESSAGE_VALUE, of->identifier, subject);
    if (!envelope_read(&of->it->names, subject, of->value, &found, &problem)) {
        log_line(of->it, CTIE_LOG_WARNING, "%s: the stored message is left out: %s", subject, problem);
        return;
    }
    found.message.sequence = number_of(of->it, of->in_stream);
    bool has_expired = found.message.expires != 0 && found.message.expires <= clock_now(CLOCK_REALTIME);
    if (!has_expired) { visit(&found.message, context); }
    envelope_clear(&found);
}

/* A server without direct gets: through consumers. */
static ctie_status read_otherwise(reading *of, int64_t deadline) {
    survey all = {.it = of->it, .topic = of->identifier};
    ctie_status status = survey_all(&all, deadline);
    of->destroyed = all.everything;
    for (size_t i = 0; status == CTIE_OK && i < all.count; i++) {
        found *item = &all.items[i];
        if (item->is_value) {
            take_value(of, &item->message, item->in_stream);
        } else if (item->in_stream > of->destroyed) {
            of->destroyed = item->in_stream;
        }
    }
    survey_clear(&all);
    return status;
}

ctie_status engine_current(void *data, ctie_str identifier, ctie_engine_message_fn visit, void *context,
                           int64_t timeout_ms) {
    engine *it = data;
    reading of = {.it = it, .identifier = identifier};
    int64_t deadline = deadline_after(timeout_ms);
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    ctie_status status = last_is_possible(it) ? ask_server(&of, deadline) : read_otherwise(&of, deadline);
    if (status == CTIE_OK) { status = take_own(&of); }
    if (status == CTIE_OK) { show(&of, visit, context); }
    natsMsg_Destroy(of.value);
    return status;
}
