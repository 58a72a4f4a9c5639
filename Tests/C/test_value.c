/* Values, their conversions, statuses and errors through the C interface alone. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- Statuses and errors ----------------------------------------------------------------------- */

static void statuses_come_from_the_list(void) {
#define ROW(name, number, message) \
    CHECK(strcmp(ctie_status_name(name), #name) == 0 && strcmp(ctie_status_message(number), message) == 0);
    CTIE_STATUS_LIST(ROW)
#undef ROW
    CHECK(strcmp(ctie_status_name(CTIE_STATUS_LAST_ - 1), "CTIE_UNLISTED") == 0);
    CHECK(strcmp(ctie_status_message(INT32_MIN), "unknown status") == 0);
}

static void statuses_have_codes(void) {
    CHECK(ctie_status_code(CTIE_OK) == 1);
    CHECK(ctie_status_code(CTIE_E_TIMEOUT) == 10002);
    CHECK(ctie_status_code(CTIE_E_ALREADY) == 10003);
    CHECK(ctie_status_code(CTIE_E_CANCELLED) == 10004);
    CHECK(ctie_status_code(CTIE_E_INVALID) == 40001);
    CHECK(ctie_status_code(CTIE_E_NO_TARGET) == 40000 - CTIE_E_NO_TARGET);
    CHECK(ctie_status_code(CTIE_E_NOT_COMPONENT) == 30001);
    CHECK(ctie_status_code(CTIE_E_UNKNOWN) == -1);
    CHECK(ctie_status_code(CTIE_STATUS_LAST_ - 1) == -1);
    CHECK(ctie_status_code(INT32_MIN) == -1 && ctie_status_code(INT32_MAX) == -1);
}

static void errors_say_what_and_where(void) {
    ctie_value *value = NULL;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_value_from_json(CTIE_STR("[1,\n 2,,]"), &value, &error), CTIE_E_FORMAT);
    CHECK(value == NULL && error != NULL);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_FORMAT);
    CHECK(ctie_error_message(error).size > 0);
    CHECK(text_is(ctie_error_location(error), "line 2, column 4"));
    ctie_error_release(error);
    CHECK_STATUS(ctie_value_from_json(CTIE_STR("1"), &value, &error), CTIE_OK);
    CHECK(error == NULL);
    ctie_value_release(value);

    CHECK_STATUS(ctie_error_status(NULL), CTIE_E_INVALID);
    CHECK(ctie_error_message(NULL).size == 0 && ctie_error_location(NULL).size == 0);
    ctie_error_release(NULL);
}

/* ---- Making and looking in --------------------------------------------------------------------- */

static void scalars_come_back(void) {
    static const int64_t ints[] = {0, 1, -1, (1LL << 60) - 1, 1LL << 60, -(1LL << 60), -(1LL << 60) - 1,
                                   INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        ctie_value *value = ctie_value_int(ints[i]);
        int64_t back = 7;
        CHECK(ctie_value_kind(value) == CTIE_KIND_INT);
        CHECK(ctie_value_get_int(value, &back) == CTIE_OK && back == ints[i]);
        ctie_value_release(value);
    }
    static const double doubles[] = {0.0, -0.0, 1.5, -1.5, DBL_MAX, DBL_MIN, 5e-324, -5e-324, 1e38, 1e-38, 1e39,
                                     1e-39, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
        ctie_value *value = ctie_value_double(doubles[i]);
        double back = 7;
        CHECK(ctie_value_kind(value) == CTIE_KIND_DOUBLE);
        CHECK(ctie_value_get_double(value, &back) == CTIE_OK && memcmp(&back, &doubles[i], sizeof back) == 0);
        ctie_value_release(value);
    }
    bool yes = false, no = true;
    CHECK(ctie_value_get_bool(ctie_value_bool(true), &yes) == CTIE_OK && yes);
    CHECK(ctie_value_get_bool(ctie_value_bool(false), &no) == CTIE_OK && !no);
    CHECK(ctie_value_kind(ctie_value_null()) == CTIE_KIND_NULL);
    CHECK(ctie_value_kind(NULL) == CTIE_KIND_NONE);
}

static void integers_read_as_doubles_when_exact(void) {
    double number = 0;
    CHECK(ctie_value_get_double(ctie_value_int(-3), &number) == CTIE_OK && number == -3.0);
    ctie_value *odd = ctie_value_int((1LL << 53) + 1);
    CHECK_STATUS(ctie_value_get_double(odd, &number), CTIE_E_TYPE);
    ctie_value_release(odd);
}

