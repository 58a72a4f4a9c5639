/* Components, events, and what a bus has counted. */
#include "player.h"

typedef struct factory {
    player *player;
    const ctie_value *note; /* what is noted when an instance is made */
    void *instance;         /* NULL: it gives nothing */
} factory;

static void *make(void *user_data) {
    factory *own = user_data;
    note_add(own->player, ctie_value_retain(own->note));
    return own->instance;
}

/* The instance of a component's actions; other components may have the same one. */
static void *instance_of(player *p, step *s) {
    void *instance = keep_memory(p, 1);
    if (!has(s, "instance")) { return instance; }
    ctie_str name = text(p, s, "instance", "");
    void *found = thing_look_up(p, INSTANCE, name);
    if (found == NULL) { thing_add(p, INSTANCE, name, instance); }
    return found == NULL ? instance : found;
}

/* An action without a handler replies its name. */
static ctie_action action_described(player *p, step *described) {
    ctie_action action = {0};
    action.name = text(p, described, "name", "");
    action.fn = handler_run;
    action.user_data = handler_of(p, ctie_value_get(described, CTIE_STR("handler")), action.name);
    action.flags |= flag(described, "event", false) ? CTIE_ACTION_EVENT : 0;
    action.flags |= flag(described, "worker_only", false) ? CTIE_ACTION_WORKER_ONLY : 0;
    action.doc = text(p, described, "doc", "");
    return action;
}

/* The actions of a list; or the only one, which the step itself describes under `action`. */
static ctie_action *actions_of(player *p, step *s, size_t *count) {
    step *list = ctie_value_get(s, CTIE_STR("actions"));
    *count = list == NULL ? 1 : ctie_value_count(list);
    ctie_action *actions = keep_memory(p, sizeof *actions * (*count + 1));
    for (size_t i = 0; i < ctie_value_count(list); i++) { actions[i] = action_described(p, ctie_value_at(list, i)); }
    if (list == NULL) {
        actions[0] = action_described(p, s);
        actions[0].name = text(p, s, "action", "run");
        ((handler *)actions[0].user_data)->otherwise = actions[0].name;
        actions[0].doc = (ctie_str){"", 0};
    }
    return actions;
}

static ctie_component_options component_options(player *p, step *s) {
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    options.flags |= flag(s, "replace", false) ? CTIE_COMPONENT_REPLACE : 0;
    options.flags |= flag(s, "lazy", false) ? CTIE_COMPONENT_LAZY : 0;
    options.priority = (int32_t)number(s, "priority", 0);
    options.doc = text(p, s, "doc", "");
    options.type = text(p, s, "type", "");
    options.dispatcher = text(p, s, "dispatcher", "");
    options.interceptors = interceptors_of(p, s, &options.interceptor_count);
    return options;
}

static void *user_data_of(player *p, step *s) {
    if (!has(s, "factory")) { return instance_of(p, s); }
    factory *own = keep_memory(p, sizeof *own);
    *own = (factory){p, ctie_value_get(s, CTIE_STR("factory")), flag(s, "barren", false) ? NULL : own};
    return own;
}

void step_component(player *p, step *s) {
    size_t count = 0;
    ctie_action *actions = actions_of(p, s, &count);
    ctie_component_options options = component_options(p, s);
    ctie_registration *registration = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_component_add(bus_of(p, s), text(p, s, "name", ""), (ctie_action_list){actions, count},
                                            CTIE_FACTORY(has(s, "factory") ? make : NULL, user_data_of(p, s)), &options,
                                            has(s, "as") ? &registration : NULL, &error);
    expect_registered(p, s, status, registration, error);
}

/* A map without the keys that are the player's own, or that a time decides. */
static ctie_value *without(player *p, const ctie_value *map, const char *const *keys, size_t key_count) {
    ctie_pair *pairs = keep_memory(p, sizeof *pairs * (ctie_value_count(map) + 1));
    size_t kept = 0;
    for (size_t i = 0; i < ctie_value_count(map); i++) {
        bool drop = false;
        const ctie_value *each = NULL;
        ctie_value_entry_at(map, i, &pairs[kept].key, &each);
        for (size_t k = 0; k < key_count; k++) { drop |= is(pairs[kept].key, keys[k]); }
        if (drop) { continue; }
        pairs[kept++].value = ctie_value_retain(each);
    }
    return ctie_value_map(pairs, kept);
}

static void expect_maps(player *p, step *s, ctie_value *found_taken, const char *const *keys, size_t key_count) {
    size_t count = ctie_value_count(found_taken);
    ctie_value **items = keep_memory(p, sizeof *items * (count + 1));
    for (size_t i = 0; i < count; i++) { items[i] = without(p, ctie_value_at(found_taken, i), keys, key_count); }
    ctie_value *found = ctie_value_list(items, count);
    expect_value(p, "the list", value(p, s, "value"), found);
    ctie_value_release(found);
    ctie_value_release(found_taken);
}

void step_components(player *p, step *s) {
    static const char *const OWN[] = {"language", "type"};
    ctie_value *found = NULL;
    expect_ok(p, "components", ctie_component_list(bus_of(p, s), &found));
    for (size_t i = 0; i < ctie_value_count(found); i++) {
        expect_value(p, "language", ctie_value_string(CTIE_STR("c")),
                     ctie_value_get(ctie_value_at(found, i), CTIE_STR("language")));
    }
    expect_maps(p, s, found, OWN, 2);
}

void step_stats(player *p, step *s) {
    static const char *const TIMES[] = {"nanoseconds", "longest"};
    ctie_value *found = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_bus_stats(bus_of(p, s), &found, &error);
    if (expect_status(p, s, status, error)) { expect_maps(p, s, found, TIMES, 2); }
}

/* Each failure as the step expects it: component, status, and what else it names. */
static void expect_failures(player *p, step *s, const ctie_value *found) {
    step *expected = ctie_value_get(s, CTIE_STR("failures"));
    if (ctie_value_count(expected) != ctie_value_count(found)) {
        failf(p, "%zu failures instead of %zu", ctie_value_count(found), ctie_value_count(expected));
        return;
    }
    for (size_t i = 0; i < ctie_value_count(found); i++) {
        step *wanted = ctie_value_at(expected, i);
        const ctie_value *failure = ctie_value_at(found, i);
        expect_text(p, wanted, "component", text(p, failure, "component", ""));
        expect_text(p, wanted, "message", text(p, failure, "message", ""));
        expect_text(p, wanted, "peer", text(p, failure, "peer", ""));
        expect_number(p, wanted, "code", number(failure, "code", 0));
        expect_text(p, wanted, "status", ctie_str_from(short_name((ctie_status)number(failure, "status", 0))));
    }
}

void step_broadcast(player *p, step *s) {
    ctie_value *params = has(s, "params") ? value(p, s, "params") : NULL, *out = NULL;
    ctie_request_options options = request_options(p, s);
    ctie_error *error = NULL;
    ctie_status status =
        ctie_component_broadcast(bus_of(p, s), text(p, s, "event", ""), params, &options, &out, &error);
    if (expect_status(p, s, status, error)) {
        expect_number(p, s, "count", number(out, "count", -1));
        if (flag(out, "any", false) != flag(s, "any", false)) { failf(p, "any is another"); }
        expect_failures(p, s, ctie_value_get(out, CTIE_STR("failures")));
    }
    ctie_value_release(params);
    ctie_value_release(out);
}
