/* Declared durable consumers. */
#include "driver.h"

#include "deliveries.h"
#include "parts.h"

static ctie_durable_options options_of(uint64_t first_ms) {
    ctie_durable_options out = CTIE_DURABLE_OPTIONS_INIT;
    out.backoff_first_ms = first_ms, out.backoff_most_ms = 60000, out.backoff_factor = 2;
    return out;
}

static ctie_status declare(driver *it, const char *topic, const char *name, ctie_durable_options options) {
    return ENGINE_OF_NATS.declare(it->engine, ctie_str_from(topic), ctie_str_from(name), &options, DRIVER_TIME_MS);
}

static ctie_status forget(driver *it, const char *topic, const char *name) {
    return ENGINE_OF_NATS.forget(it->engine, ctie_str_from(topic), ctie_str_from(name), DRIVER_TIME_MS);
}

static ctie_engine_binding durable(const char *topic, const char *name, uint32_t credit) {
    ctie_engine_binding how = driver_binding(topic, CTIE_ENGINE_DURABLE, name);
    how.credit = credit;
    return how;
}

/* The consumer `pool` as the listing shows it. */
typedef struct listed {
    int count;
    uint64_t waiting;
    bool has_options;
    ctie_durable_options options;
    char dead_letter[132];
} listed;

static bool note(const ctie_engine_durable *durable, void *context) {
    listed *out = context;
    if (durable->name.size != 4 || memcmp(durable->name.data, "pool", 4) != 0) { return true; }
    out->count++;
    out->waiting = durable->waiting;
    out->has_options = durable->options != NULL;
    if (out->has_options) { out->options = *durable->options; }
    if (out->has_options) { driver_copy(out->dead_letter, sizeof out->dead_letter, durable->options->dead_letter); }
    return true;
}

static listed list(driver *it) {
    listed out = {0};
    CHECK_STATUS(ENGINE_OF_NATS.durables(it->engine, note, &out, DRIVER_TIME_MS), CTIE_OK);
    return out;
}

static bool has_stream(driver *it) {
    engine *of = it->engine;
    char what[256];
    snprintf(what, sizeof what, "STREAM.INFO.%s", of->names.durable);
    return api(of, what, NULL, deadline_after(DRIVER_TIME_MS), NULL) == CTIE_OK;
}

