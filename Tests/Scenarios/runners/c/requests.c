/* Making requests, at whichever kind the step names, and the progress that they tell of. */
#include "player.h"

struct reported {
    player *player;
    ctie_value *values[64]; /* guarded by the player's lock */
    size_t count;
};

ctie_origin origin_of(player *p, step *s) {
    return is(text(p, s, "origin", "local"), "remote") ? CTIE_ORIGIN_REMOTE : CTIE_ORIGIN_LOCAL;
}

const char *request_kind_name(int32_t kind) {
    static const char *const NAMES[] = {"open", "call", "event", "perform", "share", "oauth", "launch", "activity"};
    return kind < CTIE_REQUEST_KIND_OPEN || kind > CTIE_REQUEST_KIND_ACTIVITY ? "?" : NAMES[kind];
}

uint32_t kinds_of(player *p, step *s) {
    ctie_str_list named = texts(p, s, "kinds");
    uint32_t kinds = 0;
    for (size_t i = 0; i < named.count; i++) {
        for (int32_t each = CTIE_REQUEST_KIND_OPEN; each <= CTIE_REQUEST_KIND_ACTIVITY; each++) {
            if (is(named.items[i], request_kind_name(each))) { kinds |= 1u << each; }
        }
    }
    return kinds;
}

ctie_match_mode mode_of(player *p, step *s, const char *key) {
    ctie_str mode = text(p, s, key, "");
    return is(mode, "nearest") ? CTIE_MATCH_NEAREST : is(mode, "exact") ? CTIE_MATCH_EXACT : CTIE_MATCH_DEFAULT;
}

ctie_request_options request_options(player *p, step *s) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.user_info = has(s, "user_info") ? keep_value(p, value(p, s, "user_info")) : NULL;
    options.timeout_ms = number(s, "timeout_ms", WATCHDOG_SECONDS * 1000);
    options.mode = mode_of(p, s, "mode");
    options.dispatcher = text(p, s, "dispatcher", "");
    options.priority = (int32_t)number(s, "priority", CTIE_PRIORITY_NORMAL);
    options.interceptors = interceptors_of(p, s, &options.interceptor_count);
    options.peer = text(p, s, "peer", "");
    ctie_str reach = text(p, s, "reach", "any");
    options.flags |= is(reach, "here") ? CTIE_REQUEST_HERE : is(reach, "elsewhere") ? CTIE_REQUEST_ELSEWHERE : 0;
    if (flag(s, "cached", false)) { options.flags |= CTIE_REQUEST_CACHED; }
    /* opening URLs has an argument for it. */
    if (!has(s, "url") && origin_of(p, s) == CTIE_ORIGIN_REMOTE) { options.flags |= CTIE_REQUEST_REMOTE; }
    return options;
}

/* The target of a request of another kind than the first. */
typedef struct aim {
    ctie_target target;
    ctie_value *params; /* owned */
} aim;

static aim aim_of(player *p, step *s, const char *target, const char *action) {
    return (aim){{text(p, s, target, ""), text(p, s, action, "")}, has(s, "params") ? value(p, s, "params") : NULL};
}

static ctie_status call_now(player *p, step *s, ctie_bus *bus, const ctie_request_options *options,
                            ctie_response **response, ctie_error **error) {
    aim to = aim_of(p, s, "component", "action");
    ctie_status status = ctie_component_call(bus, to.target, to.params, options, response, error);
    ctie_value_release(to.params);
    return status;
}

static ctie_status perform_now(player *p, step *s, ctie_bus *bus, const ctie_request_options *options,
                               ctie_response **response, ctie_error **error) {
    aim to = aim_of(p, s, "target", "selector");
    ctie_status status = ctie_perform(bus, to.target, to.params, options, response, error);
    ctie_value_release(to.params);
    return status;
}

ctie_status request_now(player *p, step *s, ctie_bus *bus, const ctie_request_options *options,
                        ctie_response **response, ctie_error **error) {
    ctie_str verb = text(p, s, "do", "");
    ctie_status status = CTIE_OK;
    if (handoff_now(p, s, bus, options, response, error, &status)) { return status; }
    if (is(verb, "call")) { return call_now(p, s, bus, options, response, error); }
    if (is(verb, "perform")) { return perform_now(p, s, bus, options, response, error); }
    return ctie_open(bus, text(p, s, "url", ""), origin_of(p, s), options, response, error);
}

ctie_status request_later(player *p, step *s, ctie_completion completion, const ctie_request_options *options,
                          ctie_call **call, ctie_error **error) {
    ctie_bus *bus = bus_of(p, s);
    ctie_str verb = text(p, s, "do", "");
    ctie_status status = CTIE_OK;
    if (handoff_later(p, s, completion, options, call, error, &status)) { return status; }
    if (is(verb, "open_async")) {
        return ctie_open_async(bus, text(p, s, "url", ""), origin_of(p, s), completion, options, call, error);
    }
    if (is(verb, "broadcast_async")) {
        ctie_value *params = has(s, "params") ? value(p, s, "params") : NULL;
        status = ctie_component_broadcast_async(bus, text(p, s, "event", ""), params, completion, options,
                                                call, error);
        ctie_value_release(params);
        return status;
    }
    bool calls = is(verb, "call_async");
    aim to = calls ? aim_of(p, s, "component", "action") : aim_of(p, s, "target", "selector");
    status = calls ? ctie_component_call_async(bus, to.target, to.params, completion, options, call, error)
                   : ctie_perform_async(bus, to.target, to.params, completion, options, call, error);
    ctie_value_release(to.params);
    return status;
}

static void report(const ctie_value *value, void *user_data) {
    reported *own = user_data;
    pthread_mutex_lock(&own->player->lock);
    bool room = own->count < sizeof own->values / sizeof own->values[0];
    if (room) { own->values[own->count++] = ctie_value_retain(value); }
    pthread_mutex_unlock(&own->player->lock);
    if (!room) { failf(own->player, "too much progress"); }
}

reported *reported_of(player *p, step *s, ctie_request_options *options) {
    reported *own = keep_memory(p, sizeof *own);
    own->player = p;
    if (!has(s, "progress")) { return own; }
    options->progress = CTIE_PROGRESS(report, own);
    return own;
}

/* All reports, in order: nothing comes after the end. */
void expect_reported(player *p, step *s, reported *own) {
    if (!has(s, "progress")) { return; }
    pthread_mutex_lock(&p->lock);
    ctie_value *values = ctie_value_list(own->values, own->count);
    own->count = 0;
    pthread_mutex_unlock(&p->lock);
    expect_value(p, "progress", value(p, s, "progress"), values);
    ctie_value_release(values);
}
