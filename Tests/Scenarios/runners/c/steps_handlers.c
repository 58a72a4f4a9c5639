/* Handlers without a pattern: interceptors, the unmatched handler, the navigator, the system opener; and notes. */
#include "player.h"

#include <stdlib.h>

void step_interceptor(player *p, step *s) {
    handler *h = handler_of(p, ctie_value_get(s, CTIE_STR("handler")), (ctie_str){"", 0});
    ctie_interceptor_options options = CTIE_INTERCEPTOR_OPTIONS_INIT;
    options.order = (int32_t)number(s, "order", 0);
    options.kinds = kinds_of(p, s);
    options.dispatcher = text(p, s, "dispatcher", "");
    ctie_registration *registration = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_interceptor_add(bus_of(p, s), CTIE_HANDLER(handler_run, h), &options,
                                              has(s, "as") ? &registration : NULL, &error);
    expect_registered(p, s, status, registration, error);
}

ctie_handler_options handler_options(player *p, step *s) {
    ctie_handler_options options = CTIE_HANDLER_OPTIONS_INIT;
    options.flags |= flag(s, "public", false) ? CTIE_HANDLER_PUBLIC : 0;
    options.flags |= flag(s, "worker_only", false) ? CTIE_HANDLER_WORKER_ONLY : 0;
    options.interceptors = interceptors_of(p, s, &options.interceptor_count);
    return options;
}

ctie_handler_fn handler_fn_of(step *s) {
    return has(s, "handler") ? handler_run : NULL;
}

void set_handler(player *p, step *s, handler_setter *set) {
    handler *h = handler_of(p, ctie_value_get(s, CTIE_STR("handler")), (ctie_str){"", 0});
    ctie_handler_options options = handler_options(p, s);
    ctie_error *error = NULL;
    ctie_status status = set(bus_of(p, s), CTIE_HANDLER(handler_fn_of(s), h), &options, &error);
    expect_status(p, s, status, error);
}

void step_unmatched(player *p, step *s) {
    set_handler(p, s, ctie_route_set_unmatched);
}

void step_navigator(player *p, step *s) {
    set_handler(p, s, ctie_rules_set_navigator);
}

void step_system_opener(player *p, step *s) {
    handler *h = handler_of(p, ctie_value_get(s, CTIE_STR("handler")), (ctie_str){"", 0});
    ctie_system_opener_options options = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    options.flags |= flag(s, "remote", false) ? CTIE_SYSTEM_OPENER_REMOTE : 0;
    options.flags |= flag(s, "off", false) ? CTIE_SYSTEM_OPENER_OFF : 0;
    options.schemes = texts(p, s, "schemes");
    ctie_error *error = NULL;
    ctie_status status = ctie_bus_set_system_opener(bus_of(p, s), CTIE_HANDLER(handler_fn_of(s), h), &options, &error);
    expect_status(p, s, status, error);
}

void note_add(player *p, ctie_value *value_taken) {
    pthread_mutex_lock(&p->lock);
    size_t count = ctie_value_count(p->notes);
    ctie_value **items = calloc(count + 1, sizeof *items);
    for (size_t i = 0; i < count; i++) { items[i] = ctie_value_retain(ctie_value_at(p->notes, i)); }
    items[count] = value_taken;
    ctie_value_release(p->notes);
    p->notes = ctie_value_list(items, count + 1);
    free(items);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* As many as are expected are waited for: another thread may still be at it. */
void step_noted(player *p, step *s) {
    ctie_value *expected = value(p, s, "value");
    bool in_time = true;
    pthread_mutex_lock(&p->lock);
    while (ctie_value_count(p->notes) < ctie_value_count(expected) && in_time) { wait_for_change(p, &in_time); }
    ctie_value *notes = p->notes == NULL ? ctie_value_list(NULL, 0) : p->notes;
    p->notes = NULL;
    pthread_mutex_unlock(&p->lock);
    expect_value(p, "noted", expected, notes);
    ctie_value_release(notes);
}
