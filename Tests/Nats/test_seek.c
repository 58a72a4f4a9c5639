/* Durable consumers are moved. */
#include "driver.h"

#include "deliveries.h"
#include "parts.h"

static ctie_engine_binding durable(const char *topic, const char *name, uint32_t credit) {
    ctie_engine_binding how = driver_binding(topic, CTIE_ENGINE_DURABLE, name);
    how.credit = credit;
    return how;
}

static ctie_status seek(driver *it, const char *name, uint32_t start, uint64_t sequence, int64_t time) {
    ctie_str topic = CTIE_STR("jobs"), called = ctie_str_from(name);
    return ENGINE_OF_NATS.seek(it->engine, topic, called, start, sequence, time, DRIVER_TIME_MS);
}

static ctie_durable_options usual(void) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    options.backoff_first_ms = 3, options.backoff_most_ms = 60000, options.backoff_factor = 2;
    return options;
}

static ctie_status declare(driver *it, const char *name) {
    ctie_durable_options options = usual();
    return ENGINE_OF_NATS.declare(it->engine, CTIE_STR("jobs"), ctie_str_from(name), &options, DRIVER_TIME_MS);
}

static bool count_one(const ctie_engine_durable *durable, void *context) {
    *(int *)context += 1 + 1000 * (int)(durable->options != NULL);
    return true;
}

/* How many durable consumers there are, and 1,000 for each that has options. */
static int count_durables(driver *it) {
    int count = 0;
    CHECK_STATUS(ENGINE_OF_NATS.durables(it->engine, count_one, &count, DRIVER_TIME_MS), CTIE_OK);
    return count;
}

static uint64_t count_consumers(driver *it) {
    engine *of = it->engine;
    char what[256];
    json_t *answer = NULL;
    snprintf(what, sizeof what, "CONSUMER.NAMES.%s", of->names.stream);
    CHECK_STATUS(api(of, what, NULL, deadline_after(DRIVER_TIME_MS), &answer), CTIE_OK);
    uint64_t found = 0;
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(answer, "consumers"), index, each) {
        found += json_string_value(each)[0] != 'L' && json_string_length(each) > 32; /* not those of listeners */
    }
    json_decref(answer);
    return found;
}

/* Acknowledges deliveries to a binding from an index on. */
static void acknowledge_from(driver *it, uint64_t binding, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) { driver_acknowledge(it, binding, delivery_of(it, binding, i).claim); }
}

static void back_and_forward(driver_server *server) {
    driver one;
    driver_open(&one, server, "moving", "one");
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_send_numbers(&one, "jobs", 0, 3);
    wait_for(&one, 1, 3);
    acknowledge_from(&one, 1, 0, 3);
    uint64_t second = delivery_of(&one, 1, 1).sequence;
    CHECK_STATUS(seek(&one, "nobody", CTIE_ENGINE_FROM_OLDEST, 0, 0), CTIE_E_NOT_FOUND);
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_SEQUENCE, second, 0), CTIE_OK);
    wait_for(&one, 1, 5);
    CHECK_VALUE(&one, 1, 3, "jobs", "1");
    CHECK_VALUE(&one, 1, 4, "jobs", "2");
    CHECK(delivery_of(&one, 1, 3).delivery_count == 1 && delivery_of(&one, 1, 3).sequence == second);
    acknowledge_from(&one, 1, 3, 5);
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_OLDEST, 0, 0), CTIE_OK);
    wait_for(&one, 1, 8);
    CHECK_VALUE(&one, 1, 5, "jobs", "0");
    acknowledge_from(&one, 1, 5, 8);
    CHECK(count_durables(&one) == 1001 && count_consumers(&one) == 1);
    driver_unbind(&one, 1);
    driver_send_numbers(&one, "jobs", 3, 6);
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_NEXT, 0, 0), CTIE_OK);
    driver_send_numbers(&one, "jobs", 6, 7);
    driver_bind_with(&one, 2, durable("jobs", "pool", 64));
    wait_for(&one, 2, 1);
    CHECK_VALUE(&one, 2, 0, "jobs", "6");
    /* The future begins with the next message. */
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_SEQUENCE, 100000, 0), CTIE_OK);
    driver_send_numbers(&one, "jobs", 7, 8);
    wait_for(&one, 2, 2);
    CHECK_VALUE(&one, 2, 1, "jobs", "7");
    CHECK(ENGINE_OF_NATS.forget(one.engine, CTIE_STR("jobs"), CTIE_STR("pool"), DRIVER_TIME_MS) == CTIE_OK);
    CHECK(count_durables(&one) == 0 && count_consumers(&one) == 0);
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_OLDEST, 0, 0), CTIE_E_NOT_FOUND);
    driver_close(&one);
}

