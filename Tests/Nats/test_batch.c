/* Several messages that are sent together: their order, failures in the middle, and a server that goes away. */
#include "driver.h"
#include "deliveries.h"

enum { MANY = 65536, TEXT = 16 };

/* Values of an identifier, from `begin` on, as decimal texts. */
typedef struct values {
    ctie_engine_message *messages;
    char (*texts)[TEXT];
    size_t count;
} values;

static values values_new(const char *identifier, size_t begin, size_t count) {
    values it = {calloc(count, sizeof *it.messages), calloc(count, sizeof *it.texts), count};
    for (size_t i = 0; i < count; i++) {
        snprintf(it.texts[i], TEXT, "%zu", begin + i);
        it.messages[i] = driver_message(CTIE_MESSAGE_VALUE, identifier, it.texts[i]);
    }
    return it;
}

static void values_free(values *it) {
    free(it->messages);
    free(it->texts);
}

static ctie_status send_in(driver *it, const values *what, const uint8_t *token, uint64_t *first, size_t *sent,
                           int64_t timeout_ms) {
    *first = 0, *sent = 99;
    return ENGINE_OF_NATS.send_each(it->engine, what->messages, what->count, token, first, sent, timeout_ms);
}

static uint64_t send_well(driver *it, const values *what, const uint8_t *token) {
    uint64_t first;
    size_t sent;
    CHECK_STATUS(send_in(it, what, token, &first, &sent, DRIVER_TIME_MS), CTIE_OK);
    CHECK(sent == what->count && first > 0);
    return first;
}

/* A queue from the oldest message on gets everything that the stream has, in its order. */
static void receive_all(driver *it, const char *topic, size_t count) {
    ctie_engine_binding how = driver_binding(topic, CTIE_ENGINE_QUEUE, "");
    how.start = CTIE_ENGINE_FROM_OLDEST;
    driver_bind_with(it, 7, how);
    wait_for(it, 7, count);
    driver_unbind(it, 7);
    CHECK(count_of(it, 7) == count);
}

/* Whether the messages that were received are the values from 0 on, with numbers that rise. */
static bool is_received_in_order(driver *it, size_t count) {
    uint64_t last = 0;
    size_t next = 0;
    for (size_t i = 0; i < it->count; i++) {
        const delivered *each = &it->items[i];
        if (each->binding != 7) { continue; }
        bool is_next = each->kind == CTIE_MESSAGE_VALUE && strtoull((const char *)each->value, NULL, 10) == next++;
        if (!is_next || each->sequence <= last) { return false; }
        last = each->sequence;
    }
    return next == count;
}

static void they_are_sent_in_order(driver_server *server) {
    driver one;
    driver_open(&one, server, "order", "one");
    CHECK((one.abilities & CTIE_ENGINE_ATOMIC_BATCHES) == 0);
    size_t begin = 0, sizes[] = {1, 2, 1000, 50, MANY, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        values some = values_new("a.b", begin, sizes[i]);
        CHECK(send_well(&one, &some, NULL) == begin + 1); /* nobody else sends */
        begin += sizes[i];
        char last[TEXT];
        snprintf(last, sizeof last, "%zu", begin - 1);
        CHECK(driver_is(&one, "a.b", last));
        values_free(&some);
    }
    receive_all(&one, "*", begin);
    CHECK(is_received_in_order(&one, begin));
    driver_close(&one);
}

/* Signals, headers and destroyings are sent like values. */
static void all_kinds_are_sent(driver_server *server) {
    driver one;
    uint64_t first;
    size_t sent;
    driver_open(&one, server, "kinds", "one");
    driver_value(&one, "a", "old");
    ctie_engine_message some[] = {
        driver_message(CTIE_MESSAGE_SIGNAL, "a", NULL), driver_message(CTIE_MESSAGE_DESTROYED, "a", NULL),
        driver_message(CTIE_MESSAGE_VALUE, "b", "new"), driver_message(CTIE_MESSAGE_MISSED, "b", NULL)};
    CHECK_STATUS(ENGINE_OF_NATS.send_each(one.engine, some, 4, NULL, &first, &sent, DRIVER_TIME_MS), CTIE_E_INVALID);
    CHECK(sent == 0 && driver_is(&one, "a", "old"));
    CHECK_STATUS(ENGINE_OF_NATS.send_each(one.engine, some, 3, NULL, &first, &sent, DRIVER_TIME_MS), CTIE_OK);
    CHECK(sent == 3 && first == 2);
    CHECK(driver_is(&one, "a", NULL) && driver_is(&one, "b", "new"));
    receive_all(&one, "*", 2); /* the destroying has removed what was before it */
    delivered first_received = delivery_of(&one, 7, 0), last = delivery_of(&one, 7, 1);
    CHECK(first_received.kind == CTIE_MESSAGE_DESTROYED && first_received.sequence == 3);
    CHECK(is_value(&last, "b", "new") && last.sequence == 4);
    driver_close(&one);
}

