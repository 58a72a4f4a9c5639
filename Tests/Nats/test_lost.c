/* Bindings whose server is killed, stopped, or loses its messages. */
#include "driver.h"

#include "deliveries.h"

enum { MESSAGES = 10000, QUEUES = 10, KILLS = 6 };

typedef struct sending {
    driver *from;
    _Atomic int sent;
    _Atomic bool is_over;
} sending;

/* Each value has a token, and is sent until the server has said that it is stored. */
static void *send_all(void *data) {
    sending *how = data;
    for (int i = 0; i < MESSAGES; i++) {
        char text[16];
        uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE] = {0};
        snprintf(text, sizeof text, "%d", i);
        memcpy(token, &i, sizeof i);
        ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, "jobs", text);
        uint64_t number;
        uint32_t listeners;
        ctie_status status;
        do {
            status = ENGINE_OF_NATS.send(how->from->engine, &message, 1, token, &number, &listeners, DRIVER_TIME_MS);
        } while (status == CTIE_E_UNCERTAIN || status == CTIE_E_UNAVAILABLE);
        CHECK_STATUS(status, CTIE_OK);
        how->sent = i + 1;
    }
    how->is_over = true;
    return NULL;
}

typedef struct working {
    driver *of;
    uint64_t binding;
    _Atomic int *done;
    _Atomic int *total, *twice;
} working;

static void *work(void *data) {
    working *it = data;
    size_t next = 0;
    while (*it->total < MESSAGES) {
        pthread_mutex_lock(&it->of->lock);
        while (next < it->of->count && it->of->items[next].binding != it->binding) { next++; }
        bool has_one = next < it->of->count;
        delivered job = {0};
        if (has_one) { job = it->of->items[next++]; }
        pthread_mutex_unlock(&it->of->lock);
        if (!has_one) {
            clock_pause(1);
            continue;
        }
        int number = job.kind == CTIE_MESSAGE_VALUE ? atoi((const char *)job.value) : -1;
        CHECK(number >= 0 && number < MESSAGES && job.claim != 0);
        if (number < 0 || number >= MESSAGES) { continue; }
        int before = it->done[number]++;
        if (before == 0) { (*it->total)++; } else { (*it->twice)++; }
        driver_acknowledge(it->of, it->binding, job.claim);
    }
    return NULL;
}

static void disturb(driver_server *server, int round) {
    clock_pause(200);
    if (round % 2 == 0) {
        driver_kill(server);
        clock_pause(100);
        driver_start(server);
    } else {
        driver_stop(server);
        clock_pause(round % 4 == 1 ? 500 : 5000);
        driver_continue(server);
    }
}

/* With the lock: a binding to states has got the last value. */
static bool has_last(driver *it, uint64_t binding) {
    const delivered *last = NULL;
    for (size_t i = 0; i < it->count; i++) {
        if (it->items[i].binding == binding) { last = &it->items[i]; }
    }
    return last != NULL && last->kind == CTIE_MESSAGE_VALUE && atoi((const char *)last->value) == MESSAGES - 1;
}

/* A server that is killed and stopped while everything flows. */
static void in_the_middle(driver_server *server) {
    static _Atomic int done[MESSAGES];
    static _Atomic int total, twice;
    driver sender, queues, pool;
    sending how = {0};
    pthread_t thread, workers[3];
    working works[3];
    driver_open(&sender, server, "middle", "sender");
    driver_open(&queues, server, "middle", "queues");
    driver_open(&pool, server, "middle", "pool");
    for (uint64_t i = 0; i < QUEUES; i++) {
        ctie_engine_binding queue = driver_binding(i % 2 ? "jobs" : "*", CTIE_ENGINE_QUEUE, "");
        queue.credit = i % 3 == 0 ? 1 : 64;
        driver_bind_with(&queues, i + 1, queue);
    }
    driver_bind(&queues, QUEUES + 1, "jobs", CTIE_ENGINE_STATE, "");
    for (uint64_t i = 0; i < 3; i++) {
        driver_bind(&pool, i + 1, "jobs", CTIE_ENGINE_DURABLE, "pool");
        works[i] = (working){&pool, i + 1, done, &total, &twice};
        CHECK(pthread_create(&workers[i], NULL, work, &works[i]) == 0);
    }
    how.from = &sender;
    CHECK(pthread_create(&thread, NULL, send_all, &how) == 0);
    for (int i = 0; i < KILLS; i++) { disturb(server, i); }
    pthread_join(thread, NULL);
    for (uint64_t i = 0; i < QUEUES; i++) {
        wait_for(&queues, i + 1, MESSAGES);
        CHECK(has_numbers(&queues, i + 1, "jobs", 0, MESSAGES));
    }
    DRIVER_WAIT_FOR(&queues, has_last(&queues, QUEUES + 1));
    for (int i = 0; i < 3; i++) { pthread_join(workers[i], NULL); }
    CHECK(total == MESSAGES);
    for (int i = 0; i < MESSAGES; i++) { CHECK(done[i] >= 1); }
    fprintf(stderr, "done twice: %d\n", twice);
    driver_close(&sender);
    driver_close(&queues);
    driver_close(&pool);
}

