/* Tests of the convenience header that C and C++ share. */
#ifndef TESTS_CONVENIENCE_H
#define TESTS_CONVENIENCE_H

#include <crosstie/convenience.h>

#include "check.h"

/* ---- Values that are counted -------------------------------------------------------------------- */

static int objects_held;

static void hold_object(void *object) {
    (void)object;
    objects_held++;
}

static void drop_object(void *object) {
    (void)object;
    objects_held--;
}

/** A value that counts in objects_held while anybody has it. */
static ctie_value *counted(void) {
    static ctie_foreign_id type;
    static int object;
    if (type == 0) {
        ctie_foreign_type description = {CTIE_FOREIGN_TYPE_INIT};
        description.tag = CTIE_STR("counted");
        description.retain = hold_object;
        description.release = drop_object;
        CHECK_STATUS(ctie_foreign_register(&description, &type, NULL), CTIE_OK);
    }
    return ctie_value_foreign(type, &object);
}

/* ---- Building ------------------------------------------------------------------------------------ */

/** Whether a value is what a JSON text reads as; the value is released. */
static bool is_json(ctie_value *value, const char *json) {
    ctie_value *expected = NULL;
    bool same;
    CHECK_STATUS(ctie_value_from_json(ctie_str_from(json), &expected, NULL), CTIE_OK);
    same = ctie_value_equal(value, expected);
    ctie_value_release(expected);
    ctie_value_release(value);
    return same;
}

static void values_are_made_in_one_expression(void) {
    CHECK(is_json(CTIE_MAP("name", ctie_text("Ada"), "age", ctie_int(36), "ratio", ctie_double(0.5), "on",
                           ctie_bool(true), "none", ctie_null()),
                  "{\"name\": \"Ada\", \"age\": 36, \"ratio\": 0.5, \"on\": true, \"none\": null}"));
    CHECK(is_json(CTIE_LIST(ctie_int(1), CTIE_LIST(ctie_int(2), CTIE_MAP("a", CTIE_MAP("b", ctie_int(3)))),
                            ctie_empty_list(), ctie_empty_map()),
                  "[1, [2, {\"a\": {\"b\": 3}}], [], {}]"));
    CHECK(is_json(CTIE_LIST(ctie_text(NULL), ctie_int(INT64_MAX), ctie_int(INT64_MIN)),
                  "[\"\", 9223372036854775807, -9223372036854775808]"));
}

static void bytes_are_copied_as_they_are(void) {
    char bytes[3] = {'a', 0, '\xFF'};
    ctie_str back = {NULL, 0};
    ctie_value *value = ctie_bytes_of(bytes, sizeof bytes);
    bytes[0] = 'b';
    CHECK_STATUS(ctie_value_get_bytes(value, &back), CTIE_OK);
    CHECK(back.size == 3 && memcmp(back.data, "a\0\xFF", 3) == 0);
    ctie_value_release(value);
}

static void maps_have_up_to_32_pairs(void) {
    ctie_value *one = CTIE_MAP("a", ctie_int(1));
    ctie_value *most = CTIE_MAP(
        "0", ctie_int(0), "1", ctie_int(1), "2", ctie_int(2), "3", ctie_int(3), "4", ctie_int(4), "5", ctie_int(5), "6",
        ctie_int(6), "7", ctie_int(7), "8", ctie_int(8), "9", ctie_int(9), "10", ctie_int(10), "11", ctie_int(11), "12",
        ctie_int(12), "13", ctie_int(13), "14", ctie_int(14), "15", ctie_int(15), "16", ctie_int(16), "17",
        ctie_int(17), "18", ctie_int(18), "19", ctie_int(19), "20", ctie_int(20), "21", ctie_int(21), "22",
        ctie_int(22), "23", ctie_int(23), "24", ctie_int(24), "25", ctie_int(25), "26", ctie_int(26), "27",
        ctie_int(27), "28", ctie_int(28), "29", ctie_int(29), "30", ctie_int(30), "31", ctie_int(31));
    int key;
    CHECK(ctie_value_count(one) == 1 && ctie_value_count(most) == 32);
    for (key = 0; key < 32; key++) {
        char name[8];
        snprintf(name, sizeof name, "%d", key);
        CHECK(ctie_get_int(most, name, -1) == key);
    }
    ctie_value_release(one);
    ctie_value_release(most);
}

