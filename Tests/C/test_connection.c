/* The connection to the server of a group: read, and listened to. */
#include "addresses.h"

#include <string.h>

static server_notes *notes;

enum { NOTICES = 64 };

/* A listener, with its messages. */
typedef struct follower {
    latch calls;
    struct {
        char state[16], server[64], version[16], reason[64];
        int64_t since, time;
    } all[NOTICES];
    int count;
    latch ended;
} follower;

static void read_text(const ctie_value *map, const char *key, char *out, size_t room) {
    ctie_str text = {NULL, 0};
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(map, ctie_str_from(key)), &text), CTIE_OK);
    snprintf(out, room, "%.*s", (int)text.size, text.data);
}

static void follow(const ctie_message *message, void *user_data) {
    follower *it = user_data;
    const ctie_value *map = ctie_message_value(message);
    CHECK(ctie_message_kind(message) == CTIE_MESSAGE_CONNECTION && ctie_message_status(message) == CTIE_OK);
    CHECK(ctie_message_identifier(message).size == 0 && ctie_message_sequence(message) == 0);
    if (it->count < NOTICES) {
        int index = it->count++;
        read_text(map, "state", it->all[index].state, sizeof it->all[index].state);
        read_text(map, "server", it->all[index].server, sizeof it->all[index].server);
        read_text(map, "version", it->all[index].version, sizeof it->all[index].version);
        read_text(map, "reason", it->all[index].reason, sizeof it->all[index].reason);
        CHECK_STATUS(ctie_value_get_int(ctie_value_get(map, CTIE_STR("since")), &it->all[index].since), CTIE_OK);
        it->all[index].time = ctie_message_time(message);
    }
    latch_add(&it->calls);
}

static void end_following(void *user_data) { latch_add(&((follower *)user_data)->ended); }

static follower new_follower(void) { return (follower){.calls = LATCH_INIT, .ended = LATCH_INIT}; }

