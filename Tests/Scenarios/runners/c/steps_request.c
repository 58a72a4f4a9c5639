/* Requests of every kind, and requests that a handler has kept. */
#include "player.h"

/* An asynchronous request and how it ended. */
typedef struct pending {
    player *player;
    ctie_call *call;
    reported *progress;
    ctie_status status;
    int32_t code;
    int completions;
    bool destroyed;
} pending;

void step_request(player *p, step *s) {
    ctie_request_options options = request_options(p, s);
    reported *progress = reported_of(p, s, &options);
    ctie_response *response = NULL;
    ctie_error *error = NULL;
    ctie_status status = request_now(p, s, bus_of(p, s), &options, &response, &error);
    expect_status(p, s, status, error);
    if (response != NULL) { expect_response(p, s, response); }
    expect_reported(p, s, progress);
    expect_ok(p, "release", ctie_response_release(response));
}

static void completed(ctie_response *response, void *user_data) {
    pending *own = user_data;
    pthread_mutex_lock(&own->player->lock);
    own->status = ctie_response_status(response);
    own->code = ctie_response_code(response);
    own->completions++;
    pthread_mutex_unlock(&own->player->lock);
}

static void destroyed(void *user_data) {
    pending *own = user_data;
    pthread_mutex_lock(&own->player->lock);
    own->destroyed = true;
    pthread_cond_broadcast(&own->player->changed);
    pthread_mutex_unlock(&own->player->lock);
}

/* The completion's data is destroyed when nothing more can come: then it has run exactly once. */
static void expect_completion(player *p, pending *own, ctie_response *response) {
    pthread_mutex_lock(&p->lock);
    bool in_time = true;
    while (!own->destroyed && in_time) { wait_for_change(p, &in_time); }
    int completions = own->completions;
    bool same = own->status == ctie_response_status(response) && own->code == ctie_response_code(response);
    pthread_mutex_unlock(&p->lock);
    if (completions != 1) { failf(p, "the completion ran %d times", completions); }
    if (!same) { failf(p, "completion and call disagree"); }
}

static void finish(player *p, step *s, pending *own) {
    ctie_response *response = NULL;
    expect_ok(p, "wait", ctie_call_wait(own->call, WATCHDOG_SECONDS * 1000, &response));
    if (response != NULL) {
        expect_response(p, s, response);
        expect_completion(p, own, response);
        expect_reported(p, s, own->progress);
    }
    expect_ok(p, "release", ctie_response_release(response));
}

void step_request_async(player *p, step *s) {
    pending *own = keep_memory(p, sizeof *own);
    own->player = p;
    ctie_request_options options = request_options(p, s);
    own->progress = reported_of(p, s, &options);
    ctie_error *error = NULL;
    ctie_status status = request_later(p, s, CTIE_COMPLETION_OWNED(completed, own, destroyed), &options, &own->call,
                                       &error);
    if (flag(s, "refused", false)) {
        expect_status(p, s, status, error);
        if (own->completions != 0 || !own->destroyed) { failf(p, "refused, but completed or not destroyed"); }
        return;
    }
    ctie_error_release(error);
    expect_ok(p, "the request", status);
    if (status != CTIE_OK) { return; }
    thing_add(p, CALL, text(p, s, "as", ""), own);
    if (!has(s, "as")) { finish(p, s, own); }
}

void step_wait(player *p, step *s) {
    pending *own = thing_find(p, CALL, text(p, s, "call", ""));
    if (own == NULL) { return; }
    if (!flag(s, "given_up", false)) {
        finish(p, s, own);
    } else if (ctie_call_wait(own->call, number(s, "timeout_ms", 0), NULL) != CTIE_E_TIMEOUT) {
        failf(p, "waiting was not given up");
    }
}

void step_cancel(player *p, step *s) {
    pending *own = thing_find(p, CALL, text(p, s, "call", ""));
    if (own != NULL) { expect_status(p, s, ctie_call_cancel(own->call), NULL); }
}

/* The call of that name, for a handler that may run before the step that makes it is through. */
ctie_call *call_await(player *p, ctie_str name) {
    pending *own = thing_await(p, CALL, name);
    return own == NULL ? NULL : own->call;
}

void calls_end(player *p) {
    for (pending *own; (own = thing_next(p, CALL)) != NULL;) { expect_ok(p, "release", ctie_call_release(own->call)); }
}

void kept_end(player *p) {
    for (ctie_request *request; (request = thing_next(p, REQUEST)) != NULL;) {
        expect_ok(p, "let go", ctie_request_release(request));
    }
}

void step_end(player *p, step *s) {
    ctie_request *request = thing_await(p, REQUEST, text(p, s, "request", ""));
    expect_status(p, s, ctie_request_reply(request, value(p, s, "value")), NULL);
}

void step_release_request(player *p, step *s) {
    expect_ok(p, "release_request", ctie_request_release(thing_take(p, REQUEST, text(p, s, "request", ""))));
}

void step_taken(player *p, step *s) {
    thing_await(p, REQUEST, text(p, s, "request", ""));
}

void step_act(player *p, step *s) {
    ctie_request *request = thing_await(p, REQUEST, text(p, s, "request", ""));
    act_each(handler_of(p, NULL, (ctie_str){"", 0}), request, ctie_value_get(s, CTIE_STR("then")));
}
