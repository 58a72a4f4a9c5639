/* The destroying of one identifier, while listeners have not got all messages: those of other identifiers stay. */
#include "driver.h"

#include "../../engines/nats/collect.h"
#include "../../engines/nats/older.h"
#include "../../engines/nats/requests.h"
#include "deliveries.h"

enum { MESSAGES = 200, MANY = 5000 };

/* Another member: it destroys while the listeners of the first have no credit, or are not there. */
typedef struct scene {
    driver listener, sender;
    uint64_t destroyed; /* the number of the destroying */
} scene;

static void scene_open(scene *it, driver_server *server, const char *group) {
    driver_open(&it->listener, server, group, "listener");
    driver_open(&it->sender, server, group, "sender");
    it->listener.keeps_credit = true;
}

static void scene_close(scene *it) {
    driver_close(&it->listener);
    driver_close(&it->sender);
}

static ctie_engine_binding binding_of(const char *topic, uint32_t delivery, uint32_t credit) {
    ctie_engine_binding how = driver_binding(topic, delivery, delivery == CTIE_ENGINE_DURABLE ? "pool" : "");
    how.credit = credit;
    if (delivery == CTIE_ENGINE_DURABLE) { how.max_unacknowledged = 4 * MESSAGES; }
    return how;
}

/* chat.a and chat.b in turn, then the destroying of chat.a, then one more of each. */
static void send_all(scene *it) {
    for (int i = 0; i < MESSAGES; i++) {
        driver_value(&it->sender, "chat.a", "destroyed");
        driver_send_numbers(&it->sender, "chat.b", i, i + 1);
    }
    it->destroyed = driver_send(&it->sender, CTIE_MESSAGE_DESTROYED, "chat.a", NULL);
    driver_send_numbers(&it->sender, "chat.b", MESSAGES, MESSAGES + 1);
    driver_value(&it->sender, "chat.a", "newer");
}

/* With the lock: what a binding has got of an identifier, but for messages that were missed. */
static size_t count_of_identifier(driver *it, uint64_t binding, const char *identifier) {
    size_t count = 0;
    for (size_t i = 0; i < it->count; i++) {
        const delivered *each = &it->items[i];
        bool is_message = each->binding == binding && each->kind != CTIE_MESSAGE_MISSED;
        count += is_message && strcmp(each->identifier, identifier) == 0;
    }
    return count;
}

/* With the lock. */
static bool has_got_newer(driver *it, uint64_t binding) {
    for (size_t i = 0; i < it->count; i++) {
        if (it->items[i].binding == binding && is_value(&it->items[i], "chat.a", "newer")) { return true; }
    }
    return false;
}

/* Every message of chat.b in its order; of chat.a `before` values, the destroying and the newer value. */
static void check_all(const scene *of, driver *it, uint64_t binding, size_t before) {
    DRIVER_WAIT_FOR(it, has_got_newer(it, binding));
    int next = 0;
    size_t values = 0, destroyings = 0;
    uint64_t last = 0;
    pthread_mutex_lock(&it->lock);
    CHECK(count_of_identifier(it, binding, "chat.b") == MESSAGES + 1);
    CHECK(count_of_identifier(it, binding, "chat.a") == before + 2);
    for (size_t i = 0; i < it->count; i++) {
        const delivered *each = &it->items[i];
        char text[16];
        if (each->binding != binding) { continue; }
        CHECK(each->sequence > last);
        last = each->sequence;
        snprintf(text, sizeof text, "%d", next);
        if (strcmp(each->identifier, "chat.b") == 0) { CHECK(is_value(each, "chat.b", text)), next++; }
        if (is_value(each, "chat.a", "destroyed")) { CHECK(each->sequence < of->destroyed), values++; }
        if (each->kind != CTIE_MESSAGE_DESTROYED) { continue; }
        CHECK(strcmp(each->identifier, "chat.a") == 0 && each->sequence == of->destroyed);
        destroyings++;
    }
    pthread_mutex_unlock(&it->lock);
    CHECK(next == MESSAGES + 1 && values == before && destroyings == 1);
}

static const char *const PREFIXES[] = {"chat.*", "*"};

/* Durable consumers that are made, and that nobody listens to meanwhile. */
static void durables_without_listeners(driver_server *server) {
    scene it;
    scene_open(&it, server, "nobody");
    for (uint64_t i = 0; i < 2; i++) {
        driver_bind_with(&it.listener, i + 1, binding_of(PREFIXES[i], CTIE_ENGINE_DURABLE, 1));
        driver_unbind(&it.listener, i + 1);
    }
    send_all(&it);
    for (uint64_t i = 0; i < 2; i++) {
        driver_bind_with(&it.listener, i + 11, binding_of(PREFIXES[i], CTIE_ENGINE_DURABLE, 4 * MESSAGES));
        check_all(&it, &it.listener, i + 11, 0);
    }
    scene_close(&it);
}

