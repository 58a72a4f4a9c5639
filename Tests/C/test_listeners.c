/* The listeners of a wormhole as its host sees them: listed, and removed by their identifier, their name or their
   handle. */
#include "listening.h"

/* ---- Listing ---------------------------------------------------------------------------------------- */

static void check_list(ctie_wormhole *wormhole, const char *expected) {
    ctie_value *found = NULL, *wanted = NULL;
    CHECK_STATUS(ctie_value_from_json(ctie_str_from(expected), &wanted, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listeners(wormhole, &found, NULL), CTIE_OK);
    CHECK(found != NULL && ctie_value_equal(found, wanted));
    ctie_value_release(wanted);
    ctie_value_release(found);
}

static ctie_status listen_by(ctie_wormhole *wormhole, const char *identifier, const char *name, uint32_t flags,
                             struct ear *ear) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = ctie_str_from(name);
    options.flags = flags;
    return listen_with(wormhole, identifier, receive, ear, &options);
}

static void members_by(ctie_wormhole *wormhole, const char *name, struct ear *ear) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = ctie_str_from(name);
    CHECK_STATUS(ctie_wormhole_listen_members(wormhole, CTIE_RECEIVER_OWNED(receive, ear, forget), &options,
                                              &ear->listener, NULL), CTIE_OK);
}

static void each_kind_is_listed(void) {
    struct ear ears[4] = {0};
    ctie_wormhole *wormhole = open_group();
    check_list(wormhole, "[]");
    CHECK_STATUS(listen_by(wormhole, "l.x", "one", 0, &ears[0]), CTIE_OK);
    CHECK_STATUS(listen_by(wormhole, "l.*", "", CTIE_LISTEN_QUEUE, &ears[1]), CTIE_OK);
    CHECK_STATUS(listen_by(wormhole, "a", "w", CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE, &ears[2]), CTIE_OK);
    members_by(wormhole, "", &ears[3]);
    check_list(wormhole, "[{\"identifier\": \"l.x\", \"name\": \"one\", \"delivery\": \"state\", \"executor\": \"wormhole\"},"
                         "{\"identifier\": \"l.*\", \"name\": \"\", \"delivery\": \"queue\", \"executor\": \"wormhole\"},"
                         "{\"identifier\": \"a\", \"name\": \"w\", \"delivery\": \"durable\", \"executor\": \"wormhole\"},"
                         "{\"identifier\": null, \"name\": \"\", \"delivery\": \"members\", \"executor\": \"wormhole\"}]");
    CHECK_STATUS(ctie_listener_release(ears[1].listener), CTIE_OK);
    /* A listener that replaces another one is last in the list. */
    CHECK_STATUS(listen_by(wormhole, "l.x", "one", CTIE_LISTEN_QUEUE, &ears[1]), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, CTIE_STR(""), NULL), CTIE_OK);
    check_list(wormhole, "[{\"identifier\": \"a\", \"name\": \"w\", \"delivery\": \"durable\", \"executor\": \"wormhole\"},"
                         "{\"identifier\": \"l.x\", \"name\": \"one\", \"delivery\": \"queue\", \"executor\": \"wormhole\"}]");
    CHECK_STATUS(ctie_wormhole_listeners(wormhole, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_listeners(wormhole, &list, NULL), CTIE_E_HANDLE);
    CHECK(list == NULL);
}

