/* Durable consumers. */
#include "driver.h"

#include "deliveries.h"

static ctie_engine_binding durable(const char *topic, const char *name, uint32_t credit) {
    ctie_engine_binding how = driver_binding(topic, CTIE_ENGINE_DURABLE, name);
    how.credit = credit;
    return how;
}

static void each_outcome(driver_server *server) {
    driver one;
    driver_open(&one, server, "outcomes", "one");
    one.keeps_credit = true;
    driver_bind_with(&one, 1, durable("jobs", "pool", 100));
    driver_send_numbers(&one, "jobs", 0, 4);
    wait_for(&one, 1, 4);
    CHECK(has_numbers(&one, 1, "jobs", 0, 4));
    for (size_t i = 0; i < 4; i++) {
        CHECK(delivery_of(&one, 1, i).claim != 0 && delivery_of(&one, 1, i).delivery_count == 1);
    }
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 0).claim);
    int64_t before = clock_now(CLOCK_MONOTONIC);
    driver_answer(&one, 1, delivery_of(&one, 1, 1).claim, CTIE_ENGINE_REJECTED, 300000000);
    wait_for(&one, 1, 5);
    CHECK(clock_now(CLOCK_MONOTONIC) - before >= 300000000);
    CHECK_VALUE(&one, 1, 4, "jobs", "1");
    CHECK(delivery_of(&one, 1, 4).delivery_count == 2);
    CHECK(delivery_of(&one, 1, 4).claim != delivery_of(&one, 1, 1).claim);
    before = clock_now(CLOCK_MONOTONIC);
    driver_answer(&one, 1, delivery_of(&one, 1, 4).claim, CTIE_ENGINE_REJECTED, -1); /* the second time: 200 ms */
    wait_for(&one, 1, 6);
    CHECK(clock_now(CLOCK_MONOTONIC) - before >= 200000000);
    CHECK(delivery_of(&one, 1, 5).delivery_count == 3);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 5).claim);
    driver_answer(&one, 1, delivery_of(&one, 1, 2).claim, CTIE_ENGINE_LEFT, 0);
    wait_for(&one, 1, 7);
    CHECK_VALUE(&one, 1, 6, "jobs", "2");
    driver_answer(&one, 1, delivery_of(&one, 1, 3).claim, CTIE_ENGINE_UNDELIVERED, 0);
    wait_for(&one, 1, 8);
    CHECK_VALUE(&one, 1, 7, "jobs", "3");
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 6).claim);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 6).claim);
    driver_acknowledge(&one, 1, 12345);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 7).claim);
    driver_send_numbers(&one, "jobs", 4, 5);
    wait_for(&one, 1, 9);
    CHECK_VALUE(&one, 1, 8, "jobs", "4");
    driver_close(&one);
}

/* Longer than the server waits for an acknowledgement. */
static void in_hand_for_long(driver_server *server) {
    driver one, other;
    driver_open(&one, server, "long", "one");
    driver_open(&other, server, "long", "other");
    driver_bind_with(&one, 1, durable("jobs", "pool", 1));
    driver_send_numbers(&one, "jobs", 0, 1);
    wait_for(&one, 1, 1);
    driver_bind_with(&other, 1, durable("jobs", "pool", 64));
    clock_pause(5000);
    CHECK(other.count == 0 && one.count == 1);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 0).claim);
    driver_send_numbers(&one, "jobs", 1, 2);
    DRIVER_WAIT_FOR(&one, one.count + other.count == 2);
    clock_pause(3000);
    CHECK(one.count + other.count == 2);
    driver_close(&one);
    driver_close(&other);
}

static void what_a_listener_leaves(driver_server *server) {
    driver one, other;
    driver_open(&one, server, "leaving", "one");
    driver_open(&other, server, "leaving", "other");
    driver_bind_with(&one, 1, durable("jobs", "pool", 10));
    driver_send_numbers(&one, "jobs", 0, 10);
    wait_for(&one, 1, 10);
    driver_bind_with(&other, 1, durable("jobs", "pool", 64));
    driver_unbind(&one, 1);
    driver_send_numbers(&one, "jobs", 10, 20);
    wait_for(&other, 1, 20);
    CHECK(one.count == 10);
    for (size_t i = 0; i < 20; i++) { driver_acknowledge(&other, 1, delivery_of(&other, 1, i).claim); }
    driver_close(&one);
    driver_bind_with(&other, 2, durable("jobs", "pool", 64));
    driver_send_numbers(&other, "jobs", 20, 21);
    driver_wait(&other, 21);
    clock_pause(2500);
    CHECK(other.count == 21);
    driver_close(&other);
}

static bool note_durable(const ctie_engine_durable *durable, void *context) {
    ctie_engine_durable *out = context;
    bool is_it = durable->name.size == 4 && memcmp(durable->name.data, "pool", 4) == 0;
    if (is_it) { *out = *durable; }
    out->dead++; /* counts them */
    return true;
}

static ctie_status forget(driver *it, const char *topic, const char *name) {
    return ENGINE_OF_NATS.forget(it->engine, ctie_str_from(topic), ctie_str_from(name), DRIVER_TIME_MS);
}