static void text_is_checked_and_copied(void) {
    char buffer[] = "h\xC3\xA4llo";
    ctie_value *value = ctie_value_string(ctie_str_from(buffer));
    buffer[0] = 'X';
    ctie_str text = {NULL, 0};
    CHECK(ctie_value_get_string(value, &text) == CTIE_OK && text_is(text, "h\xC3\xA4llo"));
    CHECK(text.data[text.size] == '\0');
    CHECK(ctie_value_count(value) == 6);
    CHECK_STATUS(ctie_value_get_bytes(value, &text), CTIE_E_TYPE);
    ctie_value_release(value);

    CHECK(ctie_value_string(CTIE_STR("\xC3")) == NULL);
    CHECK(ctie_value_string(CTIE_STR("\xED\xA0\x80")) == NULL);
    CHECK(ctie_value_string(CTIE_STR("twelve bytes\xC0\xAF")) == NULL);
    CHECK(ctie_value_string((ctie_str){NULL, 1}) == NULL);
    CHECK(ctie_value_string((ctie_str){"x", SIZE_MAX}) == NULL);
    CHECK(ctie_value_bytes((ctie_str){"x", (size_t)CTIE_VALUE_MAX_SIZE + 1}) == NULL);

    ctie_value *empty = ctie_value_string((ctie_str){NULL, 0});
    CHECK(ctie_value_get_string(empty, &text) == CTIE_OK && text.size == 0);
    ctie_value_release(empty);

    ctie_value *bytes = ctie_value_bytes(CTIE_STR("\xFF\0\x01"));
    CHECK(ctie_value_get_bytes(bytes, &text) == CTIE_OK && text.size == 3 && text.data[1] == 0);
    CHECK_STATUS(ctie_value_get_string(bytes, &text), CTIE_E_TYPE);
    ctie_value_release(bytes);
}

static void lists_take_their_items(void) {
    ctie_value *items[] = {ctie_value_int(1), ctie_value_string(CTIE_STR("two"))};
    ctie_value *list = ctie_value_list(items, 2);
    CHECK(ctie_value_kind(list) == CTIE_KIND_LIST && ctie_value_count(list) == 2);
    CHECK(ctie_value_at(list, 1) == items[1]);
    CHECK(ctie_value_at(list, 2) == NULL && ctie_value_at(list, SIZE_MAX) == NULL);
    ctie_value *kept = ctie_value_retain(ctie_value_at(list, 1));
    ctie_value_release(list);
    ctie_str text;
    CHECK(ctie_value_get_string(kept, &text) == CTIE_OK && text_is(text, "two"));

    ctie_value *bad[] = {kept, NULL};
    CHECK(ctie_value_list(bad, 2) == NULL);
    CHECK(ctie_value_list(NULL, 1) == NULL);
    CHECK(ctie_value_list(bad, SIZE_MAX) == NULL && ctie_value_list(bad, (size_t)CTIE_VALUE_MAX_COUNT + 1) == NULL);
    list = ctie_value_list(NULL, 0);
    CHECK(ctie_value_kind(list) == CTIE_KIND_LIST && ctie_value_count(list) == 0);
    ctie_value_release(list);
}

static void maps_keep_their_order(void) {
    ctie_pair pairs[] = {{CTIE_STR("z"), ctie_value_int(1)}, {CTIE_STR(""), ctie_value_int(2)},
                         {CTIE_STR("a\0b"), ctie_value_int(3)}};
    ctie_value *map = ctie_value_map(pairs, 3);
    CHECK(ctie_value_kind(map) == CTIE_KIND_MAP && ctie_value_count(map) == 3);
    ctie_str key;
    const ctie_value *value = NULL;
    CHECK(ctie_value_entry_at(map, 0, &key, &value) == CTIE_OK && text_is(key, "z"));
    CHECK(ctie_value_entry_at(map, 2, &key, NULL) == CTIE_OK && key.size == 3);
    CHECK(ctie_value_entry_at(map, 1, NULL, &value) == CTIE_OK && value == pairs[1].value);
    CHECK_STATUS(ctie_value_entry_at(map, 3, &key, &value), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_value_entry_at(NULL, 0, &key, &value), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_entry_at(value, 0, &key, &value), CTIE_E_TYPE);
    CHECK(ctie_value_get(map, CTIE_STR("a\0b")) == pairs[2].value);
    CHECK(ctie_value_get(map, CTIE_STR("")) == pairs[1].value);
    CHECK(ctie_value_get(map, CTIE_STR("a")) == NULL && ctie_value_get(NULL, CTIE_STR("a")) == NULL);
    CHECK(ctie_value_get(map, (ctie_str){NULL, 4}) == NULL);
    ctie_value_release(map);
}

