/* Loads on a bus: its kinds, its tables, and buses that come and go. */
#ifndef BUS_LOADS_H
#define BUS_LOADS_H

#include "loads.h"

/* ---- opening URLs ------------------------------------------------------------------------------- */

static void open_url(ctie_str url, ctie_origin origin, ctie_status expected) {
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_open(bus, url, origin, &PATIENT, &response, NULL), expected);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
}

static void open_later(ctie_str url) {
    ctie_call *call = NULL;
    shared->pending++;
    CHECK_STATUS(ctie_open_async(bus, url, CTIE_ORIGIN_LOCAL, CTIE_COMPLETION_OWNED(complete, NULL, completed), NULL,
                                 &call, NULL), CTIE_OK);
    expect_end(call, CTIE_OK);
}

static void ask_for_routes(loader *self) {
    ctie_value *list = NULL, *url = NULL, *params = NULL;
    ctie_opened_by opener = CTIE_OPENED_BY_NONE;
    ctie_pair id = {CTIE_STR("id"), ctie_value_int(5)};
    params = ctie_value_map(&id, 1);
    CHECK_STATUS(ctie_route_list(bus, &list), CTIE_OK);
    CHECK_STATUS(ctie_generate_named(bus, ctie_str_from(self->name), params, NULL, &url, NULL), CTIE_OK);
    CHECK_STATUS(ctie_can_open(bus, TEXT("app://%s/1", self->name), CTIE_ORIGIN_LOCAL, 0, &opener), CTIE_OK);
    ctie_value_release(params);
    ctie_value_release(list);
    ctie_value_release(url);
}

static void load_routes(loader *self) {
    ctie_registration *registration = NULL, *public = NULL;
    ctie_error *error = NULL;
    ctie_handler own = {proceed, NULL, NULL};
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.name = ctie_str_from(self->name);
    options.interceptors = &own;
    options.interceptor_count = 1;
    CHECK_STATUS(ctie_route_add(bus, TEXT("app://%s/:id", self->name), CTIE_HANDLER(reply_mixed, NULL), &options, NULL,
                                NULL), CTIE_OK);
    options.flags = CTIE_ROUTE_REPLACE;
    CHECK_STATUS(ctie_route_add(bus, TEXT("app://%s/:id", self->name), CTIE_HANDLER(reply_mixed, NULL), &options,
                                &registration, NULL), CTIE_OK);
    options = (ctie_route_options){sizeof options, .flags = CTIE_ROUTE_PUBLIC};
    ctie_str pattern = TEXT("app://%s/%d/*rest", self->name, rand_r(&self->seed));
    CHECK_STATUS(ctie_route_add(bus, pattern, CTIE_HANDLER(reply_mixed, NULL), &options, &public, NULL), CTIE_OK);
    EXPECT_ERROR(ctie_route_add(bus, pattern, CTIE_HANDLER(reply_mixed, NULL), &options, NULL, &error), error,
                 CTIE_E_CONFLICT);
    open_url(TEXT("app://%s/7?q=%%20x", self->name), CTIE_ORIGIN_LOCAL, CTIE_OK);
    open_url(TEXT("app://%s/7", self->name), CTIE_ORIGIN_REMOTE, CTIE_E_DENIED);
    open_url(TEXT("app://%s", self->name), CTIE_ORIGIN_LOCAL, CTIE_E_NO_ROUTE);
    open_later(TEXT("app://%s/%d", self->name, rand_r(&self->seed)));
    ask_for_routes(self);
    CHECK_STATUS(ctie_route_remove(bus, pattern, NULL), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(public), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
}

/* ---- Rules --------------------------------------------------------------------------------------- */

/* One rule for each loader, and one that differs from load to load. */
#define RULE(id, path) \
    "{\"id\": \"" id "\", \"host\": \"rule\", \"path\": \"" path "\", \"visibility\": \"public\"}"
#define TABLE(other) \
    "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"shop\"], \"privateSchemes\": [], \"routeHosts\":" \
    " [\"rule\"], \"webHosts\": [], \"rules\": [" RULE("rule0", "/0/:id") ", " RULE("rule1", "/1/:id") ", " \
    RULE("rule2", "/2/:id") ", " RULE("other", other) "]}"

static void load_rules(loader *self) {
    ctie_registration *registration = NULL;
    ctie_value *document = NULL, *url = NULL, *params = NULL;
    ctie_error *error = NULL;
    ctie_str table = rand_r(&self->seed) % 2 ? CTIE_STR(TABLE("/a/:id")) : CTIE_STR(TABLE("/b"));
    ctie_str id = TEXT("rule%d", self->number);
    ctie_pair pair = {CTIE_STR("id"), ctie_value_string(CTIE_STR("5"))};
    params = ctie_value_map(&pair, 1);
    CHECK_STATUS(ctie_rules_load(bus, table, NULL, NULL), CTIE_OK);
    EXPECT_ERROR(ctie_rules_load(bus, CTIE_STR("{\"format\": 1}"), NULL, &error), error, CTIE_E_FORMAT);
    CHECK_STATUS(ctie_rules_handle(bus, id, CTIE_HANDLER(reply_mixed, NULL), NULL, &registration, NULL), CTIE_OK);
    open_url(TEXT("shop://rule/%d/5", self->number), CTIE_ORIGIN_REMOTE, CTIE_OK);
    open_later(TEXT("shop://rule/%d/6", self->number));
    CHECK_STATUS(ctie_rules_document(bus, &document), CTIE_OK);
    CHECK_STATUS(ctie_rules_generate(bus, id, params, 0, &url, NULL), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    ctie_value_release(params);
    ctie_value_release(document);
    ctie_value_release(url);
}

/* ---- Interceptors -------------------------------------------------------------------------------- */

static void answer_anew(ctie_response *response, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_response_replace(response, mixed_value(2)), CTIE_OK);
}

/* Changes the requests of the host that its loader is alone with, and lets the others go on. */
static void change_own(ctie_request *request, void *user_data) {
    loader *own = user_data;
    ctie_str host = {NULL, 0}, path = {NULL, 0};
    bool is_own = ctie_request_url(request, CTIE_URL_HOST, &host) == CTIE_OK && text_is(host, own->name) &&
                  ctie_request_url(request, CTIE_URL_PATH, &path) == CTIE_OK && text_is(path, "/rewrite");
    if (!is_own) {
        proceed(request, NULL);
        return;
    }
    CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION(answer_anew, NULL)), CTIE_OK);
    CHECK_STATUS(ctie_request_set_user_info(request, mixed_value(3)), CTIE_OK);
    CHECK_STATUS(ctie_request_set_params(request, mixed_value(4)), CTIE_OK);
    CHECK_STATUS(ctie_request_rewrite(request, TEXT("app://%s/rewritten", own->name), NULL), CTIE_OK);
}

