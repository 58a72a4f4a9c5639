/* Buses, their names, their log, their end; and what every handle answers when it is not one. */
#include "check.h"
#include "latch.h"

static ctie_bus *new_bus(void) {
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    return bus;
}

static void reply_nothing(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
}

static void header_and_library_fit(void) {
    CHECK(ctie_version() == CTIE_VERSION);
    CHECK(CTIE_VERSION_MAJOR == 0 && CTIE_VERSION >> 16 == CTIE_VERSION_MAJOR);
}

/* ---- Making ------------------------------------------------------------------------------------ */

static void options_are_checked(void) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    static char long_name[129];
    memset(long_name, 'n', sizeof long_name);
    ctie_bus *bus = NULL;
    ctie_error *error = NULL;

    CHECK_STATUS(ctie_bus_new(&options, NULL, NULL), CTIE_E_INVALID);
    options.name = (ctie_str){long_name, 129};
    CHECK_STATUS(ctie_bus_new(&options, &bus, &error), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_LIMIT);
    CHECK(bus == NULL && ctie_error_message(error).size > 0);
    ctie_error_release(error);
    options.name = CTIE_STR("\xFF");
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_E_UTF8);
    options.name = CTIE_STR("");
    options.default_scheme = CTIE_STR("1x");
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_E_URL);
    options.default_scheme = CTIE_STR("");
    options.max_workers = 1025;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_E_INVALID);
    options.max_workers = 1024;
    options.max_queued = 1048577;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_E_INVALID);
    options.max_queued = 1048576;
    options.size = sizeof options - 1;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_E_INVALID);
    options.size = 0;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_E_INVALID);
    options.size = sizeof options;
    CHECK(bus == NULL);
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

