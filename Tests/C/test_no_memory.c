/*
 * Memory that runs out. Each function of the table answers CTIE_E_NO_MEMORY or does without what was refused; no
 * process ends, nothing leaks, and everything works once there is memory again. docs/errors.md says which functions
 * those are.
 */
#define _GNU_SOURCE
#include "no_memory.h"

/* The requirements of a job: it runs inside a handler or an interceptor, it may start threads, and so on. */
enum { BUS = 1, INSIDE = 2, BEFORE = 4, WORMHOLE = 8, MEMORY_WORMHOLE = 16, RULES = 32, RESPONSE = 64 };

#define JSON "{\"a\": [1, 2.5, \"a text that is longer than sixteen bytes\", null, true], \"b\": {\"c\": 9007199254740993000}}"
#define DOCUMENT \
    "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"shop\"], \"privateSchemes\": [], \"routeHosts\": [\"go\"]," \
    " \"webHosts\": [\"m.shop.example\"], \"rules\": [{\"id\": \"item\", \"host\": \"go\", \"path\": \"/item/:id\"," \
    " \"visibility\": \"public\", \"target\": \"python:shop:Item\", \"params\": {\"n\": {\"type\": \"int\", \"default\": 5}}}]}"

static ctie_request_options handed; /* options with a map for the handler */

/* ---- The world ----------------------------------------------------------------------------------- */

static void reply_map(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_pair pairs[] = {{CTIE_STR("text"), ctie_value_string(CTIE_STR("a text of more than fifteen bytes"))},
                         {CTIE_STR("number"), ctie_value_int(1)}};
    ctie_value *map = ctie_value_map(pairs, 2);
    if (ctie_request_reply(request, map) == CTIE_OK) return;
    ctie_request_refuse(request, CTIE_E_NO_MEMORY, CTIE_STR(""));
}

static void ignore(void *object) { (void)object; }

static ctie_status show(void *object, ctie_value **out) {
    (void)object;
    *out = ctie_value_string(CTIE_STR("what the object shows"));
    return *out != NULL ? CTIE_OK : CTIE_E_NO_MEMORY;
}

static void reply_foreign(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_foreign_type type = {sizeof type, CTIE_STR("tested"), ignore, ignore, show};
    ctie_foreign_id id = 0;
    ctie_foreign_register(&type, &id, NULL);
    ctie_value *items[] = {ctie_value_foreign(id, &failing), ctie_value_foreign(id, &live)};
    ctie_request_reply(request, ctie_value_list(items, 2));
}

static void reply_one(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_int(1));
}

static void fail(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_status status = ctie_request_fail(request, 7, NULL, CTIE_STR("it failed, and says so in a long sentence"));
    if (status != CTIE_OK) ctie_request_refuse(request, CTIE_E_NO_MEMORY, CTIE_STR(""));
}

static void decline(ctie_request *request, void *user_data) { (void)user_data, ctie_request_decline(request); }

static void proceed(ctie_request *request, void *user_data) { (void)user_data, ctie_request_proceed(request); }

static void run_inside(ctie_request *request, void *user_data) {
    struct world *world = user_data;
    world->request = request;
    call_armed(world);
    ctie_request_reply(request, ctie_value_null());
}

static void run_before(ctie_request *request, void *user_data) {
    struct world *world = user_data;
    world->request = request;
    call_armed(world);
    ctie_request_proceed(request);
}

static void add_route(ctie_bus *bus, const char *pattern, ctie_handler_fn fn, void *user_data, uint32_t flags) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = flags;
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(fn, user_data), &options, NULL, NULL),
                 CTIE_OK);
}

static void build_bus(struct world *world) {
    ctie_action actions[] = {{CTIE_STR("go"), reply_map, NULL, 0, {NULL, 0}}, {CTIE_STR("fail"), fail, NULL, 0, {NULL, 0}},
                             {CTIE_STR("event"), reply_one, NULL, CTIE_ACTION_EVENT, {NULL, 0}}};
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.name = CTIE_STR("a bus with a long name");
    CHECK_STATUS(ctie_bus_new(&options, &world->bus, NULL), CTIE_OK);
    add_route(world->bus, "app://hit/:id", reply_one, NULL, CTIE_ROUTE_PUBLIC);
    add_route(world->bus, "app://private", reply_one, NULL, 0);
    add_route(world->bus, "app://map/*rest", reply_map, NULL, 0);
    add_route(world->bus, "app://fail", fail, NULL, 0);
    add_route(world->bus, "app://decline", decline, NULL, 0);
    add_route(world->bus, "app://inside/:id", run_inside, world, 0);
    CHECK_STATUS(ctie_component_add(world->bus, CTIE_STR("unit"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL),
                                    NULL, NULL, NULL), CTIE_OK);
    ctie_handler interceptor = {run_before, world, NULL};
    ctie_route_options intercepted = CTIE_ROUTE_OPTIONS_INIT;
    intercepted.interceptors = &interceptor, intercepted.interceptor_count = 1;
    CHECK_STATUS(ctie_route_add(world->bus, CTIE_STR("app://before/:id"), CTIE_HANDLER(reply_one, NULL), &intercepted,
                                NULL, NULL), CTIE_OK);
    if (world->job->needs & RULES) CHECK_STATUS(ctie_rules_load(world->bus, CTIE_STR(DOCUMENT), NULL, NULL), CTIE_OK);
}

