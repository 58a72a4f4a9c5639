/* Reading: current messages, identifiers, and both streams merged. */
#include "driver.h"

static void send_raw(driver *it, const char *subject, const char *key, const char *header, const char *value) {
    engine *of = it->engine;
    natsMsg *request = NULL, *answer = NULL;
    CHECK(natsMsg_Create(&request, subject, NULL, value, (int)strlen(value)) == NATS_OK);
    if (key != NULL) { CHECK(natsMsgHeader_Set(request, key, header) == NATS_OK); }
    CHECK_STATUS(ask(of, request, deadline_after(DRIVER_TIME_MS), &answer), CTIE_OK);
    natsMsg_Destroy(answer);
}

static void request_api(driver *it, const char *what, const char *body) {
    json_t *object = body != NULL ? json_loads(body, 0, NULL) : NULL;
    CHECK(body == NULL || object != NULL);
    CHECK_STATUS(api(it->engine, what, object, deadline_after(DRIVER_TIME_MS), NULL), CTIE_OK);
    json_decref(object);
}

/* ---- Identifiers ------------------------------------------------------------------------------------- */

typedef struct names {
    size_t count;
    char *items;    /* each with its NUL, 132 bytes apart */
    size_t room;
} names;

static bool take_no_member(const ctie_engine_member *member, void *context) { return member == context; }

static bool take_name(ctie_str identifier, void *context) {
    names *to = context;
    if (to->count == to->room) {
        to->room = to->room * 2 + 64;
        to->items = realloc(to->items, to->room * 132);
    }
    driver_copy(to->items + 132 * to->count++, 132, identifier);
    return true;
}

static bool stop_at_two(ctie_str identifier, void *context) {
    (void)identifier;
    return ++*(int *)context < 2;
}

/* The names under a topic, with a space between them. */
static bool lists(driver *it, const char *topic, const char *expected) {
    names found = {0, NULL, 0};
    char text[4096] = "";
    ctie_str wanted = ctie_str_from(topic);
    CHECK_STATUS(ENGINE_OF_NATS.identifiers(it->engine, wanted, take_name, &found, DRIVER_TIME_MS), CTIE_OK);
    for (size_t i = 0; i < found.count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "", found.items + 132 * i);
    }
    free(found.items);
    if (strcmp(text, expected) != 0) { fprintf(stderr, "%s: %s\n", topic, text); }
    return strcmp(text, expected) == 0;
}

static void topics(driver_server *server) {
    driver one;
    driver_open(&one, server, "topics", "one");
    CHECK(lists(&one, "*", "") && lists(&one, "a.*", "") && lists(&one, "a", ""));
    const char *identifiers[] = {"chat", "chat.a", "chat.b.c", "chats", "Chat", "chat-x", "chat_.y", "0"};
    for (size_t i = 0; i < sizeof identifiers / sizeof *identifiers; i++) { driver_value(&one, identifiers[i], "v"); }
    driver_send(&one, CTIE_MESSAGE_SIGNAL, "chat.signal", NULL);
    driver_send(&one, CTIE_MESSAGE_SIGNAL, "chat.a", NULL);
    driver_value(&one, "chat.gone", "v");
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "chat.gone", NULL);
    CHECK(lists(&one, "chat", "chat"));
    CHECK(lists(&one, "chat.*", "chat.a chat.b.c"));
    CHECK(lists(&one, "chat.b.*", "chat.b.c"));
    CHECK(lists(&one, "*", "0 Chat chat chat-x chat.a chat.b.c chat_.y chats"));
    CHECK(lists(&one, "chat.gone", "") && lists(&one, "chat.signal", "") && lists(&one, "none.*", ""));
    int count = 0;
    CHECK_STATUS(ENGINE_OF_NATS.identifiers(one.engine, CTIE_STR("*"), stop_at_two, &count, DRIVER_TIME_MS), CTIE_OK);
    CHECK(count == 2);
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "", NULL);
    CHECK(lists(&one, "*", ""));
    driver_value(&one, "chat.a", "v");
    CHECK(lists(&one, "*", "chat.a") && lists(&one, "chat.*", "chat.a"));
    driver_close(&one);
}

/* ---- Messages ---------------------------------------------------------------------------------------- */

static bool take_all(const ctie_engine_message *message, void *context) {
    driver_keep(context, 0, message);
    return true;
}

