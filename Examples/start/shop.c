/* A small shop: a route, a component and an event on one bus. Build: cc shop.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <inttypes.h>
#include <stdio.h>

/* [route] */
static void show_item(ctie_request *request, void *user_data CTIE_UNUSED) {
    const ctie_str currency = ctie_param_str(request, "currency", CTIE_STR("EUR"));
    const int64_t id = ctie_param_int(request, "id", 0);
    ctie_reply_format(request, "item %" PRId64 " costs %" PRId64 " " CTIE_FMT, id, id * 10, CTIE_ARG(currency));
}

static void open_item(ctie_bus *bus) {
    ctie_route_on(bus, "app://items/:id<int>", CTIE_HANDLER(show_item, NULL), 0);

    ctie_response *response = NULL;
    ctie_status status = ctie_open(bus, CTIE_STR("app://items/7?currency=CHF"), CTIE_ORIGIN_LOCAL, NULL, &response, NULL);
    printf("%s: %s\n", ctie_status_name(status), ctie_value_text(ctie_response_value(response), "nothing"));
    ctie_response_release(response);
}
/* [end] */

/* [component] */
static int64_t wheels = 3;

static void take(ctie_request *request, void *user_data CTIE_UNUSED) {
    wheels -= ctie_param_int(request, "count", 0);
    ctie_request_reply(request, ctie_value_int(wheels));
}

static void count_stock(ctie_request *request, void *user_data CTIE_UNUSED) {
    printf("the stock is counted: %" PRId64 "\n", wheels);
    ctie_request_reply(request, NULL);
}

static ctie_status add_stock(ctie_bus *bus) {
    const ctie_action actions[] = {
        {CTIE_STR("take"), take, NULL, 0, {NULL, 0}},
        {CTIE_STR("closing"), count_stock, NULL, CTIE_ACTION_EVENT, {NULL, 0}},
    };
    return ctie_component_add(bus, CTIE_STR("stock"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL, NULL, NULL);
}
/* [end] */

/* [call] */
static void take_wheels(ctie_bus *bus) {
    ctie_response *response = NULL;
    ctie_value *params = CTIE_MAP("count", ctie_value_int(2));
    ctie_component_call(bus, CTIE_TARGET("stock", "take"), params, NULL, &response, NULL);
    int64_t left = 0;
    ctie_value_get_int(ctie_response_value(response), &left);
    printf("left: %" PRId64 "\n", left);
    ctie_value_release(params);
    ctie_response_release(response);
}
/* [end] */

/* [broadcast] */
static void close_shop(ctie_bus *bus) {
    ctie_value *result = NULL;
    ctie_component_broadcast(bus, CTIE_STR("closing"), NULL, NULL, &result, NULL);
    printf("received by %" PRId64 "\n", ctie_get_int(result, "count", 0));
    ctie_value_release(result);
}
/* [end] */

int main(void) {
    ctie_bus *bus = NULL;
    if (ctie_bus_new(NULL, &bus, NULL) != CTIE_OK) return 1;
    open_item(bus);
    add_stock(bus);
    take_wheels(bus);
    close_shop(bus);
    ctie_bus_release(bus);
    return 0;
}