static ctie_status open_wormhole(struct world *world, ctie_wormhole **out) {
    ctie_wormhole_options options = group_options(world->job->needs & MEMORY_WORMHOLE ? CTIE_WORMHOLE_MEMORY : 0);
    return ctie_wormhole_open(CTIE_STR("test"), &options, out, &world->error);
}

static void build_world(struct world *world, const struct job *job) {
    world->job = job;
    handed = (ctie_request_options)CTIE_REQUEST_OPTIONS_INIT;
    CHECK_STATUS(ctie_value_from_json(CTIE_STR(JSON), &world->value, NULL), CTIE_OK);
    handed.user_info = world->value;
    if (job->needs & (BUS | INSIDE | BEFORE | RULES | RESPONSE)) build_bus(world);
    if (job->needs & RESPONSE) add_route(world->bus, "app://foreign", reply_foreign, NULL, 0);
    if (job->needs & (WORMHOLE | MEMORY_WORMHOLE)) {
        CHECK_STATUS(open_wormhole(world, &world->wormhole), CTIE_OK);
        CHECK_STATUS(ctie_wormhole_send(world->wormhole, CTIE_STR("a"), ctie_value_retain(world->value), NULL, NULL, NULL, NULL),
                     CTIE_OK);
    }
}

static void run_call(struct world *world) {
    if (world->job->needs & RESPONSE) {
        ctie_open(world->bus, CTIE_STR("app://foreign"), CTIE_ORIGIN_LOCAL, NULL, &world->response, NULL);
    }
    if (!(world->job->needs & (INSIDE | BEFORE))) return call_armed(world);
    ctie_str url = world->job->needs & INSIDE ? CTIE_STR("app://inside/7?x=1&y=two") : CTIE_STR("app://before/7");
    ctie_open(world->bus, url, CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
}

static bool is_well(struct world *world) {
    bool is_well = true;
    if (world->bus != NULL) {
        is_well &= ctie_open(world->bus, CTIE_STR("app://hit/3"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL) == CTIE_OK;
        is_well &= ctie_component_call(world->bus, CTIE_TARGET("unit", "go"), NULL, NULL, NULL, NULL) == CTIE_OK;
        is_well &= ctie_open(world->bus, CTIE_STR("app://none"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL) == CTIE_E_NO_ROUTE;
    }
    if (world->wormhole != NULL) {
        is_well &= pass_int(world->wormhole, "well", 3) == CTIE_OK;
        is_well &= stored_int(world->wormhole, CTIE_STR("well")) == 3;
    }
    return is_well;
}

/* ---- Opening and calling ------------------------------------------------------------------------- */

static ctie_status open_it(struct world *world, const char *url, ctie_origin origin) {
    return ctie_open(world->bus, ctie_str_from(url), origin, &handed, &world->response, &world->error);
}

static ctie_status open_hit(struct world *world) { return open_it(world, "app://hit/3", CTIE_ORIGIN_LOCAL); }
static ctie_status open_map(struct world *world) { return open_it(world, "app://map/a/b?c=d", CTIE_ORIGIN_LOCAL); }
static ctie_status open_miss(struct world *world) { return open_it(world, "app://no/such/page", CTIE_ORIGIN_LOCAL); }
static ctie_status open_private(struct world *world) { return open_it(world, "app://private", CTIE_ORIGIN_REMOTE); }
static ctie_status open_failing(struct world *world) { return open_it(world, "app://fail", CTIE_ORIGIN_LOCAL); }
static ctie_status open_declined(struct world *world) { return open_it(world, "app://decline", CTIE_ORIGIN_LOCAL); }
static ctie_status open_malformed(struct world *world) { return open_it(world, "app://%zz", CTIE_ORIGIN_LOCAL); }
static ctie_status open_foreign(struct world *world) { return open_it(world, "other://page", CTIE_ORIGIN_LOCAL); }
static ctie_status open_rule(struct world *world) { return open_it(world, "shop://go/item/1", CTIE_ORIGIN_REMOTE); }

static ctie_status open_plain(struct world *world) {
    return ctie_open(world->bus, CTIE_STR("app://hit/3"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL);
}

static ctie_status open_long(struct world *world) {
    static char url[9000] = "app://map/";
    memset(url + 10, 'a', 8000);
    return open_it(world, url, CTIE_ORIGIN_LOCAL);
}

static ctie_status open_intercepted(struct world *world) {
    ctie_handler one = {proceed, NULL, NULL};
    ctie_request_options options = handed;
    options.interceptors = &one, options.interceptor_count = 1;
    return ctie_open(world->bus, CTIE_STR("app://hit/3"), CTIE_ORIGIN_LOCAL, &options, &world->response, &world->error);
}

static ctie_status can_open(struct world *world) {
    ctie_opened_by opener;
    return ctie_can_open(world->bus, CTIE_STR("app://hit/3"), CTIE_ORIGIN_REMOTE, CTIE_MATCH_DEFAULT, &opener);
}

static ctie_status cannot_open(struct world *world) {
    ctie_opened_by opener;
    return ctie_can_open(world->bus, CTIE_STR("app://none/3"), CTIE_ORIGIN_REMOTE, CTIE_MATCH_DEFAULT, &opener);
}

static ctie_status call_it(struct world *world, const char *component, const char *action) {
    return ctie_component_call(world->bus, (ctie_target){ctie_str_from(component), ctie_str_from(action)}, world->value,
                               &handed, &world->response, &world->error);
}

static ctie_status call_go(struct world *world) { return call_it(world, "unit", "go"); }
static ctie_status call_failing(struct world *world) { return call_it(world, "unit", "fail"); }
static ctie_status call_nobody(struct world *world) { return call_it(world, "nobody that is here", "go"); }
static ctie_status call_nothing(struct world *world) { return call_it(world, "unit", "nothing that is here"); }

static ctie_status broadcast(struct world *world) {
    return ctie_component_broadcast(world->bus, CTIE_STR("event"), world->value, NULL, &world->made, &world->error);
}

static ctie_status perform(struct world *world) {
    return ctie_perform(world->bus, CTIE_TARGET("c:nothing_that_is_here", ""), world->value, &handed, &world->response,
                        &world->error);
}

static ctie_status wait_for(struct world *world, ctie_status status) {
    if (status != CTIE_PENDING && status != CTIE_OK) return status;
    status = ctie_call_wait(world->call, 30000, &world->response);
    return status == CTIE_OK ? ctie_response_status(world->response) : status;
}

static ctie_status open_async(struct world *world) {
    return wait_for(world, ctie_open_async(world->bus, CTIE_STR("app://map/a"), CTIE_ORIGIN_LOCAL,
                                           CTIE_COMPLETION(NULL, NULL), &handed, &world->call, &world->error));
}

static ctie_status call_async(struct world *world) {
    return wait_for(world, ctie_component_call_async(world->bus, CTIE_TARGET("unit", "go"), world->value,
                                                     CTIE_COMPLETION(NULL, NULL), &handed, &world->call,
                                                     &world->error));
}

static void end_request(struct world *world) {
    ctie_response_release(world->response);
    ctie_call_release(world->call);
    ctie_value_release(world->made);
    world->response = NULL, world->call = NULL, world->made = NULL;
}

static ctie_status read_response(struct world *world) {
    ctie_response_message(world->response), ctie_response_code(world->response);
    return ctie_response_value(world->response) != NULL ? CTIE_OK : CTIE_E_NO_MEMORY;
}

/* ---- Inside a handler ---------------------------------------------------------------------------- */

static ctie_status request_params(struct world *world) { return ctie_request_params(world->request, &world->made); }

static bool skip_param(ctie_str name, ctie_str text, const ctie_value *value, void *user_data) {
    (void)name, (void)text, (void)value, (void)user_data;
    return true;
}

static ctie_status request_each_param(struct world *world) {
    return ctie_request_each_param(world->request, skip_param, NULL);
}

static ctie_status request_texts(struct world *world) {
    ctie_str text, key;
    ctie_status status = ctie_request_param(world->request, CTIE_STR("id"), &text);
    if (status == CTIE_OK) status = ctie_request_path_param_at(world->request, 0, &key, &text);
    if (status == CTIE_OK) status = ctie_request_query_at(world->request, 1, &key, &text);
    if (status == CTIE_OK) status = ctie_request_url(world->request, CTIE_URL_WHOLE, &text);
    if (status == CTIE_OK) status = ctie_request_pattern(world->request, &text);
    return status;
}

static ctie_status request_query_all(struct world *world) {
    return ctie_request_query_all(world->request, CTIE_STR("x"), &world->made);
}

static ctie_status request_set_params(struct world *world) {
    return ctie_request_set_params(world->request, ctie_value_retain(world->value));
}

static ctie_status request_set_user_info(struct world *world) {
    return ctie_request_set_user_info(world->request, ctie_value_retain(world->value));
}

static ctie_status request_fail(struct world *world) {
    return ctie_request_fail(world->request, 9, ctie_value_retain(world->value), CTIE_STR("a reason of some length"));
}

static ctie_status request_deny(struct world *world) {
    return ctie_request_deny(world->request, CTIE_STR("a reason of some length"));
}

static void ignore_response(ctie_response *response, void *user_data) { (void)response, (void)user_data; }
static void ignore_cancel(void *user_data) { (void)user_data; }

static ctie_status request_on_return(struct world *world) {
    return ctie_request_on_return(world->request, CTIE_COMPLETION(ignore_response, NULL));
}

static ctie_status request_on_cancel(struct world *world) {
    return ctie_request_on_cancel(world->request, CTIE_NOTICE(ignore_cancel, NULL));
}

/* ---- Values -------------------------------------------------------------------------------------- */

static ctie_status made(struct world *world, ctie_value *value) {
    world->made = value;
    return value != NULL ? CTIE_OK : CTIE_E_NO_MEMORY;
}

static ctie_status value_int(struct world *world) { return made(world, ctie_value_int(INT64_MAX)); }
static ctie_status value_double(struct world *world) { return made(world, ctie_value_double(1e300)); }
static ctie_status value_string(struct world *world) { return made(world, ctie_value_string(CTIE_STR(JSON))); }
static ctie_status value_bytes(struct world *world) { return made(world, ctie_value_bytes(CTIE_STR("bytes"))); }

static ctie_status value_list(struct world *world) {
    ctie_value *items[] = {ctie_value_retain(world->value), ctie_value_int(1)};
    return made(world, ctie_value_list(items, 2));
}

static ctie_status value_map(struct world *world) {
    ctie_pair pairs[20];
    static char names[20][4];
    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "k%d", i);
        pairs[i] = (ctie_pair){ctie_str_from(names[i]), ctie_value_retain(world->value)};
    }
    return made(world, ctie_value_map(pairs, 20));
}

static ctie_status from_json(struct world *world) {
    return ctie_value_from_json(CTIE_STR(JSON), &world->made, &world->error);
}

static ctie_status from_bad_json(struct world *world) {
    return ctie_value_from_json(CTIE_STR("{\"a\": [1, 2,, 3]}"), &world->made, &world->error);
}

static ctie_status to_json(struct world *world) {
    return ctie_value_to_json(world->value, CTIE_JSON_PRETTY, &world->made, &world->error);
}

static ctie_status from_msgpack(struct world *world) {
    return ctie_value_from_msgpack(CTIE_STR("\x82\xA1" "a\x93\x01\xA3" "two\xCB\x40\x09\x21\xFB\x54\x44\x2D\x18\xA1" "b\x81\xA1" "c\xC0"),
                                   &world->made, &world->error);
}

static ctie_status to_msgpack(struct world *world) {
    return ctie_value_to_msgpack(world->value, &world->made, &world->error);
}

static ctie_status materialize(struct world *world) {
    return ctie_value_materialize(world->value, &world->made, &world->error);
}

/* The value is what the JSON says. */
static void compare_made(struct world *world) {
    if (world->status == CTIE_OK && !ctie_value_equal(world->made, world->value)) world->status = CTIE_E_CORRUPT;
    ctie_value_release(world->made);
    world->made = NULL;
}

static void release_made(struct world *world) {
    ctie_value_release(world->made);
    world->made = NULL;
}

/* ---- Buses and what is registered ---------------------------------------------------------------- */

static ctie_status bus_new(struct world *world) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.name = CTIE_STR("a bus with a long name");
    options.flags = CTIE_BUS_STATS;
    return ctie_bus_new(&options, (ctie_bus **)&world->handle, &world->error);
}

/* Defines a function that releases one result of a call. */
#define ENDS(name, release, field) \
    static void name(struct world *world) { \
        release(world->field); \
        world->field = NULL; \
    }

ENDS(bus_end, ctie_bus_release, handle)

static ctie_status bus_shared(struct world *world) {
    return ctie_bus_shared(CTIE_STR("a shared bus"), (ctie_bus **)&world->handle, &world->error);
}

static ctie_status route_add(struct world *world) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.name = CTIE_STR("a-name-of-some-length"), options.remark = CTIE_STR("a remark of some length");
    return ctie_route_add(world->bus, CTIE_STR("app://some/:where<int>/else/*rest"), CTIE_HANDLER(reply_one, NULL),
                          &options, (ctie_registration **)&world->handle, &world->error);
}