/* Listeners without credit: each has got the first message, one of chat.a. */
static void without_credit(driver_server *server, const char *group, uint32_t delivery) {
    scene it;
    scene_open(&it, server, group);
    for (uint64_t i = 0; i < 2; i++) {
        driver_bind_with(&it.listener, i + 1, binding_of(PREFIXES[i], delivery, 1));
    }
    send_all(&it);
    for (uint64_t i = 0; i < 2; i++) {
        wait_for(&it.listener, i + 1, 1);
        CHECK_VALUE(&it.listener, i + 1, 0, "chat.a", "destroyed");
        if (delivery == CTIE_ENGINE_DURABLE) {
            driver_acknowledge(&it.listener, i + 1, delivery_of(&it.listener, i + 1, 0).claim);
        }
        driver_credit(&it.listener, i + 1, 4 * MESSAGES);
        check_all(&it, &it.listener, i + 1, 1);
    }
    scene_close(&it);
}

/* A message in hand that is destroyed, and is left then, does not come again, and does not keep the rest back. */
static void in_hand(driver_server *server) {
    scene it;
    scene_open(&it, server, "hand");
    driver_bind_with(&it.listener, 1, binding_of("chat.*", CTIE_ENGINE_DURABLE, 20));
    driver_value(&it.sender, "chat.a", "destroyed");
    driver_value(&it.sender, "chat.b", "in hand");
    wait_for(&it.listener, 1, 2);
    driver_send(&it.sender, CTIE_MESSAGE_DESTROYED, "chat.a", NULL);
    wait_for(&it.listener, 1, 3);
    driver_unbind(&it.listener, 1); /* leaves all three */
    driver_value(&it.sender, "chat.b", "last");
    driver_bind_with(&it.listener, 2, binding_of("chat.*", CTIE_ENGINE_DURABLE, 20));
    wait_for(&it.listener, 2, 3);
    bool has_in_hand = false, has_last = false;
    pthread_mutex_lock(&it.listener.lock);
    for (size_t i = 0; i < it.listener.count; i++) {
        const delivered *each = &it.listener.items[i];
        if (each->binding != 2) { continue; }
        CHECK(!is_value(each, "chat.a", "destroyed"));
        has_in_hand |= is_value(each, "chat.b", "in hand"), has_last |= is_value(each, "chat.b", "last");
    }
    pthread_mutex_unlock(&it.listener.lock);
    CHECK(has_in_hand && has_last);
    scene_close(&it);
}

/* Everything up to the destroying goes, and nothing behind it. */
static void everything_destroyed(driver_server *server) {
    scene it;
    scene_open(&it, server, "everything");
    driver_bind_with(&it.listener, 1, binding_of("chat.*", CTIE_ENGINE_DURABLE, 1));
    driver_unbind(&it.listener, 1);
    driver_bind_with(&it.listener, 2, binding_of("*", CTIE_ENGINE_QUEUE, 1));
    driver_send_numbers(&it.sender, "chat.b", 0, MESSAGES);
    wait_for(&it.listener, 2, 1);
    driver_send(&it.sender, CTIE_MESSAGE_DESTROYED, "", NULL);
    driver_send_numbers(&it.sender, "chat.b", MESSAGES, 2 * MESSAGES);
    driver_bind_with(&it.listener, 11, binding_of("chat.*", CTIE_ENGINE_DURABLE, 4 * MESSAGES));
    wait_for(&it.listener, 11, MESSAGES);
    CHECK(has_numbers(&it.listener, 11, "chat.b", MESSAGES, 2 * MESSAGES));
    driver_credit(&it.listener, 2, 4 * MESSAGES);
    DRIVER_WAIT_FOR(&it.listener, count_of_identifier(&it.listener, 2, "chat.b") == 1 + MESSAGES);
    DRIVER_WAIT_FOR(&it.listener, count_of_identifier(&it.listener, 2, "") == 1);
    scene_close(&it);
}

static bool count_in(void *context, natsMsg *message, uint64_t at) {
    size_t *count = context;
    (void)at;
    natsMsg_Destroy(message);
    (*count)++;
    return true;
}

/* The messages of a filter that the server has. */
static size_t stored_under(driver *it, const char *stream, const char *filter) {
    size_t count = 0;
    collecting what = {.stream = stream, .filter = filter, .start = 1, .names_only = true, .most = UINT64_MAX,
                       .take = count_in, .context = &count};
    CHECK_STATUS(collect(it->engine, &what, deadline_after(DRIVER_TIME_MS)), CTIE_OK);
    return count;
}

