/* Actions that reply nothing: other endings, what interceptors do, keeping a request, and what happens beside. */
#include "player.h"

static ctie_status fail(handler *h, ctie_request *request, step *action) {
    player *p = h->player;
    return ctie_request_fail(request, (int32_t)number(action, "code", -1), value(p, action, "value"),
                             text(p, action, "message", ""));
}

static ctie_status deny(handler *h, ctie_request *request, step *action) {
    return ctie_request_deny(request, text(h->player, action, "message", ""));
}

/* With a given status, or one that a parameter of the request names. */
static ctie_status refuse(handler *h, ctie_request *request, step *action) {
    player *p = h->player;
    ctie_str name = text(p, action, "with", "");
    if (has(action, "param")) {
        expect_ok(p, "refuse", ctie_request_param(request, text(p, action, "param", ""), &name));
    }
    return ctie_request_refuse(request, status_named(p, name), text(p, action, "message", ""));
}

static ctie_status progress(handler *h, ctie_request *request, step *action) {
    return ctie_request_progress(request, value(h->player, action, "value"));
}

static ctie_status decline(handler *h, ctie_request *request, step *action) {
    (void)h, (void)action;
    return ctie_request_decline(request);
}

static ctie_status proceed(handler *h, ctie_request *request, step *action) {
    (void)h, (void)action;
    return ctie_request_proceed(request);
}

static ctie_status rewrite(handler *h, ctie_request *request, step *action) {
    return ctie_request_rewrite(request, text(h->player, action, "url", ""), NULL);
}

static ctie_status set_params(handler *h, ctie_request *request, step *action) {
    return ctie_request_set_params(request, value(h->player, action, "value"));
}

static ctie_status set_user_info(handler *h, ctie_request *request, step *action) {
    return ctie_request_set_user_info(request, value(h->player, action, "value"));
}

static ctie_status keep(handler *h, ctie_request *request, step *action) {
    ctie_status status = ctie_request_retain(request);
    if (status == CTIE_OK) { thing_add(h->player, REQUEST, text(h->player, action, "as", "kept"), request); }
    return status;
}

static ctie_status drop(handler *h, ctie_request *request, step *action) {
    (void)h, (void)action;
    ctie_status status = ctie_request_retain(request);
    return status == CTIE_OK ? ctie_request_release(request) : status;
}

/* The step `noted` compares the notes. */
static ctie_status note(handler *h, ctie_request *request, step *action) {
    player *p = h->player;
    ctie_str part = text(p, action, "part", "");
    note_add(p, has(action, "part") ? part_of(p, request, part) : value(p, action, "text"));
    return CTIE_OK;
}

/* Removing what runs is PENDING inside a handler: the end comes when it returns. */
static ctie_status remove_something(handler *h, ctie_request *request, step *action) {
    player *p = h->player;
    ctie_bus *bus = bus_of_action(p, request, action);
    ctie_status status =
        has(action, "component")  ? ctie_component_remove(bus, text(p, action, "component", ""), NULL)
        : has(action, "provider") ? ctie_provider_remove(bus, text(p, action, "provider", ""), NULL)
                                  : ctie_registration_release(
                                        thing_take(p, REGISTRATION, text(p, action, "registration", "")));
    return status == CTIE_PENDING ? CTIE_OK : status;
}

static ctie_status rules(handler *h, ctie_request *request, step *action) {
    return rules_load(h->player, action, bus_of_action(h->player, request, action), NULL);
}

static ctie_status unload_rules(handler *h, ctie_request *request, step *action) {
    return ctie_rules_unload(bus_of_action(h->player, request, action), NULL);
}

static ctie_status nothing(handler *h, ctie_request *request, step *action) {
    (void)h, (void)request, (void)action;
    return CTIE_OK;
}

static const struct {
    const char *name;
    ctie_status (*act)(handler *h, ctie_request *request, step *action);
} ACTIONS[] = {
    {"fail", fail},
    {"deny", deny},
    {"refuse", refuse},
    {"progress", progress},
    {"decline", decline},
    {"proceed", proceed},
    {"rewrite", rewrite},
    {"set_params", set_params},
    {"set_user_info", set_user_info},
    {"on_return", act_on_return},
    {"on_cancel", act_on_cancel},
    {"block", act_block},
    {"outlast", act_outlast},
    {"keep", keep},
    {"drop", drop},
    {"later", act_later},
    {"note", note},
    {"remove", remove_something},
    {"rules", rules},
    {"unload_rules", unload_rules},
    {"nothing", nothing},
};

bool action_of(handler *h, ctie_request *request, step *action, ctie_str verb, ctie_status *status) {
    for (size_t i = 0; i < sizeof ACTIONS / sizeof ACTIONS[0]; i++) {
        if (!is(verb, ACTIONS[i].name)) { continue; }
        *status = ACTIONS[i].act(h, request, action);
        return true;
    }
    return false;
}
