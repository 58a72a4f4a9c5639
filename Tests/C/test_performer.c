/* The performer from C: symbols of the process and of a library, resolvers, the allow-list, the fallback, rules. */
#include "check.h"
#include "latch.h"

static ctie_bus *bus;
static latch destroyed = LATCH_INIT;

static ctie_status allow(const char *target) {
    return ctie_performer_allow(bus, ctie_str_from(target), NULL);
}

static ctie_status perform(const char *target, const char *selector, ctie_response **response) {
    return ctie_perform(bus, (ctie_target){ctie_str_from(target), ctie_str_from(selector)}, NULL, NULL, response, NULL);
}

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void close_bus(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* Performed by its name: tests are linked with -rdynamic. */
void greet_by_name(ctie_request *request, void *user_data);

void greet_by_name(ctie_request *request, void *user_data) {
    ctie_str selector = {NULL, 0}, target = {NULL, 0};
    int32_t kind = CTIE_REQUEST_KIND_OPEN;
    CHECK(user_data == NULL);
    CHECK_STATUS(ctie_request_action(request, &selector), CTIE_OK);
    CHECK_STATUS(ctie_request_target(request, &target), CTIE_OK);
    CHECK_STATUS(ctie_request_kind(request, &kind), CTIE_OK);
    CHECK(text_is(target, "c:greet_by_name"));
    if (text_is(selector, "hello")) {
        CHECK(kind == CTIE_REQUEST_KIND_PERFORM);
        CHECK_STATUS(ctie_request_reply(request, ctie_value_int(7)), CTIE_OK);
    } else if (text_is(selector, "open")) {
        CHECK(kind == CTIE_REQUEST_KIND_OPEN);
        CHECK_STATUS(ctie_request_reply(request, ctie_value_int(8)), CTIE_OK);
    } else if (text_is(selector, "size")) {
        CHECK_STATUS(ctie_request_refuse(request, CTIE_E_PARAM, CTIE_STR("'size' is missing")), CTIE_OK);
    } else {
        CHECK_STATUS(ctie_request_refuse(request, CTIE_E_NO_ACTION, CTIE_STR("")), CTIE_OK);
    }
}

static int64_t number_of(ctie_response *response) {
    int64_t number = 0;
    CHECK_STATUS(ctie_value_get_int(ctie_response_value(response), &number), CTIE_OK);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    return number;
}

/* ---- Symbols ------------------------------------------------------------------------------------ */

static void a_symbol_of_the_process_is_performed(void) {
    ctie_response *response = NULL;
    new_bus();
    CHECK_STATUS(perform("c:greet_by_name", "hello", NULL), CTIE_E_DENIED);
    CHECK_STATUS(allow("c:greet_by_name"), CTIE_OK);
    CHECK_STATUS(allow("c:greet_by_name"), CTIE_OK);
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(perform("c:greet_by_name", "hello", &response), CTIE_OK);
        CHECK(number_of(response) == 7);
    }
    CHECK_STATUS(perform("c:greet_by_name", "", NULL), CTIE_E_NO_ACTION);
    CHECK_STATUS(perform("c:greet_by_name", "size", &response), CTIE_E_PARAM);
    CHECK(text_is(ctie_response_message(response), "'size' is missing"));
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(perform("c:greet_by_name:abort", "", NULL), CTIE_E_DENIED);
    close_bus();
}

