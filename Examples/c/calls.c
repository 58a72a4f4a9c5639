/* Components, calls and an event. Build: cc calls.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <stdio.h>

/* [declare] */
CTIE_COMPONENT(greeter)

CTIE_ACTION(greeter, greet) {
    (void)user_data;
    ctie_str name = CTIE_STR("you"); /* stays where there is no parameter of that name */
    ctie_request_param(request, CTIE_STR("name"), &name);
    char text[64];
    snprintf(text, sizeof text, "hello %.*s", (int)name.size, name.data);
    ctie_request_reply(request, ctie_value_string(ctie_str_from(text)));
}

CTIE_EVENT(greeter, terminate, CTIE_EVENT_WILL_TERMINATE) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_bool(true));
}
/* [end] */

/* [factory] */
static void *open_counter(void *user_data) {
    int *start = (int *)user_data;
    static int counter;
    counter = *start;
    return &counter;
}

static void next(ctie_request *request, void *counter) {
    ctie_request_reply(request, ctie_value_int(++*(int *)counter));
}

static ctie_status add_counter(ctie_bus *bus, int *start) {
    const ctie_action actions[] = {{CTIE_STR("next"), next, NULL, 0, CTIE_STR("counts on")}};
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    options.flags = CTIE_COMPONENT_LAZY; /* open_counter() runs at the first call */
    return ctie_component_add(bus, CTIE_STR("counter"), CTIE_ACTIONS(actions), CTIE_FACTORY(open_counter, start),
                              &options, NULL, NULL);
}
/* [end] */

/* [call] */
static void greet_ada(ctie_bus *bus) {
    ctie_response *response = NULL;
    ctie_str answer = {NULL, 0};
    const ctie_pair pairs[] = {{CTIE_STR("name"), ctie_value_string(CTIE_STR("Ada"))}};
    ctie_value *params = ctie_value_map(pairs, 1);
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = 500;

    ctie_status status = ctie_component_call(bus, CTIE_TARGET("greeter", "greet"), params, &options, &response, NULL);
    ctie_value_get_string(ctie_response_value(response), &answer);
    printf("%s: %.*s\n", ctie_status_name(status), (int)answer.size, answer.data);
    ctie_value_release(params);
    ctie_response_release(response);
}
/* [end] */

int main(void) {
    ctie_bus *bus = NULL;
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.flags = CTIE_BUS_STATIC;
    ctie_bus_new(&options, &bus, NULL);

    int start = 41;
    add_counter(bus, &start);
    greet_ada(bus);

    ctie_response *response = NULL;
    ctie_str answer = {NULL, 0};
    int64_t number = 0;
    ctie_component_call(bus, CTIE_TARGET("greeter", "greet"), NULL, NULL, &response, NULL);
    ctie_value_get_string(ctie_response_value(response), &answer);
    printf("%.*s\n", (int)answer.size, answer.data);
    ctie_response_release(response);

    ctie_component_call(bus, CTIE_TARGET("counter", "next"), NULL, NULL, &response, NULL);
    ctie_value_get_int(ctie_response_value(response), &number);
    printf("%lld\n", (long long)number);
    ctie_response_release(response);

    ctie_value *result = NULL;
    int64_t count = 0;
    ctie_component_broadcast(bus, CTIE_STR(CTIE_EVENT_WILL_TERMINATE), NULL, NULL, &result, NULL);
    ctie_value_get_int(ctie_value_get(result, CTIE_STR("count")), &count);
    printf("%lld got it\n", (long long)count);
    ctie_value_release(result);
    ctie_bus_release(bus);
    return 0;
}
