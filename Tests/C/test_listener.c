/* Listeners: their messages, replacement, and the calls they may make while they run. */
#include "group.h"

static void test_listen(void) {
    ctie_wormhole *wormhole = open_group();
    struct ear first = {0}, second = {0}, prefix = {0};
    uint32_t listeners = 0;
    listen_to(wormhole, CTIE_STR("l.x"), "one", &first);
    AWAIT(first.calls == 1);
    CHECK(first.kind == CTIE_MESSAGE_NONE);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("l.x"), ctie_value_int(5), NULL, NULL, &listeners, NULL), CTIE_OK);
    CHECK(listeners == 1);
    AWAIT(first.calls == 2);
    CHECK(first.kind == CTIE_MESSAGE_VALUE && first.value == 5);
    listen_to(wormhole, CTIE_STR("l.x"), "one", &second);
    CHECK(first.destroyed == 1);
    CHECK_STATUS(ctie_listener_release(first.listener), CTIE_E_HANDLE);
    AWAIT(second.calls == 1);
    CHECK(second.value == 5);
    listen_to(wormhole, CTIE_STR("l.*"), "", &prefix);
    AWAIT(prefix.calls == 1);
    CHECK(strcmp(prefix.identifier, "l.x") == 0);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("l.x"), NULL, NULL, NULL), CTIE_OK);
    AWAIT(second.calls == 2 && prefix.calls == 2);
    CHECK(second.kind == CTIE_MESSAGE_SIGNAL && prefix.kind == CTIE_MESSAGE_SIGNAL);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("l.y.z"), ctie_value_int(6), NULL, NULL, NULL, NULL), CTIE_OK);
    AWAIT(prefix.calls == 3);
    CHECK(strcmp(prefix.identifier, "l.y.z") == 0 && second.calls == 2);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("l.x"), NULL, NULL, NULL), CTIE_OK);
    AWAIT(second.calls == 3 && prefix.calls == 4);
    CHECK(second.kind == CTIE_MESSAGE_DESTROYED && prefix.kind == CTIE_MESSAGE_DESTROYED);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    AWAIT(second.calls == 4 && prefix.calls == 5);
    CHECK(strcmp(prefix.identifier, "l.*") == 0);
    CHECK(first.calls == 2 && first.went_back + second.went_back + prefix.went_back == 0);
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR("l.x"), CTIE_STR("two"), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR("l.x"), CTIE_STR("one"), NULL), CTIE_OK);
    CHECK(second.destroyed == 1);
    CHECK_STATUS(ctie_listener_release(prefix.listener), CTIE_OK);
    CHECK(prefix.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_remove_all_listeners(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void remove_self(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    (void)message;
    ear->status = ctie_listener_release(ear->listener);
    ear->calls++;
}

static void close_self(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    (void)message;
    ear->status = ctie_wormhole_release(ear->wormhole);
    ear->calls++;
}

static void test_inside_callbacks(void) {
    ctie_wormhole *wormhole = open_group();
    struct ear ear = {0};
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("s"), CTIE_RECEIVER_OWNED(remove_self, &ear, forget), NULL,
                                      &ear.listener, NULL), CTIE_OK);
    AWAIT(ear.destroyed == 1);
    CHECK(ear.calls == 1 && ear.status == CTIE_PENDING);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("s"), ctie_value_int(1), NULL, NULL, NULL, NULL), CTIE_OK);
    struct ear closer = {0};
    closer.wormhole = wormhole;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("s"), CTIE_RECEIVER_OWNED(close_self, &closer, forget), NULL,
                                      NULL, NULL), CTIE_OK);
    AWAIT(closer.destroyed == 1);
    CHECK(closer.calls == 1 && closer.status == CTIE_PENDING && ear.calls == 1);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("s"), NULL, NULL, NULL), CTIE_E_HANDLE);
}

/* Names among many of one identifier: each is found, replaced and removed by itself, and the order of binding stays. */
static void test_many_names(void) {
    enum { MANY = 3000 };
    static struct ear old[MANY], ears[MANY];
    char name[16];
    ctie_wormhole *wormhole = open_group();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            snprintf(name, sizeof name, "%d", i);
            listen_to(wormhole, CTIE_STR("m"), name, round == 0 ? &old[i] : &ears[i]);
        }
    }
    for (int i = 0; i < MANY; i++) CHECK(old[i].destroyed == 1 && ears[i].destroyed == 0);
    for (int i = MANY - 1; i >= 0; i--) {
        if (i % 3 == 0) continue;
        snprintf(name, sizeof name, "%d", i);
        CHECK_STATUS(i % 3 == 1 ? ctie_wormhole_remove_listener(wormhole, CTIE_STR("m"), ctie_str_from(name), NULL)
                                : ctie_listener_release(ears[i].listener), CTIE_OK);
        CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR("m"), ctie_str_from(name), NULL), CTIE_E_NOT_FOUND);
    }
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR("n"), CTIE_STR("0"), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(pass_int(wormhole, "m", 1), CTIE_OK);
    for (int i = 0; i < MANY; i += 3) AWAIT(ears[i].value == 1);
    for (int i = 0; i < MANY; i++) CHECK(ears[i].destroyed == (i % 3 != 0) && (ears[i].value == 1) == (i % 3 == 0));
    CHECK_STATUS(ctie_wormhole_remove_all_listeners(wormhole), CTIE_OK);
    for (int i = 0; i < MANY; i++) CHECK(ears[i].destroyed == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    test_listen();
    test_many_names();
    test_inside_callbacks();
    remove_directory();
    return check_end();
}
