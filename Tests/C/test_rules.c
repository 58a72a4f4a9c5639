/* Rule tables: loading, files, the ownership of their handlers, queries and generating. */
#include "check.h"
#include "latch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE(version, rules) \
    "{\"format\": 1, \"version\": \"" version "\", \"publicSchemes\": [\"shop\"], \"privateSchemes\": []," \
    " \"routeHosts\": [\"go\"], \"webHosts\": [\"m.shop.example\"], \"rules\": [" rules "]}"
#define ITEM "{\"id\": \"item\", \"host\": \"go\", \"path\": \"/item/:id\", \"visibility\": \"public\"," \
    " \"target\": \"python:shop:Item\", \"params\": {\"n\": {\"type\": \"int\", \"default\": 5}}}"

static ctie_bus *bus;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static ctie_status load(const char *json) {
    return ctie_rules_load(bus, ctie_str_from(json), NULL, NULL);
}

static ctie_status open_local(const char *url) {
    return ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, without_end(), NULL, NULL);
}

static void reply_one(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

/* ---- Loading ------------------------------------------------------------------------------------ */

static void loading_checks_its_arguments(void) {
    ctie_rules_options options = CTIE_RULES_OPTIONS_INIT;
    ctie_error *error = NULL;
    new_bus();
    CHECK_STATUS(ctie_rules_load(NULL, CTIE_STR(TABLE("1.0.0", ITEM)), NULL, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_rules_load(bus, (ctie_str){NULL, 5}, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_rules_load(bus, CTIE_STR("{\"\xFF\": 1}"), NULL, NULL), CTIE_E_UTF8);
    CHECK_STATUS(ctie_rules_load(bus, CTIE_STR("{"), NULL, &error), CTIE_E_FORMAT);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_FORMAT);
    CHECK(ctie_error_location(error).size > 0);
    ctie_error_release(error);
    options.size = 3;
    CHECK_STATUS(ctie_rules_load(bus, CTIE_STR(TABLE("1.0.0", ITEM)), &options, NULL), CTIE_E_INVALID);
    options.size = sizeof options;
    options.platform = CTIE_STR("No Platform");
    CHECK_STATUS(ctie_rules_load(bus, CTIE_STR(TABLE("1.0.0", ITEM)), &options, NULL), CTIE_E_INVALID);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_E_BLOCKED);
    CHECK_STATUS(load(TABLE("1.0.0", ITEM)), CTIE_OK);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_E_NO_TARGET);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(load(TABLE("1.0.0", ITEM)), CTIE_E_HANDLE);
}

static char directory[] = "/tmp/crosstie-rules-XXXXXX";

