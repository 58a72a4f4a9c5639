/* Structs of older and newer headers: what they say is heeded as far as they go. Every struct at every size is in the
   program of bad arguments. */
#include "check.h"
#include "latch.h"

#include <stdlib.h>

/* The size of a struct whose last field this one is. */
#define SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* A struct in memory of exactly its size, with garbage behind it, so that valgrind finds a read past its end. */
#define SHORTENED(type, options, field) shortened(&(options), SIZE_UP_TO(type, field))

static void *shortened(const void *options, size_t size) {
    void *copy = malloc(size);
    CHECK(copy != NULL);
    memcpy(copy, options, size);
    memcpy(copy, &size, sizeof size);
    return copy;
}

static ctie_bus *bus;

static void reply_null(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_null());
}

static void a_bus_is_as_its_first_options_say(void) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    ctie_value *stats = NULL;
    options.flags = CTIE_BUS_STATS;
    options.mode = 99; /* is cut off */
    ctie_bus_options *older = SHORTENED(ctie_bus_options, options, flags);
    CHECK_STATUS(ctie_bus_new(older, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_stats(bus, &stats, NULL), CTIE_OK);
    ctie_value_release(stats);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    free(older);
    options.flags = 1u << 31;
    older = SHORTENED(ctie_bus_options, options, max_queued);
    CHECK_STATUS(ctie_bus_new(older, &bus, NULL), CTIE_OK);
    free(older);
}

static void keep_time_left(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_time_left(request, user_data), CTIE_OK);
    ctie_request_reply(request, ctie_value_null());
}

static void a_request_is_as_its_first_options_say(void) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    int64_t left = 0;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://left"), CTIE_HANDLER(keep_time_left, &left), NULL, NULL, NULL),
                 CTIE_OK);
    options.timeout_ms = 1000000;
    options.flags = 1u << 31; /* is cut off */
    ctie_request_options *older = SHORTENED(ctie_request_options, options, timeout_ms);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://left"), CTIE_ORIGIN_LOCAL, older, NULL, NULL), CTIE_OK);
    CHECK(left > CTIE_ASYNC_TIMEOUT_MS && left <= 1000000);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://left"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_E_INVALID);
    free(older);
    older = SHORTENED(ctie_request_options, options, user_info);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://left"), CTIE_ORIGIN_LOCAL, older, NULL, NULL), CTIE_OK);
    CHECK(left >= 0 && left <= CTIE_SYNC_TIMEOUT_MS);
    free(older);
}

/* The structs of an array lie as far apart as the header of their host has them long. */
static void providers_of_an_older_header_follow_one_another(void) {
    const size_t size = SIZE_UP_TO(ctie_provider, endpoint_count);
    const char *names[] = {"one", "two", "three"};
    const ctie_provider_endpoint endpoint = {CTIE_STR("com.example.endpoint"), {NULL, 0}};
    ctie_value *list = NULL;
    char *array = malloc(3 * size);
    CHECK(array != NULL && size % 8 == 0 && size < sizeof(ctie_provider));
    for (size_t i = 0; i < 3; i++) {
        ctie_provider provider = CTIE_PROVIDER_INIT;
        provider.size = size;
        provider.name = ctie_str_from(names[i]);
        provider.share = reply_null;
        provider.endpoints = &endpoint;
        provider.endpoint_count = 1;
        memcpy(array + i * size, &provider, size);
    }
    CHECK_STATUS(ctie_provider_set_all(bus, (const ctie_provider *)(const void *)array, 3, NULL), CTIE_OK);
    CHECK_STATUS(ctie_provider_list(bus, &list), CTIE_OK);
    CHECK(ctie_value_count(list) == 3);
    for (size_t i = 0; i < 3; i++) {
        ctie_str name = {NULL, 0};
        CHECK_STATUS(ctie_value_get_string(ctie_value_get(ctie_value_at(list, i), CTIE_STR("name")), &name), CTIE_OK);
        CHECK(text_is(name, names[i]));
    }
    ctie_value_release(list);
    free(array);
}