static ctie_status route_conflict(struct world *world) {
    return ctie_route_add(world->bus, CTIE_STR("app://hit/:id"), CTIE_HANDLER(reply_one, NULL), NULL, NULL,
                          &world->error);
}

ENDS(registration_end, ctie_registration_release, handle)

static ctie_status route_remove(struct world *world) {
    return ctie_route_remove(world->bus, CTIE_STR("app://private"), &world->error);
}

static void route_return(struct world *world) {
    if (world->status == CTIE_OK) add_route(world->bus, "app://private", reply_one, NULL, 0);
}

static ctie_status route_list(struct world *world) { return ctie_route_list(world->bus, &world->made); }

static ctie_status generate(struct world *world) {
    ctie_pair pair = {CTIE_STR("id"), ctie_value_int(3)};
    ctie_value *params = ctie_value_map(&pair, 1);
    if (params == NULL) return CTIE_E_NO_MEMORY;
    ctie_status status = ctie_generate(world->bus, CTIE_STR("app://hit/:id"), params, &world->made, &world->error);
    ctie_value_release(params);
    return status;
}

static ctie_status set_unmatched(struct world *world) {
    return ctie_route_set_unmatched(world->bus, CTIE_HANDLER(decline, NULL), NULL, &world->error);
}

static ctie_status component_add(struct world *world) {
    ctie_action actions[] = {{CTIE_STR("first"), reply_one, NULL, 0, CTIE_STR("what it does")},
                             {CTIE_STR("second"), reply_one, NULL, CTIE_ACTION_EVENT, {NULL, 0}}};
    return ctie_component_add(world->bus, CTIE_STR("another.component"), CTIE_ACTIONS(actions),
                              CTIE_INSTANCE(NULL), NULL, (ctie_registration **)&world->handle, &world->error);
}

