/* Sending: numbers, tokens, destroyings, and a server that goes away in between. */
#include "driver.h"

static ctie_status send_some(driver *it, const ctie_engine_message *messages, size_t count, const uint8_t *token,
                             uint64_t *number) {
    uint32_t listeners;
    return ENGINE_OF_NATS.send(it->engine, messages, count, token, number, &listeners, DRIVER_TIME_MS);
}

static ctie_status send_token(driver *it, const char *identifier, const char *value, const uint8_t *token,
                              uint64_t *number) {
    ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, identifier, value);
    return send_some(it, &message, 1, token, number);
}

/* JetStream's own view of a group. */
static uint64_t stored(driver *it, bool is_now, const char *filter) {
    engine *of = it->engine;
    char what[STREAM_MOST + 32];
    json_t *answer = NULL, *body = json_pack("{s:s}", "subjects_filter", filter), *count;
    const char *subject;
    uint64_t sum = 0;
    snprintf(what, sizeof what, "STREAM.INFO.%s", is_now ? of->names.now : of->names.stream);
    CHECK_STATUS(api(of, what, body, deadline_after(DRIVER_TIME_MS), &answer), CTIE_OK);
    json_object_foreach(json_object_get(json_object_get(answer, "state"), "subjects"), subject, count) {
        sum += (uint64_t)json_integer_value(count);
    }
    json_decref(answer);
    json_decref(body);
    return sum;
}

static void numbers_rise(driver_server *server) {
    driver one, other;
    driver_open(&one, server, "numbers", "one");
    driver_open(&other, server, "numbers", "other");
    uint64_t last = 0;
    for (int i = 0; i < 100; i++) {
        driver *from = i % 3 == 0 ? &other : &one;
        int32_t kind = i % 5 == 0 ? CTIE_MESSAGE_SIGNAL : CTIE_MESSAGE_VALUE;
        uint64_t number = driver_send(from, kind, i % 2 ? "a.b" : "c", kind == CTIE_MESSAGE_VALUE ? "\xa1x" : NULL);
        CHECK(number > last);
        last = number;
    }
    driver_close(&one);
    driver_close(&other);
}

static void a_token_is_stored_once(driver_server *server) {
    driver one, other;
    uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE] = {1, 2, 3}, next[CTIE_TRANSPORT_TOKEN_SIZE] = {1, 2, 4};
    uint64_t first = 0, again = 0, second = 0;
    driver_open(&one, server, "tokens", "one");
    driver_open(&other, server, "tokens", "other");
    CHECK_STATUS(send_token(&one, "a", "first", token, &first), CTIE_OK);
    CHECK_STATUS(send_token(&one, "a", "first", token, &again), CTIE_OK);
    CHECK(first > 0 && again == first);
    CHECK_STATUS(send_token(&other, "a", "first", token, &again), CTIE_OK);
    CHECK(again == first);
    CHECK_STATUS(send_token(&one, "a", "second", next, &second), CTIE_OK);
    CHECK(second == first + 1);
    CHECK(driver_is(&other, "a", "second"));
    /* The same token for another message: nothing is sent, and nothing is removed. */
    CHECK_STATUS(send_token(&one, "b", "never", token, &again), CTIE_OK);
    CHECK(again == first && driver_is(&one, "b", NULL));
    driver_value(&one, "c", "kept");
    ctie_engine_message destroying = driver_message(CTIE_MESSAGE_DESTROYED, "c", NULL);
    uint8_t later[CTIE_TRANSPORT_TOKEN_SIZE] = {1, 2, 5};
    CHECK_STATUS(send_token(&one, "d", "later", later, &second), CTIE_OK);
    CHECK_STATUS(send_some(&one, &destroying, 1, later, &again), CTIE_OK);
    CHECK(again == second && driver_is(&one, "c", "kept") && driver_is(&other, "c", "kept"));
    CHECK(stored(&one, false, "ctie.tokens.m.v.c") == 1);
    /* A destroying that is repeated, as after an answer that was lost. */
    later[0] = 7;
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(send_some(&one, &destroying, 1, later, &again), CTIE_OK);
        CHECK(again == second + 1 && driver_is(&one, "c", NULL));
    }
    driver_kill(server);
    driver_start(server);
    CHECK_STATUS(send_token(&one, "a", "first", token, &again), CTIE_OK);
    CHECK(again == first);
    CHECK(driver_is(&other, "a", "second"));
    driver_close(&one);
    driver_close(&other);
}

