/*
 * Text and values borrowed from a retained request stay valid until the request ends, wherever the request goes
 * meanwhile. Freed memory is overwritten before the check, so that a failure shows without a memory checker.
 */
#include "check.h"

#include <stdlib.h>

static ctie_bus *bus;

/* The request and texts that an interceptor has kept, and its reading of them. */
static struct {
    ctie_request *request;
    ctie_str url, pattern, param, id;
    const ctie_value *rule;
    char copies[4][2048];
} kept;

static void copy(ctie_str text, int place) {
    CHECK(text.size > 0 && text.size < sizeof kept.copies[0]);
    memcpy(kept.copies[place], text.data, text.size);
    kept.copies[place][text.size] = 0;
}

/* Takes all that has been freed of the sizes in question, and gives it back. */
static void write_over_what_was_freed(void) {
    enum { BLOCKS = 4096 };
    static void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        size_t size = 16u + (size_t)(BLOCKS - 1 - i); /* the large ones first, or they would be split */
        blocks[i] = malloc(size);
        if (blocks[i] != NULL) { memset(blocks[i], 0xEE, size); }
    }
    for (int i = 0; i < BLOCKS; i++) { free(blocks[i]); }
}

static void begin(void) {
    memset(&kept, 0, sizeof kept);
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void end(void) {
    CHECK_STATUS(ctie_request_release(kept.request), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void decline(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_decline(request), CTIE_OK);
}

static void reply_one(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static void add(const char *pattern, ctie_handler_fn handler, const ctie_handler *interceptor) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.interceptors = interceptor;
    options.interceptor_count = interceptor == NULL ? 0 : 1;
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(handler, NULL), &options, NULL, NULL),
                 CTIE_OK);
}

static ctie_status open_endless(const char *url, const ctie_handler *interceptor) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1;
    options.interceptors = interceptor;
    options.interceptor_count = interceptor == NULL ? 0 : 1;
    return ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, &options, NULL, NULL);
}

/* ---- The URL ------------------------------------------------------------------------------------------- */

static void keep_url(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept.request = request;
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_WHOLE, &kept.url), CTIE_OK);
    copy(kept.url, 0);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

/* Each match that declines has captured UUIDs, which are lower-cased behind the URL's text until there is no room. */
static void a_url_stays_where_it_is(void) {
    enum { PLACES = 5, ALWAYS = 4 };
    const ctie_handler interceptor = {keep_url, NULL, NULL};
    char pattern[256], url[2048] = "app://h";
    begin();
    for (int mask = 1 << PLACES; mask-- > 0;) {
        strcpy(pattern, "app://h");
        for (int i = 0; i < ALWAYS + PLACES; i++) {
            bool is_typed = i < ALWAYS || (mask >> (i - ALWAYS) & 1) != 0;
            sprintf(pattern + strlen(pattern), "/:p%d%s", i, is_typed ? "<uuid>" : "");
        }
        add(pattern, mask == 0 ? reply_one : decline, NULL);
    }
    for (int i = 0; i < ALWAYS + PLACES; i++) {
        sprintf(url + strlen(url), "/6BA7B810-9DAD-11D1-80B4-00C04FD430C%d", i);
    }
    strcat(url, "?longer="); /* than what a request has room for itself */
    memset(url + strlen(url), 'x', 900);
    CHECK_STATUS(open_endless(url, &interceptor), CTIE_OK);
    write_over_what_was_freed();
    CHECK(strcmp(url, kept.copies[0]) == 0 && text_is(kept.url, url));
    end();
}

/* ---- Pattern and parameters of a route --------------------------------------------------------------------- */

static void keep_match(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept.request = request;
    CHECK_STATUS(ctie_request_pattern(request, &kept.pattern), CTIE_OK);
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("id"), &kept.param), CTIE_OK);
    copy(kept.pattern, 0);
    copy(kept.param, 1);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void remove_and_decline(ctie_request *request, void *pattern) {
    (void)pattern;
    CHECK_STATUS(ctie_route_remove(bus, CTIE_STR("app://items/:id<int>"), NULL), CTIE_PENDING);
    CHECK_STATUS(ctie_request_decline(request), CTIE_OK);
}

static void a_removed_routes_pattern_stays(void) {
    const ctie_handler interceptor = {keep_match, NULL, NULL};
    begin();
    add("app://items/:id<int>", remove_and_decline, &interceptor);
    add("app://items/:other", reply_one, NULL);
    CHECK_STATUS(open_endless("app://items/12345678", NULL), CTIE_OK);
    write_over_what_was_freed();
    CHECK(text_is(kept.pattern, "app://items/:id<int>") && text_is(kept.param, "12345678"));
    CHECK(text_is(kept.pattern, kept.copies[0]));
    end();
}