static void everything_of_a_message(driver_server *server) {
    driver one, other;
    driver_open(&one, server, "parts", "sender \xc3\xa4");
    driver_open(&other, server, "parts", "reader");
    ctie_header headers[] = {{CTIE_STR("content type"), CTIE_STR(" a\r\nb\xc3\xa4%")}, {CTIE_STR("x"), CTIE_STR("")}};
    ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, "a.b", "");
    message.headers = headers, message.header_count = 2;
    message.expires = clock_now(CLOCK_REALTIME) + 3600000000000;
    message.value = (ctie_bytes){(const uint8_t *)"\xa3\0\n\xff", 4};
    uint64_t number = 0;
    uint32_t listeners;
    CHECK_STATUS(ENGINE_OF_NATS.send(one.engine, &message, 1, NULL, &number, &listeners, DRIVER_TIME_MS), CTIE_OK);
    for (int round = 0; round < 3; round++) { /* of both streams, of the second one, after a restart */
        driver *from[] = {&one, &other};
        for (int i = 0; i < 2; i++) {
            driver_forget(from[i]);
            CHECK_STATUS(ENGINE_OF_NATS.current(from[i]->engine, CTIE_STR("a.b"), take_all, from[i], DRIVER_TIME_MS),
                         CTIE_OK);
            CHECK(from[i]->count == 1);
            if (from[i]->count != 1) { continue; }
            delivered *it = &from[i]->items[0];
            CHECK(it->kind == CTIE_MESSAGE_VALUE && it->flags == 0 && it->sequence == number && number == 1);
            CHECK(strcmp(it->identifier, "a.b") == 0 && it->size == 4 && memcmp(it->value, "\xa3\0\n\xff", 4) == 0);
            CHECK(it->time == message.time && it->expires == message.expires && it->sender_pid == getpid());
            CHECK(strcmp(it->sender, "sender \xc3\xa4") == 0);
            CHECK(it->header_count == 2 && strcmp(it->header, " a\r\nb\xc3\xa4%") == 0);
        }
        if (round == 0) {
            int64_t deadline = deadline_after(DRIVER_WAIT_MS);
            uint64_t sourced = 0;
            while (sourced == 0 && deadline_left(deadline) > 0) {
                json_t *answer = NULL;
                CHECK_STATUS(api(one.engine, "STREAM.INFO.CTIE_parts=now", NULL, deadline, &answer), CTIE_OK);
                sourced = api_number(json_object_get(answer, "state"), "messages");
                json_decref(answer);
            }
            request_api(&one, "STREAM.PURGE.CTIE_parts", NULL); /* as if newer messages had displaced it */
        } else if (round == 1) {
            driver_kill(server);
            driver_start(server);
        }
    }
    driver_close(&one);
    driver_close(&other);
}

static void expired_ones(driver_server *server) {
    driver one;
    driver_open(&one, server, "expired", "one");
    ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, "a", "x");
    uint64_t number;
    uint32_t listeners;
    message.expires = clock_now(CLOCK_REALTIME) - 1;
    driver_value(&one, "a", "older");
    CHECK_STATUS(ENGINE_OF_NATS.send(one.engine, &message, 1, NULL, &number, &listeners, DRIVER_TIME_MS), CTIE_OK);
    CHECK(driver_is(&one, "a", NULL) && lists(&one, "*", ""));
    message.expires = clock_now(CLOCK_REALTIME) + 3600000000000;
    CHECK_STATUS(ENGINE_OF_NATS.send(one.engine, &message, 1, NULL, &number, &listeners, DRIVER_TIME_MS), CTIE_OK);
    CHECK(driver_is(&one, "a", "x") && lists(&one, "*", "a"));
    driver_close(&one);
}

static void other_programs(driver_server *server) {
    driver one;
    driver_open(&one, server, "foreign", "one");
    send_raw(&one, "ctie.foreign.m.v.plain", NULL, NULL, "\xa5hello");
    CHECK(driver_is(&one, "plain", "\xa5hello"));
    send_raw(&one, "ctie.foreign.m.v.newer", "Ctie-Format", "2", "\xa5hello");
    send_raw(&one, "ctie.foreign.m.v.bad/name", NULL, NULL, "x");
    send_raw(&one, "ctie.foreign.m.q.a", NULL, NULL, "x");
    send_raw(&one, "ctie.foreign.m.x.a", NULL, NULL, "x");
    send_raw(&one, "ctie.foreign.m.v.copied", "Nats-Stream-Source", "CTIE_foreign 99999", "\xa1y");
    CHECK(driver_is(&one, "newer", NULL));
    CHECK(driver_read(&one, "copied").sequence == 6);
    CHECK(lists(&one, "*", "copied plain"));
    CHECK(driver_value(&one, "copied", "z") == 7);
    CHECK(driver_read(&one, "copied").sequence == 7);
    driver_close(&one);
}