static void to_a_time(driver_server *server) {
    driver one;
    driver_open(&one, server, "times", "one");
    CHECK_STATUS(declare(&one, "pool"), CTIE_OK);
    driver_send_numbers(&one, "jobs", 0, 2);
    clock_pause(20);
    int64_t time = clock_now(CLOCK_REALTIME);
    clock_pause(20);
    driver_send_numbers(&one, "jobs", 2, 4);
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_TIME, 0, time), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    wait_for(&one, 1, 2);
    CHECK(has_numbers(&one, 1, "jobs", 2, 4));
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_TIME, 0, time + 3600 * (int64_t)1000000000), CTIE_OK);
    driver_send_numbers(&one, "jobs", 4, 5);
    wait_for(&one, 1, 3);
    CHECK_VALUE(&one, 1, 2, "jobs", "4");
    driver_close(&one);
}

/* The server may not change the expiry of a consumer that began at a time: it goes on without. */
static void at_a_time_with_another_expiry(driver_server *server) {
    driver one;
    driver_open(&one, server, "kept", "one");
    driver_send_numbers(&one, "jobs", 0, 2);
    CHECK_STATUS(declare(&one, "pool"), CTIE_OK);
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_TIME, 0, 1), CTIE_OK);
    ctie_durable_options more = usual();
    more.expires_ms = 3600000, more.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(ENGINE_OF_NATS.declare(one.engine, CTIE_STR("jobs"), CTIE_STR("pool"), &more, DRIVER_TIME_MS), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    wait_for(&one, 1, 2);
    CHECK(has_numbers(&one, 1, "jobs", 0, 2));
    driver_close(&one);
}

/* A message in hand stays there. It is not handed out to the same listener a second time meanwhile. */
static void what_is_in_hand(driver_server *server) {
    driver one;
    driver_open(&one, server, "hands", "one");
    one.keeps_credit = true;
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_send_numbers(&one, "jobs", 0, 3);
    wait_for(&one, 1, 3);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 2).claim);
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_SEQUENCE, delivery_of(&one, 1, 1).sequence, 0), CTIE_OK);
    wait_for(&one, 1, 4);
    CHECK_VALUE(&one, 1, 3, "jobs", "2");
    clock_pause(1000);
    CHECK(one.count == 4);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 0).claim);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 1).claim);
    wait_for(&one, 1, 5);
    CHECK_VALUE(&one, 1, 4, "jobs", "1"); /* it comes once more, as it is behind the position */
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 3).claim);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 4).claim);
    clock_pause(2500);
    CHECK(one.count == 5);
    driver_close(&one);
}

/* The listeners of all members follow. */
static void the_others_follow(driver_server *server) {
    enum { MEMBERS = 3, JOBS = 30 };
    driver all[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        driver_open(&all[i], server, "following", "one");
        driver_bind_with(&all[i], 1, durable("jobs", "pool", 64));
    }
    driver_send_numbers(&all[0], "jobs", 0, JOBS);
    for (int round = 0; round < 5; round++) {
        size_t got = 0;
        for (int end = 0; got < (size_t)(JOBS * (round + 1)); clock_pause(1)) {
            CHECK(end++ < 20000);
            got = 0;
            for (int i = 0; i < MEMBERS; i++) {
                pthread_mutex_lock(&all[i].lock);
                size_t count = all[i].count;
                pthread_mutex_unlock(&all[i].lock);
                acknowledge_from(&all[i], 1, 0, count);
                got += count;
            }
        }
        CHECK(got == (size_t)(JOBS * (round + 1)));
        CHECK_STATUS(seek(&all[round % MEMBERS], "pool", CTIE_ENGINE_FROM_OLDEST, 0, 0), CTIE_OK);
    }
    CHECK(count_consumers(&all[0]) == 1);
    for (int i = 0; i < MEMBERS; i++) { driver_close(&all[i]); }
}