static ctie_status component_list(struct world *world) { return ctie_component_list(world->bus, &world->made); }

static ctie_status interceptor_add(struct world *world) {
    return ctie_interceptor_add(world->bus, CTIE_HANDLER(proceed, NULL), NULL, (ctie_registration **)&world->handle,
                                &world->error);
}

static ctie_status dispatcher_add(struct world *world) {
    static int number;
    char name[24];
    snprintf(name, sizeof name, "named%d", number++);
    return ctie_dispatcher_add(world->bus, ctie_str_from(name), NULL, &world->error);
}

static ctie_status provider_add(struct world *world) {
    ctie_provider provider = CTIE_PROVIDER_INIT;
    provider.name = CTIE_STR("a_provider_of_some_length");
    provider.app_id = CTIE_STR("own"), provider.open_url = reply_one;
    return ctie_provider_add(world->bus, &provider, CTIE_PROVIDER_LAST, (ctie_registration **)&world->handle,
                             &world->error);
}

static ctie_status provider_list(struct world *world) { return ctie_provider_list(world->bus, &world->made); }

static ctie_status opener_set(struct world *world) {
    return ctie_bus_set_system_opener(world->bus, CTIE_HANDLER(NULL, NULL), NULL, &world->error);
}

static ctie_status performer_allow(struct world *world) {
    return ctie_performer_allow(world->bus, CTIE_STR("c:target_of_some_length"), &world->error);
}