static void parts_are_released_where_the_whole_fails(void) {
    CHECK(CTIE_MAP("a", counted(), "b", (ctie_value *)NULL) == NULL);
    CHECK(CTIE_MAP("a", counted(), "a", counted()) == NULL);
    CHECK(CTIE_MAP("\xFF", counted()) == NULL);
    CHECK(CTIE_LIST(counted(), CTIE_LIST(counted(), ctie_text("\xFF"))) == NULL);
    CHECK(objects_held == 0);
    {
        ctie_value *whole = CTIE_MAP("a", counted(), "b", CTIE_LIST(counted()));
        CHECK(whole != NULL && objects_held == 2);
        ctie_value_release(whole);
        CHECK(objects_held == 0);
    }
}

static int made;

static ctie_value *make_once(void) { return ctie_int(++made); }

static void parts_are_made_once(void) {
    made = 0;
    ctie_value_release(CTIE_LIST(make_once(), CTIE_LIST(make_once(), CTIE_MAP("a", make_once()))));
    CHECK(made == 3);
}

/* ---- Reading ------------------------------------------------------------------------------------- */

static ctie_value *document(void) {
    ctie_value *value = NULL;
    CHECK_STATUS(ctie_value_from_json(CTIE_STR("{\"user\": {\"name\": \"Ada\", \"age\": 36, \"score\": 1.5, \"on\": true,"
                                               "  \"tags\": [\"a\", {\"deep\": \"b\"}], \"empty\": \"\","
                                               "  \"0\": \"zero\"},"
                                               "\"cut\": \"a\\u0000b\", \"\": 1, \"a.b\": 2}"), &value, NULL), CTIE_OK);
    return value;
}

static void values_are_read_by_path(void) {
    ctie_value *value = document();
    CHECK(strcmp(ctie_get_text(value, "user.name", "nobody"), "Ada") == 0);
    CHECK(strcmp(ctie_get_text(value, "user.tags.0", "none"), "a") == 0);
    CHECK(strcmp(ctie_get_text(value, "user.tags.1.deep", "none"), "b") == 0);
    CHECK(strcmp(ctie_get_text(value, "user.0", "none"), "zero") == 0);
    CHECK(strcmp(ctie_get_text(value, "user.empty", "none"), "") == 0);
    CHECK(ctie_get_int(value, "user.age", -1) == 36);
    CHECK(ctie_get_double(value, "user.score", -1) == 1.5);
    CHECK(ctie_get_double(value, "user.age", -1) == 36.0);
    CHECK(ctie_get_bool(value, "user.on", false));
    CHECK(ctie_value_kind(ctie_get(value, "user.tags")) == CTIE_KIND_LIST);
    CHECK(ctie_str_is(ctie_get_str(value, "user.name", CTIE_STR("nobody")), "Ada"));
    CHECK(ctie_get_str(value, "cut", CTIE_STR("")).size == 3);
    ctie_value_release(value);
}

static void defaults_come_back(void) {
    ctie_value *value = document();
    static const char *const nowhere[] = {"", ".", "user.", ".user", "user..name", "user.name.first", "user.tags.2",
                                          "user.tags.00", "user.tags.-1", "user.tags.+0", "user.tags.0x0", "a.b",
                                          "user.tags.99999999999999999999", "user.none", "none", "user.tags. 0"};
    size_t i;
    for (i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        CHECK(ctie_get(value, nowhere[i]) == NULL);
        CHECK(ctie_get_int(value, nowhere[i], 7) == 7);
        CHECK(strcmp(ctie_get_text(value, nowhere[i], "default"), "default") == 0);
    }
    CHECK(ctie_get_text(value, "user.age", NULL) == NULL);
    CHECK(ctie_get_text(value, "cut", NULL) == NULL);
    CHECK(ctie_get_int(value, "user.score", 7) == 7);
    CHECK(ctie_get_int(value, "user.name", 7) == 7);
    CHECK(ctie_get_double(value, "user.name", 2.5) == 2.5);
    CHECK(ctie_get_bool(value, "user.age", true));
    CHECK(ctie_str_is(ctie_get_str(value, "user.age", CTIE_STR("none")), "none"));
    CHECK(ctie_get_int(value, NULL, 7) == 7);
    CHECK(ctie_get_int(NULL, "a", 7) == 7);
    ctie_value_release(value);
}

