/* Dispatchers, and the performer's allow-list and handlers. */
#include "player.h"

void step_dispatcher(player *p, step *s) {
    ctie_dispatcher_options options = CTIE_DISPATCHER_OPTIONS_INIT;
    options.max_workers = (uint32_t)number(s, "max_workers", 0);
    options.max_queued = (uint32_t)number(s, "max_queued", 0);
    ctie_error *error = NULL;
    ctie_status status = ctie_dispatcher_add(bus_of(p, s), text(p, s, "name", ""), &options, &error);
    expect_status(p, s, status, error);
}

void step_cancel_all(player *p, step *s) {
    size_t count = 0;
    ctie_error *error = NULL;
    ctie_status status = ctie_dispatcher_cancel_all(bus_of(p, s), text(p, s, "dispatcher", ""), &count, &error);
    expect_status(p, s, status, error);
    expect_number(p, s, "count", (int64_t)count);
}

void step_allow(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_status status = ctie_performer_allow(bus_of(p, s), text(p, s, "target", ""), &error);
    expect_status(p, s, status, error);
}

void step_resolver(player *p, step *s) {
    handler *h = handler_of(p, ctie_value_get(s, CTIE_STR("handler")), (ctie_str){"", 0});
    ctie_handler_options options = handler_options(p, s);
    ctie_error *error = NULL;
    ctie_status status = ctie_performer_set_resolver(bus_of(p, s), text(p, s, "prefix", ""),
                                                     CTIE_HANDLER(handler_fn_of(s), h), &options, &error);
    expect_status(p, s, status, error);
}

void step_fallback(player *p, step *s) {
    set_handler(p, s, ctie_performer_set_fallback);
}

void step_release(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_status status = ctie_performer_release(bus_of(p, s), text(p, s, "target", ""), &error);
    expect_status(p, s, status, error);
}
