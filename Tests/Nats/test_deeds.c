/* Outcomes of messages that take several steps, when something else happens between the steps. */
#include "driver.h"

#include "deliveries.h"
#include "letters.h"
#include "post.h"

enum { PAYLOAD = 20000 }; /* what a server takes at most in one of the tests */

static durable_key key_of(const char *topic) {
    durable_key key;
    CHECK_STATUS(durable_key_of(ctie_str_from(topic), CTIE_STR("pool"), &key), CTIE_OK);
    return key;
}

/* The number of the last version of a letter; 0: there is none. */
static uint64_t version_of(driver *it, uint64_t in_stream) {
    engine *of = it->engine;
    durable_key key = key_of("jobs");
    char subject[LETTER_MOST];
    uint64_t at = 0;
    names_letter(&of->names, key.base, in_stream, CTIE_STR("jobs"), subject);
    CHECK_STATUS(fetch_last(of, of->names.durable, subject, deadline_after(DRIVER_TIME_MS), &at), CTIE_OK);
    return at;
}

static void await_no_version(driver *it, uint64_t in_stream) {
    for (int64_t end = deadline_after(10000); version_of(it, in_stream) != 0 && deadline_left(end) > 0;) { clock_pause(5); }
    CHECK(version_of(it, in_stream) == 0);
}

/* A binding whose messages die at a number of deliveries. */
static void open_limited(driver *it, const driver_server *server, const char *group, uint32_t deliveries, uint32_t credit) {
    driver_init(it, server, "one");
    it->host.max_value_size = PAYLOAD;
    it->keeps_credit = true;
    CHECK_STATUS(driver_open_with(it, group, DRIVER_TIME_MS), CTIE_OK);
    CHECK_STATUS(declare_with(it, "jobs", "pool", limited(deliveries)), CTIE_OK);
    driver_bind_with(it, 1, durable("jobs", "pool", credit));
}

static void reject(driver *it, uint64_t binding, size_t index) {
    driver_answer(it, binding, delivery_of(it, binding, index).claim, CTIE_ENGINE_REJECTED, -1);
}

/* ---- Full streams, and destroyed messages ----------------------------------------------------------- */