static const char *in_directory(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_file(const char *path, const char *text, size_t padding) {
    FILE *file = fopen(path, "w");
    fputs(text, file);
    for (size_t i = 0; i < padding; i++) { fputc(' ', file); }
    fclose(file);
}

/* The results of loading and converting. An unreadable file is named. */
static void expect_file(const char *path, ctie_status status) {
    ctie_error *error = NULL;
    ctie_value *json = NULL;
    CHECK_STATUS(ctie_rules_load_file(bus, ctie_str_from(path), NULL, &error), status);
    CHECK((error != NULL) == (status != CTIE_OK));
    CHECK(status == CTIE_OK || ctie_error_message(error).size > 0);
    CHECK(status != CTIE_E_SYSTEM || strstr(ctie_error_message(error).data, path) != NULL);
    ctie_error_release(error);
    CHECK_STATUS(ctie_rules_convert_file(ctie_str_from(path), NULL, &json, NULL), status);
    CHECK((ctie_value_kind(json) == CTIE_KIND_STRING) == (status == CTIE_OK));
    ctie_value_release(json);
}

/* Standard input is read if it is a regular file. */
static void expect_standard_input(const char *path) {
    int ends[2], before = dup(0);
    CHECK(freopen(path, "r", stdin) != NULL);
    expect_file("/dev/stdin", CTIE_OK);
    CHECK(pipe(ends) == 0 && dup2(ends[0], 0) == 0);
    expect_file("/dev/stdin", CTIE_E_SYSTEM);
    CHECK(dup2(before, 0) == 0);
    close(ends[0]), close(ends[1]), close(before);
}

static void a_table_is_loaded_from_a_file(void) {
    static char endless[4098];
    memset(endless, 'a', sizeof endless - 1);
    CHECK(mkdtemp(directory) != NULL);
    new_bus();
    write_file(in_directory("good.json"), TABLE("1.0.0", ITEM), 0);
    expect_file(in_directory("good.json"), CTIE_OK);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_E_NO_TARGET);
    CHECK(symlink("good.json", in_directory("link.json")) == 0);
    expect_file(in_directory("link.json"), CTIE_OK);
    write_file(in_directory("bad.json"), "{", 0);
    expect_file(in_directory("bad.json"), CTIE_E_FORMAT);
    write_file(in_directory("big.json"), TABLE("1.0.0", ITEM), 1 << 20);
    expect_file(in_directory("big.json"), CTIE_E_LIMIT);
    expect_file(in_directory("none.json"), CTIE_E_SYSTEM);
    expect_file(directory, CTIE_E_SYSTEM);
    expect_file("/dev/zero", CTIE_E_SYSTEM);
    expect_standard_input(in_directory("good.json"));
    CHECK(mkfifo(in_directory("pipe"), 0600) == 0);
    expect_file(in_directory("pipe"), CTIE_E_SYSTEM); /* a pipe that nobody writes to holds nobody up */
    expect_file(endless, CTIE_E_LIMIT);
    CHECK_STATUS(ctie_rules_load_file(bus, (ctie_str){"good\0.json", 10}, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_rules_load_file(bus, CTIE_STR(""), NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_rules_convert_file(CTIE_STR("x"), NULL, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_E_NO_TARGET);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    const char *names[] = {"good.json", "link.json", "bad.json", "big.json", "pipe"};
    for (size_t i = 0; i < 5; i++) { unlink(in_directory(names[i])); }
    CHECK(rmdir(directory) == 0);
}

static void a_table_goes_back_and_away(void) {
    ctie_rules_options options = CTIE_RULES_OPTIONS_INIT;
    ctie_error *error = NULL;
    new_bus();
    CHECK_STATUS(ctie_rules_unload(bus, &error), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_NOT_FOUND);
    ctie_error_release(error);
    CHECK_STATUS(load(TABLE("2.0.0", ITEM)), CTIE_OK);
    CHECK_STATUS(load(TABLE("1.0.0", ITEM)), CTIE_E_VERSION);
    options.flags = CTIE_RULES_ROLLBACK << 1;
    CHECK_STATUS(ctie_rules_load(bus, CTIE_STR(TABLE("1.0.0", ITEM)), &options, NULL), CTIE_E_INVALID);
    options.flags = CTIE_RULES_ROLLBACK;
    CHECK_STATUS(ctie_rules_load(bus, CTIE_STR(TABLE("1.0.0", ITEM)), &options, NULL), CTIE_OK);
    CHECK_STATUS(ctie_rules_unload(bus, NULL), CTIE_OK);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_E_BLOCKED);
    CHECK_STATUS(load(TABLE("0.0.1", ITEM)), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_rules_unload(bus, NULL), CTIE_E_HANDLE);
}

/* A route that is for a rule is destroyed once, whatever comes and goes. */
static void a_route_for_a_rule_is_destroyed_once(void) {
    latch destroyed = LATCH_INIT;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    ctie_registration *registration = NULL;
    options.rule = CTIE_STR("item");
    new_bus();
    CHECK_STATUS(load(TABLE("1.0.0", ITEM)), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("shop://go/item/:id"),
                                CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy), &options, &registration,
                                NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("https://m.shop.example/item/1"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_rules_unload(bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("shop://go/item/1"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL), CTIE_E_DENIED);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_OK);
    CHECK_STATUS(load(TABLE("1.0.0", ITEM)), CTIE_OK);
    CHECK(latch_count(&destroyed) == 0);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_E_NO_TARGET);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("shop://go/item/:id"),
                                CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy), &options, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 2);
}

/* ---- Handlers ----------------------------------------------------------------------------------- */