static void a_token_is_for_all(driver_server *server) {
    driver one, other;
    uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE] = {1, 2, 3};
    driver_open(&one, server, "token", "one");
    driver_open(&other, server, "token", "other");
    values half = values_new("a", 0, 100), whole = values_new("a", 0, 200);
    for (int i = 0; i < 2; i++) { CHECK(send_well(&one, &half, token) == 1); }
    for (int i = 0; i < 2; i++) { CHECK(send_well(&other, &whole, token) == 1); }
    driver_kill(server);
    driver_start(server);
    CHECK(send_well(&one, &whole, token) == 1);
    receive_all(&one, "*", 200);
    CHECK(is_received_in_order(&one, 200));
    values_free(&half);
    values_free(&whole);
    driver_close(&one);
    driver_close(&other);
}

/* ---- Failures in the middle -------------------------------------------------------------------------- */

static void set_limit(driver *it, int64_t size) {
    engine *of = it->engine;
    char what[STREAM_MOST + 32];
    json_t *answer = NULL;
    snprintf(what, sizeof what, "STREAM.INFO.%s", of->names.stream);
    CHECK_STATUS(api(of, what, NULL, deadline_after(DRIVER_TIME_MS), &answer), CTIE_OK);
    json_t *config = json_incref(json_object_get(answer, "config"));
    json_decref(answer);
    json_object_set_new(config, "max_msg_size", json_integer(size));
    snprintf(what, sizeof what, "STREAM.UPDATE.%s", of->names.stream);
    CHECK_STATUS(api(of, what, config, deadline_after(DRIVER_TIME_MS), NULL), CTIE_OK);
    json_decref(config);
}

/* The stream refuses one. Those before it are sent; the same token sends what is missing. */
static void the_server_refuses_one(driver_server *server) {
    driver one;
    uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE] = {4};
    char *large = calloc(1, 4096);
    uint64_t first;
    size_t sent;
    driver_open(&one, server, "refused", "one");
    set_limit(&one, 2048);
    values some = values_new("a", 0, 5000);
    some.messages[300].value = (ctie_bytes){(uint8_t *)memset(large, '7', 4095), 4095};
    CHECK_STATUS(send_in(&one, &some, token, &first, &sent, DRIVER_TIME_MS), CTIE_E_LIMIT);
    CHECK(sent == 300 && first == 1);
    CHECK(strstr(driver_words, "size") != NULL);
    uint64_t next = driver_value(&one, "a", "then");
    CHECK(next > 300 && next <= 300 + 1024 + 1); /* what was under way is stored; nothing follows a known failure */
    set_limit(&one, -1);
    CHECK(send_well(&one, &some, token) == 1);
    receive_all(&one, "*", 5001);
    bool is_once[5000] = {false};
    for (size_t i = 0; i < 5001; i++) {
        delivered each = delivery_of(&one, 7, i);
        unsigned long long value = each.size == 4095 ? 300 : strtoull((const char *)each.value, NULL, 10);
        if (strcmp((const char *)each.value, "then") == 0) { continue; }
        CHECK(value < 5000 && !is_once[value]);
        is_once[value < 5000 ? value : 0] = true;
    }
    values_free(&some);
    free(large);
    driver_close(&one);
}

/* One is too large for the server at all: nothing after it is sent. */
static void one_is_too_large(driver_server *server) {
    driver one;
    size_t size = (size_t)2 << 20, sent; /* the server takes 1 MiB */
    uint64_t first;
    char *large = calloc(1, size);
    driver_open(&one, server, "large", "one");
    size_t places[] = {0, 1, 700};
    size_t in_all = 0;
    for (size_t i = 0; i < 3; i++) {
        values some = values_new("a", 0, 1000);
        some.messages[places[i]].value = (ctie_bytes){(uint8_t *)large, size};
        CHECK_STATUS(send_in(&one, &some, NULL, &first, &sent, DRIVER_TIME_MS), CTIE_E_LIMIT);
        CHECK(sent == places[i]);
        CHECK(strstr(driver_words, "bytes") != NULL);
        in_all += places[i];
        CHECK(driver_value(&one, "a", "after") == ++in_all);
        values_free(&some);
    }
    free(large);
    driver_close(&one);
}

/* Large ones, more than libnats and the socket take at a time. */
static void large_ones_are_sent(driver_server *server) {
    driver one;
    size_t size = 100000;
    char *large = calloc(1, size);
    driver_open(&one, server, "larger", "one");
    values some = values_new("a", 0, 300);
    for (size_t i = 0; i < some.count; i += 2) { some.messages[i].value = (ctie_bytes){(uint8_t *)large, size}; }
    CHECK(send_well(&one, &some, NULL) == 1);
    CHECK(driver_is(&one, "a", "299"));
    values_free(&some);
    free(large);
    driver_close(&one);
}

