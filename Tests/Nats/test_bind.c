/* Bindings to states and queues. */
#include "driver.h"

#include "deliveries.h"

static void a_state_of_an_identifier(driver_server *server) {
    driver one;
    driver_open(&one, server, "state", "one");
    driver_bind(&one, 1, "a.b", CTIE_ENGINE_STATE, "");
    wait_for(&one, 1, 1);
    delivered none = delivery_of(&one, 1, 0);
    CHECK(none.kind == CTIE_MESSAGE_NONE && none.flags == CTIE_ENGINE_STORED && none.sequence == 0);
    uint64_t number = driver_value(&one, "a.b", "1");
    driver_value(&one, "a.c", "other");
    driver_value(&one, "a.b.c", "other");
    driver_send(&one, CTIE_MESSAGE_SIGNAL, "a.b", NULL);
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "a.b", NULL);
    driver_value(&one, "a.b", "2");
    wait_for(&one, 1, 5);
    CHECK_VALUE(&one, 1, 1, "a.b", "1");
    CHECK(delivery_of(&one, 1, 1).sequence == number && delivery_of(&one, 1, 1).flags == 0);
    CHECK(strcmp(delivery_of(&one, 1, 1).sender, "one") == 0);
    CHECK(delivery_of(&one, 1, 1).sender_pid == getpid());
    CHECK(delivery_of(&one, 1, 2).kind == CTIE_MESSAGE_SIGNAL);
    CHECK(delivery_of(&one, 1, 3).kind == CTIE_MESSAGE_DESTROYED);
    CHECK_VALUE(&one, 1, 4, "a.b", "2");
    driver_bind(&one, 2, "a.b", CTIE_ENGINE_STATE, "");
    wait_for(&one, 2, 1);
    CHECK_VALUE(&one, 2, 0, "a.b", "2");
    CHECK(delivery_of(&one, 2, 0).flags == CTIE_ENGINE_STORED);
    ctie_engine_binding how = driver_binding("a.b", CTIE_ENGINE_STATE, "");
    how.flags = CTIE_ENGINE_NO_INITIAL_DELIVERY;
    driver_bind_with(&one, 3, how);
    driver_value(&one, "a.b", "3");
    wait_for(&one, 3, 1);
    wait_for(&one, 2, 2);
    wait_for(&one, 1, 6);
    CHECK_VALUE(&one, 3, 0, "a.b", "3");
    driver_close(&one);
}

static void a_state_of_a_prefix(driver_server *server) {
    driver one;
    driver_open(&one, server, "prefix", "one");
    driver_value(&one, "p.c", "c");
    driver_value(&one, "p.a", "a");
    driver_value(&one, "p.b", "b");
    driver_value(&one, "q", "q");
    driver_value(&one, "p.a", "aa");
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "p.b", NULL);
    one.keeps_credit = true;
    ctie_engine_binding how = driver_binding("p.*", CTIE_ENGINE_STATE, "");
    how.credit = 1;
    driver_bind_with(&one, 1, how);
    wait_for(&one, 1, 1);
    driver_value(&one, "p.d", "d");
    driver_credit(&one, 1, 1);
    wait_for(&one, 1, 2);
    driver_credit(&one, 1, 5);
    wait_for(&one, 1, 3);
    CHECK_VALUE(&one, 1, 0, "p.a", "aa");
    CHECK_VALUE(&one, 1, 1, "p.c", "c");
    CHECK_VALUE(&one, 1, 2, "p.d", "d");
    CHECK(delivery_of(&one, 1, 1).flags == CTIE_ENGINE_STORED && delivery_of(&one, 1, 2).flags == 0);
    driver_close(&one);
}

static void where_a_queue_begins(driver_server *server) {
    driver one;
    driver_open(&one, server, "starts", "one");
    uint64_t numbers[4];
    int64_t middle = 0;
    for (int i = 0; i < 4; i++) {
        char text[] = {(char)('0' + i), 0};
        if (i == 2) {
            clock_pause(2);
            middle = clock_now(CLOCK_REALTIME);
        }
        numbers[i] = driver_value(&one, "q", text);
    }
    for (uint32_t start = CTIE_ENGINE_FROM_NEXT; start <= CTIE_ENGINE_FROM_TIME; start++) {
        ctie_engine_binding how = driver_binding("q", CTIE_ENGINE_QUEUE, "");
        how.start = start;
        how.start_sequence = start == CTIE_ENGINE_FROM_SEQUENCE ? numbers[1] : 0;
        how.start_time = start == CTIE_ENGINE_FROM_TIME ? middle : 0;
        driver_bind_with(&one, start + 1, how);
    }
    ctie_engine_binding future = driver_binding("q", CTIE_ENGINE_QUEUE, "");
    future.start = CTIE_ENGINE_FROM_SEQUENCE, future.start_sequence = UINT64_MAX;
    driver_bind_with(&one, 5, future);
    future.start = CTIE_ENGINE_FROM_TIME, future.start_sequence = 0, future.start_time = INT64_MAX;
    driver_bind_with(&one, 6, future);
    driver_value(&one, "q", "4");
    static const int first[] = {4, 0, 1, 2, 4, 4};
    for (uint64_t i = 0; i < 6; i++) {
        wait_for(&one, i + 1, (size_t)(5 - first[i]));
        CHECK(has_numbers(&one, i + 1, "q", first[i], 5));
    }
    driver_close(&one);
}

