/* The component "stock": how many of each thing there are. Any code with the bus calls it by name. */
#include "core.h"

#include <crosstie.h>
#include <stdatomic.h>
#include <stdio.h>

CTIE_COMPONENT(stock)

static atomic_llong apples = CORE_FIRST_STOCK;

/* A whole number of the parameters; 0 when there is none of that name. */
static int64_t number(ctie_request *request, ctie_str name) {
    ctie_value *params = NULL;
    int64_t result = 0;
    if (ctie_request_params(request, &params) == CTIE_OK)
        ctie_value_get_int(ctie_value_get(params, name), &result);
    ctie_value_release(params);
    return result;
}

/* The number of items. */
CTIE_ACTION(stock, level) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_int(apples));
}

/* Takes some away, if there are enough. */
CTIE_ACTION(stock, take) {
    (void)user_data;
    long long count = number(request, CTIE_STR("count")), left = apples;
    do {
        if (count < 1 || count > left) {
            char text[64];
            snprintf(text, sizeof text, "%lld wanted, %lld left", count, left);
            ctie_request_fail(request, 409, NULL, ctie_str_from(text));
            return;
        }
    } while (!atomic_compare_exchange_weak(&apples, &left, left - count));
    ctie_request_reply(request, ctie_value_int(left - count));
}

/* Puts some back, and lets the component "prices" know, which is written in Python. */
CTIE_ACTION(stock, fill) {
    (void)user_data;
    ctie_bus *bus = NULL;
    ctie_value *params = NULL;
    apples += number(request, CTIE_STR("count"));
    ctie_request_bus(request, &bus);
    ctie_request_params(request, &params);
    ctie_status status = ctie_component_call(bus, CTIE_TARGET("prices", "filled"), params, NULL, NULL, NULL);
    ctie_value_release(params);
    if (status == CTIE_OK) ctie_request_reply(request, ctie_value_int(apples));
    else ctie_request_refuse(request, status, CTIE_STR("the prices could not be filled in"));
}

/* Every component gets the event when the program ends. */
CTIE_EVENT(stock, terminate, CTIE_EVENT_WILL_TERMINATE) {
    (void)user_data;
    printf("stock: %lld left\n", (long long)apples);
    fflush(stdout);
    ctie_request_reply(request, ctie_value_bool(true));
}
