/* The first steps of any outside program: a bus, a route, a URL opened, the answer read. C and C++. */
#include <crosstie.h>
#include <stdio.h>

static void answer(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_int(42));
}

int main(void) {
    ctie_bus *bus = NULL;
    ctie_response *response = NULL;
    int64_t number = 0;

    if (ctie_version() != CTIE_VERSION) return 1;
    if (ctie_bus_new(NULL, &bus, NULL) != CTIE_OK) return 2;
    if (ctie_route_add(bus, CTIE_STR("app://answer"), CTIE_HANDLER(answer, NULL), NULL, NULL, NULL) < 0) return 3;
    if (ctie_open(bus, CTIE_STR("app://answer"), CTIE_ORIGIN_LOCAL, NULL, &response, NULL) != CTIE_OK) return 4;
    if (ctie_value_get_int(ctie_response_value(response), &number) != CTIE_OK || number != 42) return 5;
    ctie_response_release(response);
    return ctie_bus_release(bus) == CTIE_OK ? 0 : 6;
}