static void listing_and_forgetting(driver_server *server) {
    driver one;
    driver_open(&one, server, "listing", "one");
    one.keeps_credit = true;
    ctie_engine_durable found = {0};
    CHECK_STATUS(ENGINE_OF_NATS.durables(one.engine, note_durable, &found, DRIVER_TIME_MS), CTIE_OK);
    CHECK(found.dead == 0);
    driver_bind_with(&one, 1, durable("jobs.*", "pool", 2));
    driver_bind_with(&one, 2, durable("jobs.*", "line\nbreak", 2));
    driver_bind_with(&one, 3, durable("*", "pool2", 2));
    driver_send_numbers(&one, "jobs.a", 0, 5);
    wait_for(&one, 1, 2);
    wait_for(&one, 2, 2);
    CHECK_STATUS(ENGINE_OF_NATS.durables(one.engine, note_durable, &found, DRIVER_TIME_MS), CTIE_OK);
    CHECK(found.dead == 3 && found.waiting == 3 && found.deliveries == 2 && found.oldest > 0);
    CHECK(found.position == delivery_of(&one, 1, 1).sequence && found.holder_count == 1);
    CHECK_STATUS(forget(&one, "jobs", "pool"), CTIE_E_NOT_FOUND);
    CHECK_STATUS(forget(&one, "jobs.*", "pool"), CTIE_OK);
    CHECK_STATUS(forget(&one, "jobs.*", "pool"), CTIE_E_NOT_FOUND);
    CHECK_STATUS(forget(&one, "jobs.*", "line\nbreak"), CTIE_OK);
    driver_credit(&one, 1, 10);
    driver_bind_with(&one, 4, durable("jobs.*", "pool", 2));
    driver_send_numbers(&one, "jobs.a", 5, 6);
    wait_for(&one, 4, 1);
    pthread_mutex_lock(&one.lock);
    CHECK(count_of(&one, 1) == 2);
    pthread_mutex_unlock(&one.lock);
    driver_close(&one);
}

/* Not at the time at which one of the name was made before. */
static void bind_from_oldest(driver *it, uint64_t number, uint32_t credit) {
    clock_pause(300);
    ctie_engine_binding how = durable("jobs", "pool", credit);
    how.start = CTIE_ENGINE_FROM_OLDEST;
    driver_bind_with(it, number, how);
}

static void acknowledge_three(driver *it, uint64_t number) {
    wait_for(it, number, 3);
    for (size_t i = 0; i < 3; i++) { driver_acknowledge(it, number, delivery_of(it, number, i).claim); }
}

/* One that is made again with the name of a forgotten one delivers what that one had acknowledged, or what its listener
   acknowledges only then. */
static void another_one_from_the_oldest(driver_server *server) {
    driver one;
    driver_open(&one, server, "again", "one");
    driver_send_numbers(&one, "jobs", 0, 3);
    bind_from_oldest(&one, 1, 8);
    acknowledge_three(&one, 1);
    driver_unbind(&one, 1);
    CHECK_STATUS(forget(&one, "jobs", "pool"), CTIE_OK);
    bind_from_oldest(&one, 2, 8);
    wait_for(&one, 2, 3);
    CHECK_STATUS(forget(&one, "jobs", "pool"), CTIE_OK);
    acknowledge_three(&one, 2);
    bind_from_oldest(&one, 3, 8);
    acknowledge_three(&one, 3);
    driver_close(&one);
}

/* The same for a member that does not know of either. */
static void another_one_of_another_member(driver_server *server) {
    driver one, other;
    driver_open(&one, server, "others", "one");
    driver_open(&other, server, "others", "other");
    driver_send_numbers(&one, "jobs", 0, 3);
    bind_from_oldest(&other, 1, 8);
    acknowledge_three(&other, 1);
    driver_unbind(&other, 1);
    CHECK_STATUS(forget(&one, "jobs", "pool"), CTIE_OK);
    bind_from_oldest(&one, 1, 0);
    bind_from_oldest(&other, 2, 8);
    acknowledge_three(&other, 2);
    driver_close(&one);
    driver_close(&other);
}

static void where_it_begins(driver_server *server) {
    driver one;
    driver_open(&one, server, "begins", "one");
    driver_send_numbers(&one, "jobs", 0, 3);
    ctie_engine_binding how = durable("jobs", "oldest", 64);
    how.start = CTIE_ENGINE_FROM_OLDEST;
    driver_bind_with(&one, 1, how);
    wait_for(&one, 1, 3);
    how = durable("jobs", "number", 64);
    how.start = CTIE_ENGINE_FROM_SEQUENCE, how.start_sequence = delivery_of(&one, 1, 1).sequence;
    driver_bind_with(&one, 2, how);
    how = durable("jobs", "future", 64);
    how.start = CTIE_ENGINE_FROM_SEQUENCE, how.start_sequence = UINT64_MAX;
    driver_bind_with(&one, 3, how);
    driver_bind_with(&one, 4, durable("jobs", "next", 64));
    driver_send_numbers(&one, "jobs", 3, 4);
    static const int first[] = {0, 1, 3, 3};
    for (uint64_t i = 0; i < 4; i++) {
        wait_for(&one, i + 1, (size_t)(4 - first[i]));
        CHECK(has_numbers(&one, i + 1, "jobs", first[i], 4));
    }
    /* It is there: another start does not move it. */
    how = durable("jobs", "next", 64);
    how.start = CTIE_ENGINE_FROM_OLDEST;
    driver_bind_with(&one, 5, how);
    driver_send_numbers(&one, "jobs", 4, 5);
    wait_for(&one, 1, 5);
    DRIVER_WAIT_FOR(&one, count_of(&one, 4) + count_of(&one, 5) == 2);
    driver_close(&one);
}