static void the_defaults_need_no_record(driver_server *server) {
    driver one;
    driver_open(&one, server, "plain", "one");
    driver_value(&one, "jobs", "before");
    CHECK_STATUS(declare(&one, "jobs", "pool", options_of(100)), CTIE_OK);
    CHECK_STATUS(declare(&one, "jobs", "pool", options_of(100)), CTIE_OK);
    driver_value(&one, "jobs", "0");
    ctie_durable_options from_oldest = options_of(100);
    from_oldest.flags = CTIE_DURABLE_FROM_OLDEST;
    CHECK_STATUS(declare(&one, "jobs", "oldest", from_oldest), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_bind_with(&one, 2, durable("jobs", "oldest", 64));
    wait_for(&one, 1, 1);
    wait_for(&one, 2, 2);
    CHECK(has_numbers(&one, 1, "jobs", 0, 1));
    CHECK_VALUE(&one, 2, 0, "jobs", "before");
    CHECK(!has_stream(&one));
    CHECK(!list(&one).has_options);
    driver_close(&one);
}

static void options_are_the_same_for_all(driver_server *server) {
    driver one, other;
    driver_open(&one, server, "options", "one");
    driver_open(&other, server, "options", "other");
    ctie_durable_options wanted = options_of(7);
    wanted.backoff_factor = 1.1, wanted.backoff_jitter = 0.25, wanted.expires_ms = 3600000;
    CHECK_STATUS(declare(&one, "jobs.*", "pool", wanted), CTIE_OK);
    CHECK_STATUS(declare(&other, "jobs.*", "pool", wanted), CTIE_OK);
    listed found = list(&other);
    CHECK(found.count == 1 && found.has_options);
    CHECK(found.options.backoff_first_ms == 7 && found.options.backoff_most_ms == 60000);
    CHECK(found.options.backoff_factor == 1.1 && found.options.backoff_jitter == 0.25);
    CHECK(found.options.expires_ms == 3600000 && found.options.max_deliveries == 0);
    wanted.backoff_factor = 3;
    CHECK_STATUS(declare(&other, "jobs.*", "pool", wanted), CTIE_E_CONFLICT);
    CHECK(strstr(driver_words, "pool") != NULL && strstr(driver_words, "backoff") != NULL);
    wanted.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(declare(&other, "jobs.*", "pool", wanted), CTIE_OK);
    CHECK(list(&one).options.backoff_factor == 3);
    wanted.flags = 0, wanted.expires_ms = 0;
    CHECK_STATUS(declare(&one, "jobs.*", "pool", wanted), CTIE_E_CONFLICT);
    CHECK(strstr(driver_words, "expires") != NULL);
    CHECK_STATUS(forget(&one, "jobs.*", "pool"), CTIE_OK);
    CHECK_STATUS(forget(&one, "jobs.*", "pool"), CTIE_E_NOT_FOUND);
    CHECK(list(&other).count == 0);
    CHECK_STATUS(declare(&other, "jobs.*", "pool", wanted), CTIE_OK);
    CHECK(list(&one).count == 1 && list(&one).options.expires_ms == 0);
    driver_close(&one);
    driver_close(&other);
}

static void what_the_server_cannot_have(driver_server *server) {
    static const char *const names[] = {"max_messages", "max_size", "when_full"};
    driver one;
    driver_open(&one, server, "lacking", "one");
    for (int i = 0; i < 3; i++) {
        ctie_durable_options wanted = options_of(100);
        wanted.max_messages = i == 0, wanted.max_size = i == 1, wanted.when_full = i == 2 ? CTIE_FULL_WAIT : 0;
        CHECK_STATUS(declare(&one, "jobs", "pool", wanted), CTIE_E_UNSUPPORTED);
        CHECK(strstr(driver_words, names[i]) != NULL);
    }
    CHECK(list(&one).count == 0);
    driver_close(&one);
}

/* The delays of a consumer are those of its options, also when another member changes them. */
static void the_delays(driver_server *server) {
    driver one, other;
    driver_open(&one, server, "delays", "one");
    driver_open(&other, server, "delays", "other");
    one.keeps_credit = true;
    CHECK_STATUS(declare(&one, "jobs", "pool", options_of(300)), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_value(&other, "jobs", "0");
    wait_for(&one, 1, 1);
    int64_t before = clock_now(CLOCK_MONOTONIC);
    driver_answer(&one, 1, delivery_of(&one, 1, 0).claim, CTIE_ENGINE_REJECTED, -1);
    wait_for(&one, 1, 2);
    CHECK(clock_now(CLOCK_MONOTONIC) - before >= 300000000);
    before = clock_now(CLOCK_MONOTONIC);
    driver_answer(&one, 1, delivery_of(&one, 1, 1).claim, CTIE_ENGINE_REJECTED, -1); /* twice as long */
    wait_for(&one, 1, 3);
    CHECK(clock_now(CLOCK_MONOTONIC) - before >= 600000000);
    ctie_durable_options slow = options_of(900000);
    slow.backoff_most_ms = 900000, slow.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(declare(&other, "jobs", "pool", slow), CTIE_OK);
    engine *of = one.engine;
    binding *bound = binding_find(of->bindings, 1);
    for (bool is_seen = false; !is_seen; clock_pause(1)) {
        pthread_mutex_lock(&bound->lock);
        is_seen = bound->record.options.first_ms == 900000;
        pthread_mutex_unlock(&bound->lock);
    }
    binding_release(bound);
    driver_answer(&one, 1, delivery_of(&one, 1, 2).claim, CTIE_ENGINE_REJECTED, -1);
    clock_pause(1500);
    CHECK(one.count == 3);
    driver_close(&one);
    driver_close(&other);
}

static void one_that_expires(driver_server *server) {
    driver one;
    driver_open(&one, server, "expiring", "one");
    ctie_durable_options wanted = options_of(7);
    wanted.expires_ms = 200;
    CHECK_STATUS(declare(&one, "jobs", "pool", wanted), CTIE_OK);
    for (int i = 0; list(&one).count == 1; i++) {
        CHECK(i < 1000);
        clock_pause(10);
    }
    CHECK_STATUS(forget(&one, "jobs", "pool"), CTIE_E_NOT_FOUND);
    /* It is made again: with other options, or the defaults of a binding. */
    wanted.expires_ms = 3000, wanted.backoff_first_ms = 9;
    CHECK_STATUS(declare(&one, "jobs", "pool", wanted), CTIE_OK);
    CHECK(list(&one).options.backoff_first_ms == 9);
    driver_bind_with(&one, 1, durable("jobs", "pool", 1));
    driver_value(&one, "jobs", "0");
    wait_for(&one, 1, 1);
    clock_pause(5000); /* its listener has a message in hand, and asks for no others */
    CHECK(list(&one).count == 1);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 0).claim);
    clock_pause(5000); /* its listener waits */
    driver_value(&one, "jobs", "1");
    wait_for(&one, 1, 2);
    CHECK_VALUE(&one, 1, 1, "jobs", "1");
    driver_unbind(&one, 1);
    for (int i = 0; list(&one).count == 1; i++) {
        CHECK(i < 1000);
        clock_pause(10);
    }
    driver_bind_with(&one, 2, durable("jobs", "pool", 1));
    listed found = list(&one);
    CHECK(found.count == 1 && found.options.expires_ms == 0 && found.options.backoff_first_ms == 100);
    driver_close(&one);
}

