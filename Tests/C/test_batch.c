/* Several messages in one step, the identifiers that have one, and the members of a group. */
#include "group.h"

static ctie_wormhole *open_named(ctie_str name) {
    ctie_wormhole_options options = group_options(0);
    options.name = name;
    options.map_size = options.max_map_size = 16 << 20;
    return open_group_with(&options);
}

/* An object of the host's, which tells whether a value was taken. */
static atomic_int references;
static ctie_foreign_id kind;

static void retain(void *object) { (void)object, references++; }
static void release(void *object) { (void)object, references--; }

static ctie_status to_plain(void *object, ctie_value **out) {
    (void)object;
    *out = ctie_value_int(7);
    return CTIE_OK;
}

static void register_kinds(ctie_foreign_id *stubborn) {
    ctie_foreign_type type = {CTIE_FOREIGN_TYPE_INIT};
    type.tag = CTIE_STR("test.stubborn");
    type.retain = retain;
    type.release = release;
    CHECK_STATUS(ctie_foreign_register(&type, stubborn, NULL), CTIE_OK);
    type.tag = CTIE_STR("test.plain");
    type.materialize = to_plain;
    CHECK_STATUS(ctie_foreign_register(&type, &kind, NULL), CTIE_OK);
}

static ctie_value *object_value(ctie_foreign_id id) {
    static _Alignas(16) char object[16];
    return ctie_value_foreign(id, object);
}

static void check_refused(ctie_wormhole *wormhole, ctie_outgoing *messages, size_t count, ctie_status expected,
                          const char *where) {
    uint64_t sequence = 99;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, messages, count, NULL, &sequence, &error), expected);
    CHECK(sequence == 99 && text_is(ctie_error_location(error), where));
    CHECK(references == 0);
    ctie_error_release(error);
}

static void test_values_are_taken(ctie_wormhole *wormhole, ctie_foreign_id stubborn) {
    ctie_str x = CTIE_STR("x");
    uint64_t sequence = 0;
    ctie_outgoing good[] = {{x, object_value(kind)}, {x, NULL}, {CTIE_STR("y"), object_value(kind)}};
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, good, 3, NULL, &sequence, NULL), CTIE_OK);
    CHECK(sequence == 1 && references == 0);

    ctie_outgoing malformed[] = {{x, object_value(kind)}, {CTIE_STR("a b"), object_value(kind)}};
    check_refused(wormhole, malformed, 2, CTIE_E_IDENTIFIER, "messages[1]");
    ctie_outgoing null[] = {{x, object_value(kind)}, {{NULL, 5}, object_value(kind)}};
    check_refused(wormhole, null, 2, CTIE_E_INVALID, "messages[1]");
    ctie_pair pair = {CTIE_STR("inside"), object_value(stubborn)};
    ctie_outgoing foreign[] = {{x, ctie_value_map(&pair, 1)}, {x, object_value(kind)}};
    check_refused(wormhole, foreign, 2, CTIE_E_FOREIGN, "messages[0].value.inside");
    ctie_outgoing large[] = {{x, ctie_value_bytes((ctie_str){directory, 60})}, {x, NULL}};
    CHECK_STATUS(ctie_wormhole_send_many(NULL, large, 2, NULL, NULL, NULL), CTIE_E_HANDLE);
    check_refused(wormhole, NULL, 1, CTIE_E_INVALID, "");
    check_refused(wormhole, large, 0, CTIE_E_INVALID, "");
    /* Over the limit nothing is read, so one message is enough. */
    check_refused(wormhole, large, CTIE_WORMHOLE_MAX_MESSAGES + 1, CTIE_E_LIMIT, "");
    check_refused(wormhole, large, SIZE_MAX, CTIE_E_LIMIT, "");
    CHECK_STATUS(ctie_wormhole_signal(wormhole, x, &sequence, NULL, NULL), CTIE_OK);
    CHECK(sequence == 4);
}

static void test_most_at_once(ctie_wormhole *wormhole) {
    ctie_outgoing *messages = calloc(CTIE_WORMHOLE_MAX_MESSAGES, sizeof *messages);
    for (size_t i = 0; i < CTIE_WORMHOLE_MAX_MESSAGES; i++) {
        messages[i] = (ctie_outgoing){CTIE_STR("many"), ctie_value_int((int64_t)i)};
    }
    uint64_t first = 0, next = 0;
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, messages, CTIE_WORMHOLE_MAX_MESSAGES, NULL, &first, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("x"), &next, NULL, NULL), CTIE_OK);
    CHECK(next == first + CTIE_WORMHOLE_MAX_MESSAGES);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("many"), &message, NULL), CTIE_OK);
    CHECK(ctie_message_sequence(message) == next - 1);
    CHECK(ctie_message_missed(message) == 0 && ctie_message_delivery_count(message) == 0);
    ctie_message_release(message);
    CHECK(ctie_message_missed(NULL) == 0 && ctie_message_delivery_count(NULL) == 0);
    free(messages);
}

static void test_identifiers(ctie_wormhole *wormhole) {
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("*"), &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == 3);
    ctie_value_release(list);
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("x*"), &list, NULL), CTIE_E_IDENTIFIER);
    CHECK(list == NULL);
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("*"), NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_identifiers(NULL, CTIE_STR("*"), &list, NULL), CTIE_E_HANDLE);
}

static size_t count_members(ctie_wormhole *wormhole) {
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_members(wormhole, &list, NULL), CTIE_OK);
    size_t count = ctie_value_count(list);
    ctie_value_release(list);
    return count;
}

static void test_members(ctie_wormhole *wormhole) {
    int64_t pid = 0;
    bool is_self = false;
    ctie_wormhole *second = open_named(CTIE_STR("second"));
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_members(second, &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == 2);
    const ctie_value *own = ctie_value_at(list, 1);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(own, CTIE_STR("pid")), &pid), CTIE_OK);
    CHECK_STATUS(ctie_value_get_bool(ctie_value_get(own, CTIE_STR("self")), &is_self), CTIE_OK);
    CHECK(pid == getpid() && is_self);
    ctie_value_release(list);
    CHECK_STATUS(ctie_wormhole_release(second), CTIE_OK);
    CHECK(count_members(wormhole) == 1);
    CHECK_STATUS(ctie_wormhole_members(wormhole, NULL, NULL), CTIE_E_INVALID);
}

/* A forked child has nothing open until it opens it again. */
static int after_fork(void *argument) {
    ctie_wormhole *wormhole = argument;
    ctie_value *list = NULL;
    ctie_outgoing signal = {CTIE_STR("x"), NULL};
    CHECK_STATUS(ctie_wormhole_members(wormhole, &list, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("*"), &list, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, &signal, 1, NULL, NULL, NULL), CTIE_E_FORKED);
    CHECK(count_members(open_named(CTIE_STR("child"))) == 2);
    return 0;
}

static void test_members_after_fork(ctie_wormhole *wormhole) {
    CHECK(in_child(after_fork, wormhole) == 0);
    CHECK(count_members(wormhole) == 1);
}

int main(void) {
    ctie_foreign_id stubborn = 0;
    name_directory();
    register_kinds(&stubborn);
    ctie_wormhole *wormhole = open_named(CTIE_STR("first"));
    test_values_are_taken(wormhole, stubborn);
    test_most_at_once(wormhole);
    test_identifiers(wormhole);
    test_members(wormhole);
    test_members_after_fork(wormhole);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    return check_end();
}