/* A function that is there and called, which ends no request: it is given one that no interceptor has. */
static void a_symbol_of_a_library_is_looked_for_there(void) {
    ctie_response *response = NULL;
    new_bus();
    CHECK_STATUS(allow("c:libcrosstie.so.0.1:ctie_request_proceed"), CTIE_OK);
    CHECK_STATUS(perform("c:libcrosstie.so.0.1:ctie_request_proceed", "", NULL), CTIE_E_NO_REPLY);
    CHECK_STATUS(allow("c:libm.so.6:ctie_no_such_symbol"), CTIE_OK);
    CHECK_STATUS(allow("c:ctie_no_such_library.so:f"), CTIE_OK);
    CHECK_STATUS(perform("c:libm.so.6:ctie_no_such_symbol", "", NULL), CTIE_E_NO_TARGET);
    CHECK_STATUS(perform("c:ctie_no_such_library.so:f", "", &response), CTIE_E_NO_TARGET);
    CHECK(strstr(ctie_response_message(response).data, "ctie_no_such_library.so") != NULL);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_performer_release(bus, CTIE_STR("c:libm.so.6:ctie_no_such_symbol"), NULL), CTIE_E_NOT_FOUND);
    close_bus();
}

/* ---- Resolvers ---------------------------------------------------------------------------------- */

/* Keeps one instance, and replies how it was asked: 1, or 2 for one that is kept. */
static void resolve(ctie_request *request, void *user_data) {
    bool *is_kept = user_data;
    uint32_t flags = 0;
    CHECK_STATUS(ctie_request_flags(request, &flags), CTIE_OK);
    if ((flags & CTIE_REQUEST_RELEASE) != 0 && !*is_kept) {
        CHECK_STATUS(ctie_request_refuse(request, CTIE_E_NOT_FOUND, CTIE_STR("")), CTIE_OK);
        return;
    }
    if ((flags & (CTIE_REQUEST_RELEASE | CTIE_REQUEST_CACHED)) != 0) { *is_kept = (flags & CTIE_REQUEST_CACHED) != 0; }
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(*is_kept ? 2 : 1)), CTIE_OK);
}