static ctie_status loop_new(struct world *world) { return ctie_loop_new((ctie_loop **)&world->handle, &world->error); }

ENDS(loop_end, ctie_loop_release, handle)

static ctie_status rules_load(struct world *world) {
    ctie_rules_options options = CTIE_RULES_OPTIONS_INIT;
    return ctie_rules_load(world->bus, CTIE_STR(DOCUMENT), &options, &world->error);
}

static ctie_status rules_convert(struct world *world) {
    return ctie_rules_convert(CTIE_STR(DOCUMENT), NULL, &world->made, &world->error);
}

static ctie_status rules_document(struct world *world) { return ctie_rules_document(world->bus, &world->made); }

static ctie_status rules_load_bad(struct world *world) {
    return ctie_rules_load(world->bus, CTIE_STR("{\"version\": 1}"), NULL, &world->error);
}

/* ---- The wormhole -------------------------------------------------------------------------------- */

static ctie_status wormhole_open(struct world *world) { return open_wormhole(world, (ctie_wormhole **)&world->handle); }

ENDS(wormhole_end, ctie_wormhole_release, handle)

static ctie_status pass(struct world *world) {
    uint32_t listeners;
    return ctie_wormhole_send(world->wormhole, CTIE_STR("b"), ctie_value_retain(world->value), NULL, NULL, &listeners,
                              &world->error);
}