/* A server that has lost everything. */
static void another_epoch(driver_server *server) {
    driver one;
    driver_open(&one, server, "epoch", "one");
    driver_value(&one, "p.a", "a");
    driver_value(&one, "p.b", "b");
    driver_bind(&one, 1, "p.*", CTIE_ENGINE_STATE, "");
    driver_bind(&one, 2, "p.*", CTIE_ENGINE_QUEUE, "");
    driver_bind(&one, 3, "p.*", CTIE_ENGINE_DURABLE, "pool");
    wait_for(&one, 1, 2);
    uint64_t number = driver_value(&one, "p.a", "last");
    wait_for(&one, 1, 3);
    wait_for(&one, 2, 1);
    wait_for(&one, 3, 1);
    uint64_t claim = delivery_of(&one, 3, 0).claim;
    driver_kill(server);
    driver_remove_files(server);
    CHECK(mkdir(server->directory, 0700) == 0);
    driver_start(server);
    wait_for(&one, 2, 2);
    wait_for(&one, 3, 2);
    driver_acknowledge(&one, 3, claim);
    for (uint64_t i = 2; i <= 3; i++) {
        delivered missed = delivery_of(&one, i, 1);
        CHECK(missed.kind == CTIE_MESSAGE_MISSED && missed.missed == 0 && missed.sequence > number);
    }
    uint64_t next = driver_value(&one, "p.a", "new");
    for (uint64_t i = 1; i <= 3; i++) {
        wait_for(&one, i, i == 1 ? 4 : 3);
        delivered fresh = delivery_of(&one, i, i == 1 ? 3 : 2);
        CHECK(is_value(&fresh, "p.a", "new") && fresh.sequence == next && fresh.flags == 0);
        CHECK(i == 1 || fresh.sequence > delivery_of(&one, i, 1).sequence);
    }
    driver_close(&one);
}

/* A stream that was removed while the connection lasts. */
static void a_removed_stream(driver_server *server) {
    driver one;
    driver_open(&one, server, "removed", "one");
    engine *of = one.engine;
    char what[STREAM_MOST + 32];
    driver_bind(&one, 1, "q", CTIE_ENGINE_QUEUE, "");
    driver_bind(&one, 2, "q", CTIE_ENGINE_DURABLE, "pool");
    driver_value(&one, "q", "1");
    wait_for(&one, 1, 1);
    wait_for(&one, 2, 1);
    snprintf(what, sizeof what, "STREAM.DELETE.%s", of->names.stream);
    CHECK_STATUS(api(of, what, NULL, deadline_after(DRIVER_TIME_MS), NULL), CTIE_OK);
    wait_for(&one, 1, 2);
    wait_for(&one, 2, 2);
    driver_value(&one, "q", "2");
    for (uint64_t i = 1; i <= 2; i++) {
        wait_for(&one, i, 3);
        CHECK(delivery_of(&one, i, 1).kind == CTIE_MESSAGE_MISSED && delivery_of(&one, i, 1).missed == 0);
        CHECK_VALUE(&one, i, 2, "q", "2");
    }
    driver_close(&one);
}

/* Bindings end, and the engine closes, while the server does not answer. */
static void ending_without_a_server(driver_server *server) {
    driver one;
    driver_open(&one, server, "ending", "one");
    driver_bind(&one, 1, "q", CTIE_ENGINE_QUEUE, "");
    driver_bind(&one, 2, "q", CTIE_ENGINE_DURABLE, "pool");
    driver_bind(&one, 3, "q", CTIE_ENGINE_STATE, "");
    driver_value(&one, "q", "1");
    wait_for(&one, 2, 1);
    driver_stop(server);
    ctie_engine_binding how = driver_binding("q", CTIE_ENGINE_QUEUE, "");
    ctie_status status = ENGINE_OF_NATS.bind(one.engine, 4, &how, 300);
    CHECK(status == CTIE_E_TIMEOUT || status == CTIE_E_UNAVAILABLE);
    driver_acknowledge(&one, 2, delivery_of(&one, 2, 0).claim);
    driver_unbind(&one, 1);
    driver_unbind(&one, 2);
    driver_close(&one);
    driver_continue(server);
    driver_open(&one, server, "ending", "again");
    driver_bind(&one, 1, "q", CTIE_ENGINE_QUEUE, "");
    driver_value(&one, "q", "2");
    wait_for(&one, 1, 1);
    driver_kill(server);
    driver_unbind(&one, 1);
    driver_close(&one);
    driver_start(server);
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    in_the_middle(&server);
    another_epoch(&server);
    a_removed_stream(&server);
    ending_without_a_server(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