/* The copy of a dead letter pushes its message out of the stream. */
static void pushed_out_by_its_copy(driver_server *server) {
    driver one;
    shown all = {0};
    uint64_t count;
    driver_init(&one, server, "one");
    one.server.max_queued = 3;
    CHECK_STATUS(driver_open_with(&one, "full", DRIVER_TIME_MS), CTIE_OK);
    one.keeps_credit = true;
    CHECK_STATUS(declare_with(&one, "jobs", "pool", limited(1)), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_send_numbers(&one, "jobs", 0, 3);
    wait_for(&one, 1, 3);
    reject(&one, 1, 0);
    CHECK_STATUS(list_letters(&one, "jobs", "pool", 0, 10, 1, &all), CTIE_OK);
    CHECK(all.count == 1 && strcmp(all.items[0].value, "0") == 0 && all.items[0].sent_as != 0);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", 0, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    wait_for(&one, 1, 4);
    CHECK_VALUE(&one, 1, 3, "jobs", "0");
    for (size_t i = 1; i < 4; i++) { driver_acknowledge(&one, 1, delivery_of(&one, 1, i).claim); }
    CHECK(count_letters(&one, "jobs", "pool") == 0);
    free(all.items);
    driver_close(&one);
}

/* A message is destroyed while a member makes its letter, and that member dies: the next one removes the letter. */
static void destroyed_while_it_dies(driver_server *server) {
    for (int is_everything = 0; is_everything < 2; is_everything++) {
        driver one;
        natsMsg *from = NULL;
        char group[16];
        snprintf(group, sizeof group, "ends-%d", is_everything);
        driver_open(&one, server, group, "one");
        engine *of = one.engine;
        int64_t deadline = deadline_after(DRIVER_TIME_MS);
        CHECK_STATUS(declare_with(&one, "jobs", "pool", limited(1)), CTIE_OK);
        uint64_t number = driver_value(&one, "jobs", "bad");
        CHECK_STATUS(fetch(of, of->names.stream, number, deadline, &from), CTIE_OK);
        driver_send(&one, CTIE_MESSAGE_DESTROYED, is_everything ? "" : "jobs", NULL);
        letter half = {.in_stream = number, .state = LETTER_DYING, .kind = CTIE_MESSAGE_VALUE, .deliveries = 1,
                       .died = clock_now(CLOCK_REALTIME), .size = 3, .reason = "it%20fell"};
        strcpy(half.base, key_of("jobs").base), strcpy(half.identifier, "jobs");
        CHECK_STATUS(letter_write(of, &half, from, deadline), CTIE_OK);
        natsMsg_Destroy(from);
        driver_bind_with(&one, 1, durable("jobs", "pool", 64));
        await_no_version(&one, number);
        driver_close(&one);
    }
}

/* ---- Retried letters --------------------------------------------------------------------------------- */

/* Takes a retried letter as a process does that dies at once. */
static void take_along(driver *it) {
    engine *of = it->engine;
    char subject[512];
    durable_key key = key_of("jobs");
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.%s.%s=again", of->names.durable, key.base);
    for (bool is_taken = false; !is_taken;) {
        natsMsg *message = NULL;
        const char *state = NULL;
        CHECK(natsConnection_RequestString(&message, of->connection, subject, "1", DRIVER_TIME_MS) == NATS_OK);
        is_taken = natsMsgHeader_Get(message, "Ctie-State", &state) == NATS_OK && strcmp(state, "again") == 0;
        const char *reply = natsMsg_GetReply(message);
        CHECK(natsConnection_PublishString(of->connection, reply, is_taken ? "-NAK" : "+ACK") == NATS_OK);
        natsMsg_Destroy(message);
    }
}

static void a_retried_letter_kills(driver_server *server) {
    driver one;
    shown all = {0};
    uint64_t count;
    open_limited(&one, server, "kills", 1, 64);
    driver_value(&one, "jobs", "bad");
    wait_for(&one, 1, 1);
    reject(&one, 1, 0);
    CHECK(count_letters(&one, "jobs", "pool") == 1);
    driver_unbind(&one, 1);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", 0, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    take_along(&one);
    driver_bind_with(&one, 2, durable("jobs", "pool", 64));
    await_letters(&one, "jobs", "pool", 1);
    CHECK_STATUS(list_letters(&one, "jobs", "pool", 0, 10, 0, &all), CTIE_OK);
    CHECK(strcmp(all.items[0].reason, "its process ended") == 0 && all.items[0].deliveries == 1);
    CHECK(count_of(&one, 2) == 0);
    driver_unbind(&one, 2);
    /* A delivery that no listener has seen does not count: it is handed out after all. */
    ctie_durable_options more = limited(2);
    more.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(declare_with(&one, "jobs", "pool", more), CTIE_OK);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", 0, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    take_along(&one);
    driver_bind_with(&one, 3, durable("jobs", "pool", 64));
    wait_for(&one, 3, 1);
    driver_answer(&one, 3, delivery_of(&one, 3, 0).claim, CTIE_ENGINE_UNDELIVERED, 0);
    wait_for(&one, 3, 2);
    CHECK_VALUE(&one, 3, 1, "jobs", "bad");
    CHECK(delivery_of(&one, 3, 1).delivery_count == 2);
    reject(&one, 3, 1);
    CHECK_STATUS(list_letters(&one, "jobs", "pool", 0, 10, 0, &all), CTIE_OK);
    CHECK(all.count == 1 && all.items[0].deliveries == 2 && all.items[0].reason[0] == 0);
    free(all.items);
    driver_close(&one);
}

static ctie_status seek_to(driver *it, uint64_t sequence) {
    uint32_t start = CTIE_ENGINE_FROM_SEQUENCE;
    return ENGINE_OF_NATS.seek(it->engine, CTIE_STR("jobs"), CTIE_STR("pool"), start, sequence, 0, DRIVER_TIME_MS);
}

/* A consumer that was moved back passes a letter while it is processed again. Moved back once more, it delivers it. */
static void moved_back_while_retried(driver_server *server) {
    driver one;
    uint64_t count;
    open_limited(&one, server, "back", 1, 64);
    driver_send_numbers(&one, "jobs", 0, 2);
    wait_for(&one, 1, 2);
    uint64_t first = delivery_of(&one, 1, 0).sequence;
    reject(&one, 1, 0);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 1).claim);
    CHECK(count_letters(&one, "jobs", "pool") == 1);
    driver_unbind(&one, 1);
    CHECK_STATUS(seek_to(&one, first), CTIE_OK);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", first, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    driver_bind_with(&one, 2, durable("jobs", "pool", 64));
    wait_for(&one, 2, 2);
    clock_pause(300); /* the consumer passes it */
    for (size_t i = 0; i < 2; i++) { driver_acknowledge(&one, 2, delivery_of(&one, 2, i).claim); }
    await_no_version(&one, first);
    CHECK_STATUS(seek_to(&one, first), CTIE_OK);
    wait_for(&one, 2, 4);
    CHECK_VALUE(&one, 2, 2, "jobs", "0");
    CHECK_VALUE(&one, 2, 3, "jobs", "1");
    CHECK(count_of(&one, 2) == 4);
    driver_close(&one);
}