static void a_value_is_read_whole(void) {
    ctie_value *text = ctie_text("Ada"), *empty = ctie_text(""), *number = ctie_int(1), *cut = NULL;
    CHECK_STATUS(ctie_value_from_json(CTIE_STR("\"a\\u0000b\""), &cut, NULL), CTIE_OK);
    CHECK(strcmp(ctie_value_text(text, "none"), "Ada") == 0);
    CHECK(strcmp(ctie_value_text(empty, "none"), "") == 0);
    CHECK(strcmp(ctie_value_text(number, "none"), "none") == 0);
    CHECK(strcmp(ctie_value_text(cut, "none"), "none") == 0);
    CHECK(ctie_value_text(NULL, NULL) == NULL);
    ctie_value_release(text);
    ctie_value_release(empty);
    ctie_value_release(number);
    ctie_value_release(cut);
}

static void texts_are_compared(void) {
    ctie_str none = {NULL, 0}, odd = {NULL, 3};
    CHECK(ctie_str_is(CTIE_STR("abc"), "abc") && !ctie_str_is(CTIE_STR("abc"), "abd"));
    CHECK(!ctie_str_is(CTIE_STR("abc"), "ab") && !ctie_str_is(CTIE_STR("ab"), "abc"));
    CHECK(!ctie_str_is(CTIE_STR("a\0b"), "a") && !ctie_str_is(odd, "abc"));
    CHECK(ctie_str_is(none, NULL) && ctie_str_is(none, "") && ctie_str_is(CTIE_STR(""), NULL));
    CHECK(!ctie_str_is(CTIE_STR("abc"), NULL) && !ctie_str_is(none, "abc"));
}

/* ---- Requests ------------------------------------------------------------------------------------ */

static void report_parameters(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_reply_format(request, CTIE_FMT " %lld %g %d",
                                   CTIE_ARG(ctie_param_str(request, "text", CTIE_STR("none"))),
                                   (long long)ctie_param_int(request, "int", -7),
                                   ctie_param_double(request, "double", 0.5), ctie_param_bool(request, "bool", true)),
                 CTIE_OK);
}

/* Replies with the URL, the number in the user info, and an option under a key with dots. */
static void report_surroundings(ctie_request *request, void *data CTIE_UNUSED) {
    CHECK(ctie_option_text(request, NULL, NULL) == NULL && ctie_option_text(request, "n", NULL) == NULL);
    CHECK_STATUS(ctie_reply_format(request, CTIE_FMT " %d %s", CTIE_ARG(ctie_url_str(request)),
                                   (int)ctie_get_int(ctie_user_info(request), "n", -1),
                                   ctie_option_text(request, "some.option", "none")), CTIE_OK);
}

static ctie_value *surroundings(void) { return CTIE_MAP("n", ctie_int(5), "some.option", ctie_text("yes")); }

static void fail_with_text(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_fail_format(request, 5, "bad \xFF"), CTIE_E_INVALID);
    CHECK_STATUS(ctie_fail_format(request, 5, "no %s of %d", "part", 12), CTIE_OK);
}

static void reply_long(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_reply_format(request, "\xFF"), CTIE_E_INVALID);
    CHECK_STATUS(ctie_reply_format(request, "%0255d%01000d", 1, 2), CTIE_OK);
}

/** Whether a response is this text; it is released. */
static bool says(ctie_response *response, const char *expected) {
    ctie_str text = {NULL, 0};
    bool same = ctie_value_get_string(ctie_response_value(response), &text) == CTIE_OK && ctie_str_is(text, expected);
    if (!same) fprintf(stderr, "    it is " CTIE_FMT "\n", CTIE_ARG(text));
    ctie_response_release(response);
    return same;
}

/** Opens a URL. */
static ctie_response *answer_to(ctie_bus *bus, const char *url, ctie_status expected) {
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, without_end(), &response, NULL), expected);
    return response;
}

static bool opens_as(ctie_bus *bus, const char *url, const char *expected) {
    return says(answer_to(bus, url, CTIE_OK), expected);
}

static bool calls_as(ctie_bus *bus, ctie_value *params, const char *expected) {
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("teller", "tell"), params, without_end(), &response, NULL),
                 CTIE_OK);
    ctie_value_release(params);
    return says(response, expected);
}

static void add_route(ctie_bus *bus, const char *pattern, ctie_handler_fn fn) {
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(fn, NULL), NULL, NULL, NULL), CTIE_OK);
}