static void credit_bounds_a_queue(driver_server *server) {
    driver one;
    driver_open(&one, server, "credit", "one");
    one.keeps_credit = true;
    ctie_engine_binding how = driver_binding("q", CTIE_ENGINE_QUEUE, "");
    how.credit = 1;
    driver_bind_with(&one, 1, how);
    driver_send_numbers(&one, "q", 0, 50);
    for (size_t i = 1; i <= 50; i++) {
        wait_for(&one, 1, i);
        clock_pause(i < 10 ? 3 : 0);
        pthread_mutex_lock(&one.lock);
        CHECK(count_of(&one, 1) == i);
        pthread_mutex_unlock(&one.lock);
        driver_credit(&one, 1, 1);
    }
    CHECK(has_numbers(&one, 1, "q", 0, 50));
    driver_close(&one);
}

static void destroying_everything(driver_server *server) {
    driver one;
    driver_open(&one, server, "everything", "one");
    static const char *topics[] = {"a", "p.*", "*"};
    driver_value(&one, "a", "old");
    for (uint64_t i = 0; i < 6; i++) {
        driver_bind(&one, i + 1, topics[i % 3], i < 3 ? CTIE_ENGINE_STATE : CTIE_ENGINE_QUEUE, "");
    }
    wait_for(&one, 1, 1);
    wait_for(&one, 3, 1);
    uint64_t number = driver_send(&one, CTIE_MESSAGE_DESTROYED, "", NULL);
    driver_value(&one, "a", "a");
    driver_value(&one, "p.x", "x");
    static const size_t before[] = {1, 0, 1, 0, 0, 0}, after[] = {1, 1, 2, 1, 1, 2};
    for (uint64_t i = 0; i < 6; i++) {
        wait_for(&one, i + 1, before[i] + 1 + after[i]);
        delivered end = delivery_of(&one, i + 1, before[i]);
        CHECK(end.kind == CTIE_MESSAGE_DESTROYED && end.identifier[0] == 0 && end.sequence == number);
        delivered last = delivery_of(&one, i + 1, before[i] + after[i]);
        CHECK(is_value(&last, i % 3 == 0 ? "a" : "p.x", i % 3 == 0 ? "a" : "x"));
    }
    ctie_engine_binding how = driver_binding("p.*", CTIE_ENGINE_QUEUE, "");
    how.start = CTIE_ENGINE_FROM_OLDEST;
    driver_bind_with(&one, 9, how);
    wait_for(&one, 9, 2);
    CHECK(delivery_of(&one, 9, 0).kind == CTIE_MESSAGE_DESTROYED && delivery_of(&one, 9, 0).sequence == number);
    CHECK_VALUE(&one, 9, 1, "p.x", "x");
    driver_close(&one);
}

static void send_expiring(driver *it, const char *identifier, int64_t expires) {
    ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, identifier, "short");
    uint64_t number;
    uint32_t listeners;
    message.expires = expires;
    CHECK_STATUS(ENGINE_OF_NATS.send(it->engine, &message, 1, NULL, &number, &listeners, DRIVER_TIME_MS), CTIE_OK);
}

static void what_has_expired(driver_server *server) {
    driver one;
    driver_open(&one, server, "expired", "one");
    driver_bind(&one, 1, "q", CTIE_ENGINE_QUEUE, "");
    driver_bind(&one, 2, "q", CTIE_ENGINE_STATE, "");
    wait_for(&one, 2, 1);
    send_expiring(&one, "q", 1);
    wait_for(&one, 1, 1);
    send_expiring(&one, "q", 1);
    send_expiring(&one, "q", clock_now(CLOCK_REALTIME) + (int64_t)3600 * 1000000000);
    wait_for(&one, 1, 3);
    wait_for(&one, 2, 2);
    for (size_t i = 0; i < 2; i++) {
        delivered missed = delivery_of(&one, 1, i);
        CHECK(missed.kind == CTIE_MESSAGE_MISSED && missed.missed == 1 && missed.sequence > 0);
    }
    CHECK_VALUE(&one, 1, 2, "q", "short");
    CHECK_VALUE(&one, 2, 1, "q", "short");
    driver_close(&one);
}