static void what_cannot_be_sent(driver_server *server) {
    driver one;
    driver_open(&one, server, "refused", "one");
    ctie_engine_message two[2] = {driver_message(CTIE_MESSAGE_VALUE, "a", "1"),
                                  driver_message(CTIE_MESSAGE_VALUE, "a", "2")};
    uint64_t number = 7;
    CHECK_STATUS(send_some(&one, two, 2, NULL, &number), CTIE_E_UNSUPPORTED);
    two[0].not_before = clock_now(CLOCK_REALTIME) + 3600000000000;
    CHECK_STATUS(send_some(&one, two, 1, NULL, &number), CTIE_E_UNSUPPORTED);
    CHECK(number == 7);
    two[0].not_before = 1; /* has passed */
    CHECK_STATUS(send_some(&one, two, 1, NULL, &number), CTIE_OK);
    two[1].kind = CTIE_MESSAGE_MISSED;
    CHECK_STATUS(send_some(&one, two + 1, 1, NULL, &number), CTIE_E_INVALID);
    size_t size = (size_t)2 << 20; /* the server takes 1 MiB */
    char *large = calloc(1, size);
    two[1].kind = CTIE_MESSAGE_VALUE;
    two[1].value = (ctie_bytes){(uint8_t *)large, size};
    CHECK_STATUS(send_some(&one, two + 1, 1, NULL, &number), CTIE_E_LIMIT);
    free(large);
    CHECK(driver_is(&one, "a", "1"));
    driver_close(&one);
}

/* Waits until the second stream has copied all: its copies of a filter are as many as expected. */
static void wait_for_copies(driver *it, const char *filter, uint64_t count) {
    int64_t deadline = deadline_after(DRIVER_WAIT_MS);
    while (stored(it, true, filter) != count && deadline_left(deadline) > 0) { clock_pause(5); }
    CHECK(stored(it, true, filter) == count);
}

static void destroying_removes(driver_server *server) {
    driver one, other;
    driver_open(&one, server, "destroying", "one");
    driver_open(&other, server, "destroying", "other");
    for (int i = 0; i < 10; i++) {
        driver_value(&one, "a.b", "old");
        driver_value(&other, "a.b.c", "kept");
        driver_send(&one, CTIE_MESSAGE_SIGNAL, "a.b", NULL);
    }
    uint64_t number = driver_send(&one, CTIE_MESSAGE_DESTROYED, "a.b", NULL);
    CHECK(number == 31);
    CHECK(driver_is(&one, "a.b", NULL));
    CHECK(driver_is(&other, "a.b", NULL));
    CHECK(driver_is(&one, "a.b.c", "kept"));
    CHECK(stored(&one, false, "ctie.destroying.m.*.a.b") == 1); /* the destroying itself */
    CHECK(stored(&one, false, "ctie.destroying.m.*.a.b.c") == 10);
    wait_for_copies(&one, "ctie.destroying.m.*.a.b", 0);
    wait_for_copies(&one, "ctie.destroying.m.*.a.b.c", 1);
    CHECK(driver_send(&other, CTIE_MESSAGE_DESTROYED, "never.there", NULL) == 32);
    CHECK(driver_send(&other, CTIE_MESSAGE_DESTROYED, "never.there", NULL) == 33);
    driver_value(&other, "a.b", "new");
    CHECK(driver_is(&one, "a.b", "new"));
    driver_kill(server);
    driver_start(server);
    CHECK(driver_is(&one, "a.b", "new"));
    CHECK(driver_is(&one, "a.b.c", "kept"));
    CHECK(driver_is(&one, "never.there", NULL));
    number = driver_send(&one, CTIE_MESSAGE_DESTROYED, "", NULL);
    CHECK(driver_is(&one, "a.b", NULL) && driver_is(&other, "a.b.c", NULL));
    CHECK(stored(&one, false, ">") == 1);
    wait_for_copies(&one, ">", 1);
    CHECK(driver_value(&other, "a.b", "newest") == number + 1);
    CHECK(driver_is(&one, "a.b", "newest"));
    driver_close(&one);
    driver_close(&other);
}

/* A process that is killed after the destroying's message has not purged: older messages show nowhere. */
static void destroying_that_was_cut(driver_server *server) {
    driver one;
    driver_open(&one, server, "cut", "one");
    engine *of = one.engine;
    driver_value(&one, "a", "old");
    driver_value(&one, "b", "old");
    natsMsg *request = NULL, *answer = NULL;
    natsMsg_Create(&request, "ctie.cut.m.d.a", NULL, NULL, 0);
    CHECK_STATUS(ask(of, request, deadline_after(DRIVER_TIME_MS), &answer), CTIE_OK);
    natsMsg_Destroy(answer);
    CHECK(driver_is(&one, "a", NULL) && driver_is(&one, "b", "old"));
    wait_for_copies(&one, "ctie.cut.m.*.a", 2);
    CHECK(driver_is(&one, "a", NULL));
    natsMsg_Create(&request, "ctie.cut.m.x", NULL, NULL, 0);
    CHECK_STATUS(ask(of, request, deadline_after(DRIVER_TIME_MS), &answer), CTIE_OK);
    natsMsg_Destroy(answer);
    CHECK(driver_is(&one, "b", NULL));
    driver_value(&one, "b", "new");
    CHECK(driver_is(&one, "a", NULL) && driver_is(&one, "b", "new"));
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "a", NULL);
    CHECK(stored(&one, false, "ctie.cut.m.*.a") == 1);
    driver_close(&one);
}

