/* Actions that reply a value: one given, a part of the request, or what a nested request came to. */
#include "player.h"

ctie_bus *bus_of_action(player *p, ctie_request *request, step *action) {
    ctie_bus *bus = NULL;
    if (has(action, "bus")) { return thing_find(p, BUS, text(p, action, "bus", "bus")); }
    expect_ok(p, "bus", ctie_request_bus(request, &bus));
    return bus;
}

static ctie_value *error_value(ctie_status status) {
    return pair_map("error", ctie_value_string(ctie_str_from(short_name(status))));
}

static ctie_value *reply(player *p, ctie_request *request, step *action) {
    (void)request;
    return value(p, action, "value");
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

/* The same with the error's message, if the action wants that. */
static ctie_value *explained_value(step *action, ctie_status status, const ctie_error *error) {
    if (!flag(action, "explained", false)) { return error_value(status); }
    const ctie_pair pairs[] = {
        {CTIE_STR("error"), ctie_value_string(ctie_str_from(short_name(status)))},
        {CTIE_STR("message"), ctie_value_string(ctie_error_message(error))},
    };
    return ctie_value_map(pairs, 2);
}

/* The value of a response, or the status of what it failed for. */
static ctie_value *outcome(step *action, ctie_status status, ctie_response *response_taken, ctie_error *error_taken) {
    ctie_value *result = status == CTIE_OK ? ctie_value_retain(ctie_response_value(response_taken))
                                           : explained_value(action, status, error_taken);
    ctie_response_release(response_taken);
    ctie_error_release(error_taken);
    return result;
}

static ctie_value *nested(player *p, ctie_request *request, step *action) {
    ctie_request_options options = request_options(p, action);
    ctie_response *response = NULL;
    ctie_error *error = NULL;
    ctie_status status = request_now(p, action, bus_of_action(p, request, action), &options, &response, &error);
    return outcome(action, status, response, error);
}

static ctie_value *broadcast(player *p, ctie_request *request, step *action) {
    ctie_value *params = has(action, "params") ? value(p, action, "params") : NULL, *out = NULL;
    ctie_status status = ctie_component_broadcast(bus_of_action(p, request, action), text(p, action, "event", ""),
                                                  params, NULL, &out, NULL);
    ctie_value *count = status == CTIE_OK ? ctie_value_retain(ctie_value_get(out, CTIE_STR("count"))) : NULL;
    ctie_value_release(params);
    ctie_value_release(out);
    return count == NULL ? error_value(status) : count;
}

static ctie_value *wait_nested(player *p, ctie_request *request, step *action) {
    (void)request;
    ctie_response *response = NULL;
    ctie_call *call = call_await(p, text(p, action, "call", ""));
    ctie_status status = ctie_call_wait(call, WATCHDOG_SECONDS * 1000, &response);
    return outcome(action, status == CTIE_OK ? ctie_response_status(response) : status, response, NULL);
}

static const struct {
    const char *name;
    ctie_value *(*answer)(player *p, ctie_request *request, step *action);
} ANSWERS[] = {
    {"reply", reply}, {"echo", echo},      {"param", param},   {"all", all},       {"open", nested},
    {"call", nested}, {"perform", nested}, {"share", nested},  {"oauth", nested},  {"launch", nested},
    {"wait", wait_nested}, {"broadcast", broadcast},
};

bool answer_of(player *p, ctie_request *request, step *action, ctie_str verb, ctie_value **reply) {
    for (size_t i = 0; i < sizeof ANSWERS / sizeof ANSWERS[0]; i++) {
        if (!is(verb, ANSWERS[i].name)) { continue; }
        *reply = ANSWERS[i].answer(p, request, action);
        return true;
    }
    return false;
}