/* A listener that falls behind further than the stream keeps. `topic` decides whether the number is exact. */
static void falling_behind(driver_server *server, const char *group, const char *topic, bool is_exact) {
    driver one;
    driver_init(&one, server, "one");
    one.server.max_queued = 100;
    CHECK_STATUS(driver_open_with(&one, group, DRIVER_TIME_MS), CTIE_OK);
    one.keeps_credit = true;
    ctie_engine_binding how = driver_binding(topic, CTIE_ENGINE_QUEUE, "");
    how.credit = 10;
    driver_bind_with(&one, 1, how);
    driver_send_numbers(&one, "q.x", 0, 10);
    wait_for(&one, 1, 10);
    driver_send_numbers(&one, "q.x", 10, 400);
    clock_pause(2500); /* longer than a short stall */
    driver_credit(&one, 1, 200);
    wait_for(&one, 1, 111);
    delivered missed = delivery_of(&one, 1, 10);
    CHECK(missed.kind == CTIE_MESSAGE_MISSED);
    CHECK(is_exact ? missed.missed == 290 : missed.missed >= 1 && missed.missed <= 290);
    CHECK_VALUE(&one, 1, 11, "q.x", "300");
    CHECK_VALUE(&one, 1, 110, "q.x", "399");
    CHECK(missed.sequence < delivery_of(&one, 1, 11).sequence && missed.sequence > delivery_of(&one, 1, 9).sequence);
    driver_close(&one);
}

/* With the lock: the values that a binding got. */
static int count_values(driver *it, uint64_t binding) {
    int count = 0;
    for (size_t i = 0; i < it->count; i++) {
        count += it->items[i].binding == binding && it->items[i].kind == CTIE_MESSAGE_VALUE;
    }
    return count;
}

/* Messages that are destroyed before their delivery. */
static void destroyed_before(driver_server *server) {
    driver one;
    driver_open(&one, server, "destroyed", "one");
    one.keeps_credit = true;
    ctie_engine_binding how = driver_binding("*", CTIE_ENGINE_QUEUE, "");
    how.credit = 1;
    driver_bind_with(&one, 1, how);
    how.topic = CTIE_STR("q");
    driver_bind_with(&one, 2, how);
    driver_send_numbers(&one, "q", 0, 6);
    wait_for(&one, 1, 1);
    wait_for(&one, 2, 1);
    uint64_t number = driver_send(&one, CTIE_MESSAGE_DESTROYED, "q", NULL);
    driver_credit(&one, 1, 10);
    driver_credit(&one, 2, 10);
    for (uint64_t i = 1; i <= 2; i++) {
        wait_for(&one, i, 3);
        delivered missed = delivery_of(&one, i, 1), end = delivery_of(&one, i, 2);
        CHECK(missed.kind == CTIE_MESSAGE_MISSED && missed.sequence > delivery_of(&one, i, 0).sequence);
        CHECK(i == 1 ? missed.missed == 5 : missed.missed <= 5); /* 0: the number is not known */
        CHECK(missed.sequence < number);
        CHECK(end.kind == CTIE_MESSAGE_DESTROYED && strcmp(end.identifier, "q") == 0 && end.sequence == number);
    }
    driver_close(&one);
}

/* The destroying of one identifier leaves the messages of the other ones. */
static void destroyed_beside(driver_server *server) {
    driver one;
    driver_open(&one, server, "beside", "one");
    one.keeps_credit = true;
    ctie_engine_binding how = driver_binding("p.*", CTIE_ENGINE_QUEUE, "");
    how.credit = 1;
    driver_bind_with(&one, 1, how);
    how.topic = CTIE_STR("p.r");
    driver_bind_with(&one, 2, how);
    driver_value(&one, "p.r", "0");
    wait_for(&one, 1, 1);
    wait_for(&one, 2, 1);
    for (int i = 1; i < 5; i++) {
        driver_value(&one, "p.q", "destroyed");
        driver_send_numbers(&one, "p.r", i, i + 1);
    }
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "p.q", NULL);
    driver_send_numbers(&one, "p.r", 5, 6);
    driver_credit(&one, 1, 20);
    driver_credit(&one, 2, 20);
    wait_for(&one, 2, 6);
    CHECK(has_numbers(&one, 2, "p.r", 0, 6));
    DRIVER_WAIT_FOR(&one, one.count > 0 && count_values(&one, 1) == 6);
    driver_close(&one);
}