/* A member dies before the record names the new consumer, and one after that. */
static void a_half_moved_one(driver_server *server) {
    driver one;
    driver_open(&one, server, "half", "one");
    engine *of = one.engine;
    int64_t deadline = deadline_after(DRIVER_TIME_MS);
    durable_key key;
    durable_record record;
    char consumer[CONSUMER_NAME_MOST];
    durable_start oldest = {"all", 0, 0};
    CHECK_STATUS(durable_key_of(CTIE_STR("jobs"), CTIE_STR("pool"), &key), CTIE_OK);
    CHECK_STATUS(declare(&one, "pool"), CTIE_OK);
    driver_send_numbers(&one, "jobs", 0, 2);
    CHECK_STATUS(seek(&one, "pool", CTIE_ENGINE_FROM_NEXT, 0, 0), CTIE_OK);
    driver_send_numbers(&one, "jobs", 2, 4);
    CHECK_STATUS(record_read(of, key.base, &record, deadline), CTIE_OK);
    CHECK(record.state == RECORD_MADE && !record.has_previous && record.suffix[0] != 0);
    record_consumer(key.base, "0123", consumer);
    CHECK_STATUS(durable_make(of, &key, consumer, &oldest, &record.options, deadline, NULL), CTIE_OK);
    CHECK(count_durables(&one) == 1001 && count_consumers(&one) == 2);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    wait_for(&one, 1, 2);
    CHECK(has_numbers(&one, 1, "jobs", 2, 4)); /* it has not moved */
    acknowledge_from(&one, 1, 0, 2);
    memcpy(record.previous, record.suffix, sizeof record.previous);
    strcpy(record.suffix, "0123");
    record.has_previous = true;
    CHECK_STATUS(record_write(of, &key, &record, deadline), CTIE_OK);
    CHECK(count_durables(&one) == 1001 && count_consumers(&one) == 2);
    driver_bind_with(&one, 2, durable("jobs", "pool", 64)); /* it removes the other one, which binding 1 notices */
    DRIVER_WAIT_FOR(&one, count_of(&one, 1) + count_of(&one, 2) == 6);
    CHECK(count_consumers(&one) == 1);
    driver_send_numbers(&one, "jobs", 4, 6);
    DRIVER_WAIT_FOR(&one, count_of(&one, 1) + count_of(&one, 2) == 8);
    clock_pause(100);
    CHECK(count_of(&one, 1) + count_of(&one, 2) == 8);
    driver_close(&one);
}

/* The server is killed while members move the consumer all the time: it is always there, and nothing is lost that was
   sent behind the last position. */
static void killed_servers(driver_server *server) {
    driver one;
    driver_open(&one, server, "killed", "one");
    CHECK_STATUS(declare(&one, "pool"), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_send_numbers(&one, "jobs", 0, 5);
    wait_for(&one, 1, 5);
    for (int round = 0; round < 6; round++) {
        driver_kill(server);
        driver_start(server);
        ctie_status status = seek(&one, "pool", CTIE_ENGINE_FROM_OLDEST, 0, 0);
        CHECK(status == CTIE_OK || status == CTIE_E_UNCERTAIN);
        if (round % 2 == 0) { driver_kill(server), driver_start(server); }
        size_t before;
        pthread_mutex_lock(&one.lock);
        before = one.count;
        pthread_mutex_unlock(&one.lock);
        acknowledge_from(&one, 1, 0, before);
        char number[16];
        snprintf(number, sizeof number, "%d", 100 + round);
        driver_value(&one, "jobs", number);
        bool is_there = false;
        for (int i = 0; i < 30000 && !is_there; i++, clock_pause(1)) {
            for (size_t k = before; !is_there; k++) {
                delivered each = delivery_of(&one, 1, k);
                if (each.claim == 0) { break; }
                is_there = is_value(&each, "jobs", number);
            }
        }
        CHECK(is_there);
    }
    CHECK(count_durables(&one) == 1001);
    driver_close(&one);
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    back_and_forward(&server);
    to_a_time(&server);
    at_a_time_with_another_expiry(&server);
    what_is_in_hand(&server);
    the_others_follow(&server);
    a_half_moved_one(&server);
    killed_servers(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