static void load_interceptors(loader *self) {
    ctie_registration *interceptor = NULL, *route = NULL;
    ctie_interceptor_options options = CTIE_INTERCEPTOR_OPTIONS_INIT;
    options.order = rand_r(&self->seed) % 3;
    CHECK_STATUS(ctie_route_add(bus, TEXT("app://%s/rewritten", self->name), CTIE_HANDLER(reply_mixed, NULL), NULL,
                                &route, NULL), CTIE_OK);
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(change_own, self), &options, &interceptor, NULL), CTIE_OK);
    open_url(TEXT("app://%s/rewrite", self->name), CTIE_ORIGIN_LOCAL, CTIE_OK);
    open_later(TEXT("app://%s/rewrite", self->name));
    CHECK_STATUS(ctie_registration_release(interceptor), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(route), CTIE_OK);
}

/* ---- Components ---------------------------------------------------------------------------------- */

static void let_go(void *request) { CHECK_STATUS(ctie_request_release(request), CTIE_OK); }

/* Never answers: ends by a cancel or a deadline. */
static void keep(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    CHECK_STATUS(ctie_request_on_cancel(request, CTIE_NOTICE(let_go, request)), CTIE_OK);
}

static void fail(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_progress(request, mixed_value(5)), CTIE_OK);
    CHECK_STATUS(ctie_request_fail(request, 77, mixed_value(6), CTIE_STR("out of order")), CTIE_OK);
}

static void see_progress(const ctie_value *value, void *user_data) {
    (void)user_data;
    CHECK(ctie_value_count(value) == 2);
}

static void *create(void *user_data) {
    (void)user_data;
    return malloc(100);
}

static const uint32_t EVENT = CTIE_ACTION_EVENT, WORKER_ONLY = CTIE_ACTION_WORKER_ONLY;

