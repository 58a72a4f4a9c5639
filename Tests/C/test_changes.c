/*
 * Changes that interceptors make to a request and its response: how often, on which threads, and that later stages see
 * them.
 */
#include "components.h"

static ctie_bus *bus;

static void begin(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void end(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static ctie_value *map_of(int64_t number) {
    ctie_pair pair = {CTIE_STR("n"), ctie_value_int(number)};
    return ctie_value_map(&pair, 1);
}

/* The number in a map; -1 for anything else. */
static int64_t number_in(const ctie_value *map) {
    int64_t number = -1;
    (void)ctie_value_get_int(ctie_value_get(map, CTIE_STR("n")), &number);
    return number;
}

/* ---- Objects that stand for maps ------------------------------------------------------------------------ */

static void retain_object(void *object) { (void)object; }
static void release_object(void *object) { (void)object; }

static ctie_status show_object(void *object, ctie_value **out) {
    *out = map_of(*(int64_t *)object);
    return CTIE_OK;
}

static int64_t objects[] = {100, 101, 102};

static ctie_value *object_of(int index) {
    static const ctie_foreign_type type = {
        sizeof type, CTIE_STR("test.changes"), retain_object, release_object, show_object,
    };
    ctie_foreign_id id = 0;
    CHECK_STATUS(ctie_foreign_register(&type, &id, NULL), CTIE_OK);
    return ctie_value_foreign(id, &objects[index]);
}

/* ---- The request -------------------------------------------------------------------------------------- */

static void set_often(ctie_request *request, void *user_data) {
    (void)user_data;
    for (int i = 0; i <= 64; i++) {
        ctie_status expected = i < 64 ? CTIE_OK : CTIE_E_LIMIT;
        CHECK_STATUS(ctie_request_set_params(request, map_of(i)), expected);
        CHECK_STATUS(ctie_request_set_user_info(request, map_of(i)), expected);
    }
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static int64_t seen_params, seen_info;

static void look(ctie_request *request) {
    ctie_value *params = NULL;
    const ctie_value *info = NULL;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    seen_params = number_in(params);
    seen_info = number_in(info);
    ctie_value_release(params);
}

static void look_and_reply(ctie_request *request, void *user_data) {
    look(request);
    reply_null(request, user_data);
}

/* Each has been looked at, in its plain form, when the next one takes its place. */
static void set_objects(ctie_request *request, void *user_data) {
    (void)user_data;
    look(request);
    CHECK(seen_params == 100 && seen_info == 100);
    CHECK_STATUS(ctie_request_set_params(request, object_of(1)), CTIE_OK);
    CHECK_STATUS(ctie_request_set_user_info(request, object_of(2)), CTIE_OK);
    look(request);
    CHECK(seen_params == 101 && seen_info == 102);
    CHECK_STATUS(ctie_request_set_params(request, object_of(2)), CTIE_OK);
    CHECK_STATUS(ctie_request_set_user_info(request, object_of(1)), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void call_with(ctie_handler_fn interceptor) {
    const ctie_handler one = {interceptor, NULL, NULL};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_value *object = object_of(0);
    begin();
    add_action(bus, "a", "go", look_and_reply, NULL, 0);
    options.interceptors = &one;
    options.interceptor_count = 1;
    options.user_info = object;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), object, &options, NULL, NULL), CTIE_OK);
    ctie_value_release(object);
    end();
}

static void a_request_is_changed_64_times(void) {
    call_with(set_often);
    CHECK(seen_params == 63 && seen_info == 63);
}

static void the_plain_form_is_that_of_the_last_object(void) {
    call_with(set_objects);
    CHECK(seen_params == 102 && seen_info == 101);
}

/* ---- The response -------------------------------------------------------------------------------------- */

static void replace_objects(ctie_response *response, void *user_data) {
    (void)user_data;
    CHECK(number_in(ctie_response_value(response)) == 100);
    CHECK_STATUS(ctie_response_replace(response, object_of(1)), CTIE_OK);
    CHECK(number_in(ctie_response_value(response)) == 101);
    CHECK_STATUS(ctie_response_replace(response, object_of(2)), CTIE_OK);
}

static void reply_object(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION(replace_objects, NULL)), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(request, object_of(0)), CTIE_OK);
}

static void a_response_shows_the_last_object(void) {
    ctie_response *response = NULL;
    begin();
    add_action(bus, "a", "go", reply_object, NULL, 0);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, NULL, &response, NULL), CTIE_OK);
    CHECK(number_in(ctie_response_value(response)) == 102);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    end();
}

static void *replace_elsewhere(void *response) {
    CHECK_STATUS(ctie_response_replace(response, ctie_value_int(2)), CTIE_E_INVALID);
    CHECK_STATUS(ctie_response_fail(response, 2, NULL, CTIE_STR("")), CTIE_E_INVALID);
    return NULL;
}

static void replace_on_another_thread(ctie_response *response, void *user_data) {
    (void)user_data;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, replace_elsewhere, response) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void reply_one(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION(replace_on_another_thread, NULL)), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static latch started = LATCH_INIT;
static ctie_call *own_call;

/* A handler that has answered has the response of its own call: it may look, and nothing else. */
static void reply_and_replace(ctie_request *request, void *user_data) {
    ctie_response *response = NULL;
    latch_wait(&started, 1);
    reply_one(request, user_data);
    CHECK_STATUS(ctie_call_wait(own_call, -1, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_replace(response, ctie_value_int(2)), CTIE_E_INVALID);
    CHECK_STATUS(ctie_response_fail(response, 2, NULL, CTIE_STR("")), CTIE_E_INVALID);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
}

static void only_its_callback_changes_a_response(void) {
    ctie_response *response = NULL;
    int64_t number = 0;
    begin();
    add_action(bus, "a", "go", reply_and_replace, NULL, 0);
    own_call = call_later(bus, "a", "go", NULL);
    latch_add(&started);
    CHECK_STATUS(ctie_call_wait(own_call, -1, &response), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_response_value(response), &number), CTIE_OK);
    CHECK(number == 1);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_call_release(own_call), CTIE_OK);
}

static ctie_request *kept;
static latch taken = LATCH_INIT;

static void keep(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(&taken);
}

static void wait_for_itself(ctie_response *response, void *user_data) {
    (void)response;
    CHECK_STATUS(ctie_call_wait(own_call, 1, NULL), CTIE_E_DEADLOCK);
    latch_add(user_data);
}

/* Its callers get the response when the callback has returned. */
static void a_callback_cannot_wait_for_its_own_call(void) {
    latch called = LATCH_INIT;
    begin();
    add_action(bus, "a", "keep", keep, NULL, 0);
    own_call = call_later(bus, "a", "keep", NULL);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_request_on_return(kept, CTIE_COMPLETION(wait_for_itself, &called)), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    CHECK(latch_count(&called) == 1);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(call_end(own_call), CTIE_OK);
    end();
}

int main(void) {
    a_callback_cannot_wait_for_its_own_call();
    a_request_is_changed_64_times();
    the_plain_form_is_that_of_the_last_object();
    a_response_shows_the_last_object();
    only_its_callback_changes_a_response();
    return check_end();
}
