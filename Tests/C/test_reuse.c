/* A thread uses the record of its last request for the next one, which sees nothing of what the other one was. */
#include "dispatching.h"

static ctie_bus *bus;

static void begin(void) {
    bus = bus_with(1, 0);
}

static void end(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void add(const char *pattern, ctie_handler_fn handler) {
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(handler, NULL), NULL, NULL, NULL), CTIE_OK);
}

static void say_nothing(ctie_request *request, void *user_data) {
    (void)request;
    (void)user_data;
}

/* ---- How it ended -------------------------------------------------------------------------------------- */

static void fail_loudly(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_fail(request, 7, ctie_value_int(7), CTIE_STR("loudly")), CTIE_OK);
}

static void a_success_shows_nothing_of_a_failure(void) {
    ctie_response *response = NULL;
    begin();
    add("app://fails", fail_loudly);
    add("app://silent", say_nothing);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://fails"), 1, NULL, NULL, NULL), CTIE_E_HANDLER);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://silent"), 1, NULL, &response, NULL), CTIE_OK);
    CHECK(ctie_response_code(response) == 1 && ctie_response_message(response).size == 0);
    CHECK(ctie_value_kind(ctie_response_value(response)) == CTIE_KIND_NULL);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    end();
}

/* ---- How it was asked for ------------------------------------------------------------------------------ */

static uint32_t seen_flags;

static void note_flags(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_flags(request, &seen_flags), CTIE_OK);
    reply_null(request, user_data);
}

static void a_call_without_options_has_no_flags(void) {
    ctie_request_options cached = CTIE_REQUEST_OPTIONS_INIT;
    cached.flags = CTIE_REQUEST_CACHED;
    begin();
    component_add(bus, "flags", note_flags, NULL, 0, NULL);
    CHECK_STATUS(call_run(bus, "flags", &cached), CTIE_OK);
    CHECK(seen_flags == CTIE_REQUEST_CACHED);
    CHECK_STATUS(call_run(bus, "flags", without_end()), CTIE_OK);
    CHECK(seen_flags == 0);
    end();
}

static char order[4];
static latch ran = LATCH_INIT;

static void note_letter(ctie_request *request, void *letter) {
    order[latch_count(&ran)] = *(const char *)letter;
    latch_add(&ran);
    reply_null(request, NULL);
}

/* The first of the two that wait is made of the record of one that was not urgent. */
static void a_call_without_options_is_as_urgent_as_others(void) {
    gate blocked = GATE_INIT;
    ctie_request_options low = CTIE_REQUEST_OPTIONS_INIT;
    low.priority = CTIE_PRIORITY_LOW;
    begin();
    component_add(bus, "gate", gate_pass, &blocked, 0, NULL);
    component_add(bus, "plain", reply_null, NULL, 0, NULL);
    component_add(bus, "a", note_letter, "a", 0, NULL);
    component_add(bus, "b", note_letter, "b", 0, NULL);
    CHECK_STATUS(start(bus, "gate", without_end(), NULL, NULL), CTIE_OK);
    latch_wait(&blocked.entered, 1);
    CHECK_STATUS(call_run(bus, "plain", &low), CTIE_OK);
    CHECK_STATUS(start(bus, "a", without_end(), NULL, NULL), CTIE_OK);
    CHECK_STATUS(start(bus, "b", without_end(), NULL, NULL), CTIE_OK);
    latch_add(&blocked.open);
    latch_wait(&ran, 2);
    CHECK(strcmp(order, "ab") == 0);
    end();
}

/* ---- How it came ---------------------------------------------------------------------------------------- */

#define TABLE \
    "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"shop\"], \"privateSchemes\": []," \
    " \"routeHosts\": [\"go\"], \"webHosts\": [], \"rules\": [{\"id\": \"item\", \"host\": \"go\"," \
    " \"path\": \"/item/:id\", \"visibility\": \"public\", \"params\": {\"n\": {\"type\": \"int\", \"default\": 5}}}]}"

static void look_before_it_matches(ctie_request *request, void *user_data) {
    const ctie_value *rule = NULL;
    ctie_value *params = NULL;
    (void)user_data;
    CHECK_STATUS(ctie_request_rule(request, &rule), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    CHECK(ctie_value_count(params) == 0);
    ctie_value_release(params);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void no_rule_before_a_match(void) {
    begin();
    CHECK_STATUS(ctie_rules_load(bus, CTIE_STR(TABLE), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("item"), CTIE_HANDLER(reply_null, NULL), NULL, NULL, NULL), CTIE_OK);
    add("app://plain", reply_null);
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(look_before_it_matches, NULL), NULL, NULL, NULL), CTIE_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(ctie_open(bus, CTIE_STR("shop://go/item/1"), 1, NULL, NULL, NULL), CTIE_OK);
        CHECK_STATUS(ctie_open(bus, CTIE_STR("app://plain"), 1, NULL, NULL, NULL), CTIE_OK);
    }
    end();
}

int main(void) {
    a_success_shows_nothing_of_a_failure();
    a_call_without_options_has_no_flags();
    a_call_without_options_is_as_urgent_as_others();
    no_rule_before_a_match();
    return check_end();
}