static void a_rules_handler_is_destroyed_once(void) {
    latch destroyed = LATCH_INIT;
    ctie_handler_options options = CTIE_HANDLER_OPTIONS_INIT;
    ctie_registration *registration = NULL;
    new_bus();
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("item"), CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy),
                                   NULL, &registration, NULL), CTIE_OK);
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("item"), CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy),
                                   NULL, NULL, NULL), CTIE_E_CONFLICT);
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("1"), CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy), NULL,
                                   NULL, NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("other"), CTIE_HANDLER_OWNED(NULL, &destroyed, latch_destroy), NULL,
                                   NULL, NULL), CTIE_E_INVALID);
    options.flags = CTIE_HANDLER_PUBLIC;
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("other"), CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy),
                                   &options, NULL, NULL), CTIE_E_INVALID);
    CHECK(latch_count(&destroyed) == 4);
    CHECK_STATUS(load(TABLE("1.0.0", ITEM)), CTIE_OK);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_OK);
    CHECK_STATUS(load(TABLE("1.0.0", "")), CTIE_OK);
    CHECK(latch_count(&destroyed) == 4); /* rules come and go, their handlers stay */
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    CHECK(latch_count(&destroyed) == 5);
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("item"), CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy),
                                   NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 6);
}

/* The navigator and the handler of the unmatched are set alike. */
typedef ctie_status setter(ctie_bus *bus, ctie_handler handler, const ctie_handler_options *options,
                           ctie_error **error);

static void a_handler_that_is_set_is_destroyed_once(setter *set, uint32_t refused_flags) {
    latch first = LATCH_INIT, second = LATCH_INIT;
    ctie_handler own = {reply_one, &first, latch_destroy};
    ctie_handler_options options = CTIE_HANDLER_OPTIONS_INIT;
    new_bus();
    options.interceptors = &own;
    options.interceptor_count = 1;
    CHECK_STATUS(set(bus, CTIE_HANDLER_OWNED(reply_one, &first, latch_destroy), &options, NULL), CTIE_OK);
    CHECK(latch_count(&first) == 0);
    CHECK_STATUS(set(bus, CTIE_HANDLER_OWNED(reply_one, &second, latch_destroy), NULL, NULL), CTIE_OK);
    CHECK(latch_count(&first) == 2 && latch_count(&second) == 0);
    CHECK_STATUS(set(bus, CTIE_HANDLER_OWNED(NULL, &first, latch_destroy), NULL, NULL), CTIE_OK);
    CHECK(latch_count(&first) == 3 && latch_count(&second) == 1);
    options.flags = refused_flags;
    CHECK_STATUS(set(bus, CTIE_HANDLER_OWNED(reply_one, &first, latch_destroy), &options, NULL), CTIE_E_INVALID);
    CHECK(latch_count(&first) == 5);
    CHECK_STATUS(set(bus, CTIE_HANDLER_OWNED(reply_one, &second, latch_destroy), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&second) == 2);
    CHECK_STATUS(set(bus, CTIE_HANDLER_OWNED(reply_one, &second, latch_destroy), NULL, NULL), CTIE_E_HANDLE);
    CHECK(latch_count(&second) == 3);
}

static void set_itself_anew(ctie_request *request, void *destroyed) {
    (void)request;
    CHECK_STATUS(ctie_rules_set_navigator(bus, CTIE_HANDLER(reply_one, NULL), NULL, NULL), CTIE_PENDING);
    CHECK(latch_count(destroyed) == 0);
}