/* Fields appended by a newer header must be zero, because this library does not know their meaning. */
static void options_of_a_newer_header_are_heeded_or_refused(void) {
    struct {
        ctie_bus_options known;
        uint64_t appended;
    } newer = {CTIE_BUS_OPTIONS_INIT, 0};
    ctie_bus *bus = NULL;
    newer.known.size = sizeof newer;
    CHECK_STATUS(ctie_bus_new(&newer.known, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    newer.appended = 1;
    CHECK_STATUS(ctie_bus_new(&newer.known, &bus, NULL), CTIE_E_ABI);
    CHECK(bus == NULL);
    newer.known.size = SIZE_MAX;
    CHECK_STATUS(ctie_bus_new(&newer.known, &bus, NULL), CTIE_E_INVALID);
}

static void a_misaligned_struct_is_refused(void) {
    char memory[sizeof(ctie_bus_options) + 8] = {0};
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    char *odd = memory + (8 - (uintptr_t)memory % 8) % 8 + 1;
    memcpy(odd, &options, sizeof options - 1);
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new((ctie_bus_options *)(void *)odd, &bus, NULL), CTIE_E_INVALID);
    CHECK(bus == NULL);
}

static void a_bus_has_its_name(void) {
    char name[] = "a name – with é";
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.name = ctie_str_from(name);
    ctie_bus *bus = NULL;
    ctie_str found = {NULL, 0};
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    memset(name, 0, sizeof name);
    CHECK_STATUS(ctie_bus_name(bus, &found), CTIE_OK);
    CHECK(text_is(found, "a name – with é"));
    CHECK_STATUS(ctie_bus_name(bus, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_name(bus, &found), CTIE_E_HANDLE);
}

static void references_are_counted(void) {
    ctie_bus *bus = new_bus();
    ctie_str name;
    CHECK_STATUS(ctie_bus_retain(bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_name(bus, &name), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_name(bus, &name), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_bus_retain(bus), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_bus_release(NULL), CTIE_OK);
}

static void closing_does_not_ask_for_references(void) {
    ctie_bus *bus = new_bus();
    latch destroyed = LATCH_INIT;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER_OWNED(reply_nothing, &destroyed, latch_destroy),
                                NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_retain(bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_E_HANDLE);
}

static void shared_buses_are_one(void) {
    ctie_bus *first = NULL, *second = NULL, *again = NULL;
    ctie_str name;
    static char long_name[129];
    memset(long_name, 'n', sizeof long_name);
    CHECK_STATUS(ctie_bus_shared(CTIE_STR("test"), &first, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_shared(CTIE_STR("test"), &second, NULL), CTIE_OK);
    CHECK(first == second);
    CHECK_STATUS(ctie_bus_name(first, &name), CTIE_OK);
    CHECK(text_is(name, "test"));
    CHECK_STATUS(ctie_route_add(first, CTIE_STR("app://a"), CTIE_HANDLER(reply_nothing, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_bus_release(first), CTIE_OK);
    CHECK_STATUS(ctie_open(second, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(second), CTIE_OK);
    CHECK_STATUS(ctie_bus_name(second, &name), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_bus_shared(CTIE_STR("test"), &again, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(again, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_E_BLOCKED);
    CHECK_STATUS(ctie_bus_close(again), CTIE_OK);

    CHECK_STATUS(ctie_bus_shared(CTIE_STR(""), &again, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_bus_shared((ctie_str){long_name, 129}, &again, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_bus_shared(CTIE_STR("\xC0\x80"), &again, NULL), CTIE_E_UTF8);
    CHECK_STATUS(ctie_bus_shared(CTIE_STR("test"), NULL, NULL), CTIE_E_INVALID);
}

/* ---- Handles that are none --------------------------------------------------------------------- */

static void garbage_is_no_bus(void) {
    ctie_bus *bus = new_bus(), *stale = new_bus();
    ctie_registration *registration = NULL;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(reply_nothing, NULL), NULL, &registration, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_bus_release(stale), CTIE_OK);
    const uintptr_t words[] = {
        0, 1, 8, 16, 0xFFF8, UINTPTR_MAX, (uintptr_t)&bus, (uintptr_t)stale, (uintptr_t)registration,
        (uintptr_t)bus + 1, (uintptr_t)bus + 16, (uintptr_t)bus ^ (uintptr_t)1 << 63, (uintptr_t)1 << 63 | 8,
        0xFFFFFFFFFFFFFFF8,
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        ctie_bus *none = (ctie_bus *)words[i];
        ctie_str name;
        CHECK_STATUS(ctie_bus_name(none, &name), CTIE_E_HANDLE);
        CHECK_STATUS(ctie_bus_retain(none), CTIE_E_HANDLE);
        CHECK_STATUS(ctie_bus_close(none), CTIE_E_HANDLE);
        CHECK_STATUS(ctie_bus_set_log(none, CTIE_LOGGER(NULL, NULL), NULL), CTIE_E_HANDLE);
        if (none != NULL) { CHECK_STATUS(ctie_bus_release(none), CTIE_E_HANDLE); }
        if (none != NULL && none != (ctie_bus *)registration) {
            CHECK_STATUS(ctie_registration_release((ctie_registration *)none), CTIE_E_HANDLE);
        }
    }
    CHECK_STATUS(ctie_registration_release((ctie_registration *)bus), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_registration_release(NULL), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

/* ---- The log ----------------------------------------------------------------------------------- */

typedef struct diary {
    latch lines, destroyed;
    int32_t level; /* of the last line */
} diary;

#define DIARY_INIT {LATCH_INIT, LATCH_INIT, -1}

static void write_down(int32_t level, ctie_str message, void *user_data) {
    CHECK(level >= CTIE_LOG_DEBUG && level <= CTIE_LOG_ERROR);
    CHECK(message.size > 0);
    ((diary *)user_data)->level = level;
    latch_add(&((diary *)user_data)->lines);
}

static void diary_destroy(void *user_data) {
    latch_add(&((diary *)user_data)->destroyed);
}

static void answer_twice(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(2)), CTIE_E_ALREADY);
}

static void open_twice_answered(ctie_bus *bus) {
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://twice"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
}

static void answers_that_come_too_late_are_logged(void) {
    ctie_bus *bus = new_bus();
    diary first = DIARY_INIT, second = DIARY_INIT;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://twice"), CTIE_HANDLER(answer_twice, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    open_twice_answered(bus);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER_OWNED(write_down, &first, diary_destroy), NULL), CTIE_OK);
    open_twice_answered(bus);
    CHECK(latch_count(&first.lines) == 1 && first.level == CTIE_LOG_DEBUG);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER_OWNED(write_down, &second, diary_destroy), NULL), CTIE_OK);
    CHECK(latch_count(&first.destroyed) == 1);
    open_twice_answered(bus);
    CHECK(latch_count(&first.lines) == 1 && latch_count(&second.lines) == 1);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER(NULL, NULL), NULL), CTIE_OK);
    CHECK(latch_count(&second.destroyed) == 1);
    open_twice_answered(bus);
    CHECK(latch_count(&second.lines) == 1);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER_OWNED(write_down, &second, diary_destroy), NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&first.destroyed) == 1 && latch_count(&second.destroyed) == 2);
}

static void fail_unheard(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_fail(request, 1, NULL, CTIE_STR("nobody asks")), CTIE_OK);
}

static void unobserved_failures_are_logged(void) {
    ctie_bus *bus = new_bus();
    diary own = DIARY_INIT;
    ctie_call *call = NULL;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://fail"), CTIE_HANDLER(fail_unheard, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER_OWNED(write_down, &own, diary_destroy), NULL), CTIE_OK);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://fail"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://fail"), 1, CTIE_COMPLETION(NULL, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    latch_wait(&own.lines, 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.lines) == 1 && own.level == CTIE_LOG_WARNING);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
}

typedef struct replacing {
    ctie_bus *bus;
    latch destroyed;
} replacing;

static void replace_itself(int32_t level, ctie_str message, void *user_data) {
    (void)level, (void)message;
    replacing *own = user_data;
    CHECK_STATUS(ctie_bus_set_log(own->bus, CTIE_LOGGER(NULL, NULL), NULL), CTIE_PENDING);
    CHECK(latch_count(&own->destroyed) == 0);
}

static void replacing_destroy(void *user_data) {
    latch_add(&((replacing *)user_data)->destroyed);
}

static void a_log_may_replace_itself(void) {
    replacing own = {new_bus(), LATCH_INIT};
    CHECK_STATUS(ctie_route_add(own.bus, CTIE_STR("app://twice"), CTIE_HANDLER(answer_twice, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_bus_set_log(own.bus, CTIE_LOGGER_OWNED(replace_itself, &own, replacing_destroy), NULL), CTIE_OK);
    open_twice_answered(own.bus);
    CHECK(latch_count(&own.destroyed) == 1);
    open_twice_answered(own.bus);
    CHECK_STATUS(ctie_bus_close(own.bus), CTIE_OK);
    CHECK(latch_count(&own.destroyed) == 1);
}

static void a_log_is_destroyed_also_when_it_is_refused(void) {
    latch destroyed = LATCH_INIT;
    CHECK_STATUS(ctie_bus_set_log(NULL, CTIE_LOGGER_OWNED(write_down, &destroyed, latch_destroy), NULL), CTIE_E_HANDLE);
    CHECK(latch_count(&destroyed) == 1);
    ctie_bus *bus = new_bus();
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER_OWNED(NULL, &destroyed, latch_destroy), NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 2);
}

/* ---- Closing inside callbacks ------------------------------------------------------------------- */

typedef struct closer {
    ctie_bus *bus;
    latch ran, destroyed;
} closer;

static void close_inside(ctie_request *request, void *user_data) {
    closer *own = user_data;
    CHECK_STATUS(ctie_bus_close(own->bus), CTIE_PENDING);
    CHECK(latch_count(&own->destroyed) == 0);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
    latch_add(&own->ran);
}

static void release_inside(ctie_request *request, void *user_data) {
    closer *own = user_data;
    CHECK_STATUS(ctie_bus_release(own->bus), CTIE_PENDING);
    CHECK(latch_count(&own->destroyed) == 0);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
    latch_add(&own->ran);
}

static void closer_destroy(void *user_data) {
    latch_add(&((closer *)user_data)->destroyed);
}

/* The closing goes on, on a thread of its own, after the last destroy. */
static void a_handler_may_close_its_bus(ctie_handler_fn handler) {
    closer own = {new_bus(), LATCH_INIT, LATCH_INIT};
    ctie_response *response = NULL;
    ctie_str name;
    CHECK_STATUS(ctie_route_add(own.bus, CTIE_STR("app://a"), CTIE_HANDLER_OWNED(handler, &own, closer_destroy), NULL,
                                NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(own.bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, NULL, &response, NULL), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK_STATUS(ctie_bus_name(own.bus, &name), CTIE_E_HANDLE);
    CHECK(threads_end(1));
    CHECK(latch_count(&own.destroyed) == 1 && latch_count(&own.ran) == 1);
}

static void a_handler_on_a_worker_may_close_its_bus(void) {
    closer own = {new_bus(), LATCH_INIT, LATCH_INIT};
    ctie_call *call = NULL;
    CHECK_STATUS(ctie_route_add(own.bus, CTIE_STR("app://a"), CTIE_HANDLER_OWNED(close_inside, &own, closer_destroy),
                                NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open_async(own.bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL), NULL,
                                 &call, NULL), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK(threads_end(1));
}

/* ---- Runtimes ----------------------------------------------------------------------------------- */

static int left, entered;

static void *leave_runtime(void) {
    left++;
    return &left;
}

static void enter_runtime(void *token) {
    CHECK(token == &left);
    entered++;
}

static void a_caller_keeps_its_runtime_for_handlers_of_its_own(void) {
    static const ctie_runtime runtime = {sizeof(ctie_runtime), leave_runtime, enter_runtime};
    ctie_bus *bus = new_bus();
    ctie_route_options own = CTIE_ROUTE_OPTIONS_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    own.runtime = &runtime;
    options.runtime = &runtime;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://own"), CTIE_HANDLER(reply_nothing, NULL), &own, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://other"), CTIE_HANDLER(reply_nothing, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://own"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_OK);
    CHECK(left == 0 && entered == 0);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://other"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_OK);
    CHECK(left == 1 && entered == 1);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

int main(void) {
    header_and_library_fit();
    options_are_checked();
    options_of_a_newer_header_are_heeded_or_refused();
    a_misaligned_struct_is_refused();
    a_bus_has_its_name();
    references_are_counted();
    closing_does_not_ask_for_references();
    shared_buses_are_one();
    garbage_is_no_bus();
    answers_that_come_too_late_are_logged();
    unobserved_failures_are_logged();
    a_log_may_replace_itself();
    a_log_is_destroyed_also_when_it_is_refused();
    a_handler_may_close_its_bus(close_inside);
    a_handler_may_close_its_bus(release_inside);
    a_handler_on_a_worker_may_close_its_bus();
    a_caller_keeps_its_runtime_for_handlers_of_its_own();
    return check_end();
}