static void add_handlers(ctie_bus *bus) {
    ctie_action actions[] = {{CTIE_STR("tell"), report_parameters, NULL, 0, {NULL, 0}},
                             {CTIE_STR("around"), report_surroundings, NULL, 0, {NULL, 0}}};
    add_route(bus, "app://tell/:text", report_parameters);
    add_route(bus, "app://typed/:int<int>/:bool<bool>", report_parameters);
    add_route(bus, "app://around", report_surroundings);
    add_route(bus, "app://fail", fail_with_text);
    add_route(bus, "app://long", reply_long);
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("teller"), CTIE_ACTIONS(actions),
                                    CTIE_INSTANCE(NULL), NULL, NULL, NULL), CTIE_OK);
}

static void parameters_have_defaults(ctie_bus *bus) {
    CHECK(opens_as(bus, "app://tell/x?int=42&double=1.25&bool=false", "x 42 1.25 0"));
    CHECK(opens_as(bus, "app://tell/y", "y -7 0.5 1"));
    CHECK(opens_as(bus, "app://tell/z?int=042&double=.5&bool=TRUE", "z -7 0.5 1"));
    CHECK(opens_as(bus, "app://tell/z?int=1.5&double=x&bool=1", "z -7 0.5 1"));
    CHECK(opens_as(bus, "app://tell/z?int=%201&double=%5B1%5D&bool=%22true%22", "z -7 0.5 1"));
    CHECK(opens_as(bus, "app://tell/z?int=9223372036854775808&double=1e400&bool=", "z -7 0.5 1"));
    CHECK(opens_as(bus, "app://tell/z?int=1&int=2&double=-2&bool=false&bool=false", "z -7 -2 1"));
    CHECK(opens_as(bus, "app://typed/12/false", "none 12 0.5 0"));
    CHECK(opens_as(bus, "app://tell/z?int=1%20&double=2%0A&bool=false%09", "z -7 0.5 1"));
    CHECK(opens_as(bus, "app://tell/z?int=1%0D&double=-&bool=t", "z -7 0.5 1"));
}

/** Opens a URL whose number is 0.25, written in so many characters. */
static bool opens_long(ctie_bus *bus, int size, const char *expected) {
    char url[500];
    snprintf(url, sizeof url, "app://tell/z?double=0.25%0*d", size - 4, 0);
    return opens_as(bus, url, expected);
}

static void a_number_has_400_characters_at_most(ctie_bus *bus) {
    CHECK(opens_long(bus, 399, "z -7 0.25 1"));
    CHECK(opens_long(bus, 400, "z -7 0.25 1"));
    CHECK(opens_long(bus, 401, "z -7 0.5 1"));
}

static void typed_parameters_are_taken_as_they_are(ctie_bus *bus) {
    CHECK(calls_as(bus, CTIE_MAP("text", ctie_text("t"), "int", ctie_int(3), "double", ctie_int(4), "bool",
                                 ctie_bool(false)), "t 3 4 0"));
    CHECK(calls_as(bus, CTIE_MAP("text", ctie_int(1), "int", ctie_text("3"), "double", ctie_text("4"), "bool",
                                 ctie_text("false")), "none -7 0.5 1"));
    CHECK(calls_as(bus, NULL, "none -7 0.5 1"));
}

static void answers_are_formatted(ctie_bus *bus) {
    ctie_response *response = answer_to(bus, "app://fail", CTIE_E_HANDLER);
    CHECK(ctie_response_code(response) == 5 && ctie_str_is(ctie_response_message(response), "no part of 12"));
    ctie_response_release(response);
    response = answer_to(bus, "app://long", CTIE_OK);
    CHECK(ctie_value_count(ctie_response_value(response)) == 1255);
    CHECK(ctie_get_text(ctie_response_value(response), "", NULL) == NULL);
    ctie_response_release(response);
}

static void surroundings_are_read(ctie_bus *bus) {
    ctie_response *response = NULL;
    ctie_request_options options = *without_end();
    ctie_value *info = surroundings();
    options.user_info = info;
    CHECK(opens_as(bus, "app://around", "app://around/ -1 none"));
    CHECK_STATUS(ctie_open(bus, CTIE_STR("APP://around?a"), CTIE_ORIGIN_LOCAL, &options, &response, NULL), CTIE_OK);
    CHECK(says(response, "app://around/?a 5 yes"));
    response = NULL;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("teller", "around"), NULL, &options, &response, NULL), CTIE_OK);
    CHECK(says(response, " 5 yes"));
    ctie_value_release(info);
    CHECK(ctie_user_info(NULL) == NULL && ctie_url_str(NULL).size == 0);
    CHECK(ctie_option_text(NULL, "some.option", NULL) == NULL);
}