/* A server before 2.9 has no direct gets; here the streams have been made without them. */
static void without_direct_gets(driver_server *server) {
    driver one, maker;
    driver_open(&maker, server, "maker", "maker");
    request_api(&maker, "STREAM.CREATE.CTIE_old",
                "{\"name\":\"CTIE_old\",\"subjects\":[\"ctie.old.m.>\"],\"storage\":\"file\",\"num_replicas\":1,"
                "\"duplicate_window\":120000000000,\"discard\":\"old\",\"retention\":\"limits\"}");
    request_api(&maker, "STREAM.CREATE.CTIE_old=now",
                "{\"name\":\"CTIE_old=now\",\"sources\":[{\"name\":\"CTIE_old\"}],\"storage\":\"file\","
                "\"num_replicas\":1,\"max_msgs_per_subject\":1,\"discard\":\"old\",\"retention\":\"limits\"}");
    driver_close(&maker);
    driver_open(&one, server, "old", "one");
    driver_value(&one, "a", "1");
    driver_value(&one, "b", "1");
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "b", NULL);
    CHECK(driver_is(&one, "a", "1") && driver_is(&one, "b", NULL) && driver_is(&one, "none", NULL));
    CHECK(lists(&one, "*", "a"));
    send_raw(&one, "ctie.old.m.x", NULL, NULL, "");
    CHECK(driver_is(&one, "a", NULL) && lists(&one, "*", ""));
    driver_close(&one);
}

/* Somebody removes a stream, and this member only reads. */
static void a_stream_that_is_lost(driver_server *server) {
    driver one;
    driver_open(&one, server, "gone", "one");
    driver_value(&one, "a", "1");
    request_api(&one, "STREAM.DELETE.CTIE_gone", NULL);
    CHECK(driver_is(&one, "a", NULL));
    CHECK(lists(&one, "*", ""));
    CHECK(driver_value(&one, "b", "2") > 1);
    request_api(&one, "STREAM.DELETE.CTIE_gone=now", NULL);
    CHECK(lists(&one, "*", "b") && driver_is(&one, "b", "2"));
    driver_close(&one);
}

/* ---- Many -------------------------------------------------------------------------------------------- */

static size_t resident(void) {
    size_t pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%zu %zu", &all, &pages) == 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void many_identifiers(driver_server *server) {
    enum { MANY = 10000, BATCH = 100 };
    driver one;
    driver_open(&one, server, "many", "one");
    engine *of = one.engine;
    for (int i = 0; i < MANY; i += BATCH) {
        natsMsg *requests[BATCH], *answers[BATCH];
        ctie_status statuses[BATCH];
        for (int j = 0; j < BATCH; j++) {
            char identifier[32];
            snprintf(identifier, sizeof identifier, "many.n%05d", i + j);
            ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, identifier, "\xa4some");
            CHECK_STATUS(envelope_pack(&of->names, &of->self, &message, NULL, 0, NULL, &requests[j]), CTIE_OK);
        }
        ask_many(of, requests, BATCH, deadline_after(DRIVER_TIME_MS), answers, statuses);
        for (int j = 0; j < BATCH; j++) {
            if (statuses[j] != CTIE_OK) { CHECK(statuses[j] == CTIE_OK); }
            natsMsg_Destroy(answers[j]);
        }
    }
    names found = {0, NULL, 0};
    size_t before = 0;
    int64_t begin = clock_now(CLOCK_MONOTONIC);
    for (int i = 0; i < 5; i++) {
        found.count = 0;
        CHECK_STATUS(ENGINE_OF_NATS.identifiers(of, CTIE_STR("many.*"), take_name, &found, DRIVER_WAIT_MS), CTIE_OK);
        CHECK(found.count == MANY);
        bool is_right = true;
        for (size_t j = 0; j < found.count; j++) {
            char identifier[32];
            snprintf(identifier, sizeof identifier, "many.n%05zu", j);
            is_right = is_right && strcmp(found.items + 132 * j, identifier) == 0;
        }
        CHECK(is_right);
        if (i == 0) { before = resident(); }
    }
    FIGURES(", 10,000 identifiers in %d ms", (int)((clock_now(CLOCK_MONOTONIC) - begin) / 5000000));
    begin = clock_now(CLOCK_MONOTONIC);
    for (int i = 0; i < 5; i++) {
        stored_values all;
        CHECK_STATUS(current_all(of, CTIE_STR("*"), deadline_after(DRIVER_WAIT_MS), &all), CTIE_OK);
        CHECK(all.count == MANY && all.up_to == MANY);
        stored_values_free(&all);
    }
    FIGURES(", with values in %d ms", (int)((clock_now(CLOCK_MONOTONIC) - begin) / 5000000));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(resident() < before + ((size_t)16 << 20));
