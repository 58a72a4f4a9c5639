/* Calling components by names from C: a thousand actions in random order, on one thread and on two. */
#include "actions.h"

#include <crosstie.h>

typedef struct components {
    ctie_bus *bus;
    ctie_str component[COMPONENTS], action[ACTIONS];
} components;

static void answer(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_null());
}

/* Performed by its name, as the program has it. */
void answer_by_name(ctie_request *request, void *user_data);

void answer_by_name(ctie_request *request, void *user_data) { answer(request, user_data); }

static void pass_by(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_proceed(request);
}

static ctie_str copy(const char *text) { return ctie_str_from(strdup(text)); }

static void fill(components *all) {
    char name[32];
    for (int i = 0; i < COMPONENTS; i++) {
        name_component(name, i);
        all->component[i] = copy(name);
    }
    for (int i = 0; i < ACTIONS; i++) {
        name_action(name, i);
        all->action[i] = copy(name);
    }
}

/* A bus with all of them. */
static ctie_bus *make_bus(const components *all, uint32_t flags) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    ctie_bus *bus = NULL;
    options.flags = flags;
    require(ctie_bus_new(&options, &bus, NULL) == CTIE_OK, "no bus");
    for (int component = 0; component < COMPONENTS; component++) {
        ctie_action actions[ACTIONS_EACH];
        for (int i = 0; i < ACTIONS_EACH; i++) {
            actions[i] = (ctie_action){all->action[component * ACTIONS_EACH + i], answer, NULL, 0, {NULL, 0}};
        }
        ctie_status status = ctie_component_add(bus, all->component[component],
                                                (ctie_action_list){actions, ACTIONS_EACH}, CTIE_INSTANCE(NULL),
                                                NULL, NULL, NULL);
        require(status == CTIE_OK, ctie_status_message(status));
    }
    return bus;
}

static void call(void *context, const uint16_t *actions, int count) {
    components *all = context;
    for (int i = 0; i < count; i++) {
        ctie_str component = all->component[actions[i] / ACTIONS_EACH], action = all->action[actions[i]];
        ctie_status status = ctie_component_call(all->bus, (ctie_target){component, action}, NULL, NULL, NULL, NULL);
        require(status == CTIE_OK, "a call fails");
    }
}

static void perform(void *context, const uint16_t *actions, int count) {
    components *all = context;
    for (int i = 0; i < count; i++) {
        ctie_status status = ctie_perform(all->bus,
                                          (ctie_target){CTIE_STR("c:answer_by_name"), all->action[actions[i]]}, NULL,
                                          NULL, NULL, NULL);
        require(status == CTIE_OK, "a performed function fails");
    }
}

int main(void) {
    static components all;
    fill(&all);
    all.bus = make_bus(&all, 0);
    measure_calls("crosstie", call, &all);
    require(ctie_performer_allow(all.bus, CTIE_STR("c:answer_by_name"), NULL) == CTIE_OK, "not allowed");
    report("call.perform", "crosstie", time_calls(perform, &all, 1));
    require(ctie_interceptor_add(all.bus, CTIE_HANDLER(pass_by, NULL), NULL, NULL, NULL) == CTIE_OK, "no interceptor");
    report("call.interceptor", "crosstie", time_calls(call, &all, 1));
    ctie_bus_release(all.bus);
    all.bus = make_bus(&all, CTIE_BUS_STATS);
    report("call.stats", "crosstie", time_calls(call, &all, 1));
    ctie_bus_release(all.bus);
    return 0;
}