static void instances_are_kept_on_request(void) {
    bool is_kept = false;
    ctie_response *response = NULL;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    new_bus();
    CHECK_STATUS(ctie_performer_release(bus, CTIE_STR("test:x"), NULL), CTIE_E_DENIED);
    CHECK_STATUS(allow("test:x"), CTIE_OK);
    CHECK_STATUS(ctie_performer_release(bus, CTIE_STR("test:x"), NULL), CTIE_E_NO_TARGET);
    CHECK_STATUS(ctie_performer_set_resolver(bus, CTIE_STR("test"), CTIE_HANDLER(resolve, &is_kept), NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_performer_release(bus, CTIE_STR("test:x"), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(perform("test:x", "", &response), CTIE_OK);
    CHECK(number_of(response) == 1);
    options.flags = CTIE_REQUEST_CACHED;
    CHECK_STATUS(ctie_perform(bus, CTIE_TARGET("test:x", ""), NULL, &options, &response, NULL), CTIE_OK);
    CHECK(number_of(response) == 2);
    CHECK_STATUS(ctie_performer_release(bus, CTIE_STR("test:x"), NULL), CTIE_OK);
    CHECK(!is_kept);
    options.flags = CTIE_REQUEST_RELEASE;
    CHECK_STATUS(ctie_perform(bus, CTIE_TARGET("test:x", ""), NULL, &options, NULL, NULL), CTIE_E_INVALID);
    close_bus();
}

static void a_resolver_is_destroyed_once(void) {
    latch ended = LATCH_INIT;
    new_bus();
    const char *refused[] = {"", "1", "a-b", "c", "swift", "ppppppppppppppppppppppppppppppppp"};
    const ctie_status statuses[] = {CTIE_E_IDENTIFIER, CTIE_E_IDENTIFIER, CTIE_E_IDENTIFIER,
                                    CTIE_E_CONFLICT,   CTIE_E_CONFLICT,   CTIE_E_LIMIT};
    for (int i = 0; i < 6; i++) {
        CHECK_STATUS(ctie_performer_set_resolver(bus, ctie_str_from(refused[i]),
                                                 CTIE_HANDLER_OWNED(resolve, &ended, latch_destroy), NULL, NULL),
                     statuses[i]);
        CHECK(latch_count(&ended) == i + 1);
    }
    CHECK_STATUS(ctie_performer_set_resolver(bus, CTIE_STR("test"), CTIE_HANDLER_OWNED(resolve, &ended, latch_destroy),
                                             NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_performer_set_resolver(bus, CTIE_STR("test"), CTIE_HANDLER_OWNED(resolve, &ended, latch_destroy),
                                             NULL, NULL), CTIE_OK);
    CHECK(latch_count(&ended) == 7);
    CHECK_STATUS(ctie_performer_set_resolver(bus, CTIE_STR("test"), CTIE_HANDLER(NULL, NULL), NULL, NULL), CTIE_OK);
    CHECK(latch_count(&ended) == 8);
    CHECK_STATUS(ctie_performer_set_resolver(bus, CTIE_STR("test"), CTIE_HANDLER_OWNED(resolve, &ended, latch_destroy),
                                             NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_performer_set_fallback(bus, CTIE_HANDLER_OWNED(resolve, &ended, latch_destroy), NULL, NULL),
                 CTIE_OK);
    close_bus();
    CHECK(latch_count(&ended) == 10);
    CHECK_STATUS(ctie_performer_set_resolver(bus, CTIE_STR("test"), CTIE_HANDLER_OWNED(resolve, &ended, latch_destroy),
                                             NULL, NULL), CTIE_E_HANDLE);
    CHECK(latch_count(&ended) == 11);
}

static void prefixes_are_bounded(void) {
    bool is_kept = false;
    char prefix[8];
    new_bus();
    for (int i = 0; i <= 64; i++) {
        snprintf(prefix, sizeof prefix, "p%d", i);
        CHECK_STATUS(ctie_performer_set_resolver(bus, ctie_str_from(prefix), CTIE_HANDLER(resolve, &is_kept), NULL,
                                                 NULL),
                     i < 64 ? CTIE_OK : CTIE_E_LIMIT);
    }
    close_bus();
}

static void the_allow_list_is_bounded(void) {
    char target[16];
    new_bus();
    for (int i = 0; i <= 4096; i++) {
        snprintf(target, sizeof target, "test:%d", i);
        CHECK_STATUS(ctie_performer_allow(bus, ctie_str_from(target), NULL), i < 4096 ? CTIE_OK : CTIE_E_LIMIT);
    }
    CHECK_STATUS(ctie_performer_allow(bus, CTIE_STR("test:7"), NULL), CTIE_OK); /* it is there already */
    close_bus();
}

/* ---- The fallback ------------------------------------------------------------------------------- */

static void fall_back(ctie_request *request, void *user_data) {
    ctie_str selector = {NULL, 0};
    (void)user_data;
    CHECK_STATUS(ctie_request_action(request, &selector), CTIE_OK);
    if (text_is(selector, "decline")) {
        CHECK_STATUS(ctie_request_decline(request), CTIE_OK);
    } else {
        CHECK_STATUS(ctie_request_reply(request, ctie_value_int(9)), CTIE_OK);
    }
}

static void the_fallback_gets_what_is_not_found(void) {
    ctie_response *response = NULL;
    new_bus();
    CHECK_STATUS(allow("c:greet_by_name"), CTIE_OK);
    CHECK_STATUS(allow("nobody:x"), CTIE_OK);
    CHECK_STATUS(ctie_performer_set_fallback(bus, CTIE_HANDLER_OWNED(fall_back, &destroyed, latch_destroy), NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(perform("c:greet_by_name", "other", &response), CTIE_OK);
    CHECK(number_of(response) == 9);
    CHECK_STATUS(perform("nobody:x", "", &response), CTIE_OK);
    CHECK(number_of(response) == 9);
    CHECK_STATUS(perform("c:greet_by_name", "decline", NULL), CTIE_E_NO_ACTION);
    CHECK_STATUS(perform("nobody:x", "decline", NULL), CTIE_E_NO_TARGET);
    CHECK_STATUS(perform("not:allowed", "", NULL), CTIE_E_DENIED);
    CHECK_STATUS(ctie_performer_set_fallback(bus, CTIE_HANDLER(NULL, NULL), NULL, NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
    CHECK_STATUS(perform("nobody:x", "", NULL), CTIE_E_NO_TARGET);
    close_bus();
}

/* ---- Trust, rules, workers ---------------------------------------------------------------------- */

static const char *const RULES =
    "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"app\"], \"privateSchemes\": [],"
    " \"routeHosts\": [\"go\"], \"webHosts\": [], \"rules\": [{\"id\": \"greet\", \"host\": \"go\", \"path\": \"/greet\","
    " \"visibility\": \"public\", \"target\": \"c:greet_by_name\"}]}";

static void perform_inside(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(perform("c:greet_by_name", "hello", NULL), CTIE_E_DENIED);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static void remote_requests_need_a_rule(void) {
    ctie_response *response = NULL;
    ctie_opened_by opener = CTIE_OPENED_BY_NONE;
    ctie_route_options public = CTIE_ROUTE_OPTIONS_INIT;
    ctie_request_options remote = CTIE_REQUEST_OPTIONS_INIT;
    public.flags = CTIE_ROUTE_PUBLIC;
    remote.flags = CTIE_REQUEST_REMOTE;
    new_bus();
    CHECK_STATUS(ctie_rules_load(bus, ctie_str_from(RULES), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://go/greet"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL), CTIE_E_DENIED);
    CHECK_STATUS(allow("c:other"), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://go/greet"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL), CTIE_E_DENIED);
    CHECK_STATUS(allow("c:greet_by_name"), CTIE_OK);
    CHECK_STATUS(ctie_can_open(bus, CTIE_STR("app://go/greet"), CTIE_ORIGIN_REMOTE, CTIE_MATCH_DEFAULT, &opener),
                 CTIE_OK);
    CHECK(opener == CTIE_OPENED_BY_ROUTE);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://go/greet"), CTIE_ORIGIN_REMOTE, NULL, &response, NULL), CTIE_OK);
    CHECK(number_of(response) == 8);
    CHECK_STATUS(ctie_perform(bus, CTIE_TARGET("c:greet_by_name", "hello"), NULL, &remote, NULL, NULL), CTIE_E_DENIED);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://go/inside"), CTIE_HANDLER(perform_inside, NULL), &public, NULL,
                                NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://go/inside"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL), CTIE_OK);
    close_bus();
}

static void note_seven(ctie_response *response, void *user_data) {
    int64_t number = 0;
    CHECK_STATUS(ctie_value_get_int(ctie_response_value(response), &number), CTIE_OK);
    CHECK(number == 7);
    latch_add(user_data);
}

static void a_worker_performs_what_is_asked_asynchronously(void) {
    latch done = LATCH_INIT, freed = LATCH_INIT;
    ctie_call *call = NULL;
    new_bus();
    CHECK_STATUS(allow("c:greet_by_name"), CTIE_OK);
    CHECK_STATUS(ctie_perform_async(bus, CTIE_TARGET("c:greet_by_name", "hello"), NULL,
                                    CTIE_COMPLETION(note_seven, &done), NULL, &call, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    latch_wait(&done, 1);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_perform_async(bus, CTIE_TARGET("malformed", ""), NULL,
                                    CTIE_COMPLETION_OWNED(NULL, &freed, latch_destroy), NULL, &call, NULL),
                 CTIE_E_IDENTIFIER);
    CHECK(call == NULL && latch_count(&freed) == 1);
    close_bus();
}

int main(void) {
    a_symbol_of_the_process_is_performed();
    a_symbol_of_a_library_is_looked_for_there();
    instances_are_kept_on_request();
    a_resolver_is_destroyed_once();
    prefixes_are_bounded();
    the_allow_list_is_bounded();
    the_fallback_gets_what_is_not_found();
    remote_requests_need_a_rule();
    a_worker_performs_what_is_asked_asynchronously();
    return check_end();
}