static ctie_registration *add_component(ctie_bus *to, ctie_str name) {
    ctie_registration *registration = NULL;
    ctie_action actions[] = {action_of("reply", reply_mixed, NULL, 0), action_of("keep", keep, NULL, 0),
                             action_of("fail", fail, NULL, 0), action_of("work", reply_mixed, NULL, WORKER_ONLY),
                             action_of("tick", reply_mixed, NULL, EVENT)};
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    options.flags = CTIE_COMPONENT_REPLACE | CTIE_COMPONENT_LAZY;
    CHECK_STATUS(ctie_component_add(to, name, CTIE_ACTIONS(actions), (ctie_factory){create, NULL, NULL, free}, &options,
                                    &registration, NULL), CTIE_OK);
    return registration;
}

static void call(ctie_str component, const char *action, ctie_status expected) {
    ctie_response *response = NULL;
    ctie_value *params = mixed_value(7);
    ctie_request_options options = PATIENT;
    options.progress = CTIE_PROGRESS(see_progress, NULL);
    options.user_info = params;
    CHECK_STATUS(ctie_component_call(bus, (ctie_target){component, ctie_str_from(action)}, params, &options, &response,
                                     NULL), expected);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    ctie_value_release(params);
}

static ctie_call *start_on(ctie_bus *which, ctie_str component, const char *action, int64_t timeout_ms,
                           ctie_loop *loop) {
    ctie_call *call = NULL;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = timeout_ms;
    options.loop = loop;
    options.progress = CTIE_PROGRESS(see_progress, NULL);
    shared->pending++;
    CHECK_STATUS(ctie_component_call_async(which, (ctie_target){component, ctie_str_from(action)}, NULL,
                                           CTIE_COMPLETION_OWNED(complete, NULL, completed), &options, &call, NULL),
                 CTIE_OK);
    return call;
}

static void load_components(loader *self) {
    ctie_error *error = NULL;
    ctie_value *list = NULL;
    ctie_str name = ctie_str_from(self->name);
    CHECK_STATUS(ctie_registration_release(add_component(bus, name)), CTIE_OK);
    ctie_registration *registration = add_component(bus, name);
    call(name, "reply", CTIE_OK);
    call(name, "work", CTIE_OK);
    call(name, "fail", CTIE_E_HANDLER);
    EXPECT_ERROR(ctie_component_call(bus, (ctie_target){name, CTIE_STR("none")}, NULL, &PATIENT, NULL, &error), error,
                 CTIE_E_NO_ACTION);
    ctie_call *several[] = {start_on(bus, name, "reply", -1, NULL), start_on(bus, name, "fail", -1, NULL),
                            start_on(bus, name, "keep", -1, NULL), start_on(bus, name, "keep", 1, NULL)};
    CHECK_STATUS(ctie_call_cancel(several[2]), CTIE_OK);
    expect_end(several[0], CTIE_OK);
    expect_end(several[1], CTIE_E_HANDLER);
    expect_end(several[2], CTIE_E_CANCELLED);
    expect_end(several[3], CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_component_list(bus, &list), CTIE_OK);
    ctie_value_release(list);
    CHECK_STATUS(ctie_component_remove(bus, name, NULL), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_E_HANDLE);
}

static void load_events(loader *self) {
    ctie_value *result = NULL, *params = mixed_value(8);
    ctie_registration *first = add_component(bus, TEXT("%s.first", self->name));
    ctie_registration *second = add_component(bus, TEXT("%s.second", self->name));
    CHECK_STATUS(ctie_component_broadcast(bus, CTIE_STR("tick"), params, &PATIENT, &result, NULL), CTIE_OK);
    CHECK(ctie_value_count(result) == 3);
    ctie_value_release(result);
    ctie_value_release(params);
    CHECK_STATUS(ctie_registration_release(first), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(second), CTIE_OK);
}

/* ---- Performers ---------------------------------------------------------------------------------- */

/* Performed by its name. */
void perform_by_name(ctie_request *request, void *user_data);

void perform_by_name(ctie_request *request, void *user_data) { reply_mixed(request, user_data); }