/* More than one portion, some of them removed already. Without enough time the rest goes with the next destroying. */
static void many(driver_server *server) {
    driver one;
    driver_open(&one, server, "many", "one");
    engine *of = one.engine;
    char filter[SUBJECT_MOST], others[SUBJECT_MOST], subject[SUBJECT_MOST];
    natsMsg *message = NULL;
    names_filter(&of->names, SUBJECT_ANY, CTIE_STR("chat.a"), filter);
    names_filter(&of->names, SUBJECT_ANY, CTIE_STR("chat.b"), others);
    names_subject(&of->names, CTIE_MESSAGE_VALUE, CTIE_STR("chat.a"), subject);
    for (int i = 0; i < MANY; i++) {
        CHECK(natsMsg_Create(&message, subject, NULL, "x", 1) == NATS_OK);
        CHECK(natsConnection_PublishMsg(of->connection, message) == NATS_OK);
        natsMsg_Destroy(message);
    }
    uint64_t before = driver_value(&one, "chat.b", "stays");
    CHECK(stored_under(&one, of->names.stream, filter) == MANY);
    CHECK_STATUS(older_remove(of, CTIE_STR("chat.a"), 3, deadline_after(DRIVER_TIME_MS)), CTIE_OK);
    CHECK(stored_under(&one, of->names.stream, filter) == MANY - 2);
    CHECK_STATUS(older_remove(of, CTIE_STR("chat.a"), before, deadline_after(0)), CTIE_E_UNCERTAIN);
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "chat.a", NULL);
    CHECK(stored_under(&one, of->names.stream, filter) == 1);
    CHECK(stored_under(&one, of->names.stream, others) == 1);
    CHECK(driver_is(&one, "chat.a", NULL) && driver_is(&one, "chat.b", "stays"));
    driver_close(&one);
}

static ctie_status remove_number(driver *it, const char *stream, uint64_t number) {
    requests one = {.count = 0};
    requests_add(&one, requests_delete(stream, number));
    return requests_ask(it->engine, &one, deadline_after(DRIVER_TIME_MS));
}

/* Another member may have removed a message first, which is no failure. A refusal is one. */
static void answers_of_the_server(driver_server *server) {
    driver one;
    json_t *config = json_pack("{s:s, s:[s], s:b}", "name", "KEPT", "subjects", "kept.>", "deny_delete", 1);
    driver_open(&one, server, "answers", "one");
    engine *of = one.engine;
    const char *stream = of->names.stream;
    driver_value(&one, "chat.b", "x");
    uint64_t number = driver_value(&one, "chat.a", "x");
    driver_value(&one, "chat.b", "y");
    CHECK_STATUS(remove_number(&one, stream, number), CTIE_OK);
    CHECK_STATUS(remove_number(&one, stream, number), CTIE_OK);
    CHECK_STATUS(remove_number(&one, stream, number + 100), CTIE_OK);
    CHECK_STATUS(remove_number(&one, stream, 0), CTIE_OK);
    CHECK_STATUS(remove_number(&one, "CTIE_none", 1), CTIE_OK);
    CHECK_STATUS(api(of, "STREAM.CREATE.KEPT", config, deadline_after(DRIVER_TIME_MS), NULL), CTIE_OK);
    json_decref(config);
    CHECK(natsConnection_PublishString(of->connection, "kept.a", "x") == NATS_OK);
    for (int64_t end = deadline_after(DRIVER_WAIT_MS); deadline_left(end) > 0; clock_pause(5)) {
        if (stored_under(&one, "KEPT", "kept.a") == 1) { break; }
    }
    CHECK(remove_number(&one, "KEPT", 1) != CTIE_OK);
    driver_close(&one);
}

/* The second stream has the last value of each other identifier, also of those that it had not copied yet. */
static void copies_of_others(driver_server *server) {
    driver one;
    driver_open(&one, server, "copies", "one");
    engine *of = one.engine;
    char name[32], filter[SUBJECT_MOST];
    size_t copies = 0;
    for (int i = 0; i < MESSAGES; i++) {
        snprintf(name, sizeof name, "chat.b.%d", i);
        driver_value(&one, name, "x");
        driver_value(&one, "chat.a", "x");
        driver_send(&one, CTIE_MESSAGE_DESTROYED, "chat.a", NULL);
    }
    names_filter(&of->names, SUBJECT_VALUE, CTIE_STR("chat.b.*"), filter);
    for (int64_t end = deadline_after(DRIVER_WAIT_MS); copies < MESSAGES && deadline_left(end) > 0; clock_pause(5)) {
        copies = stored_under(&one, of->names.now, filter);
    }
    CHECK(copies == MESSAGES);
    driver_close(&one);
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    durables_without_listeners(&server);
    without_credit(&server, "durable", CTIE_ENGINE_DURABLE);
    without_credit(&server, "queue", CTIE_ENGINE_QUEUE);
    in_hand(&server);
    everything_destroyed(&server);
    many(&server);
    answers_of_the_server(&server);
    copies_of_others(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
