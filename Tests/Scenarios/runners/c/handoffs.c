/* Requests that providers serve: sharing, signing in, launching, and what comes back from outside. */
#include "player.h"

typedef ctie_status now_fn(ctie_bus *bus, ctie_str target, const ctie_value *map, const ctie_request_options *options,
                           ctie_response **response, ctie_error **error);
typedef ctie_status later_fn(ctie_bus *bus, ctie_str target, const ctie_value *map, ctie_completion completion,
                             const ctie_request_options *options, ctie_call **call, ctie_error **error);

typedef struct handoff {
    const char *verb, *verb_async;
    const char *target, *map; /* where the step names them */
    now_fn *now;
    later_fn *later;
} handoff;

static const handoff HANDOFFS[] = {
    {"share", "share_async", "endpoint", "content", ctie_share, ctie_share_async},
    {"oauth", "oauth_async", "platform", "params", ctie_oauth, ctie_oauth_async},
    {"launch", "launch_async", "platform", "program", ctie_launch, ctie_launch_async},
};

static const handoff *handoff_of(player *p, step *s) {
    ctie_str verb = text(p, s, "do", "");
    for (size_t i = 0; i < sizeof HANDOFFS / sizeof HANDOFFS[0]; i++) {
        if (is(verb, HANDOFFS[i].verb) || is(verb, HANDOFFS[i].verb_async)) { return &HANDOFFS[i]; }
    }
    return NULL;
}

/* The message or the parameters to hand off. A step without a message shares a text. Owned. */
static ctie_value *map_of(player *p, step *s, const handoff *to) {
    if (has(s, to->map)) { return value(p, s, to->map); }
    if (to->now != ctie_share) { return NULL; }
    ctie_pair fields[] = {
        {CTIE_STR("identifier"), ctie_value_string(CTIE_STR(CTIE_SHARE_KIND_TEXT))},
        {CTIE_STR("text"), ctie_value_string(CTIE_STR("hello"))},
    };
    return ctie_value_map(fields, 2);
}

bool handoff_now(player *p, step *s, ctie_bus *bus, const ctie_request_options *options, ctie_response **response,
                 ctie_error **error, ctie_status *status) {
    const handoff *to = handoff_of(p, s);
    if (to == NULL) { return false; }
    ctie_value *map = map_of(p, s, to);
    *status = to->now(bus, text(p, s, to->target, ""), map, options, response, error);
    ctie_value_release(map);
    return true;
}

bool handoff_later(player *p, step *s, ctie_completion completion, const ctie_request_options *options,
                   ctie_call **call, ctie_error **error, ctie_status *status) {
    const handoff *to = handoff_of(p, s);
    if (to == NULL) { return false; }
    ctie_value *map = map_of(p, s, to);
    *status = to->later(bus_of(p, s), text(p, s, to->target, ""), map, completion, options, call, error);
    ctie_value_release(map);
    return true;
}

/* Whether somebody has got it; after a failure only if the step says so. */
static void expect_claimed(player *p, step *s, ctie_status status, bool claimed, ctie_error *error) {
    bool is_well = expect_status(p, s, status, error);
    if (!is_well && !has(s, "value")) { return; }
    expect_value(p, "claimed", value(p, s, "value"), ctie_value_bool(claimed));
}

void step_provider_open_url(player *p, step *s) {
    ctie_request_options options = request_options(p, s);
    bool claimed = false;
    ctie_error *error = NULL;
    ctie_status status =
        ctie_provider_open_url(bus_of(p, s), text(p, s, "url", ""), origin_of(p, s), &options, &claimed, &error);
    expect_claimed(p, s, status, claimed, error);
}

void step_provider_open_activity(player *p, step *s) {
    ctie_request_options options = request_options(p, s);
    ctie_value *activity = value(p, s, "activity");
    bool claimed = false;
    ctie_error *error = NULL;
    ctie_status status =
        ctie_provider_open_activity(bus_of(p, s), activity, origin_of(p, s), &options, &claimed, &error);
    expect_claimed(p, s, status, claimed, error);
    ctie_value_release(activity);
}
