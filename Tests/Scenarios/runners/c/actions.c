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

static ctie_value *string_or_null(ctie_status status, ctie_str text) {
    return status == CTIE_OK ? ctie_value_string(text) : ctie_value_null();
}

static ctie_value *params_of(player *p, ctie_request *request) {
    ctie_pair *pairs = keep_memory(p, sizeof *pairs * 64);
    size_t count = 0;
    ctie_str found;
    while (count < 64 && ctie_request_path_param_at(request, count, &pairs[count].key, &found) == CTIE_OK) {
        pairs[count++].value = ctie_value_string(found);
    }
    return ctie_value_map(pairs, count);
}

static ctie_value *pairs_of(player *p, ctie_request *request) {
    ctie_value **items = keep_memory(p, sizeof *items * 128);
    size_t count = 0;
    ctie_str key, found;
    while (count < 128 && ctie_request_query_at(request, count, &key, &found) == CTIE_OK) {
        ctie_value *pair[2] = {ctie_value_string(key), ctie_value_string(found)};
        items[count++] = ctie_value_list(pair, 2);
    }
    return ctie_value_list(items, count);
}

static ctie_value *user_info_of(ctie_request *request) {
    const ctie_value *info = NULL;
    ctie_request_user_info(request, &info);
    return info == NULL ? ctie_value_null() : ctie_value_retain((ctie_value *)info);
}

static ctie_value *part_of(player *p, ctie_request *request, ctie_str part) {
    static const char *const URL_PARTS[] = {"url", "scheme", "host", "path", "query", "fragment"};
    ctie_str found = {"", 0};
    for (ctie_url_part i = CTIE_URL_WHOLE; i <= CTIE_URL_FRAGMENT; i++) {
        if (is(part, URL_PARTS[i])) { return string_or_null(ctie_request_url(request, i, &found), found); }
    }
    if (is(part, "pattern")) { return string_or_null(ctie_request_pattern(request, &found), found); }
    if (is(part, "params")) { return params_of(p, request); }
    if (is(part, "pairs")) { return pairs_of(p, request); }
    if (is(part, "user_info")) { return user_info_of(request); }
    ctie_origin origin = -1;
    expect_ok(p, "origin", ctie_request_origin(request, &origin));
    return ctie_value_string(origin == CTIE_ORIGIN_LOCAL ? CTIE_STR("local") : CTIE_STR("remote"));
}

/* One part is answered as it is, several as a map. */
static ctie_value *echo(player *p, ctie_request *request, step *action) {
    step *parts = ctie_value_get(action, CTIE_STR("parts"));
    size_t count = ctie_value_count(parts);
    ctie_pair *pairs = keep_memory(p, sizeof *pairs * (count + 1));
    for (size_t i = 0; i < count; i++) {
        ctie_value_get_string(ctie_value_at(parts, i), &pairs[i].key);
        pairs[i].value = part_of(p, request, pairs[i].key);
    }
    return count == 1 ? pairs[0].value : ctie_value_map(pairs, count);
}

static ctie_value *error_value(ctie_status status) {
    return pair_map("error", ctie_value_string(ctie_str_from(short_name(status))));
}

static ctie_value *param(player *p, ctie_request *request, step *action) {
    ctie_str found = {"", 0};
    ctie_status status = ctie_request_param(request, text(p, action, "name", ""), &found);
    return status == CTIE_OK ? ctie_value_string(found) : error_value(status);
}

/* Opens another URL and answers with what came of it. */
static ctie_value *open_nested(player *p, ctie_request *request, step *action) {
    ctie_bus *bus = NULL;
    expect_ok(p, "bus", ctie_request_bus(request, &bus));
    if (has(action, "bus")) { bus = thing_find(p, BUS, text(p, action, "bus", "bus")); }
    ctie_value *info = has(action, "user_info") ? value(p, action, "user_info") : NULL;
    ctie_open_options options = CTIE_OPEN_OPTIONS_INIT;
    options.user_info = info;
    ctie_response *response = NULL;
    ctie_status status = ctie_open(bus, text(p, action, "url", ""), origin_of(p, action), &options, &response, NULL);
    ctie_value *result =
        status == CTIE_OK ? ctie_value_retain((ctie_value *)ctie_response_value(response)) : error_value(status);
    ctie_response_release(response);
    ctie_value_release(info);
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

/* Removing itself is PENDING inside the handler: the end comes when it returns. */
static ctie_status remove_route(player *p, step *action) {
    ctie_status status = ctie_registration_release(thing_take(p, REGISTRATION, text(p, action, "registration", "")));
    return status == CTIE_PENDING ? CTIE_OK : status;
}

static ctie_status perform(handler *h, ctie_request *request, step *action) {
    player *p = h->player;
    ctie_str verb = text(p, action, "do", "");
    if (is(verb, "reply")) { return ctie_request_reply(request, value(p, action, "value")); }
    if (is(verb, "echo")) { return ctie_request_reply(request, echo(p, request, action)); }
    if (is(verb, "param")) { return ctie_request_reply(request, param(p, request, action)); }
    if (is(verb, "open")) { return ctie_request_reply(request, open_nested(p, request, action)); }
    if (is(verb, "fail")) {
        return ctie_request_fail(request, (int32_t)number(action, "code", -1), value(p, action, "value"),
                                 text(p, action, "message", ""));
    }
    if (is(verb, "decline")) { return ctie_request_decline(request); }
    if (is(verb, "keep")) { return keep(p, request, action); }
    if (is(verb, "drop")) { return drop(request); }
    if (is(verb, "later")) { return later(h, request, action); }
    if (is(verb, "remove")) { return remove_route(p, action); }
    if (!is(verb, "nothing")) { failf(p, "no such action: %.*s", (int)verb.size, verb.data); }
    return CTIE_OK;
}

static void act(handler *h, ctie_request *request, step *action) {
    ctie_status status = perform(h, request, action);
    ctie_str expected = text(h->player, action, "status", "OK");
    if (!is(expected, short_name(status))) { failf(h->player, "in the handler: %s", short_name(status)); }
}

void handler_run(ctie_request *request, void *user_data) {
    handler *h = user_data;
    if (h->actions == NULL) {
        expect_ok(h->player, "reply", ctie_request_reply(request, ctie_value_string(h->pattern)));
    } else if (ctie_value_kind(h->actions) == CTIE_KIND_MAP) {
        act(h, request, h->actions);
    } else {
        for (size_t i = 0; i < ctie_value_count(h->actions); i++) { act(h, request, ctie_value_at(h->actions, i)); }
    }
}
