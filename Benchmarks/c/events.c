/* Events of components from C: to so many listeners, and to one on a bus of ten thousand components. */
#include "bench.h"

#include <crosstie.h>

enum { EVENTS = 2000, OTHERS = 10000 };

static const int AUDIENCES[] = {1, 10, 100};

static void receive(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_null());
}

static void add(ctie_bus *bus, int number, const char *event, uint32_t flags) {
    char name[32];
    ctie_action action = {ctie_str_from(event), receive, NULL, flags, {0}};
    snprintf(name, sizeof name, "component%d", number);
    ctie_status status = ctie_component_add(bus, ctie_str_from(name), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL),
                                            NULL, NULL, NULL);
    require(status == CTIE_OK, ctie_status_message(status));
}

static void broadcast(void *bus) {
    ctie_status status = ctie_component_broadcast(bus, CTIE_STR("saved"), NULL, NULL, NULL, NULL);
    require(status == CTIE_OK, "an event fails");
}

static void measure(const char *work, int listeners, int others) {
    ctie_bus *bus = NULL;
    require(ctie_bus_new(NULL, &bus, NULL) == CTIE_OK, "no bus");
    for (int i = 0; i < listeners; i++) add(bus, i, "saved", CTIE_ACTION_EVENT);
    for (int i = 0; i < others; i++) add(bus, listeners + i, "act", 0);
    measure_rounds(work, "crosstie", EVENTS, broadcast, bus);
    ctie_bus_release(bus);
}

int main(void) {
    char work[32];
    for (size_t i = 0; i < sizeof AUDIENCES / sizeof *AUDIENCES; i++) {
        snprintf(work, sizeof work, "event.%d", AUDIENCES[i]);
        measure(work, AUDIENCES[i], 0);
    }
    measure("event.among", 1, OTHERS);
    return 0;
}