/* ---- A server that goes away ------------------------------------------------------------------------- */

static driver *kills_of;
static _Atomic bool kills_end;
static _Atomic size_t kills_sent;

enum { KILLS = 10, KILLS_BATCH = 3000, KILLS_MOST = 400 };

static void *send_all_the_time(void *unused) {
    (void)unused;
    for (int i = 0; i < KILLS_MOST && !kills_end; i++) {
        values some = values_new("kills", kills_sent, KILLS_BATCH);
        CHECK(send_well(kills_of, &some, NULL) == kills_sent + 1);
        kills_sent += KILLS_BATCH;
        values_free(&some);
    }
    return NULL;
}

/* Each is stored once and in its place, whatever happens to the server: numbers rise by one. */
static void a_server_that_is_killed(driver_server *server) {
    driver one;
    pthread_t thread;
    driver_open(&one, server, "kills", "one");
    kills_of = &one;
    pthread_create(&thread, NULL, send_all_the_time, NULL);
    for (int i = 0; i < KILLS; i++) {
        size_t sent = kills_sent;
        for (int j = 0; j < 1000 && kills_sent == sent; j++) { clock_pause(1); }
        clock_pause(i % 4); /* so that it is in the middle of one */
        pthread_mutex_lock(&one.lock);
        int losses = one.losses;
        pthread_mutex_unlock(&one.lock);
        driver_kill(server);
        DRIVER_WAIT_FOR(&one, one.losses > losses);
        driver_start(server);
        DRIVER_WAIT_FOR(&one, one.state == CTIE_CONNECTION_CONNECTED);
    }
    kills_end = true;
    pthread_join(thread, NULL);
    FIGURES(", %zu messages", (size_t)kills_sent);
    driver_close(&one);
    driver_open(&one, server, "kills", "reader");
    receive_all(&one, "*", kills_sent);
    CHECK(is_received_in_order(&one, kills_sent));
    driver_close(&one);
}

/* A server that answers nothing: the deadline holds, and the same token sends what is missing. */
static void a_server_that_is_stopped(driver_server *server) {
    driver one;
    uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE] = {9};
    uint64_t first;
    size_t sent;
    driver_open(&one, server, "stopped", "one");
    values some = values_new("a", 0, 20000);
    driver_stop(server);
    int64_t begin = clock_now(CLOCK_MONOTONIC);
    CHECK_STATUS(send_in(&one, &some, token, &first, &sent, 300), CTIE_E_UNCERTAIN);
    CHECK(sent == 0 && clock_now(CLOCK_MONOTONIC) - begin >= 250000000);
    driver_continue(server);
    CHECK(send_well(&one, &some, token) == 1);
    receive_all(&one, "*", some.count);
    CHECK(is_received_in_order(&one, some.count));
    driver_kill(server);
    DRIVER_WAIT_FOR(&one, one.state == CTIE_CONNECTION_RECONNECTING);
    CHECK_STATUS(send_in(&one, &some, NULL, &first, &sent, 200), CTIE_E_UNAVAILABLE);
    CHECK(sent == 0);
    driver_start(server);
    CHECK(send_well(&one, &some, NULL) == some.count + 1);
    values_free(&some);
    driver_close(&one);
}

/* ---- Several threads ----------------------------------------------------------------------------------- */

enum { THREADS = 6, BATCHES = 40, BATCH = 100 };

static driver *together;

static void *send_batches(void *context) {
    char identifier[8];
    snprintf(identifier, sizeof identifier, "t.%d", *(int *)context);
    for (size_t i = 0; i < BATCHES; i++) {
        values some = values_new(identifier, i * BATCH, BATCH);
        if (i % 4 == 3) {
            for (size_t j = 0; j < BATCH; j++) { driver_value(together, identifier, some.texts[j]); }
        } else {
            send_well(together, &some, NULL);
        }
        values_free(&some);
    }
    return NULL;
}

static void threads_send_together(driver_server *server) {
    driver one;
    pthread_t threads[THREADS];
    int numbers[THREADS];
    driver_open(&one, server, "together", "one");
    together = &one;
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, send_batches, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) { pthread_join(threads[i], NULL); }
    for (int i = 0; i < THREADS; i++) {
        char identifier[8];
        snprintf(identifier, sizeof identifier, "t.%d", i);
        receive_all(&one, identifier, (size_t)BATCHES * BATCH);
        CHECK(is_received_in_order(&one, (size_t)BATCHES * BATCH));
        driver_forget(&one);
    }
    driver_close(&one);
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    they_are_sent_in_order(&server);
    all_kinds_are_sent(&server);
    a_token_is_for_all(&server);
    the_server_refuses_one(&server);
    one_is_too_large(&server);
    large_ones_are_sent(&server);
    threads_send_together(&server);
    a_server_that_is_killed(&server);
    a_server_that_is_stopped(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