/* ---- Another member moves the consumer --------------------------------------------------------------- */

/* As seek() behind all messages does it, without its news for other members. */
static void move_silently(driver *it) {
    engine *of = it->engine;
    int64_t deadline = deadline_after(DRIVER_TIME_MS);
    durable_key key = key_of("jobs");
    durable_record record;
    durable_start from = {"new", 0, 0};
    char old[CONSUMER_NAME_MOST], fresh[CONSUMER_NAME_MOST];
    CHECK_STATUS(record_read(of, key.base, &record, deadline), CTIE_OK);
    record_consumer(key.base, record.suffix, old);
    strcpy(record.suffix, "0123456789abcdef");
    record_consumer(key.base, record.suffix, fresh);
    CHECK_STATUS(durable_make(of, &key, fresh, &from, &record.options, deadline, NULL), CTIE_OK);
    record.start = 1000;
    CHECK_STATUS(record_write(of, &key, &record, deadline), CTIE_OK);
    CHECK_STATUS(durable_delete(of, old, deadline), CTIE_OK);
}

static void moved_by_another(driver_server *server) {
    driver one;
    open_limited(&one, server, "elsewhere", 3, 1); /* without credit it asks for nothing, and sees nothing of the move */
    driver_value(&one, "jobs", "0");
    wait_for(&one, 1, 1);
    clock_pause(1100); /* its record is old by now */
    move_silently(&one);
    reject(&one, 1, 0);
    CHECK_STATUS(bindings_conclude(one.engine, deadline_after(DRIVER_TIME_MS)), CTIE_OK);
    driver_credit(&one, 1, 1);
    wait_for(&one, 1, 2);
    CHECK_VALUE(&one, 1, 1, "jobs", "0");
    CHECK(delivery_of(&one, 1, 1).delivery_count == 2);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 1).claim);
    CHECK(count_letters(&one, "jobs", "pool") == 0);
    driver_close(&one);
}

/* A listener is removed that has not seen the move. */
static void moved_and_unbound(driver_server *server) {
    driver one;
    open_limited(&one, server, "unbound", 3, 1);
    driver_value(&one, "jobs", "0");
    wait_for(&one, 1, 1);
    clock_pause(1100);
    move_silently(&one);
    driver_unbind(&one, 1);
    CHECK_STATUS(bindings_conclude(one.engine, deadline_after(DRIVER_TIME_MS)), CTIE_OK);
    driver_bind_with(&one, 2, durable("jobs", "pool", 64));
    wait_for(&one, 2, 1);
    CHECK_VALUE(&one, 2, 0, "jobs", "0");
    CHECK(delivery_of(&one, 2, 0).delivery_count == 1);
    driver_close(&one);
}

