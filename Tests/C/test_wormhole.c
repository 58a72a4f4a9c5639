/* The wormhole in state delivery: passing and reading. */
#include "group.h"

static void test_pass_and_read(void) {
    ctie_wormhole *wormhole = open_group();
    ctie_message *message = NULL;
    uint64_t sequence = 0;
    uint32_t listeners = 9;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("a.b"), &message, NULL), CTIE_E_NOT_FOUND);
    CHECK(message == NULL);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("a.b"), ctie_value_int(42), NULL, &sequence, &listeners, NULL),
                 CTIE_OK);
    CHECK(sequence == 1 && listeners == 0);
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("a.b"), &message, NULL), CTIE_OK);
    CHECK(ctie_message_kind(message) == CTIE_MESSAGE_VALUE);
    CHECK_STATUS(ctie_message_status(message), CTIE_OK);
    CHECK(int_of(message) == 42 && ctie_message_sequence(message) == 1);
    CHECK(ctie_message_sender_pid(message) == getpid() && ctie_message_time(message) > 0);
    CHECK(text_is(ctie_message_sender_name(message), "tester"));
    CHECK(text_is(ctie_message_identifier(message), "a.b"));
    CHECK(ctie_message_retain(message) == message);
    ctie_message_release(message);
    ctie_message_release(message);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("a.b"), &sequence, NULL, NULL), CTIE_OK);
    CHECK(sequence == 2 && stored_int(wormhole, CTIE_STR("a.b")) == 42);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("a.b"), NULL, NULL, NULL), CTIE_OK);
    CHECK(stored_int(wormhole, CTIE_STR("a.b")) == -1);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("c"), ctie_value_int(1), NULL, &sequence, NULL, NULL), CTIE_OK);
    CHECK(sequence == 4);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK(stored_int(wormhole, CTIE_STR("c")) == -1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_E_HANDLE);
}

static void test_identifiers(void) {
    static const char *const bad[] = {"", ".", "a.", ".a", "a..b", "-a", "_a", "a b", "a/b", "../x", "a\n", "ä", "*"};
    static const char *const good[] = {"a", "0", "a-b_c", "a.-b", "A.b.C9"};
    ctie_wormhole *wormhole = open_group();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_STATUS(ctie_wormhole_signal(wormhole, ctie_str_from(bad[i]), NULL, NULL, NULL), CTIE_E_IDENTIFIER);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_STATUS(ctie_wormhole_signal(wormhole, ctie_str_from(good[i]), NULL, NULL, NULL), CTIE_OK);
    }
    char text[129];
    memset(text, 'x', sizeof text);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, (ctie_str){text, 128}, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, (ctie_str){text, 129}, NULL, NULL, NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void test_bad_arguments(void) {
    ctie_wormhole *wormhole = NULL;
    struct ear ear = {0};
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("x"), NULL, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("../x"), NULL, &wormhole, NULL), CTIE_E_IDENTIFIER);
    wormhole = open_group();
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("x"), NULL, NULL, NULL, NULL, &error), CTIE_E_INVALID);
    CHECK(error != NULL);
    ctie_error_release(error);
    CHECK_STATUS(ctie_wormhole_send(NULL, CTIE_STR("x"), ctie_value_string(CTIE_STR("gone")), NULL, NULL, NULL, NULL),
                 CTIE_E_HANDLE);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("x"), CTIE_RECEIVER_OWNED(NULL, &ear, forget), NULL, NULL,
                                      NULL), CTIE_E_INVALID);
    CHECK(ear.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("x*"), CTIE_RECEIVER_OWNED(receive, &ear, forget), NULL, NULL,
                                      NULL), CTIE_E_IDENTIFIER);
    CHECK(ear.destroyed == 2);
    CHECK(ctie_message_kind(NULL) == CTIE_MESSAGE_NONE && ctie_message_value(NULL) == NULL);
    CHECK_STATUS(ctie_message_status(NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_release(NULL), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(NULL), CTIE_OK);
    ctie_message_release(NULL);
    CHECK(ctie_message_retain(NULL) == NULL);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static int say_twelve(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "late", 12), CTIE_OK);
    return 0; /* without closing, as a crash would */
}

static void test_late_process(void) {
    CHECK(in_child(say_twelve, NULL) == 0);
    ctie_wormhole *wormhole = open_group();
    struct ear ear = {0};
    CHECK(stored_int(wormhole, CTIE_STR("late")) == 12);
    listen_to(wormhole, CTIE_STR("late"), "", &ear);
    AWAIT(ear.value == 12);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    test_pass_and_read();
    test_identifiers();
    test_bad_arguments();
    test_late_process();
    remove_directory();
    return check_end();
}
