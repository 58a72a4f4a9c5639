/* What a handler of a scenario does: a list of actions, each with the status it expects. */
#include "player.h"

#include <stdlib.h>

typedef struct worker {
    struct worker *next;
    pthread_t thread;
    handler *handler;
    ctie_request *request;
    step *action;
} worker;

ctie_origin origin_of(player *p, step *s) {
    return is(text(p, s, "origin", "local"), "remote") ? CTIE_ORIGIN_REMOTE : CTIE_ORIGIN_LOCAL;
}

static ctie_value *error_value(ctie_status status) {
    return pair_map("error", ctie_value_string(ctie_str_from(short_name(status))));
}

static ctie_value *param(player *p, ctie_request *request, step *action) {
    ctie_str found = {"", 0};
    ctie_status status = ctie_request_param(request, text(p, action, "name", ""), &found);
    return status == CTIE_OK ? ctie_value_string(found) : error_value(status);
}

static ctie_value *all(player *p, ctie_request *request, step *action) {
    ctie_value *texts = NULL;
    expect_ok(p, "all", ctie_request_query_all(request, text(p, action, "name", ""), &texts));
    return texts;
}

static ctie_bus *bus_of_action(player *p, ctie_request *request, step *action) {
    ctie_bus *bus = NULL;
    if (has(action, "bus")) { return thing_find(p, BUS, text(p, action, "bus", "bus")); }
    expect_ok(p, "bus", ctie_request_bus(request, &bus));
    return bus;
}

/* Opens another URL and answers with what came of it. */
static ctie_value *open_nested(player *p, ctie_request *request, step *action) {
    ctie_bus *bus = bus_of_action(p, request, action);
    ctie_request_options options = open_options(p, action);
    ctie_response *response = NULL;
    ctie_status status = ctie_open(bus, text(p, action, "url", ""), origin_of(p, action), &options, &response, NULL);
    ctie_value *result =
        status == CTIE_OK ? ctie_value_retain((ctie_value *)ctie_response_value(response)) : error_value(status);
    ctie_response_release(response);
    open_options_end(&options);
    return result;
}

static ctie_status keep(player *p, ctie_request *request, step *action) {
    ctie_status status = ctie_request_retain(request);
    if (status == CTIE_OK) { thing_add(p, REQUEST, text(p, action, "as", "kept"), request); }
    return status;
}

static ctie_status drop(ctie_request *request) {
    ctie_status status = ctie_request_retain(request);
    return status == CTIE_OK ? ctie_request_release(request) : status;
}

static void act(handler *h, ctie_request *request, step *action);

static void *answer_later(void *argument) {
    worker *w = argument;
    act(w->handler, w->request, w->action);
    expect_ok(w->handler->player, "release", ctie_request_release(w->request));
    return NULL;
}

static ctie_status later(handler *h, ctie_request *request, step *action) {
    player *p = h->player;
    ctie_status status = ctie_request_retain(request);
    if (status != CTIE_OK) { return status; }
    worker *new = keep_memory(p, sizeof *new);
    handler *own = keep_memory(p, sizeof *own); /* the route's may be freed before this thread runs */
    *own = *h;
    *new = (worker){NULL, 0, own, request, ctie_value_get(action, CTIE_STR("then"))};
    pthread_mutex_lock(&p->lock);
    pthread_create(&new->thread, NULL, answer_later, new);
    new->next = p->workers;
    p->workers = new;
    pthread_mutex_unlock(&p->lock);
    return CTIE_OK;
}

void workers_join(player *p) {
    for (worker *each = p->workers; each != NULL; each = each->next) { pthread_join(each->thread, NULL); }
    p->workers = NULL;
}

/* What is noted is compared by the step `noted`. */
static ctie_status note(player *p, ctie_request *request, step *action) {
    ctie_str part = text(p, action, "part", "");
    note_add(p, has(action, "part") ? part_of(p, request, part) : value(p, action, "text"));
    return CTIE_OK;
}