static ctie_status pass_nonsense(struct world *world) {
    return ctie_wormhole_send(world->wormhole, CTIE_STR("no identifier!"), ctie_value_null(), NULL, NULL, NULL, &world->error);
}

static ctie_status pass_large(struct world *world) {
    static char bytes[200000];
    ctie_value *value = ctie_value_bytes((ctie_str){bytes, sizeof bytes});
    if (value == NULL) return CTIE_E_NO_MEMORY;
    return ctie_wormhole_send(world->wormhole, CTIE_STR("b"), value, NULL, NULL, NULL, &world->error);
}

static ctie_status pass_many(struct world *world) {
    ctie_outgoing all[3];
    for (int i = 0; i < 3; i++) all[i] = (ctie_outgoing){CTIE_STR("b"), ctie_value_retain(world->value)};
    return ctie_wormhole_send_many(world->wormhole, all, 3, NULL, NULL, &world->error);
}

static ctie_status send_signal(struct world *world) {
    return ctie_wormhole_signal(world->wormhole, CTIE_STR("s"), NULL, NULL, &world->error);
}

static ctie_status destroy(struct world *world) {
    return ctie_wormhole_destroy(world->wormhole, CTIE_STR("nothing"), NULL, NULL, &world->error);
}

static ctie_status read_message(struct world *world) {
    return ctie_wormhole_message(world->wormhole, CTIE_STR("a"), &world->message, &world->error);
}

static ctie_status read_nothing(struct world *world) {
    return ctie_wormhole_message(world->wormhole, CTIE_STR("nothing.is.here"), &world->message, &world->error);
}

ENDS(message_end, ctie_message_release, message)

static ctie_status identifiers(struct world *world) {
    return ctie_wormhole_identifiers(world->wormhole, CTIE_STR("*"), &world->made, &world->error);
}

static ctie_status members(struct world *world) {
    return ctie_wormhole_members(world->wormhole, &world->made, &world->error);
}

static void receive_it(const ctie_message *message, void *user_data) { (void)message, (void)user_data; }

static ctie_status listen_for(struct world *world) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = CTIE_STR("a listener of some length");
    return ctie_wormhole_listen(world->wormhole, CTIE_STR("far.*"), CTIE_RECEIVER(receive_it, NULL), &options,
                                (ctie_listener **)&world->handle, &world->error);
}

ENDS(listener_end, ctie_listener_release, handle)

/* ---- The table ----------------------------------------------------------------------------------- */