static void places_are_listed(void) {
    struct ear looped = {0}, worked = {0}, usual = {0};
    ctie_bus *bus = NULL;
    ctie_loop *loop = NULL;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_dispatcher_add(bus, CTIE_STR("slow"), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_loop(wormhole, &loop), CTIE_OK);
    ctie_listen_options options = in_loop(loop);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &looped, &options), CTIE_OK);
    options = on_workers(bus, "slow");
    CHECK_STATUS(listen_with(wormhole, "a", receive, &worked, &options), CTIE_OK);
    options = on_workers(bus, NULL);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &usual, &options), CTIE_OK);
    check_list(wormhole, "[{\"identifier\": \"a\", \"name\": \"\", \"delivery\": \"state\", \"executor\": \"loop\"},"
                         "{\"identifier\": \"a\", \"name\": \"\", \"delivery\": \"state\", \"executor\": \"dispatcher\","
                         " \"dispatcher\": \"slow\"},"
                         "{\"identifier\": \"a\", \"name\": \"\", \"delivery\": \"state\", \"executor\": \"dispatcher\","
                         " \"dispatcher\": \"\"}]");
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, CTIE_STR("a"), NULL), CTIE_OK);
    CHECK(looped.destroyed == 1 && worked.destroyed == 1 && usual.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Removing --------------------------------------------------------------------------------------- */

static void those_of_an_identifier_go_at_once(void) {
    struct ear ears[5] = {0};
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(listen_by(wormhole, "l.x", "one", 0, &ears[0]), CTIE_OK);
    CHECK_STATUS(listen_by(wormhole, "l.x", "", CTIE_LISTEN_QUEUE, &ears[1]), CTIE_OK);
    /* Nobody has the handle of this one. */
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("l.x"), CTIE_RECEIVER_OWNED(receive, &ears[2], forget), NULL,
                                      NULL, NULL), CTIE_OK);
    CHECK_STATUS(listen_by(wormhole, "l.*", "one", 0, &ears[3]), CTIE_OK);
    members_by(wormhole, "one", &ears[4]);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, CTIE_STR("l.x"), NULL), CTIE_OK);
    CHECK(ears[0].destroyed == 1 && ears[1].destroyed == 1 && ears[2].destroyed == 1);
    CHECK_STATUS(ctie_listener_release(ears[0].listener), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, CTIE_STR("l.x"), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, CTIE_STR("l.y"), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, CTIE_STR("not an identifier"), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR("l.*"), CTIE_STR(""), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, CTIE_STR("l.*"), NULL), CTIE_OK);
    CHECK(ears[3].destroyed == 1 && ears[4].destroyed == 0);
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR(""), CTIE_STR("two"), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR(""), CTIE_STR("one"), NULL), CTIE_OK);
    CHECK(ears[4].destroyed == 1);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, CTIE_STR(""), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_remove_all_listeners(wormhole), CTIE_OK);
    check_list(wormhole, "[]");
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void remove_mine(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    (void)message;
    ear->status = ctie_wormhole_remove_listeners(ear->wormhole, CTIE_STR("s"), NULL);
    check_list(ear->wormhole, "[]");
    ear->calls++;
}

/* Inside a callback nothing is waited for, and the caller's own call ends as it would. */
static void a_listener_removes_all_of_its_kind(void) {
    struct ear self = {0}, other = {0};
    ctie_wormhole *wormhole = open_group();
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_NO_INITIAL_DELIVERY;
    CHECK_STATUS(listen_with(wormhole, "s", receive, &other, &options), CTIE_OK);
    CHECK_STATUS(listen_with(wormhole, "s", remove_mine, &self, NULL), CTIE_OK);
    AWAIT(self.destroyed == 1 && other.destroyed == 1);
    CHECK(self.calls == 1 && self.status == CTIE_PENDING && other.calls == 0);
    CHECK_STATUS(pass_int(wormhole, "s", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(self.calls == 1 && other.calls == 0);
}

static latch entered = LATCH_INIT, released = LATCH_INIT, removed = LATCH_INIT;

static void stay_inside(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    (void)message;
    latch_add(&entered);
    latch_wait(&released, 1);
    ear->calls++;
}

static void *remove_from_outside(void *argument) {
    struct ear *ear = argument;
    ear->status = ctie_wormhole_remove_listeners(ear->wormhole, CTIE_STR("s"), NULL);
    CHECK(ear->calls == 1 && ear->destroyed == 1);
    latch_add(&removed);
    return NULL;
}

/* Elsewhere the call that runs is waited for. */
static void a_running_call_is_waited_for(void) {
    struct ear ear = {0};
    pthread_t thread;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(listen_with(wormhole, "s", stay_inside, &ear, NULL), CTIE_OK);
    latch_wait(&entered, 1);
    pthread_create(&thread, NULL, remove_from_outside, &ear);
    ctie_value *list = NULL;
    size_t count = 1;
    while (count != 0) {
        CHECK_STATUS(ctie_wormhole_listeners(wormhole, &list, NULL), CTIE_OK);
        count = ctie_value_count(list);
        ctie_value_release(list);
    }
    CHECK(latch_count(&removed) == 0 && ear.destroyed == 0);
    latch_add(&released);
    latch_wait(&removed, 1);
    CHECK(ear.status == CTIE_OK);
    pthread_join(thread, NULL);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    each_kind_is_listed();
    places_are_listed();
    those_of_an_identifier_go_at_once();
    a_listener_removes_all_of_its_kind();
    a_running_call_is_waited_for();
    remove_directory();
    return check_end();
}