static void another_consumer_of_the_name(driver_server *server) {
    driver one;
    driver_open(&one, server, "conflict", "one");
    engine *of = one.engine;
    char what[256], name[CONSUMER_MOST];
    CHECK(names_consumer(CTIE_STR("jobs"), CTIE_STR("pool"), name));
    snprintf(what, sizeof what, "CONSUMER.DURABLE.CREATE.%s.%s", of->names.stream, name);
    json_t *body = json_pack("{s:s, s:{s:s, s:s, s:s}}", "stream_name", of->names.stream, "config", "durable_name",
                             name, "ack_policy", "explicit", "filter_subject", of->names.everything);
    CHECK_STATUS(api(of, what, body, deadline_after(DRIVER_TIME_MS), NULL), CTIE_OK);
    json_decref(body);
    ctie_engine_binding how = durable("jobs", "pool", 1);
    CHECK_STATUS(ENGINE_OF_NATS.bind(one.engine, 1, &how, DRIVER_TIME_MS), CTIE_E_CONFLICT);
    CHECK(strstr(driver_words, name) != NULL);
    driver_close(&one);
}

static void what_has_expired(driver_server *server) {
    driver one;
    driver_open(&one, server, "expiring", "one");
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, "jobs", "short");
    uint64_t number;
    uint32_t listeners;
    message.expires = 1;
    CHECK_STATUS(ENGINE_OF_NATS.send(one.engine, &message, 1, NULL, &number, &listeners, DRIVER_TIME_MS), CTIE_OK);
    driver_value(&one, "jobs", "next");
    wait_for(&one, 1, 2);
    delivered missed = delivery_of(&one, 1, 0);
    CHECK(missed.kind == CTIE_MESSAGE_MISSED && missed.missed == 1 && missed.sequence == number);
    CHECK_VALUE(&one, 1, 1, "jobs", "next");
    clock_pause(2500);
    CHECK(one.count == 2);
    driver_close(&one);
}

enum { WORKERS = 4, JOBS = 10000 };

typedef struct worker {
    driver of;
    pthread_t thread;
    _Atomic int *done;      /* by the job's number */
    _Atomic int *total;
} worker;

/* Acknowledges what it gets, one by one; credit comes back at once. */
static void *work(void *data) {
    worker *it = data;
    size_t next = 0;
    while (*it->total < JOBS) {
        pthread_mutex_lock(&it->of.lock);
        bool has_one = next < it->of.count;
        delivered job;
        if (has_one) { job = it->of.items[next++]; }
        pthread_mutex_unlock(&it->of.lock);
        if (!has_one) {
            clock_pause(1);
            continue;
        }
        int number = job.kind == CTIE_MESSAGE_VALUE ? atoi((const char *)job.value) : -1;
        CHECK(number >= 0 && number < JOBS);
        if (number >= 0 && number < JOBS && it->done[number]++ == 0) { (*it->total)++; }
        driver_acknowledge(&it->of, 1, job.claim);
    }
    return NULL;
}

static void many_workers(driver_server *server) {
    static _Atomic int done[JOBS];
    static _Atomic int total;
    driver sender;
    worker workers[WORKERS];
    driver_open(&sender, server, "workers", "sender");
    for (int i = 0; i < WORKERS; i++) {
        driver_open(&workers[i].of, server, "workers", "worker");
        workers[i].done = done, workers[i].total = &total;
        driver_bind_with(&workers[i].of, 1, durable("jobs", "pool", i == 0 ? 1 : 64));
    }
    for (int i = 0; i < WORKERS; i++) { CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0); }
    driver_send_numbers(&sender, "jobs", 0, JOBS);
    for (int i = 0; i < WORKERS; i++) { pthread_join(workers[i].thread, NULL); }
    for (int i = 0; i < JOBS; i++) { CHECK(done[i] == 1); }
    for (int i = 0; i < WORKERS; i++) { driver_close(&workers[i].of); }
    /* Everything was acknowledged: nothing comes again. */
    driver_bind_with(&sender, 1, durable("jobs", "pool", 64));
    clock_pause(2500);
    CHECK(sender.count == 0);
    driver_close(&sender);
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    each_outcome(&server);
    in_hand_for_long(&server);
    what_a_listener_leaves(&server);
    listing_and_forgetting(&server);
    another_one_from_the_oldest(&server);
    another_one_of_another_member(&server);
    where_it_begins(&server);
    another_consumer_of_the_name(&server);
    what_has_expired(&server);
    many_workers(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