/* ---- Large messages ---------------------------------------------------------------------------------- */

static void send_large(driver *it, size_t size) {
    static char value[PAYLOAD + 1];
    memset(value, 'x', size);
    value[size] = 0;
    driver_value(it, "jobs", value);
}

static void limit_payload(driver_server *server, bool is_limited) {
    server->config[0] = 0;
    if (is_limited) {
        snprintf(server->config, sizeof server->config, "%s/config", server->directory);
        FILE *config = fopen(server->config, "w");
        CHECK(config != NULL && fprintf(config, "max_payload: %d\n", PAYLOAD) > 0 && fclose(config) == 0);
    }
    driver_kill(server);
    driver_start(server);
}

static void larger_than_the_server_takes(driver_server *server) {
    enum { STEP = 20, COPIES = 40 };
    static const char NAME[] = "a-name-that-makes-the-headers-of-a-copy-larger-by-far-than-those-of-its-letter";
    char reason[CTIE_MESSAGE_MAX_REASON + 1];
    driver one;
    shown all = {0};
    size_t next = 0, without = 0;
    limit_payload(server, true);
    memset(reason, '%', sizeof reason - 1); /* each is three bytes */
    reason[sizeof reason - 1] = 0;
    open_limited(&one, server, "large", 1, 64);
    driver_unbind(&one, 1);
    CHECK_STATUS(declare_with(&one, "jobs", NAME, limited(1)), CTIE_OK);
    driver_bind_with(&one, 2, durable("jobs", NAME, 64));
    /* There is no room for the reason. */
    send_large(&one, PAYLOAD - 1500);
    next++;
    wait_for(&one, 2, next);
    reject_for(&one, 2, delivery_of(&one, 2, 0).claim, reason);
    CHECK_STATUS(list_letters(&one, "jobs", NAME, 0, 10, 0, &all), CTIE_OK);
    CHECK(all.count == 1 && all.items[0].size == PAYLOAD - 1500 && all.items[0].sent_as != 0);
    CHECK(all.count == 1 && all.items[0].reason[0] == 0 && all.items[0].deliveries == 1);
    /* At some size there is none for a copy, and at the last one none for a letter, as the log says. */
    for (size_t size = PAYLOAD - 1000; one.log_lines == 0 && size < PAYLOAD - 200; size += STEP) {
        send_large(&one, size);
        next++;
        wait_for(&one, 2, next);
        reject_for(&one, 2, delivery_of(&one, 2, next - 1).claim, "no");
        CHECK_STATUS(list_letters(&one, "jobs", NAME, 0, COPIES, 0, &all), CTIE_OK);
        CHECK(all.count == next - (one.log_lines > 0));
    }
    for (size_t i = 0; i < all.count; i++) { without += all.items[i].sent_as == 0; }
    CHECK(all.count > 1 && without > 0 && without < all.count);
    CHECK(strstr(one.last_log, "too large for a dead letter") != NULL);
    free(all.items);
    driver_close(&one);
    limit_payload(server, false);
}

/* ---- Steps that are repeated ------------------------------------------------------------------------- */

/* Has the server forget soon which messages it has. */
static void shorten_memory(driver *it) {
    engine *of = it->engine;
    char what[256];
    json_t *info = NULL, *body;
    snprintf(what, sizeof what, "STREAM.INFO.%s", of->names.stream);
    CHECK_STATUS(api(of, what, NULL, deadline_after(DRIVER_TIME_MS), &info), CTIE_OK);
    body = json_deep_copy(json_object_get(info, "config"));
    json_object_set_new(body, "duplicate_window", json_integer(100000000));
    snprintf(what, sizeof what, "STREAM.UPDATE.%s", of->names.stream);
    CHECK_STATUS(api(of, what, body, deadline_after(DRIVER_TIME_MS), NULL), CTIE_OK);
    json_decref(body);
    json_decref(info);
}

