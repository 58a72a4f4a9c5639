/* The words for a failure: each names the thing, and those of a request are made when they are asked for. */
#include "check.h"

#include <pthread.h>

static bool is(ctie_str text, const char *expected) {
    bool same = text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
    if (!same) fprintf(stderr, "not \"%s\" but \"%.*s\"\n", expected, (int)text.size, text.data);
    return same;
}

static bool holds(ctie_str text, const char *part) {
    size_t size = strlen(part);
    for (size_t at = 0; at + size <= text.size; at++) {
        if (memcmp(text.data + at, part, size) == 0) return true;
    }
    return false;
}

static void nothing(ctie_request *request, void *user_data) {
    (void)request;
    (void)user_data;
}

static ctie_bus *bus_with(const char *pattern, uint32_t flags, ctie_registration **registration) {
    ctie_bus *bus = NULL;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = flags;
    CHECK(ctie_bus_new(NULL, &bus, NULL) == CTIE_OK);
    CHECK(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(nothing, NULL), &options, registration, NULL) ==
          CTIE_OK);
    return bus;
}

/* The response and the error say the same, and say it again. */
static void both_say_it(void) {
    ctie_bus *bus = bus_with("app://users/:id", 0, NULL);
    ctie_response *response = NULL;
    ctie_error *error = NULL;
    CHECK(ctie_open(bus, CTIE_STR("app://user/1?secret=1"), CTIE_ORIGIN_LOCAL, NULL, &response, &error) ==
          CTIE_E_NO_ROUTE);
    const char *words = "no route matches app://user/1; the nearest pattern is app://users/:id";
    CHECK(ctie_error_status(error) == CTIE_E_NO_ROUTE);
    CHECK(is(ctie_error_message(error), words));
    CHECK(is(ctie_response_message(response), words));
    CHECK(ctie_response_message(response).data == ctie_error_message(error).data);
    CHECK(ctie_error_where(error).size == 0);
    ctie_response_release(response);
    CHECK(is(ctie_error_message(error), words));
    ctie_error_release(error);
    ctie_bus_release(bus);
}

/* A name removed meanwhile is not quoted; a text that the request retained is. */
static void after_the_bus(void) {
    ctie_registration *registration = NULL;
    ctie_bus *bus = bus_with("app://users/:id", 0, &registration);
    ctie_error *missed = NULL, *denied = NULL;
    CHECK(ctie_open(bus, CTIE_STR("app://user/1"), CTIE_ORIGIN_LOCAL, NULL, NULL, &missed) == CTIE_E_NO_ROUTE);
    CHECK(ctie_open(bus, CTIE_STR("app://users/1"), CTIE_ORIGIN_REMOTE, NULL, NULL, &denied) == CTIE_E_DENIED);
    CHECK(ctie_registration_release(registration) == CTIE_OK);
    CHECK(holds(ctie_error_message(denied), "app://users/1 matches a pattern, which is not public"));
    ctie_bus_release(bus);
    CHECK(is(ctie_error_message(missed), "no route matches app://user/1"));
    ctie_error_release(missed);
    ctie_error_release(denied);
}

static void *read_message(void *error) {
    return (void *)(uintptr_t)ctie_error_message(error).size;
}

/* Threads may ask at the same time. */
static void many_ask(void) {
    ctie_bus *bus = bus_with("app://users/:id", 0, NULL);
    for (int round = 0; round < 200; round++) {
        ctie_error *error = NULL;
        pthread_t threads[4];
        CHECK(ctie_open(bus, CTIE_STR("app://user/1"), CTIE_ORIGIN_LOCAL, NULL, NULL, &error) == CTIE_E_NO_ROUTE);
        for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, read_message, error) == 0);
        for (int i = 0; i < 4; i++) {
            void *size = NULL;
            pthread_join(threads[i], &size);
            CHECK((uintptr_t)size == strlen("no route matches app://user/1; the nearest pattern is app://users/:id"));
        }
        ctie_error_release(error);
    }
    ctie_bus_release(bus);
}

static void arguments_are_named(void) {
    ctie_bus *bus = bus_with("app://users/:id", 0, NULL);
    ctie_error *error = NULL;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = 0x40000000;
    CHECK(ctie_route_add(bus, CTIE_STR("app://x"), CTIE_HANDLER(nothing, NULL), &options, NULL, &error) ==
          CTIE_E_INVALID);
    CHECK(is(ctie_error_message(error), "unknown or misplaced flags: 0x40000000"));
    CHECK(is(ctie_error_where(error), "options.flags"));
    ctie_error_release(error);
    CHECK(ctie_bus_new(NULL, NULL, &error) == CTIE_E_INVALID);
    CHECK(is(ctie_error_message(error), "out is NULL"));
    ctie_error_release(error);
    CHECK(ctie_open((ctie_bus *)8, CTIE_STR("app://x"), CTIE_ORIGIN_LOCAL, NULL, NULL, &error) == CTIE_E_HANDLE);
    CHECK(is(ctie_error_message(error), "invalid or released bus handle"));
    ctie_error_release(error);
    ctie_bus_release(bus);
}

/* Each status has a sentence of its own. */
static void statuses_differ(void) {
    for (ctie_status a = CTIE_PENDING; a >= CTIE_STATUS_LAST_; a--) {
        CHECK(strlen(ctie_status_message(a)) > 4);
        for (ctie_status b = CTIE_PENDING; b > a; b--) CHECK(strcmp(ctie_status_message(a), ctie_status_message(b)) != 0);
    }
}

int main(void) {
    both_say_it();
    after_the_bus();
    many_ask();
    arguments_are_named();
    statuses_differ();
    return check_end();
}