/* The interceptor removes its own route and has another one handle the request. */
static void keep_match_and_leave(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept.request = request;
    CHECK_STATUS(ctie_request_pattern(request, &kept.pattern), CTIE_OK);
    copy(kept.pattern, 0);
    CHECK_STATUS(ctie_route_remove(bus, CTIE_STR("app://items/:id<int>/of/a/long/pattern"), NULL), CTIE_PENDING);
    CHECK_STATUS(ctie_request_rewrite(request, CTIE_STR("app://elsewhere"), NULL), CTIE_OK);
}

static void a_pattern_stays_where_the_request_does_not(void) {
    const ctie_handler interceptor = {keep_match_and_leave, NULL, NULL};
    begin();
    add("app://items/:id<int>/of/a/long/pattern", decline, &interceptor);
    add("app://elsewhere", reply_one, NULL);
    CHECK_STATUS(open_endless("app://items/1/of/a/long/pattern", NULL), CTIE_OK);
    write_over_what_was_freed();
    CHECK(text_is(kept.pattern, "app://items/:id<int>/of/a/long/pattern"));
    end();
}

static void let_go_inside(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_release(kept.request), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static void keep_for_a_moment(ctie_request *request, void *user_data) {
    ctie_str pattern = {NULL, 0};
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    CHECK_STATUS(ctie_request_pattern(request, &pattern), CTIE_OK);
    CHECK(text_is(pattern, "app://moment/:id/of/a/long/pattern"));
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
    CHECK_STATUS(ctie_request_release(request), CTIE_OK);
}

/* A pattern that one request has retained and released is not released again by later requests. */
static void a_pattern_is_released_once(void) {
    const ctie_handler interceptor = {keep_match, NULL, NULL};
    begin();
    add("app://kept/:id/of/a/long/pattern", let_go_inside, &interceptor);
    add("app://moment/:id/of/a/long/pattern", keep_for_a_moment, NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(open_endless("app://kept/1/of/a/long/pattern", NULL), CTIE_OK);
        CHECK_STATUS(open_endless("app://moment/1/of/a/long/pattern", NULL), CTIE_OK);
        CHECK_STATUS(open_endless("app://moment/1/of/a/long/pattern", NULL), CTIE_OK);
        write_over_what_was_freed();
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- A rule ---------------------------------------------------------------------------------------------------- */

#define TABLE(version, rules) \
    "{\"format\": 1, \"version\": \"" version "\", \"publicSchemes\": [\"shop\"], \"privateSchemes\": []," \
    " \"routeHosts\": [\"go\"], \"webHosts\": [], \"rules\": [" rules "]}"
#define ITEM "{\"id\": \"item\", \"host\": \"go\", \"path\": \"/item/:id\", \"visibility\": \"public\"}"

static void load(const char *json) {
    CHECK_STATUS(ctie_rules_load(bus, ctie_str_from(json), NULL, NULL), CTIE_OK);
}

static void keep_rule(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_rule(request, &kept.rule), CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(kept.rule, CTIE_STR("path")), &kept.id), CTIE_OK);
    copy(kept.id, 2);
    keep_match(request, user_data);
}

static void unload_and_decline(ctie_request *request, void *user_data) {
    (void)user_data;
    load(TABLE("2.0.0", ""));
    CHECK_STATUS(ctie_request_decline(request), CTIE_OK);
}

static void an_unloaded_rule_stays(void) {
    ctie_handler interceptor = {keep_rule, NULL, NULL};
    ctie_handler_options options = CTIE_HANDLER_OPTIONS_INIT;
    options.interceptors = &interceptor;
    options.interceptor_count = 1;
    begin();
    load(TABLE("1.0.0", ITEM));
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("item"), CTIE_HANDLER(unload_and_decline, NULL), &options, NULL, NULL),
                 CTIE_OK);
    add("shop://go/*rest", reply_one, NULL);
    CHECK_STATUS(open_endless("shop://go/item/12345678", NULL), CTIE_OK);
    write_over_what_was_freed();
    CHECK(ctie_value_kind(kept.rule) == CTIE_KIND_MAP && ctie_value_count(kept.rule) == 4);
    CHECK(text_is(kept.id, "/item/:id") && text_is(kept.param, "12345678"));
    CHECK(text_is(kept.pattern, kept.copies[0]));
    end();
}

int main(void) {
    a_url_stays_where_it_is();
    a_removed_routes_pattern_stays();
    a_pattern_stays_where_the_request_does_not();
    a_pattern_is_released_once();
    an_unloaded_rule_stays();
    return check_end();
}