/* The clock of the member that began a death is ahead, and the server has forgotten that it has the copy. */
static void a_copy_is_sent_once(driver_server *server) {
    driver one;
    letter found;
    open_limited(&one, server, "once", 1, 64);
    shorten_memory(&one);
    driver_bind(&one, 9, "jobs.dead", CTIE_ENGINE_QUEUE, "");
    uint64_t number = driver_value(&one, "jobs", "bad");
    wait_for(&one, 1, 1);
    reject(&one, 1, 0);
    CHECK(count_letters(&one, "jobs", "pool") == 1);
    wait_for(&one, 9, 1);
    clock_pause(1000);
    engine *of = one.engine;
    int64_t deadline = deadline_after(DRIVER_TIME_MS);
    durable_key key = key_of("jobs");
    CHECK_STATUS(letter_find(of, key.base, number, CTIE_STR("jobs"), deadline, &found), CTIE_OK);
    uint64_t sent_as = found.sent_as;
    found.state = LETTER_DYING, found.sent_as = 0;
    CHECK_STATUS(letter_write(of, &found, found.message, deadline), CTIE_OK);
    letter_clear(&found);
    await_letters(&one, "jobs", "pool", 1);
    CHECK_STATUS(letter_find(of, key.base, number, CTIE_STR("jobs"), deadline, &found), CTIE_OK);
    CHECK(found.sent_as == sent_as);
    letter_clear(&found);
    clock_pause(100);
    CHECK(count_of(&one, 9) == 1);
    driver_close(&one);
}

/* A note about a delivery was stored, and its answer was lost: the delivery is noted again, and counts once. */
static void a_delivery_is_pardoned_once(driver_server *server) {
    driver one;
    uint32_t count = 7;
    open_limited(&one, server, "notes", 3, 64);
    engine *of = one.engine;
    int64_t deadline = deadline_after(DRIVER_TIME_MS);
    durable_key key = key_of("jobs");
    pardon note = {.base = key.base, .in_stream = 5, .life = "-", .delivery = 2};
    for (int i = 0; i < 2; i++) { CHECK_STATUS(pardons_add(of, &note, deadline), CTIE_OK); }
    CHECK_STATUS(pardons_count(of, &note, deadline, &count), CTIE_OK);
    CHECK(count == 1);
    note.delivery = 3;
    CHECK_STATUS(pardons_add(of, &note, deadline), CTIE_OK);
    CHECK_STATUS(pardons_count(of, &note, deadline, &count), CTIE_OK);
    CHECK(count == 2);
    strcpy(note.life, "other");
    CHECK_STATUS(pardons_count(of, &note, deadline, &count), CTIE_OK);
    CHECK(count == 0);
    CHECK_STATUS(pardons_add(of, &note, deadline), CTIE_OK);
    CHECK_STATUS(pardons_count(of, &note, deadline, &count), CTIE_OK);
    CHECK(count == 1);
    driver_close(&one);
}

int main(int count, char **arguments) {
    driver_server server;
    driver_serve(&server);
    const char *only = count > 1 ? arguments[1] : "";
#define RUN(name) if (only[0] == 0 || strcmp(only, #name) == 0) { name(&server); }
    RUN(pushed_out_by_its_copy)
    RUN(destroyed_while_it_dies)
    RUN(a_retried_letter_kills)
    RUN(moved_back_while_retried)
    RUN(moved_by_another)
    RUN(moved_and_unbound)
    RUN(larger_than_the_server_takes)
    RUN(a_copy_is_sent_once)
    RUN(a_delivery_is_pardoned_once)
    driver_end(&server);
    nats_Close();
    return check_end();
}
