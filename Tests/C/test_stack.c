/* Threads with little stack: requests inside each other end with CTIE_E_DEPTH while there is room, and no thread crashes. */
#define _GNU_SOURCE
#include "components.h"

#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

static ctie_bus *bus;

/* The way in which a handler recurses, the depth reached, and the innermost status. */
static struct { const char *url; int level; ctie_status last; } nesting;

static ctie_status go_deeper(void) {
    if (nesting.url == NULL) return call_now(bus, "part", "nest");
    return ctie_open(bus, ctie_str_from(nesting.url), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
}

static void nest(ctie_request *request, void *user_data) {
    (void)user_data;
    int level = ++nesting.level;
    ctie_status status = go_deeper();
    if (level == nesting.level) {
        ctie_response *response = NULL;
        ctie_error *error = NULL;
        nesting.last = status;
        /* A failing operation needs more room than a successful one. */
        ctie_status miss = ctie_open(bus, CTIE_STR("app://nobody?x=%20"), CTIE_ORIGIN_REMOTE, NULL, &response, &error);
        CHECK(miss == CTIE_E_DEPTH || miss == CTIE_E_NO_ROUTE);
        ctie_response_release(response);
        ctie_error_release(error);
        ctie_value *value = NULL;
        CHECK_STATUS(ctie_value_from_json(CTIE_STR("[[[[[[1, 2, {\"a\": }]]]]]]"), &value, &error), CTIE_E_FORMAT);
        ctie_error_release(error);
    }
    ctie_request_reply(request, ctie_value_null());
}

static void proceed(ctie_request *request, void *user_data) { (void)user_data, ctie_request_proceed(request); }

static void *run(void *unused) {
    (void)unused;
    nesting.level = 0;
    nesting.last = CTIE_OK;
    CHECK_STATUS(go_deeper(), CTIE_OK);
    return NULL;
}

static void run_with_stack(size_t size) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, size) == 0);
    CHECK(pthread_create(&thread, &attributes, run, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
}

static int fewest = 64;

static void test_threads(const char *url) {
    nesting.url = url;
    for (size_t size = 32 << 10; size <= 128 << 10; size += 16 << 10) {
        run_with_stack(size);
        CHECK_STATUS(nesting.last, CTIE_E_DEPTH);
        CHECK(nesting.level <= 64);
        if (size == 64 << 10 && nesting.level < fewest) fewest = nesting.level;
    }
    run_with_stack(1 << 20);
    CHECK_STATUS(nesting.last, CTIE_E_DEPTH);
    CHECK(nesting.level == 64);
    run(NULL);
    CHECK(nesting.level == 64);
}

/* On a stack of the host's own the library does not know what is left: the count alone holds there. */
static ucontext_t outside, inside;

static void run_on_own_stack(void) { run(NULL); }

static void test_own_stack(void) {
    static char stack[1 << 20];
    char *made = malloc(1 << 20);
    for (int i = 0; i < 2; i++) {
        getcontext(&inside);
        inside.uc_stack.ss_sp = i == 0 ? stack : made;
        inside.uc_stack.ss_size = 1 << 20;
        inside.uc_link = &outside;
        makecontext(&inside, run_on_own_stack, 0);
        swapcontext(&outside, &inside);
        CHECK(nesting.level == 64);
    }
    free(made);
}

int main(void) {
    ctie_handler interceptor = {proceed, NULL, NULL};
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://plain/:id"), CTIE_HANDLER(nest, NULL), NULL, NULL, NULL), CTIE_OK);
    options.interceptors = &interceptor;
    options.interceptor_count = 1;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://seen"), CTIE_HANDLER(nest, NULL), &options, NULL, NULL), CTIE_OK);
    add_action(bus, "part", "nest", nest, NULL, 0);
    test_threads("app://plain/7?x=1");
    test_threads("app://seen");
    test_threads(NULL);
    nesting.url = "app://plain/7?x=1";
    test_own_stack();
    CHECK(fewest >= 24);
    FIGURES("; in 64 KiB %d requests inside each other at least", fewest);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    return check_end();
}