/* The promise: none of these ends the process. */
static const struct job promised[] = {
    {"ctie_open: a hit", open_plain, CTIE_OK, BUS, NULL},
    {"ctie_open: a hit with user info", open_hit, CTIE_OK, BUS, end_request},
    {"ctie_open: a value", open_map, CTIE_OK, BUS, end_request},
    {"ctie_open: a long URL", open_long, CTIE_OK, BUS, end_request},
    {"ctie_open: a miss", open_miss, CTIE_E_NO_ROUTE, BUS, end_request},
    {"ctie_open: denied", open_private, CTIE_E_DENIED, BUS, end_request},
    {"ctie_open: a handler that fails", open_failing, CTIE_E_HANDLER, BUS, end_request},
    {"ctie_open: declined", open_declined, CTIE_E_NO_ROUTE, BUS, end_request},
    {"ctie_open: malformed", open_malformed, CTIE_E_URL, BUS, end_request},
    {"ctie_open: blocked", open_foreign, CTIE_E_BLOCKED, BUS, end_request},
    {"ctie_open: a rule", open_rule, CTIE_E_NO_TARGET, RULES, end_request},
    {"ctie_open: an interceptor", open_intercepted, CTIE_OK, BUS, end_request},
    {"ctie_open_async", open_async, CTIE_OK, BUS | THREADS, end_request},
    {"ctie_can_open: yes", can_open, CTIE_OK, BUS, NULL},
    {"ctie_can_open: no", cannot_open, CTIE_OK, BUS, NULL},
    {"ctie_component_call", call_go, CTIE_OK, BUS, end_request},
    {"ctie_component_call: it fails", call_failing, CTIE_E_HANDLER, BUS, end_request},
    {"ctie_component_call: no component", call_nobody, CTIE_E_NO_COMPONENT, BUS, end_request},
    {"ctie_component_call: no action", call_nothing, CTIE_E_NO_ACTION, BUS, end_request},
    {"ctie_component_call_async", call_async, CTIE_OK, BUS | THREADS, end_request},
    {"ctie_component_broadcast", broadcast, CTIE_OK, BUS, end_request},
    {"ctie_perform: denied", perform, CTIE_E_DENIED, BUS, end_request},
    {"ctie_response_value", read_response, CTIE_OK, RESPONSE, end_request},
    {"ctie_request_params", request_params, CTIE_OK, INSIDE, release_made},
    {"ctie_request_each_param", request_each_param, CTIE_OK, INSIDE, NULL},
    {"ctie_request_param, _url, _pattern", request_texts, CTIE_OK, INSIDE, NULL},
    {"ctie_request_query_all", request_query_all, CTIE_OK, INSIDE, release_made},
    {"ctie_request_set_params", request_set_params, CTIE_OK, BEFORE, NULL},
    {"ctie_request_set_user_info", request_set_user_info, CTIE_OK, BEFORE, NULL},
    {"ctie_request_fail", request_fail, CTIE_OK, INSIDE, NULL},
    {"ctie_request_deny", request_deny, CTIE_OK, INSIDE, NULL},
    {"ctie_request_on_return", request_on_return, CTIE_OK, INSIDE, NULL},
    {"ctie_request_on_cancel", request_on_cancel, CTIE_OK, INSIDE, NULL},
    {"ctie_value_int", value_int, CTIE_OK, 0, release_made},
    {"ctie_value_double", value_double, CTIE_OK, 0, release_made},
    {"ctie_value_string", value_string, CTIE_OK, 0, release_made},
    {"ctie_value_bytes", value_bytes, CTIE_OK, 0, release_made},
    {"ctie_value_list", value_list, CTIE_OK, 0, release_made},
    {"ctie_value_map", value_map, CTIE_OK, 0, release_made},
    {"ctie_value_from_json", from_json, CTIE_OK, LASTING, compare_made},
    {"ctie_value_from_json: malformed", from_bad_json, CTIE_E_FORMAT, LASTING, release_made},
    {"ctie_value_to_json", to_json, CTIE_OK, 0, release_made},
    {"ctie_value_from_msgpack", from_msgpack, CTIE_OK, 0, release_made},
    {"ctie_value_to_msgpack", to_msgpack, CTIE_OK, 0, release_made},
    {"ctie_value_materialize", materialize, CTIE_OK, 0, release_made},
    {"ctie_bus_new", bus_new, CTIE_OK, 0, bus_end},
    {"ctie_bus_shared", bus_shared, CTIE_OK, 0, bus_end},
    {"ctie_route_add", route_add, CTIE_OK, BUS, registration_end},
    {"ctie_route_add: taken", route_conflict, CTIE_E_CONFLICT, BUS, NULL},
    {"ctie_route_remove", route_remove, CTIE_OK, BUS, route_return},
    {"ctie_route_set_unmatched", set_unmatched, CTIE_OK, BUS, NULL},
    {"ctie_generate", generate, CTIE_OK, BUS, release_made},
    {"ctie_component_add", component_add, CTIE_OK, BUS, registration_end},
    {"ctie_interceptor_add", interceptor_add, CTIE_OK, BUS, registration_end},
    {"ctie_provider_add", provider_add, CTIE_OK, BUS, registration_end},
    {"ctie_bus_set_system_opener", opener_set, CTIE_OK, BUS, NULL},
    {"ctie_performer_allow", performer_allow, CTIE_OK, BUS, NULL},
    {"ctie_loop_new", loop_new, CTIE_OK, 0, loop_end},
    {"ctie_wormhole_open", wormhole_open, CTIE_OK, WORMHOLE, wormhole_end},
    {"ctie_wormhole_open: in memory", wormhole_open, CTIE_OK, MEMORY_WORMHOLE, wormhole_end},
    {"ctie_wormhole_send", pass, CTIE_OK, WORMHOLE, NULL},
    {"ctie_wormhole_send: in memory", pass, CTIE_OK, MEMORY_WORMHOLE, NULL},
    {"ctie_wormhole_send: a large value", pass_large, CTIE_OK, WORMHOLE, NULL},
    {"ctie_wormhole_send: refused", pass_nonsense, CTIE_E_IDENTIFIER, WORMHOLE, NULL},
    {"ctie_wormhole_send_many", pass_many, CTIE_OK, WORMHOLE, NULL},
    {"ctie_wormhole_signal", send_signal, CTIE_OK, WORMHOLE, NULL},
    {"ctie_wormhole_destroy", destroy, CTIE_OK, WORMHOLE, NULL},
    {"ctie_wormhole_message", read_message, CTIE_OK, WORMHOLE, message_end},
    {"ctie_wormhole_message: in memory", read_message, CTIE_OK, MEMORY_WORMHOLE, message_end},
    {"ctie_wormhole_message: none", read_nothing, CTIE_E_NOT_FOUND, WORMHOLE, message_end},
    {"ctie_wormhole_listen", listen_for, CTIE_OK, WORMHOLE | THREADS, listener_end},
};