static void maps_refuse_what_is_wrong(void) {
    ctie_pair twice[] = {{CTIE_STR("k"), ctie_value_int(1)}, {CTIE_STR("k"), ctie_value_string(CTIE_STR("v"))}};
    CHECK(ctie_value_map(twice, 2) == NULL);
    ctie_pair not_text[] = {{CTIE_STR("\xFF"), ctie_value_string(CTIE_STR("v"))}};
    CHECK(ctie_value_map(not_text, 1) == NULL);
    ctie_pair no_value[] = {{CTIE_STR("k"), ctie_value_string(CTIE_STR("v"))}, {CTIE_STR("l"), NULL}};
    CHECK(ctie_value_map(no_value, 2) == NULL);
    CHECK(ctie_value_map(NULL, 1) == NULL && ctie_value_map(twice, SIZE_MAX) == NULL);
}

static void large_maps_find_every_key(void) {
    enum { COUNT = 5000 };
    static char keys[COUNT][16];
    static ctie_pair pairs[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(keys[i], sizeof keys[i], "key-%d", i);
        pairs[i] = (ctie_pair){ctie_str_from(keys[i]), ctie_value_int(i)};
    }
    ctie_value *map = ctie_value_map(pairs, COUNT);
    int found = 0;
    for (int i = 0; i < COUNT; i++) {
        int64_t number = -1;
        ctie_value_get_int(ctie_value_get(map, ctie_str_from(keys[i])), &number);
        found += number == i;
    }
    CHECK(found == COUNT);
    CHECK(ctie_value_get(map, CTIE_STR("key-5000")) == NULL);
    ctie_value_release(map);
    pairs[COUNT - 1].key = pairs[0].key;
    CHECK(ctie_value_map(pairs, COUNT) == NULL);
}

static void nesting_is_bounded(void) {
    ctie_value *list = ctie_value_list(NULL, 0);
    for (int depth = 1; depth < CTIE_VALUE_MAX_DEPTH; depth++) list = ctie_value_list(&list, 1);
    CHECK(list != NULL);
    CHECK(ctie_value_list(&list, 1) == NULL);

    ctie_value *both = ctie_value_int(1);
    int doublings = 0;
    while (both != NULL) {
        ctie_value *items[] = {both, ctie_value_retain(both)};
        both = ctie_value_list(items, 2);
        doublings++;
    }
    CHECK(doublings > 20 && doublings < 30);
}