static ctie_wormhole *open_shop(void) {
    ctie_wormhole *wormhole = NULL;
    CHECK_STATUS(open_address("nats://localhost/shop", NULL, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

static void change(int32_t state, int64_t since, const char *server, const char *reason) {
    ctie_engine_connection now = {.size = sizeof now, .state = state, .since = since};
    now.server = ctie_str_from(server), now.reason = ctie_str_from(reason);
    notes->host->connection_changed(notes->host->context, &now);
}

static bool state_is(ctie_wormhole *wormhole, const char *wanted, int64_t since) {
    ctie_value *map = NULL;
    char state[16] = "";
    int64_t time = 0;
    CHECK_STATUS(ctie_wormhole_connection(wormhole, &map, NULL), CTIE_OK);
    if (map == NULL) { return false; }
    read_text(map, "state", state, sizeof state);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(map, CTIE_STR("since")), &time), CTIE_OK);
    ctie_value_release(map);
    return strcmp(state, wanted) == 0 && time == since;
}

static void a_connection_is_read(void) {
    ctie_wormhole *wormhole = open_shop();
    CHECK(state_is(wormhole, "connected", 1000));
    change(CTIE_CONNECTION_RECONNECTING, 2000, "", "it went away");
    CHECK(state_is(wormhole, "reconnecting", 2000));
    change(CTIE_CONNECTION_CLOSED, 3000, "", "refused");
    CHECK(state_is(wormhole, "closed", 3000));
    CHECK_STATUS(ctie_wormhole_connection(wormhole, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void listeners_get_each_state(void) {
    ctie_wormhole *wormhole = open_shop();
    follower all = new_follower(), changes = new_follower();
    ctie_listener *listener = NULL, *other = NULL;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_NO_INITIAL_DELIVERY;
    CHECK_STATUS(ctie_wormhole_listen_connection(wormhole, CTIE_RECEIVER_OWNED(follow, &all, end_following), NULL,
                                                 &listener, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen_connection(wormhole, CTIE_RECEIVER_OWNED(follow, &changes, end_following),
                                                 &options, &other, NULL), CTIE_OK);
    latch_wait(&all.calls, 1);
    CHECK(strcmp(all.all[0].state, "connected") == 0 && all.all[0].since == 1000 && all.all[0].time == 1000);
    CHECK(strcmp(all.all[0].server, "first") == 0 && strcmp(all.all[0].version, "2.9") == 0);
    change(CTIE_CONNECTION_RECONNECTING, 2000, "", "it went away");
    latch_wait(&all.calls, 2);
    latch_wait(&changes.calls, 1);
    CHECK(strcmp(all.all[1].state, "reconnecting") == 0 && strcmp(all.all[1].reason, "it went away") == 0);
    CHECK(strcmp(changes.all[0].state, "reconnecting") == 0);
    /* The same once more is no change. */
    change(CTIE_CONNECTION_RECONNECTING, 2000, "", "it went away");
    change(CTIE_CONNECTION_CONNECTED, 3000, "second", "");
    latch_wait(&all.calls, 3);
    latch_wait(&changes.calls, 2);
    CHECK(strcmp(all.all[2].server, "second") == 0 && strcmp(changes.all[1].server, "second") == 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    latch_wait(&all.ended, 1);
    change(CTIE_CONNECTION_CLOSED, 4000, "", "");
    latch_wait(&changes.calls, 3);
    CHECK(latch_count(&all.calls) == 3);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    latch_wait(&changes.ended, 1);
    CHECK_STATUS(ctie_listener_release(other), CTIE_E_HANDLE);
}

static bool listed_as(ctie_wormhole *wormhole, size_t count, const char *delivery) {
    ctie_value *list = NULL;
    char text[16] = "";
    CHECK_STATUS(ctie_wormhole_listeners(wormhole, &list, NULL), CTIE_OK);
    bool is_right = ctie_value_count(list) == count;
    if (is_right && count > 0) { read_text(ctie_value_at(list, 0), "delivery", text, sizeof text); }
    ctie_value_release(list);
    return is_right && strcmp(text, delivery) == 0;
}

static void listeners_are_named_and_removed(void) {
    ctie_wormhole *wormhole = open_shop();
    follower one = new_follower(), two = new_follower(), three = new_follower();
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = CTIE_STR("watcher");
    CHECK_STATUS(ctie_wormhole_listen_connection(wormhole, CTIE_RECEIVER_OWNED(follow, &one, end_following), &options,
                                                 NULL, NULL), CTIE_OK);
    CHECK(listed_as(wormhole, 1, "connection"));
    CHECK(ctie_wormhole_listen_connection(wormhole, CTIE_RECEIVER_OWNED(follow, &two, end_following), &options, NULL,
                                          NULL) >= 0);
    latch_wait(&one.ended, 1);
    CHECK(listed_as(wormhole, 1, "connection"));
    CHECK(ctie_wormhole_remove_listener(wormhole, CTIE_STR(""), CTIE_STR("watcher"), NULL) >= 0);
    latch_wait(&two.ended, 1);
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR(""), CTIE_STR("watcher"), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_listen_connection(wormhole, CTIE_RECEIVER_OWNED(follow, &three, end_following), NULL,
                                                 NULL, NULL), CTIE_OK);
    CHECK(ctie_wormhole_remove_listeners(wormhole, CTIE_STR(""), NULL) >= 0);
    latch_wait(&three.ended, 1);
    CHECK(listed_as(wormhole, 0, ""));
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* Impossible connections are dropped. */
static void connections_are_checked(void) {
    static char long_text[2000];
    ctie_wormhole *wormhole = open_shop();
    ctie_engine_connection now = {.size = sizeof now, .state = 3, .since = 9};
    void (*say)(void *, const ctie_engine_connection *) = notes->host->connection_changed;
    void *context = notes->host->context;
    say(context, &now);
    now.state = -1;
    say(context, &now);
    now.state = CTIE_CONNECTION_CLOSED, now.size = 8;
    say(context, &now);
    now.size = sizeof now + 1;
    say(context, &now);
    CHECK(state_is(wormhole, "connected", 1000));
    memset(long_text, 'x', sizeof long_text);
    now.size = sizeof now, now.reason = (ctie_str){long_text, sizeof long_text};
    now.server = (ctie_str){NULL, 5}, now.version = CTIE_STR("\xFF\n");
    say(context, &now);
    ctie_value *map = NULL;
    ctie_str text;
    CHECK_STATUS(ctie_wormhole_connection(wormhole, &map, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(map, CTIE_STR("reason")), &text), CTIE_OK);
    CHECK(text.size == 1000);
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(map, CTIE_STR("server")), &text), CTIE_OK);
    CHECK(text.size == 0);
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(map, CTIE_STR("version")), &text), CTIE_OK);
    CHECK(text_is(text, "\xEF\xBF\xBD "));
    ctie_value_release(map);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* A group on this machine, and an engine that says nothing of a connection, have none. */
static void others_have_no_connection(void) {
    ctie_wormhole *local = NULL;
    ctie_value *map = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    follower it = new_follower();
    options.flags = CTIE_WORMHOLE_MEMORY;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("shop"), &options, &local, NULL), CTIE_OK);
    notes->has_no_connection = true;
    ctie_wormhole *mute = open_shop();
    notes->has_no_connection = false;
    ctie_wormhole *const both[] = {local, mute};
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(ctie_wormhole_connection(both[i], &map, NULL), CTIE_E_UNSUPPORTED);
        CHECK(map == NULL);
        CHECK_STATUS(ctie_wormhole_listen_connection(both[i], CTIE_RECEIVER_OWNED(follow, &it, end_following), NULL,
                                                     NULL, NULL), CTIE_E_UNSUPPORTED);
        CHECK(latch_count(&it.ended) == i + 1);
        CHECK_STATUS(ctie_wormhole_release(both[i]), CTIE_OK);
    }
    CHECK(it.count == 0);
}

int main(void) {
    begin_engines();
    use_engine("server");
    notes = notes_of_engine();
    if (notes == NULL) { return 1; }
    a_connection_is_read();
    listeners_get_each_state();
    listeners_are_named_and_removed();
    connections_are_checked();
    others_have_no_connection();
    end_engines();
    return check_end();
}