/* A binding to states that falls behind further than the stream keeps gets each newest value all the same. */
static void a_state_behind(driver_server *server) {
    driver one;
    driver_init(&one, server, "one");
    one.server.max_queued = 50;
    CHECK_STATUS(driver_open_with(&one, "behind.state", DRIVER_TIME_MS), CTIE_OK);
    one.keeps_credit = true;
    ctie_engine_binding how = driver_binding("s.*", CTIE_ENGINE_STATE, "");
    how.credit = 1;
    driver_bind_with(&one, 1, how);
    driver_value(&one, "s.first", "old");
    wait_for(&one, 1, 1);
    driver_value(&one, "s.first", "new");
    driver_send_numbers(&one, "s.x", 0, 200);
    clock_pause(2500); /* longer than a short stall */
    driver_credit(&one, 1, 100);
    wait_for(&one, 1, 3);
    CHECK_VALUE(&one, 1, 1, "s.first", "new");
    CHECK_VALUE(&one, 1, 2, "s.x", "199");
    CHECK(delivery_of(&one, 1, 1).flags == 0);
    CHECK(delivery_of(&one, 1, 0).sequence < delivery_of(&one, 1, 1).sequence);
    CHECK(delivery_of(&one, 1, 1).sequence < delivery_of(&one, 1, 2).sequence);
    driver_value(&one, "s.first", "last");
    wait_for(&one, 1, 4);
    CHECK_VALUE(&one, 1, 3, "s.first", "last");
    driver_close(&one);
}

static void nothing_after_unbind(driver_server *server) {
    driver one;
    driver_open(&one, server, "unbind", "one");
    for (int round = 0; round < 20; round++) {
        uint64_t number = (uint64_t)round + 1;
        driver_bind(&one, number, "q", round % 2 ? CTIE_ENGINE_QUEUE : CTIE_ENGINE_STATE, "");
        driver_send_numbers(&one, "q", 0, 20);
        wait_for(&one, number, 1);
        driver_unbind(&one, number);
        pthread_mutex_lock(&one.lock);
        size_t before = count_of(&one, number);
        pthread_mutex_unlock(&one.lock);
        driver_send_numbers(&one, "q", 20, 25);
        pthread_mutex_lock(&one.lock);
        CHECK(count_of(&one, number) == before);
        pthread_mutex_unlock(&one.lock);
    }
    CHECK_STATUS(ENGINE_OF_NATS.unbind(one.engine, 1, DRIVER_TIME_MS), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ENGINE_OF_NATS.unbind(one.engine, 99, DRIVER_TIME_MS), CTIE_E_NOT_FOUND);
    driver_close(&one);
}

enum { SENDERS = 4, EACH = 2500, LISTENERS = 20 };

typedef struct sending {
    driver *from;
    int index;
} sending;

static void *send_many(void *data) {
    const sending *how = data;
    char identifier[16];
    snprintf(identifier, sizeof identifier, "crowd.s%d", how->index);
    driver_send_numbers(how->from, identifier, 0, EACH);
    return NULL;
}

/* 20 bindings, 10,000 messages of four senders. */
static void a_crowd(driver_server *server) {
    driver one;
    pthread_t threads[SENDERS];
    sending how[SENDERS];
    driver_open(&one, server, "crowd", "one");
    for (uint64_t i = 0; i < LISTENERS; i++) {
        char topic[16];
        snprintf(topic, sizeof topic, "crowd.s%d", (int)(i % SENDERS));
        ctie_engine_binding queue = driver_binding(i < 4 ? "crowd.*" : topic, CTIE_ENGINE_QUEUE, "");
        queue.credit = i % 5 == 0 ? 1 : 64;
        driver_bind_with(&one, i + 1, queue);
    }
    for (int i = 0; i < SENDERS; i++) {
        how[i] = (sending){&one, i};
        CHECK(pthread_create(&threads[i], NULL, send_many, &how[i]) == 0);
    }
    for (int i = 0; i < SENDERS; i++) { pthread_join(threads[i], NULL); }
    size_t all = (size_t)4 * SENDERS * EACH + (size_t)(LISTENERS - 4) * EACH;
    driver_wait(&one, all);
    CHECK(one.count == all);
    for (uint64_t i = 4; i < LISTENERS; i++) {
        char topic[16];
        snprintf(topic, sizeof topic, "crowd.s%d", (int)(i % SENDERS));
        CHECK(has_numbers(&one, i + 1, topic, 0, EACH));
    }
    driver_close(&one);
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    a_state_of_an_identifier(&server);
    a_state_of_a_prefix(&server);
    where_a_queue_begins(&server);
    credit_bounds_a_queue(&server);
    destroying_everything(&server);
    what_has_expired(&server);
    falling_behind(&server, "behind.exact", "*", true);
    falling_behind(&server, "behind.least", "q.x", false);
    destroyed_before(&server);
    destroyed_beside(&server);
    a_state_behind(&server);
    nothing_after_unbind(&server);
    a_crowd(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