static void wrong_kinds_are_reported(void) {
    ctie_value *text = ctie_value_string(CTIE_STR("x"));
    int64_t number = 7;
    bool truth = true;
    double real = 7;
    ctie_str bytes;
    CHECK_STATUS(ctie_value_get_int(text, &number), CTIE_E_TYPE);
    CHECK_STATUS(ctie_value_get_bool(text, &truth), CTIE_E_TYPE);
    CHECK_STATUS(ctie_value_get_double(text, &real), CTIE_E_TYPE);
    CHECK_STATUS(ctie_value_get_bool(ctie_value_null(), &truth), CTIE_E_TYPE);
    CHECK_STATUS(ctie_value_get_double(ctie_value_null(), &real), CTIE_E_TYPE);
    CHECK_STATUS(ctie_value_get_int(NULL, &number), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_get_int(text, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_get_string(NULL, &bytes), CTIE_E_INVALID);
    CHECK(number == 7 && truth && real == 7);
    CHECK(ctie_value_at(text, 0) == NULL && ctie_value_get(text, CTIE_STR("x")) == NULL);
    CHECK(ctie_value_count(ctie_value_int(5)) == 0 && ctie_value_count(NULL) == 0);
    CHECK(ctie_value_retain(NULL) == NULL);
    ctie_value_release(NULL);
    ctie_value_release(text);
}

static ctie_value *json(const char *text) {
    ctie_value *value = NULL;
    CHECK_STATUS(ctie_value_from_json(ctie_str_from(text), &value, NULL), CTIE_OK);
    return value;
}

static ctie_value *list_of_nulls(size_t count) {
    ctie_value **items = malloc(count * sizeof *items);
    for (size_t i = 0; i < count; i++) { items[i] = ctie_value_null(); }
    ctie_value *list = ctie_value_list(items, count);
    CHECK(list != NULL && ctie_value_count(list) == count);
    free(items);
    return list;
}

/* Values in one, also if they are one and the same list: a traversal is bounded. */
static void all_that_is_in_one_value_is_bounded(void) {
    enum { LISTS = 63, EACH = 1 << 20, REST = CTIE_VALUE_MAX_TOTAL - 2 - LISTS * (EACH + 1) };
    for (size_t more = 0; more < 2; more++) {
        ctie_value *large = list_of_nulls(EACH), *items[LISTS + 1];
        for (int i = 0; i < LISTS; i++) { items[i] = ctie_value_retain(large); }
        items[LISTS] = list_of_nulls(REST + more);
        ctie_value *all = ctie_value_list(items, LISTS + 1);
        CHECK((all != NULL) == (more == 0));
        ctie_value_release(all);
        ctie_value_release(large);
    }
}

static bool equal_json(const char *left_text, const char *right_text) {
    ctie_value *left = json(left_text), *right = json(right_text);
    bool result = ctie_value_equal(left, right);
    ctie_value_release(left);
    ctie_value_release(right);
    return result;
}

static void equality_is_of_content(void) {
    CHECK(equal_json("{\"a\":[1,2.5,\"x\",null,true],\"b\":{}}", "{\"b\":{},\"a\":[1,2.5,\"x\",null,true]}"));
    CHECK(!equal_json("[1]", "[1.0]") && !equal_json("[1,2]", "[2,1]") && !equal_json("[1]", "[1,1]"));
    CHECK(!equal_json("{\"a\":1}", "{\"b\":1}") && !equal_json("{\"a\":1}", "{\"a\":2}"));
    CHECK(!equal_json("{\"a\":1}", "{\"a\":1,\"b\":2}") && !equal_json("{\"a\":1,\"b\":2}", "{\"a\":1}"));
    CHECK(!equal_json("[]", "[1]") && !equal_json("{}", "{\"a\":1}"));
    CHECK(!equal_json("true", "false") && !equal_json("null", "false") && equal_json("0.0", "-0.0"));
    CHECK(!ctie_value_equal(NULL, NULL) && !ctie_value_equal(ctie_value_null(), NULL));
    ctie_value *nan = ctie_value_double(NAN);
    CHECK(!ctie_value_equal(nan, nan));
    ctie_value_release(nan);
}

/* ---- JSON and MessagePack ---------------------------------------------------------------------- */

static bool writes_json(ctie_value *value, uint32_t flags, const char *expected) {
    ctie_value *out = NULL;
    ctie_str text = {NULL, 0};
    bool same = ctie_value_to_json(value, flags, &out, NULL) == CTIE_OK &&
                ctie_value_get_string(out, &text) == CTIE_OK && text_is(text, expected);
    if (!same) fprintf(stderr, "    it is %.*s\n", (int)text.size, text.data ? text.data : "");
    ctie_value_release(out);
    return same;
}

static void json_round_trips(void) {
    static const char *const texts[] = {
        "{\"b\":1,\"a\":[true,false,null,-9223372036854775808],\"\":{}}", "[0.1,1e+20,5e-324,-0.0,1.0]",
        "\"\\\"\\\\\\n\\u0000\\u001f\xC3\xA4\xF0\x9F\x98\x80\"", "[]", "42",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ctie_value *value = json(texts[i]);
        CHECK(writes_json(value, 0, texts[i]));
        ctie_value_release(value);
    }
    ctie_value *value = json("{\"a\":[1,{}],\"b\":[]}");
    CHECK(writes_json(value, CTIE_JSON_PRETTY, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}"));
    ctie_value *out = NULL;
    CHECK_STATUS(ctie_value_to_json(value, 2, &out, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_to_json(value, 0, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_to_json(NULL, 0, &out, NULL), CTIE_E_INVALID);
    ctie_value_release(value);
}

static void values_without_json_are_refused(void) {
    ctie_pair pairs[] = {{CTIE_STR("a key"), ctie_value_bytes(CTIE_STR("x"))}};
    ctie_value *items[] = {ctie_value_null(), ctie_value_map(pairs, 1)};
    ctie_pair outer[] = {{CTIE_STR("items"), ctie_value_list(items, 2)}};
    ctie_value *value = ctie_value_map(outer, 1), *out = NULL;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_value_to_json(value, 0, &out, &error), CTIE_E_TYPE);
    CHECK(text_is(ctie_error_location(error), "$.items[1][\"a key\"]"));
    ctie_error_release(error);
    ctie_value_release(value);
    value = ctie_value_double(INFINITY);
    CHECK_STATUS(ctie_value_to_json(value, 0, &out, NULL), CTIE_E_TYPE);
    ctie_value_release(value);
    CHECK(out == NULL);
}

static void bad_json_is_refused(void) {
    static const struct {
        const char *text;
        ctie_status status;
    } rows[] = {
        {"", CTIE_E_FORMAT},          {"[1", CTIE_E_FORMAT},      {"1 2", CTIE_E_FORMAT},
        {"{\"a\":1,}", CTIE_E_FORMAT}, {"NaN", CTIE_E_FORMAT},     {"9223372036854775808", CTIE_E_FORMAT},
        {"1e999", CTIE_E_FORMAT},     {"\"\xFF\"", CTIE_E_UTF8},  {"\"\\ud800\"", CTIE_E_FORMAT},
        {"{\"a\":1,\"a\":2}", CTIE_E_DUPLICATE}, {"{\"a\\u0000b\":1}", CTIE_E_FORMAT},
    };
    ctie_value *value = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STATUS(ctie_value_from_json(ctie_str_from(rows[i].text), &value, NULL), rows[i].status);
    CHECK_STATUS(ctie_value_from_json((ctie_str){NULL, 3}, &value, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_from_json(CTIE_STR("1"), NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_from_json((ctie_str){"1", (size_t)CTIE_VALUE_MAX_SIZE + 1}, &value, NULL), CTIE_E_LIMIT);
    char deep[2 * (CTIE_VALUE_MAX_DEPTH + 1)];
    memset(deep, '[', sizeof deep / 2);
    memset(deep + sizeof deep / 2, ']', sizeof deep / 2);
    CHECK_STATUS(ctie_value_from_json((ctie_str){deep, sizeof deep}, &value, NULL), CTIE_E_LIMIT);
    CHECK(value == NULL);
    CHECK_STATUS(ctie_value_from_json((ctie_str){deep + 1, sizeof deep - 2}, &value, NULL), CTIE_OK);
    ctie_value_release(value);
}

static void msgpack_round_trips(void) {
    ctie_value *value = json("{\"id\":42,\"name\":\"Ada\",\"tags\":[1.5,null,true,-70000]}");
    ctie_value *packed = NULL, *back = NULL;
    ctie_str message = {NULL, 0};
    CHECK_STATUS(ctie_value_to_msgpack(value, &packed, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_bytes(packed, &message), CTIE_OK);
    CHECK(message.size == 1 + 3 + 1 + 5 + 4 + 5 + 1 + 9 + 1 + 1 + 5);
    CHECK_STATUS(ctie_value_from_msgpack(message, &back, NULL), CTIE_OK);
    CHECK(ctie_value_equal(value, back));
    ctie_value_release(back);
    for (size_t size = 0; size < message.size; size++) {
        ctie_status status = ctie_value_from_msgpack((ctie_str){message.data, size}, &back, NULL);
        CHECK_STATUS(status, CTIE_E_FORMAT);
    }
    CHECK_STATUS(ctie_value_to_msgpack(NULL, &back, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_to_msgpack(value, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_from_msgpack(message, NULL, NULL), CTIE_E_INVALID);
    ctie_value_release(packed);
    ctie_value_release(value);
}

int main(void) {
    statuses_come_from_the_list();
    statuses_have_codes();
    errors_say_what_and_where();
    scalars_come_back();
    integers_read_as_doubles_when_exact();
    text_is_checked_and_copied();
    lists_take_their_items();
    maps_keep_their_order();
    maps_refuse_what_is_wrong();
    large_maps_find_every_key();
    nesting_is_bounded();
    wrong_kinds_are_reported();
    all_that_is_in_one_value_is_bounded();
    equality_is_of_content();
    json_round_trips();
    values_without_json_are_refused();
    bad_json_is_refused();
    msgpack_round_trips();
    return check_end();
}