#else
    (void)before;
#endif
    free(found.items);
    begin = clock_now(CLOCK_MONOTONIC);
    for (int i = 0; i < 1000; i++) { driver_value(&one, "many.n00000", "\xa1x"); }
    FIGURES(", a send %d us", (int)((clock_now(CLOCK_MONOTONIC) - begin) / 1000000));
    begin = clock_now(CLOCK_MONOTONIC);
    for (int i = 0; i < 1000; i++) { CHECK(driver_is(&one, "many.n00000", "\xa1x")); }
    FIGURES(", a read %d us", (int)((clock_now(CLOCK_MONOTONIC) - begin) / 1000000));
    begin = clock_now(CLOCK_MONOTONIC);
    for (int i = 0; i < 100; i++) {
        char identifier[32];
        snprintf(identifier, sizeof identifier, "many.n%05d", i);
        driver_send(&one, CTIE_MESSAGE_DESTROYED, identifier, NULL);
    }
    FIGURES(", a destroying %d us", (int)((clock_now(CLOCK_MONOTONIC) - begin) / 100000));
    driver_close(&one);
}

/* ---- Reading one's own --------------------------------------------------------------------------------- */

static driver_server *own_server;

static void *reads_its_own(void *context) {
    int me = *(int *)context;
    driver one;
    char name[16];
    snprintf(name, sizeof name, "own%d", me);
    driver_open(&one, own_server, "own", name);
    for (int i = 0; i < 200; i++) {
        char value[32];
        snprintf(value, sizeof value, "%d", i);
        uint64_t number = driver_value(&one, name, value);
        driver_current found = driver_read(&one, name);
        CHECK(found.count == 1 && found.sequence == number && strcmp(found.value, value) == 0);
        number = driver_value(&one, "shared", value);
        CHECK(driver_read(&one, "shared").sequence >= number);
        if (i % 10 == 9) {
            driver_send(&one, CTIE_MESSAGE_DESTROYED, name, NULL);
            CHECK(driver_is(&one, name, NULL) && lists(&one, name, ""));
        } else if (i % 10 == 5) {
            CHECK(lists(&one, name, name));
        }
    }
    driver_close(&one);
    return NULL;
}

static void reading_ones_own(driver_server *server) {
    pthread_t threads[4];
    int numbers[4] = {0, 1, 2, 3};
    own_server = server;
    for (int i = 0; i < 4; i++) { pthread_create(&threads[i], NULL, reads_its_own, &numbers[i]); }
    for (int i = 0; i < 4; i++) { pthread_join(threads[i], NULL); }
}

/* More identifiers than a member keeps in memory: still each shows its last value. */
static void more_than_is_remembered(driver_server *server) {
    driver one;
    driver_open(&one, server, "more", "one");
    for (int i = 0; i < 5000; i++) {
        char identifier[32];
        snprintf(identifier, sizeof identifier, "n%d", i);
        driver_value(&one, identifier, identifier);
    }
    for (int i = 0; i < 5000; i += 97) {
        char identifier[32];
        snprintf(identifier, sizeof identifier, "n%d", i);
        CHECK(driver_is(&one, identifier, identifier));
    }
    driver_close(&one);
}

/* ---- Faults -------------------------------------------------------------------------------------------- */