static bool concerns(player *p, ctie_request *request, step *action) {
    ctie_str url = {"", 0};
    if (!has(action, "when") && !has(action, "unless")) { return true; }
    expect_ok(p, "url", ctie_request_url(request, CTIE_URL_WHOLE, &url));
    bool same = same_text(url, text(p, action, has(action, "when") ? "when" : "unless", ""));
    return same == has(action, "when");
}

/* Removing itself is PENDING inside the handler: the end comes when it returns. */
static ctie_status remove_route(player *p, step *action) {
    ctie_status status = ctie_registration_release(thing_take(p, REGISTRATION, text(p, action, "registration", "")));
    return status == CTIE_PENDING ? CTIE_OK : status;
}

/* Replies what the action makes; NULL for an action that replies nothing. */
static ctie_value *answer(player *p, ctie_request *request, step *action, ctie_str verb) {
    if (is(verb, "reply")) { return value(p, action, "value"); }
    if (is(verb, "echo")) { return echo(p, request, action); }
    if (is(verb, "param")) { return param(p, request, action); }
    if (is(verb, "all")) { return all(p, request, action); }
    if (is(verb, "open")) { return open_nested(p, request, action); }
    return NULL;
}

static ctie_status perform(handler *h, ctie_request *request, step *action) {
    player *p = h->player;
    ctie_str verb = text(p, action, "do", ""), message = text(p, action, "message", "");
    ctie_value *reply = answer(p, request, action, verb);
    if (reply != NULL) { return ctie_request_reply(request, reply); }
    if (is(verb, "fail")) {
        return ctie_request_fail(request, (int32_t)number(action, "code", -1), value(p, action, "value"), message);
    }
    if (is(verb, "deny")) { return ctie_request_deny(request, message); }
    if (is(verb, "proceed")) { return ctie_request_proceed(request); }
    if (is(verb, "rewrite")) { return ctie_request_rewrite(request, text(p, action, "url", ""), NULL); }
    if (is(verb, "decline")) { return ctie_request_decline(request); }
    if (is(verb, "note")) { return note(p, request, action); }
    if (is(verb, "rules")) { return rules_load(p, action, bus_of_action(p, request, action), NULL); }
    if (is(verb, "keep")) { return keep(p, request, action); }
    if (is(verb, "drop")) { return drop(request); }
    if (is(verb, "later")) { return later(h, request, action); }
    if (is(verb, "remove")) { return remove_route(p, action); }
    if (!is(verb, "nothing")) { failf(p, "no such action: %.*s", (int)verb.size, verb.data); }
    return CTIE_OK;
}

static void act(handler *h, ctie_request *request, step *action) {
    if (!concerns(h->player, request, action)) { return; }
    ctie_status status = perform(h, request, action);
    ctie_str expected = text(h->player, action, "status", "OK");
    if (!is(expected, short_name(status))) { failf(h->player, "in the handler: %s", short_name(status)); }
}

void handler_run(ctie_request *request, void *user_data) {
    handler *h = user_data;
    if (h->actions == NULL) {
        expect_ok(h->player, "reply", ctie_request_reply(request, ctie_value_string(h->otherwise)));
    } else if (ctie_value_kind(h->actions) == CTIE_KIND_MAP) {
        act(h, request, h->actions);
    } else {
        for (size_t i = 0; i < ctie_value_count(h->actions); i++) { act(h, request, ctie_value_at(h->actions, i)); }
    }
}

handler *handler_of(player *p, step *actions, ctie_str otherwise) {
    handler *h = keep_memory(p, sizeof *h);
    *h = (handler){p, actions, otherwise};
    return h;
}

const ctie_interceptor *interceptors_of(player *p, step *s, size_t *count) {
    step *list = ctie_value_get(s, CTIE_STR("interceptors"));
    *count = ctie_value_count(list);
    ctie_interceptor *interceptors = keep_memory(p, sizeof *interceptors * (*count + 1));
    for (size_t i = 0; i < *count; i++) {
        handler *h = handler_of(p, ctie_value_at(list, i), (ctie_str){"", 0});
        interceptors[i] = (ctie_interceptor){handler_run, h, NULL};
    }
    return interceptors;
}
