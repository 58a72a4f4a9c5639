/* The side in C of calls between C and Python: loaded into Python's process, where it finds the library. */
#include "bench.h"

#include <crosstie.h>

enum { CALLS = 20000, ROUNDS = 25 };

static ctie_bus *bus;

static void take(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_null());
}

/* Adds the component "native" to a shared bus. */
void native_add(const char *name) {
    ctie_action action = {CTIE_STR("take"), take, NULL, 0, {NULL, 0}};
    require(ctie_bus_shared(ctie_str_from(name), &bus, NULL) == CTIE_OK, "no bus");
    ctie_status status = ctie_component_add(bus, CTIE_STR("native"), (ctie_action_list){&action, 1},
                                            CTIE_INSTANCE(NULL), NULL, NULL, NULL);
    require(status == CTIE_OK, ctie_status_message(status));
}

/* The time of one call of a component without parameters in the best round. */
double native_call(const char *component, const char *action) {
    ctie_str names[] = {ctie_str_from(component), ctie_str_from(action)};
    double figures[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < CALLS; i++) {
            ctie_status status = ctie_component_call(bus, (ctie_target){names[0], names[1]}, NULL, NULL, NULL, NULL);
            require(status == CTIE_OK, ctie_status_message(status));
        }
        figures[round] = (now_ns() - begin) / CALLS;
    }
    return lowest(figures, ROUNDS);
}

void native_remove(void) { ctie_bus_release(bus); }