/* Its maker has died between its steps. */
static void a_half_made_one(driver_server *server) {
    driver one;
    driver_open(&one, server, "half", "one");
    engine *of = one.engine;
    int64_t deadline = deadline_after(DRIVER_TIME_MS);
    durable_key key;
    durable_record record = {.state = RECORD_MAKING, .options = durable_defaults()};
    record.options.first_ms = 5;
    CHECK_STATUS(durable_key_of(CTIE_STR("jobs"), CTIE_STR("pool"), &key), CTIE_OK);
    CHECK_STATUS(durable_stream_have(of, deadline), CTIE_OK);
    CHECK_STATUS(record_write(of, &key, &record, deadline), CTIE_OK);
    CHECK(list(&one).count == 0);
    CHECK_STATUS(forget(&one, "jobs", "pool"), CTIE_E_NOT_FOUND);
    CHECK_STATUS(declare(&one, "jobs", "pool", options_of(6)), CTIE_OK); /* it was not there */
    CHECK(list(&one).options.backoff_first_ms == 6);
    CHECK_STATUS(forget(&one, "jobs", "pool"), CTIE_OK);
    record.at = 0;
    CHECK_STATUS(record_write(of, &key, &record, deadline), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 1)); /* a listener completes it as it was declared */
    CHECK(list(&one).options.backoff_first_ms == 5);
    /* And one that is half forgotten. */
    CHECK_STATUS(record_read(of, key.base, &record, deadline), CTIE_OK);
    record.state = RECORD_FORGOTTEN;
    CHECK_STATUS(record_write(of, &key, &record, deadline), CTIE_OK);
    CHECK(list(&one).count == 0);
    CHECK_STATUS(declare(&one, "jobs", "pool", options_of(8)), CTIE_OK);
    CHECK(list(&one).options.backoff_first_ms == 8);
    driver_close(&one);
}

enum { RIVALS = 4, ROUNDS = 30 };

typedef struct rival {
    driver *of;
    pthread_t thread;
    int won, lost, other;
} rival;

static void *contend(void *data) {
    rival *it = data;
    for (int i = 0; i < ROUNDS; i++) {
        char name[16];
        snprintf(name, sizeof name, "pool%d", i);
        ctie_status status = declare(it->of, "jobs", name, options_of((uint64_t)(1000 + it->of->host.pid % 7 + i)));
        it->won += status == CTIE_OK, it->lost += status == CTIE_E_CONFLICT;
        it->other += status != CTIE_OK && status != CTIE_E_CONFLICT;
    }
    return NULL;
}

/* Several members declare the same with other options at the same time: one of them wins. */
static void at_the_same_time(driver_server *server) {
    driver members[RIVALS];
    rival all[RIVALS] = {0};
    for (int i = 0; i < RIVALS; i++) {
        driver_open(&members[i], server, "rivals", "rival");
        members[i].host.pid = i; /* the options differ by it */
        all[i].of = &members[i];
    }
    for (int i = 0; i < RIVALS; i++) { CHECK(pthread_create(&all[i].thread, NULL, contend, &all[i]) == 0); }
    int won = 0, lost = 0, other = 0;
    for (int i = 0; i < RIVALS; i++) {
        pthread_join(all[i].thread, NULL);
        won += all[i].won, lost += all[i].lost, other += all[i].other;
    }
    CHECK(won == ROUNDS && lost == ROUNDS * (RIVALS - 1) && other == 0);
    for (int i = 0; i < RIVALS; i++) { driver_close(&members[i]); }
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    the_defaults_need_no_record(&server);
    options_are_the_same_for_all(&server);
    what_the_server_cannot_have(&server);
    the_delays(&server);
    one_that_expires(&server);
    a_half_made_one(&server);
    at_the_same_time(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