/* ---- Faults -------------------------------------------------------------------------------------------- */

static driver *kills_of;
static _Atomic bool kills_end;

static void *send_all_the_time(void *context) {
    uint64_t *numbers = context;
    uint64_t count = 0;
    while (!kills_end && count < 100000) {
        char value[32];
        snprintf(value, sizeof value, "%llu", (unsigned long long)count);
        uint64_t number = driver_value(kills_of, "kills", value);
        numbers[count++] = number;
    }
    numbers[count] = 0;
    return NULL;
}

/* Each message is stored once, whatever happens to the server: its numbers rise by one. */
static void a_server_that_is_killed(driver_server *server) {
    driver one;
    pthread_t thread;
    uint64_t *numbers = calloc(100001, sizeof *numbers);
    driver_open(&one, server, "kills", "one");
    kills_of = &one, kills_end = false;
    pthread_create(&thread, NULL, send_all_the_time, numbers);
    for (int i = 0; i < 5; i++) {
        clock_pause(100);
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
    uint64_t count = 0;
    bool rises = true;
    while (numbers[count] != 0) {
        rises = rises && numbers[count] == count + 1;
        count++;
    }
    CHECK(rises && count > 5);
    CHECK(stored(&one, false, ">") == count);
    FIGURES(", %llu messages", (unsigned long long)count);
    free(numbers);
    driver_close(&one);
}

/* A server that is stopped answers nothing: the deadline holds, and the message may be stored. */
static void a_server_that_is_stopped(driver_server *server) {
    driver one;
    uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE] = {9};
    uint64_t number = 0;
    uint32_t listeners;
    driver_open(&one, server, "stopped", "one");
    ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, "a", "x");
    driver_stop(server);
    int64_t begin = clock_now(CLOCK_MONOTONIC);
    CHECK_STATUS(ENGINE_OF_NATS.send(one.engine, &message, 1, token, &number, &listeners, 300), CTIE_E_UNCERTAIN);
    CHECK(clock_now(CLOCK_MONOTONIC) - begin >= 250000000);
    CHECK(number == 0);
    driver_continue(server);
    CHECK_STATUS(send_token(&one, "a", "x", token, &number), CTIE_OK);
    CHECK(number == 1);
    CHECK(stored(&one, false, ">") == 1);
    driver_kill(server);
    DRIVER_WAIT_FOR(&one, one.state == CTIE_CONNECTION_RECONNECTING);
    CHECK_STATUS(ENGINE_OF_NATS.send(one.engine, &message, 1, NULL, &number, &listeners, 200), CTIE_E_UNAVAILABLE);
    driver_start(server);
    CHECK(driver_value(&one, "a", "y") == 2);
    driver_close(&one);
}

/* Somebody removes the streams: they are made again, and numbers go on above the last ones. */
static void streams_that_are_lost(driver_server *server) {
    driver one;
    driver_open(&one, server, "lost", "one");
    engine *of = one.engine;
    for (int i = 0; i < 20; i++) { driver_value(&one, i % 2 ? "a" : "b", "old"); }
    char what[STREAM_MOST + 32];
    snprintf(what, sizeof what, "STREAM.DELETE.%s", of->names.stream);
    CHECK_STATUS(api(of, what, NULL, deadline_after(DRIVER_TIME_MS), NULL), CTIE_OK);
    uint64_t number = driver_value(&one, "a", "new");
    CHECK(number > 20);
    CHECK(driver_is(&one, "a", "new"));
    CHECK(driver_is(&one, "b", NULL));
    CHECK(driver_value(&one, "c", "newer") == number + 1);
    wait_for_copies(&one, ">", 2);
    driver_kill(server);
    driver_remove_files(server);
    mkdir(server->directory, 0700);
    driver_start(server);
    number = driver_value(&one, "b", "newest");
    CHECK(number > 22);
    CHECK(driver_is(&one, "a", NULL) && driver_is(&one, "b", "newest") && driver_is(&one, "c", NULL));
    driver_close(&one);
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    numbers_rise(&server);
    a_token_is_stored_once(&server);
    what_cannot_be_sent(&server);
    destroying_removes(&server);
    destroying_that_was_cut(&server);
    a_server_that_is_killed(&server);
    a_server_that_is_stopped(&server);
    streams_that_are_lost(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