static void load_performers(loader *self) {
    ctie_response *response = NULL;
    ctie_call *later = NULL;
    ctie_request_options options = PATIENT;
    ctie_str prefix = TEXT("x%d", self->number), target = TEXT("x%d:thing", self->number);
    options.flags = CTIE_REQUEST_CACHED;
    CHECK_STATUS(ctie_performer_allow(bus, CTIE_STR("c:perform_by_name"), NULL), CTIE_OK);
    CHECK_STATUS(ctie_performer_allow(bus, target, NULL), CTIE_OK);
    CHECK_STATUS(ctie_performer_set_resolver(bus, prefix, CTIE_HANDLER(reply_mixed, NULL), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_perform(bus, CTIE_TARGET("c:perform_by_name", "do"), NULL, &PATIENT, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_perform(bus, CTIE_TARGET("c:nothing", "do"), NULL, NULL, NULL, NULL), CTIE_E_DENIED);
    CHECK_STATUS(ctie_perform(bus, (ctie_target){target, CTIE_STR("do")}, NULL, &options, &response, NULL), CTIE_OK);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    shared->pending++;
    CHECK_STATUS(ctie_perform_async(bus, (ctie_target){target, CTIE_STR("do")}, NULL,
                                    CTIE_COMPLETION_OWNED(complete, NULL, completed), NULL, &later, NULL), CTIE_OK);
    expect_end(later, CTIE_OK);
    CHECK_STATUS(ctie_performer_release(bus, target, NULL), CTIE_OK);
    CHECK_STATUS(ctie_performer_set_resolver(bus, prefix, CTIE_HANDLER(NULL, NULL), NULL, NULL), CTIE_OK);
}

/* ---- What comes and goes as a whole -------------------------------------------------------------- */

static void load_buses(loader *self) {
    ctie_bus *own = NULL, *common = NULL;
    ctie_loop *loop = NULL;
    ctie_dispatcher_options one_worker = {sizeof one_worker, 1, 0};
    CHECK_STATUS(ctie_bus_shared(CTIE_STR("common"), &common, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_new(NULL, &own, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_loop(own, &loop), CTIE_OK);
    CHECK_STATUS(ctie_dispatcher_add(own, CTIE_STR("apart"), &one_worker, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(own, CTIE_STR("app://own/:id"), CTIE_HANDLER(reply_mixed, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_rules_load(own, CTIE_STR(TABLE("/c")), NULL, NULL), CTIE_OK);
    add_component(own, ctie_str_from(self->name));
    expect_end(start_on(own, ctie_str_from(self->name), "reply", -1, NULL), CTIE_OK);
    ctie_call_release(start_on(own, ctie_str_from(self->name), "reply", -1, loop)); /* completed on closing */
    ctie_call *kept = start_on(own, ctie_str_from(self->name), "keep", -1, NULL);
    CHECK_STATUS(ctie_bus_close(own), CTIE_OK);
    CHECK_STATUS(ctie_call_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(common), CTIE_OK);
}

static void load_loops(loader *self) {
    ctie_loop *loop = NULL;
    ctie_status state = CTIE_PENDING;
    CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
    ctie_registration *registration = add_component(bus, ctie_str_from(self->name));
    ctie_call *call = start_on(bus, ctie_str_from(self->name), "reply", -1, loop);
    DISPATCH_UNTIL(loop, ctie_call_state(call, &state) == CTIE_OK && state != CTIE_PENDING);
    expect_end(call, CTIE_OK);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
}

static void *visit(void *self) {
    load_routes(self);
    return NULL;
}

/* The library keeps something for each thread that has called it. */
static void load_threads(loader *self) {
    pthread_t visitor;
    CHECK(pthread_create(&visitor, NULL, visit, self) == 0);
    CHECK(pthread_join(visitor, NULL) == 0);
}

/* ---- Values -------------------------------------------------------------------------------------- */

static ctie_str content_of(const ctie_value *value) {
    ctie_str content = {NULL, 0};
    if (ctie_value_get_bytes(value, &content) != CTIE_OK) ctie_value_get_string(value, &content);
    return content;
}

static void load_values(loader *self) {
    ctie_error *error = NULL;
    ctie_value *value = mixed_value(rand_r(&self->seed)), *written = NULL, *read = NULL;
    CHECK_STATUS(ctie_value_to_json(value, CTIE_JSON_PRETTY, &written, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_from_json(content_of(written), &read, NULL), CTIE_OK);
    CHECK(ctie_value_equal(value, read));
    ctie_value_release(written);
    ctie_value_release(read);
    CHECK_STATUS(ctie_value_to_msgpack(value, &written, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_from_msgpack(content_of(written), &read, NULL), CTIE_OK);
    CHECK(ctie_value_equal(value, read));
    ctie_value_release(written);
    ctie_value_release(read);
    ctie_value_release(value);
    EXPECT_ERROR(ctie_value_from_json(CTIE_STR("[{\"a\": [1, \"text\"]}, 2"), &read, &error), error, CTIE_E_FORMAT);
    CHECK(ctie_value_list((ctie_value *[]){ctie_value_string(CTIE_STR("lost")), NULL}, 2) == NULL);
}

#endif