static void a_navigator_may_set_another(void) {
    latch destroyed = LATCH_INIT;
    new_bus();
    CHECK_STATUS(load(TABLE("1.0.0", ITEM)), CTIE_OK);
    CHECK_STATUS(ctie_rules_set_navigator(bus, CTIE_HANDLER_OWNED(set_itself_anew, &destroyed, latch_destroy), NULL,
                                          NULL), CTIE_OK);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
    CHECK_STATUS(open_local("shop://go/item/1"), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Asking and generating ---------------------------------------------------------------------- */

static bool string_is(const ctie_value *map, const char *key, const char *expected) {
    ctie_str text;
    return ctie_value_get_string(ctie_value_get(map, ctie_str_from(key)), &text) == CTIE_OK && text_is(text, expected);
}

static void look_at_rule(ctie_request *request, void *user_data) {
    const ctie_value *rule = NULL;
    ctie_value *params = NULL, *texts = NULL;
    ctie_str unmatched = {"x", 1};
    int64_t number = 0;
    CHECK_STATUS(ctie_request_rule(request, &rule), CTIE_OK);
    CHECK(string_is(rule, "id", "item") && string_is(rule, "target", "python:shop:Item"));
    CHECK_STATUS(ctie_request_rule(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    CHECK(ctie_value_count(params) == 3 && string_is(params, "id", "7"));
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(params, CTIE_STR("n")), &number), CTIE_OK);
    CHECK(number == 5);
    CHECK_STATUS(ctie_request_params(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_query_all(request, CTIE_STR("q"), &texts), CTIE_OK);
    CHECK(ctie_value_count(texts) == 2);
    CHECK_STATUS(ctie_request_unmatched(request, &unmatched), CTIE_OK);
    CHECK(unmatched.size == 0);
    ctie_value_release(texts);
    ctie_value_release(params);
    latch_add(user_data);
}

static void a_handler_sees_its_rule(void) {
    latch seen = LATCH_INIT;
    ctie_value *document = NULL;
    new_bus();
    CHECK_STATUS(ctie_rules_document(bus, &document), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_rules_document(bus, NULL), CTIE_E_INVALID);
    CHECK_STATUS(load(TABLE("1.0.0", ITEM)), CTIE_OK);
    CHECK_STATUS(ctie_rules_set_navigator(bus, CTIE_HANDLER(look_at_rule, &seen), NULL, NULL), CTIE_OK);
    CHECK_STATUS(open_local("shop://go/item/7?q=1&q=2"), CTIE_OK);
    CHECK(latch_count(&seen) == 1);
    CHECK_STATUS(ctie_rules_document(bus, &document), CTIE_OK);
    CHECK(string_is(document, "version", "1.0.0"));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(string_is(document, "version", "1.0.0")); /* it is the caller's own */
    ctie_value_release(document);
}

static void generating_checks_its_arguments(void) {
    ctie_value *url = NULL, *number = ctie_value_int(1), *id = ctie_value_int(7);
    ctie_pair pair = {CTIE_STR("id"), id};
    ctie_value *params = ctie_value_map(&pair, 1);
    new_bus();
    CHECK_STATUS(ctie_rules_generate(bus, CTIE_STR("item"), NULL, 0, &url, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(load(TABLE("1.0.0", ITEM)), CTIE_OK);
    CHECK_STATUS(ctie_rules_generate(bus, CTIE_STR("item"), params, 0, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_rules_generate(bus, CTIE_STR("item"), params, 8, &url, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_rules_generate(bus, CTIE_STR("item"), number, 0, &url, NULL), CTIE_E_TYPE);
    CHECK_STATUS(ctie_generate_named(bus, CTIE_STR("item"), params, NULL, &url, NULL), CTIE_E_NOT_FOUND);
    CHECK(url == NULL);
    CHECK_STATUS(ctie_rules_generate(bus, CTIE_STR("item"), params, CTIE_RULES_WEB, &url, NULL), CTIE_OK);
    ctie_str text = {"", 0};
    ctie_value_get_string(url, &text);
    CHECK(text_is(text, "https://m.shop.example/item/7"));
    ctie_value_release(url);
    ctie_value_release(params);
    ctie_value_release(number);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void converting_needs_no_bus(void) {
    ctie_value *json = NULL;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_rules_convert(CTIE_STR(TABLE("1.0.0", ITEM)), NULL, &json, NULL), CTIE_OK);
    CHECK(ctie_value_kind(json) == CTIE_KIND_STRING);
    ctie_value_release(json);
    CHECK_STATUS(ctie_rules_convert(CTIE_STR(TABLE("1.0.0", ITEM)), NULL, NULL, NULL), CTIE_E_INVALID);
    json = NULL;
    CHECK_STATUS(ctie_rules_convert(CTIE_STR(TABLE("1", ITEM)), NULL, &json, &error), CTIE_E_FORMAT);
    CHECK(json == NULL && text_is(ctie_error_location(error), "version"));
    ctie_error_release(error);
}

int main(void) {
    loading_checks_its_arguments();
    a_table_is_loaded_from_a_file();
    a_table_goes_back_and_away();
    a_route_for_a_rule_is_destroyed_once();
    a_rules_handler_is_destroyed_once();
    a_handler_that_is_set_is_destroyed_once(ctie_rules_set_navigator, CTIE_HANDLER_PUBLIC);
    a_handler_that_is_set_is_destroyed_once(ctie_route_set_unmatched, 1u << 31);
    a_navigator_may_set_another();
    a_handler_sees_its_rule();
    generating_checks_its_arguments();
    converting_needs_no_bus();
    return check_end();
}
