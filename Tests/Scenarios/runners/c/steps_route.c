/* Buses, routes, opening and generating. */
#include "player.h"

ctie_bus *bus_of(player *p, step *s) {
    return thing_find(p, BUS, text(p, s, "bus", "bus"));
}

static ctie_status make_bus(player *p, step *s, ctie_bus **out, ctie_error **error) {
    if (has(s, "shared")) { return ctie_bus_shared(text(p, s, "shared", ""), out, error); }
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.name = text(p, s, "name", "");
    options.default_scheme = text(p, s, "default_scheme", "");
    options.max_workers = (uint32_t)number(s, "max_workers", 0);
    options.max_queued = (uint32_t)number(s, "max_queued", 0);
    options.flags |= flag(s, "count_hits", false) ? CTIE_BUS_COUNT_HITS : 0;
    options.flags |= flag(s, "stats", false) ? CTIE_BUS_STATS : 0;
    options.mode = mode_of(p, s, "match");
    return ctie_bus_new(&options, out, error);
}

void step_bus(player *p, step *s) {
    ctie_bus *bus = NULL;
    ctie_error *error = NULL;
    ctie_status status = make_bus(p, s, &bus, &error);
    if (expect_status(p, s, status, error)) { thing_add(p, BUS, text(p, s, "as", "bus"), bus); }
}

void step_close(player *p, step *s) {
    if (has(s, "wormhole")) {
        expect_status(p, s, ctie_wormhole_release(thing_take(p, WORMHOLE, text(p, s, "wormhole", ""))), NULL);
        return;
    }
    ctie_bus *bus = thing_take(p, BUS, text(p, s, "bus", "bus"));
    expect_status(p, s, ctie_bus_close(bus), NULL);
}

void buses_end(player *p) {
    for (ctie_bus *bus; (bus = thing_next(p, BUS)) != NULL;) {
        expect_ok(p, "release", ctie_bus_release(bus));
    }
}

static ctie_route_options route_options(player *p, step *s) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags |= flag(s, "public", false) ? CTIE_ROUTE_PUBLIC : 0;
    options.flags |= flag(s, "replace", false) ? CTIE_ROUTE_REPLACE : 0;
    options.flags |= flag(s, "worker_only", false) ? CTIE_ROUTE_WORKER_ONLY : 0;
    options.name = text(p, s, "name", "");
    options.rule = text(p, s, "rule", "");
    options.remark = text(p, s, "remark", "");
    options.interceptors = interceptors_of(p, s, &options.interceptor_count);
    return options;
}

void step_route(player *p, step *s) {
    handler *h = handler_of(p, ctie_value_get(s, CTIE_STR("handler")), text(p, s, "pattern", ""));
    ctie_route_options options = route_options(p, s);
    ctie_registration *registration = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_route_add(bus_of(p, s), h->otherwise, CTIE_HANDLER(handler_run, h), &options,
                                        has(s, "as") ? &registration : NULL, &error);
    expect_registered(p, s, status, registration, error);
}

void expect_registered(player *p, step *s, ctie_status status, ctie_registration *registration, ctie_error *error) {
    if (expect_status(p, s, status, error) && registration != NULL) {
        thing_add(p, REGISTRATION, text(p, s, "as", ""), registration);
    }
}

void step_clear(player *p, step *s) {
    expect_status(p, s, ctie_route_clear(bus_of(p, s)), NULL);
}

static ctie_status remove_component(player *p, step *s, ctie_bus *bus, ctie_error **error) {
    if (has(s, "component")) { return ctie_component_remove(bus, text(p, s, "component", ""), error); }
    if (has(s, "type")) { return ctie_component_remove_type(bus, text(p, s, "type", ""), error); }
    return ctie_component_remove_instance(bus, thing_find(p, INSTANCE, text(p, s, "instance", "")), error);
}

/* By registration, by pattern, or a component by what it is known by. */
static ctie_status remove_named(player *p, step *s, ctie_error **error) {
    if (has(s, "registration")) {
        return ctie_registration_release(thing_take(p, REGISTRATION, text(p, s, "registration", "")));
    }
    if (has(s, "pattern")) { return ctie_route_remove(bus_of(p, s), text(p, s, "pattern", ""), error); }
    return remove_component(p, s, bus_of(p, s), error);
}

void step_remove(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_status status = remove_named(p, s, &error);
    expect_status(p, s, status, error);
}

void step_routes(player *p, step *s) {
    ctie_value *routes = NULL;
    expect_ok(p, "routes", ctie_route_list(bus_of(p, s), &routes));
    expect_value(p, "routes", value(p, s, "value"), routes);
    ctie_value_release(routes);
}

void step_can_open(player *p, step *s) {
    ctie_opened_by opener = -1;
    ctie_status status = (flag(s, "anywhere", false) ? ctie_can_open_anywhere : ctie_can_open)(
        bus_of(p, s), text(p, s, "url", ""), origin_of(p, s), mode_of(p, s, "mode"), &opener);
    expect_ok(p, "can_open", status);
    static const char *const OPENERS[] = {"none", "route", "provider", "system", "peer"};
    bool is_known = opener >= CTIE_OPENED_BY_NONE && opener <= CTIE_OPENED_BY_PEER;
    expect_text(p, s, "opener", ctie_str_from(is_known ? OPENERS[opener] : "?"));
}

/* A URL that was generated, or why not. */
void expect_url(player *p, step *s, ctie_status status, ctie_value *url_taken, ctie_error *error) {
    ctie_str made = {"", 0};
    if (expect_status(p, s, status, error)) {
        expect_ok(p, "the URL is a string", ctie_value_get_string(url_taken, &made));
        expect_text(p, s, "url", made);
    }
    ctie_value_release(url_taken);
}

void step_generate(player *p, step *s) {
    ctie_value *params = has(s, "params") ? value(p, s, "params") : NULL, *url = NULL;
    ctie_error *error = NULL;
    ctie_status status =
        ctie_generate(has(s, "bus") ? bus_of(p, s) : NULL, text(p, s, "pattern", ""), params, &url, &error);
    expect_url(p, s, status, url, error);
    ctie_value_release(params);
}

void step_generate_named(player *p, step *s) {
    ctie_value *params = has(s, "params") ? value(p, s, "params") : NULL, *url = NULL;
    ctie_value *query = has(s, "query") ? value(p, s, "query") : NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_generate_named(bus_of(p, s), text(p, s, "name", ""), params, query, &url, &error);
    expect_url(p, s, status, url, error);
    ctie_value_release(query);
    ctie_value_release(params);
}