static int destroyed;

static void count_destroyed(void *user_data) {
    (void)user_data;
    destroyed++;
}

/* Three providers at a distance, of which the first one says a size. Bytes behind them must not be touched. */
static ctie_status set_three(size_t distance, size_t size_of_first, size_t size_of_others, char spoilt) {
    const char *names[] = {"one", "two", "three"};
    char *array = calloc(1, 3 * distance);
    CHECK(array != NULL);
    for (size_t i = 0; i < 3; i++) {
        ctie_provider provider = CTIE_PROVIDER_INIT;
        provider.size = i == 0 ? size_of_first : size_of_others;
        provider.name = ctie_str_from(names[i]);
        provider.platform = CTIE_STR("x");
        provider.launch = reply_null;
        provider.destroy = count_destroyed;
        memset(array + i * distance, spoilt, distance);
        memcpy(array + i * distance, &provider, distance < sizeof provider ? distance : sizeof provider);
    }
    destroyed = 0;
    ctie_status status = ctie_provider_set_all(bus, (const ctie_provider *)(const void *)array, 3, NULL);
    free(array);
    return status;
}

static void a_refused_array_is_walked_as_its_header_has_it(void) {
    const size_t ours = sizeof(ctie_provider), newer = ours + 16;
    CHECK_STATUS(set_three(newer, newer, newer, 0), CTIE_OK);
    CHECK_STATUS(ctie_provider_set_all(bus, NULL, 0, NULL), CTIE_OK);
    CHECK(destroyed == 3);
    CHECK_STATUS(set_three(newer, newer, newer, 1), CTIE_E_ABI); /* what they begin with is known */
    CHECK(destroyed == 3);
    CHECK_STATUS(set_three(newer + 8, newer + 1, ours, 1), CTIE_E_ABI); /* they are at multiples of 8 */
    CHECK(destroyed == 3);
    CHECK_STATUS(set_three(ours, 0, ours, 0), CTIE_E_INVALID); /* no size that there is: they lie as here */
    CHECK(destroyed == 2);
    CHECK_STATUS(set_three(ours, SIZE_MAX, ours, 0), CTIE_E_INVALID);
    CHECK(destroyed == 2);
    CHECK_STATUS(set_three(ours, (size_t)1 << 40, ours, 0), CTIE_E_INVALID);
    CHECK(destroyed == 2);
    CHECK_STATUS(set_three(32, 28, 28, 0), CTIE_E_INVALID); /* all can be read, and the first has no function */
}

static void a_longer_struct_is_taken_when_it_says_no_more(void) {
    struct { ctie_route_options known; size_t appended[2]; } newer = {CTIE_ROUTE_OPTIONS_INIT, {0, 0}};
    newer.known.size = sizeof newer;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(reply_null, NULL), &newer.known, NULL, NULL),
                 CTIE_OK);
    newer.appended[1] = 1;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://b"), CTIE_HANDLER(reply_null, NULL), &newer.known, NULL, NULL),
                 CTIE_E_ABI);
}

/* A struct of a newer header, which says something that this library does not know. */
#define NEWER(type, name, ...)                                      \
    struct { type known; size_t appended[2]; } name = {__VA_ARGS__, {0, 1}}; \
    name.known.size = sizeof name

static void count_progress(const ctie_value *value, void *user_data) {
    (void)value, (void)user_data;
}

static void count_line(int32_t level, ctie_str message, void *user_data) {
    (void)level, (void)message, (void)user_data;
}

