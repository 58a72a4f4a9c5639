/* Values with shared parts: operations on them cost their real size, and not the size of their expansion. */
#include "check.h"

#include <stdlib.h>
#include <sys/resource.h>

/* Lists of two, or maps of two, of the same part. */
static ctie_value *shared(int levels, ctie_value *part, bool in_map) {
    for (int i = 0; i < levels && part != NULL; i++) {
        ctie_value *items[] = {part, ctie_value_retain(part)};
        ctie_pair pairs[] = {{CTIE_STR("a"), items[0]}, {CTIE_STR("b"), items[1]}};
        part = in_map ? ctie_value_map(pairs, 2) : ctie_value_list(items, 2);
    }
    return part;
}

static long kilobytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* 2^25 texts of 20 bytes are 640 MiB, and those of one byte are less than the limit as MessagePack. */
static void test_writing(bool in_map) {
    ctie_value *large = shared(24, ctie_value_string(CTIE_STR("a part of some length")), in_map), *out = NULL;
    ctie_error *error = NULL;
    long before = kilobytes();
    CHECK(large != NULL);
    CHECK_STATUS(ctie_value_to_json(large, 0, &out, &error), CTIE_E_LIMIT);
    CHECK(ctie_error_message(error).size > 0);
    ctie_error_release(error);
    CHECK_STATUS(ctie_value_to_json(large, CTIE_JSON_PRETTY, &out, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_value_to_msgpack(large, &out, NULL), CTIE_E_LIMIT);
    CHECK(kilobytes() < before + (16 << 10));
    ctie_value_release(large);
}

/* The size that is added up with shared parts is the one that is written. */
static void test_sizes(bool in_map) {
    ctie_value *value = shared(18, ctie_value_int(1000), in_map), *packed = NULL, *text = NULL, *read = NULL;
    ctie_str bytes;
    CHECK_STATUS(ctie_value_to_msgpack(value, &packed, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_bytes(packed, &bytes), CTIE_OK);
    CHECK_STATUS(ctie_value_from_msgpack(bytes, &read, NULL), CTIE_OK);
    CHECK(ctie_value_equal(read, value));
    ctie_value_release(read);
    CHECK_STATUS(ctie_value_to_json(value, 0, &text, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(text, &bytes), CTIE_OK);
    CHECK_STATUS(ctie_value_from_json(bytes, &read, NULL), CTIE_OK);
    CHECK(ctie_value_equal(read, value));
    ctie_value_release(read), ctie_value_release(text), ctie_value_release(packed), ctie_value_release(value);
}

/* ---- Foreign values ------------------------------------------------------------------------------ */

static ctie_foreign_id numbers;
static char places[128];
static int asked;

static void ignore(void *object) { (void)object; }

/* Each object shows two of the next one. */
static ctie_status show_next(void *object, ctie_value **out) {
    asked++;
    long level = (char *)object - places;
    ctie_value *items[] = {ctie_value_null(), ctie_value_null()};
    if (level > 0) items[0] = ctie_value_foreign(numbers, object - 1), items[1] = ctie_value_foreign(numbers, object - 1);
    *out = ctie_value_list(items, 2);
    return CTIE_OK;
}

static ctie_status materialize(int levels, ctie_value **out) {
    ctie_value *value = ctie_value_foreign(numbers, places + levels);
    asked = 0;
    ctie_status status = ctie_value_materialize(value, out, NULL);
    ctie_value_release(value);
    return status;
}

static void test_materializing(void) {
    ctie_foreign_type type = {sizeof type, CTIE_STR("two"), ignore, ignore, show_next};
    ctie_value *plain = NULL, *again = NULL;
    CHECK_STATUS(ctie_foreign_register(&type, &numbers, NULL), CTIE_OK);
    CHECK_STATUS(materialize(18, &plain), CTIE_OK);
    CHECK(asked < 4096);
    again = shared(19, ctie_value_null(), false);
    CHECK(ctie_value_equal(plain, again));
    ctie_value_release(plain), ctie_value_release(again);
    CHECK_STATUS(materialize(60, &plain), CTIE_E_LIMIT);
    CHECK(asked < 4096);
    again = shared(18, ctie_value_foreign(numbers, places), false);
    asked = 0;
    CHECK_STATUS(ctie_value_materialize(again, &plain, NULL), CTIE_OK);
    CHECK(asked < 4096);
    ctie_value_release(plain), ctie_value_release(again);
}

int main(void) {
    CHECK(shared(60, ctie_value_null(), false) == NULL);
    for (int in_map = 0; in_map < 2; in_map++) {
        test_writing(in_map);
        test_sizes(in_map);
    }
    test_materializing();
    return check_end();
}
