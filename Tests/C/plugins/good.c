/* A plug-in with one component, and with a function that can be performed. */
#include <crosstie.h>

static int instances;

static void *create(void *user_data) {
    (void)user_data;
    instances++;
    return &instances;
}

static void end(void *instance) {
    --*(int *)instance;
}

static const ctie_component_options OPTIONS = {
    .size = sizeof(ctie_component_options),
    .doc = {"Comes and goes.", 15},
    .type = {"Plugged", 7},
};

CTIE_COMPONENT_MADE(plugged, create, NULL, end, &OPTIONS)

CTIE_ACTION(plugged, greet) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_string(CTIE_STR("hello from a plug-in")));
}

CTIE_ACTION_WITH(plugged, count, "instances", 0, "How many there are.") {
    ctie_request_reply(request, ctie_value_int(*(int *)user_data));
}

CTIE_EVENT(plugged, launched, CTIE_EVENT_DID_FINISH_LAUNCHING) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_bool(true));
}

/* Not declared, but to be performed as c:…good.so:good_performed. */
__attribute__((visibility("default"))) void good_performed(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str selector = {NULL, 0};
    ctie_request_action(request, &selector);
    ctie_request_reply(request, ctie_value_string(selector));
}