/* The callbacks in options of a newer header are destroyed like all others: once. */
static void callbacks_in_refused_options_are_destroyed(void) {
    ctie_handler interceptors[] = {CTIE_HANDLER_OWNED(reply_null, NULL, count_destroyed),
                                   CTIE_HANDLER_OWNED(reply_null, NULL, count_destroyed)};
    NEWER(ctie_route_options, route, CTIE_ROUTE_OPTIONS_INIT);
    route.known.interceptors = interceptors, route.known.interceptor_count = 2;
    destroyed = 0;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://b"), CTIE_HANDLER_OWNED(reply_null, NULL, count_destroyed),
                                &route.known, NULL, NULL), CTIE_E_ABI);
    CHECK(destroyed == 3);
    NEWER(ctie_handler_options, handler, CTIE_HANDLER_OPTIONS_INIT);
    handler.known.interceptors = interceptors, handler.known.interceptor_count = 2;
    destroyed = 0;
    CHECK_STATUS(ctie_route_set_unmatched(bus, CTIE_HANDLER_OWNED(reply_null, NULL, count_destroyed), &handler.known,
                                          NULL), CTIE_E_ABI);
    CHECK(destroyed == 3);
    NEWER(ctie_component_options, component, CTIE_COMPONENT_OPTIONS_INIT);
    component.known.interceptors = interceptors, component.known.interceptor_count = 2;
    destroyed = 0;
    ctie_action_list actions = {NULL, 0};
    ctie_factory instance = CTIE_INSTANCE(NULL);
    instance.destroy = count_destroyed;
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("c"), actions, instance, &component.known, NULL, NULL), CTIE_E_ABI);
    CHECK(destroyed == 3);
    NEWER(ctie_request_options, request, CTIE_REQUEST_OPTIONS_INIT);
    request.known.interceptors = interceptors, request.known.interceptor_count = 2;
    request.known.progress = (ctie_progress){count_progress, NULL, count_destroyed};
    destroyed = 0;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://b"), CTIE_ORIGIN_LOCAL, &request.known, NULL, NULL), CTIE_E_ABI);
    CHECK(destroyed == 3);
    CHECK_STATUS(ctie_open(bus, (ctie_str){NULL, 1}, CTIE_ORIGIN_LOCAL, &request.known, NULL, NULL), CTIE_E_INVALID);
    CHECK(destroyed == 6);
    ctie_completion completion = {NULL, NULL, count_destroyed};
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("c", "go"), NULL, completion, &request.known, NULL, NULL),
                 CTIE_E_ABI);
    CHECK(destroyed == 10);
    NEWER(ctie_wormhole_options, wormhole, CTIE_WORMHOLE_OPTIONS_INIT);
    wormhole.known.log = (ctie_logger){count_line, NULL, count_destroyed};
    NEWER(ctie_transport, transport, {0});
    transport.known.destroy = count_destroyed;
    wormhole.known.transport = &transport.known;
    ctie_wormhole *opened = NULL;
    destroyed = 0;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("sizes"), &wormhole.known, &opened, NULL), CTIE_E_ABI);
    CHECK(destroyed == 2);
    wormhole.appended[1] = 0;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("sizes"), &wormhole.known, &opened, NULL), CTIE_E_ABI);
    CHECK(destroyed == 4);
    NEWER(ctie_engine, engine, {0});
    engine.known.close = count_destroyed;
    wormhole.known.transport = NULL;
    wormhole.known.engine = &engine.known;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("sizes"), &wormhole.known, &opened, NULL), CTIE_E_ABI);
    CHECK(destroyed == 6);
    wormhole.appended[1] = 1;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("sizes"), &wormhole.known, &opened, NULL), CTIE_E_ABI);
    CHECK(destroyed == 8);
}

int main(void) {
    a_bus_is_as_its_first_options_say();
    a_request_is_as_its_first_options_say();
    providers_of_an_older_header_follow_one_another();
    a_refused_array_is_walked_as_its_header_has_it();
    a_longer_struct_is_taken_when_it_says_no_more();
    callbacks_in_refused_options_are_destroyed();
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return check_end();
}