static void a_server_that_goes_away(driver_server *server) {
    driver one;
    driver_current found = {0};
    names none = {0, NULL, 0};
    driver_open(&one, server, "away", "one");
    driver_value(&one, "a", "x");
    driver_stop(server);
    CHECK_STATUS(ENGINE_OF_NATS.current(one.engine, CTIE_STR("a"), driver_take_current, &found, 200), CTIE_E_TIMEOUT);
    CHECK_STATUS(ENGINE_OF_NATS.identifiers(one.engine, CTIE_STR("*"), take_name, &none, 200), CTIE_E_TIMEOUT);
    CHECK(found.count == 0 && none.count == 0);
    driver_continue(server);
    CHECK(driver_is(&one, "a", "x") && lists(&one, "*", "a"));
    driver_kill(server);
    DRIVER_WAIT_FOR(&one, one.state == CTIE_CONNECTION_RECONNECTING);
    ctie_status status_of_reading = ENGINE_OF_NATS.current(one.engine, CTIE_STR("a"), driver_take_current, &found, 200);
    CHECK_STATUS(status_of_reading, CTIE_E_UNAVAILABLE);
    driver_start(server);
    CHECK(driver_is(&one, "a", "x") && lists(&one, "*", "a"));
    pid_t child = fork();
    if (child == 0) {
        uint64_t number;
        uint32_t listeners;
        ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, "a", "child");
        bool is_right =
            ENGINE_OF_NATS.send(one.engine, &message, 1, NULL, &number, &listeners, 1000) == CTIE_E_FORKED &&
            ENGINE_OF_NATS.current(one.engine, CTIE_STR("a"), driver_take_current, &found, 1000) == CTIE_E_FORKED &&
            ENGINE_OF_NATS.identifiers(one.engine, CTIE_STR("*"), take_name, &none, 1000) == CTIE_E_FORKED &&
            ENGINE_OF_NATS.members(one.engine, take_no_member, NULL, 1000) == CTIE_E_FORKED;
        _exit(is_right ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    driver_close(&one);
}

/* Large messages fill all buffers of a server that is stopped: no function waits for longer than its time. */
static void *send_large(void *context) {
    driver *it = context;
    static char large[500000];
    for (int i = 0; i < 8; i++) {
        ctie_engine_message message = driver_message(CTIE_MESSAGE_VALUE, "large", "");
        uint64_t number;
        uint32_t listeners;
        message.value = (ctie_bytes){(const uint8_t *)large, sizeof large};
        ENGINE_OF_NATS.send(it->engine, &message, 1, NULL, &number, &listeners, 500);
    }
    return NULL;
}

static bool take_any_member(const ctie_engine_member *member, void *context) {
    (void)member, (void)context;
    return true;
}

static void a_server_that_reads_nothing(driver_server *server) {
    enum { SENDERS = 8 };
    driver one;
    pthread_t threads[SENDERS];
    names none = {0, NULL, 0};
    driver_current found = {0};
    driver_open(&one, server, "full", "one");
    driver_value(&one, "a", "x");
    driver_stop(server);
    for (int i = 0; i < SENDERS; i++) { pthread_create(&threads[i], NULL, send_large, &one); }
    int64_t longest = 0;
    for (int i = 0; i < 4; i++) {
        int64_t begin = clock_now(CLOCK_MONOTONIC);
        ENGINE_OF_NATS.identifiers(one.engine, CTIE_STR("*"), take_name, &none, 300);
        ENGINE_OF_NATS.current(one.engine, CTIE_STR("a"), driver_take_current, &found, 300);
        ENGINE_OF_NATS.members(one.engine, take_any_member, NULL, 300);
        int64_t time = clock_now(CLOCK_MONOTONIC) - begin;
        if (time > longest) { longest = time; }
    }
    FIGURES(", three calls of 300 ms without a server took %d ms", (int)(longest / 1000000));
    driver_continue(server);
    for (int i = 0; i < SENDERS; i++) { pthread_join(threads[i], NULL); }
    CHECK(driver_is(&one, "a", "x"));
    CHECK(lists(&one, "a", "a"));
    free(none.items);
    driver_close(&one);
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    topics(&server);
    everything_of_a_message(&server);
    expired_ones(&server);
    other_programs(&server);
    without_direct_gets(&server);
    a_stream_that_is_lost(&server);
    many_identifiers(&server);
    reading_ones_own(&server);
    more_than_is_remembered(&server);
    a_server_that_goes_away(&server);
    a_server_that_reads_nothing(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
