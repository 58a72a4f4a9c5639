/* The actions of a scenario's handler: a list, each with the status it expects. */
#include "player.h"

typedef struct worker {
    struct worker *next;
    pthread_t thread;
    handler *handler;
    ctie_request *request;
    step *actions;
} worker;

static void *answer_later(void *argument) {
    worker *w = argument;
    act_each(w->handler, w->request, w->actions);
    expect_ok(w->handler->player, "release", ctie_request_release(w->request));
    return NULL;
}

ctie_status act_later(handler *h, ctie_request *request, step *action) {
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

/* A thread may have started others. */
void workers_join(player *p) {
    for (;;) {
        pthread_mutex_lock(&p->lock);
        worker *first = p->workers;
        p->workers = first == NULL ? NULL : first->next;
        pthread_mutex_unlock(&p->lock);
        if (first == NULL) { return; }
        pthread_join(first->thread, NULL);
    }
}

static bool concerns(player *p, ctie_request *request, step *action) {
    ctie_str url = {"", 0};
    if (!has(action, "when") && !has(action, "unless")) { return true; }
    expect_ok(p, "url", ctie_request_url(request, CTIE_URL_WHOLE, &url));
    bool same = same_text(url, text(p, action, has(action, "when") ? "when" : "unless", ""));
    return same == has(action, "when");
}

static ctie_status perform(handler *h, ctie_request *request, step *action) {
    ctie_str verb = text(h->player, action, "do", "");
    ctie_value *reply = NULL;
    ctie_status status = CTIE_OK;
    if (answer_of(h->player, request, action, verb, &reply)) { return ctie_request_reply(request, reply); }
    if (!action_of(h, request, action, verb, &status)) {
        failf(h->player, "no such action: %.*s", (int)verb.size, verb.data);
    }
    return status;
}

static void act(handler *h, ctie_request *request, step *action) {
    if (!concerns(h->player, request, action)) { return; }
    ctie_status status = perform(h, request, action);
    ctie_str expected = text(h->player, action, "status", "OK");
    if (!is(expected, short_name(status))) { failf(h->player, "in the handler: %s", short_name(status)); }
}

void act_each(handler *h, ctie_request *request, step *actions) {
    if (ctie_value_kind(actions) == CTIE_KIND_MAP) {
        act(h, request, actions);
        return;
    }
    for (size_t i = 0; i < ctie_value_count(actions); i++) { act(h, request, ctie_value_at(actions, i)); }
}

void handler_run(ctie_request *request, void *user_data) {
    handler *h = user_data;
    if (h->actions == NULL) {
        expect_ok(h->player, "reply", ctie_request_reply(request, ctie_value_string(h->otherwise)));
    } else {
        act_each(h, request, h->actions);
    }
}

handler *handler_of(player *p, step *actions, ctie_str otherwise) {
    handler *h = keep_memory(p, sizeof *h);
    *h = (handler){p, actions, otherwise};
    return h;
}

const ctie_handler *interceptors_of(player *p, step *s, size_t *count) {
    step *list = ctie_value_get(s, CTIE_STR("interceptors"));
    *count = ctie_value_count(list);
    ctie_handler *interceptors = keep_memory(p, sizeof *interceptors * (*count + 1));
    for (size_t i = 0; i < *count; i++) {
        handler *h = handler_of(p, ctie_value_at(list, i), (ctie_str){"", 0});
        interceptors[i] = (ctie_handler){handler_run, h, NULL};
    }
    return interceptors;
}