static int opened_local;
static void count_local(ctie_request *request, void *data CTIE_UNUSED) {
    ctie_origin origin = CTIE_ORIGIN_REMOTE;
    CHECK_STATUS(ctie_request_origin(request, &origin), CTIE_OK);
    opened_local += origin == CTIE_ORIGIN_LOCAL ? (int)ctie_get_int(ctie_user_info(request), "n", 1) : 0;
    CHECK_STATUS(ctie_request_reply(request, ctie_null()), CTIE_OK);
}

static void routes_and_opens_are_short(ctie_bus *bus) {
    const ctie_handler counts = CTIE_HANDLER(count_local, NULL);
    opened_local = 0;
    CHECK_STATUS(ctie_route_on(bus, "app://short", counts, 0), CTIE_OK);
    CHECK_STATUS(ctie_route_on(bus, "app://short", counts, 0), CTIE_E_CONFLICT);
    CHECK_STATUS(ctie_route_on(bus, "app://short", counts, CTIE_ROUTE_REPLACE), CTIE_OK);
    CHECK_STATUS(ctie_route_on(bus, "app://short", counts, 1u << 31), CTIE_E_INVALID);
    CHECK_STATUS(ctie_route_on(bus, NULL, counts, 0), CTIE_E_PATTERN);
    CHECK_STATUS(ctie_route_on(bus, "app://none", CTIE_HANDLER(NULL, NULL), 0), CTIE_E_INVALID);
    CHECK_STATUS(ctie_route_on(NULL, "app://short", counts, 0), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_url_open(bus, "app://short"), CTIE_OK);
    CHECK_STATUS(ctie_url_open_with(bus, "app://short", surroundings()), CTIE_OK);
    CHECK(opened_local == 6);
    CHECK_STATUS(ctie_url_open(bus, "app://nowhere"), CTIE_E_NO_ROUTE);
    CHECK_STATUS(ctie_url_open(bus, NULL), CTIE_E_URL);
    CHECK_STATUS(ctie_url_open(NULL, "app://short"), CTIE_E_HANDLE);
}

static void user_info_is_taken(ctie_bus *bus) {
    CHECK_STATUS(ctie_url_open_with(bus, "app://short", NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_url_open_with(bus, "app://short", CTIE_LIST(counted())), CTIE_E_TYPE);
    CHECK_STATUS(ctie_url_open_with(bus, NULL, CTIE_MAP("a", counted())), CTIE_E_URL);
    CHECK_STATUS(ctie_url_open_with(NULL, "app://short", CTIE_MAP("a", counted())), CTIE_E_HANDLE);
    CHECK(objects_held == 0);
}

static void texts_are_formatted_and_printed(void) {
    ctie_str none = {NULL, 0};
    ctie_value *text = ctie_format("<" CTIE_FMT "|" CTIE_FMT ">", CTIE_ARG(none), CTIE_ARG(CTIE_STR("x")));
    FILE *stream = tmpfile();
    char back[8] = {0};
    CHECK(is_json(text, "\"<|x>\""));
    CHECK(ctie_format("%s", "\xC3") == NULL);
    CHECK(!ctie_print(NULL, CTIE_STR("x")) && ctie_print(NULL, none));
    CHECK(stream != NULL);
    if (stream == NULL) return;
    CHECK(ctie_print(stream, CTIE_STR("a\0b")) && ctie_print(stream, none));
    rewind(stream);
    CHECK(fread(back, 1, sizeof back, stream) == 3 && memcmp(back, "a\0b", 3) == 0);
    fclose(stream);
}

static void check_convenience(void) {
    ctie_bus *bus = NULL;
    values_are_made_in_one_expression();
    bytes_are_copied_as_they_are();
    maps_have_up_to_32_pairs();
    parts_are_released_where_the_whole_fails();
    parts_are_made_once();
    values_are_read_by_path();
    defaults_come_back();
    a_value_is_read_whole();
    texts_are_compared();
    texts_are_formatted_and_printed();
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    add_handlers(bus);
    parameters_have_defaults(bus);
    a_number_has_400_characters_at_most(bus);
    surroundings_are_read(bus);
    routes_and_opens_are_short(bus);
    user_info_is_taken(bus);
    typed_parameters_are_taken_as_they_are(bus);
    answers_are_formatted(bus);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

#endif