/* Calls that may need more than the reserve: reported, not promised. */
static const struct job others[] = {
    {"ctie_route_list", route_list, CTIE_OK, BUS, release_made},
    {"ctie_component_list", component_list, CTIE_OK, BUS, release_made},
    {"ctie_provider_list", provider_list, CTIE_OK, BUS, release_made},
    {"ctie_rules_convert", rules_convert, CTIE_OK, LASTING, release_made},
    {"ctie_rules_document", rules_document, CTIE_OK, RULES, release_made},
    {"ctie_rules_load", rules_load, CTIE_OK, BUS | LASTING, NULL},
    {"ctie_rules_load: refused", rules_load_bad, CTIE_E_FORMAT, BUS | LASTING, NULL},
    {"ctie_dispatcher_add", dispatcher_add, CTIE_OK, BUS | GROWS, NULL},
    {"ctie_wormhole_identifiers", identifiers, CTIE_OK, WORMHOLE, release_made},
    {"ctie_wormhole_members", members, CTIE_OK, WORMHOLE, release_made},
};

/* ---- The reserve --------------------------------------------------------------------------------- */

enum { MOST = 20000 };

/* Registers until that is refused, with memory refused all the while; existing registrations work on. */
static int use_up(struct world *world) {
    static ctie_registration *made[MOST];
    char pattern[40];
    int count = 0;
    ctie_status status = CTIE_OK;
    failing.first = 1;
    failing.asked = 0;
    failing.is_lasting = failing.is_armed = true;
    for (; count < MOST && status == CTIE_OK; count++) {
        snprintf(pattern, sizeof pattern, "app://many/%d", count);
        status = ctie_route_add(world->bus, ctie_str_from(pattern), CTIE_HANDLER(reply_one, NULL), NULL, &made[count],
                                NULL);
    }
    CHECK_STATUS(status, CTIE_E_NO_MEMORY);
    CHECK(count < MOST);
    for (int i = 0; i < 100; i++) {
        CHECK_STATUS(open_plain(world), CTIE_OK);
        CHECK_STATUS(open_miss(world), CTIE_E_NO_ROUTE);
        CHECK_STATUS(ctie_error_status(world->error), CTIE_E_NO_ROUTE);
        CHECK(ctie_error_message(world->error).size > 0);
        ctie_error_release(world->error);
        end_request(world);
        CHECK_STATUS(call_nobody(world), CTIE_E_NO_COMPONENT);
        ctie_error_release(world->error);
        end_request(world);
        CHECK_STATUS(ctie_bus_new(NULL, (ctie_bus **)&world->handle, NULL), CTIE_E_NO_MEMORY);
    }
    world->error = NULL;
    failing.is_armed = false;
    while (--count >= 0) ctie_registration_release(made[count]);
    return checks_failed != 0;
}

static int use_up_again(void *argument) {
    static const struct job job = {.needs = BUS};
    struct world world = {0};
    (void)argument;
    alarm(60);
    build_world(&world, &job);
    for (int i = 0; i < 3; i++) {
        if (use_up(&world) != 0) return 1;
        CHECK(is_well(&world));
        CHECK_STATUS(route_add(&world), CTIE_OK);
        registration_end(&world);
    }
    CHECK_STATUS(ctie_bus_release(world.bus), CTIE_OK);
    return 0;
}

static int run_table(const struct job *jobs, size_t count, bool is_promised, const char *wanted) {
    int requests = 0;
    for (size_t i = 0; i < count; i++) {
        if (wanted != NULL && strstr(jobs[i].name, wanted) == NULL) continue;
        struct tally tally = run_job(&jobs[i]);
        remove_directory();
        bool is_clean = tally.signals + tally.wrong + tally.broken + tally.leaks == 0;
        if (is_promised) check_that(is_clean, jobs[i].name, __FILE__, __LINE__);
        if (!is_clean || getenv("CTIE_NO_MEMORY_TELLS") != NULL) {
            fprintf(stderr, "    %s: %d requests failed: %d answered so, %d ended the process, %d wrong answers, "
                    "%d broken, %d leaked\n", jobs[i].name, tally.requests, tally.refusals, tally.signals, tally.wrong,
                    tally.broken, tally.leaks);
        }
        requests += tally.requests;
    }
    return requests;
}

int main(int count, char **arguments) {
    name_directory();
    plan = share(sizeof *plan);
    const char *wanted = count > 1 ? arguments[1] : NULL;
    int requests = run_table(promised, sizeof promised / sizeof *promised, true, wanted)
                   + run_table(others, sizeof others / sizeof *others, false, wanted);
    if (wanted == NULL) CHECK(in_child(use_up_again, NULL) == 0);
    FIGURES("; %d requests for memory failed, one call at a time", requests);
    return check_end();
}
