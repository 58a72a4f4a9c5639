/* Dead letters. */
#include "driver.h"

#include "deliveries.h"
#include "letters.h"

static void a_poison_message_among_good_ones(driver_server *server) {
    driver one, other;
    shown all = {0};
    driver_open(&one, server, "poison", "one");
    driver_open(&other, server, "poison", "other");
    one.keeps_credit = true;
    CHECK_STATUS(declare_with(&one, "jobs", "pool", limited(3)), CTIE_OK);
    driver_bind(&other, 1, "jobs.dead", CTIE_ENGINE_QUEUE, "");
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_value(&other, "jobs", "good");
    uint64_t bad = driver_value(&other, "jobs", "bad");
    size_t next = 0;
    for (uint32_t deliveries = 1; deliveries <= 3; next++) {
        wait_for(&one, 1, next + 1);
        delivered each = delivery_of(&one, 1, next);
        if (!is_value(&each, "jobs", "bad")) {
            driver_acknowledge(&one, 1, each.claim);
            continue;
        }
        CHECK(each.delivery_count == deliveries++);
        reject_for(&one, 1, each.claim, each.delivery_count < 3 ? "not yet" : "no such customer: \xc3\xa4%\n");
    }
    CHECK_STATUS(list_letters(&one, "jobs", "pool", 0, 1000, 0, &all), CTIE_OK); /* it waits for what it has rejected */
    if (all.count != 1) { driver_give_up("there is no dead letter"); }
    CHECK(all.count == 1 && all.items[0].sequence == bad && all.items[0].deliveries == 3);
    CHECK(strcmp(all.items[0].reason, "no such customer: \xc3\xa4%\n") == 0);
    CHECK(strcmp(all.items[0].identifier, "jobs") == 0 && all.items[0].kind == CTIE_MESSAGE_VALUE);
    CHECK(all.items[0].size == 3 && all.items[0].value[0] == 0 && all.items[0].dead > 0 && all.items[0].time > 0);
    CHECK(strcmp(all.items[0].sender, "other") == 0);
    wait_for(&other, 1, 1);
    delivered copy = delivery_of(&other, 1, 0);
    CHECK(is_value(&copy, "jobs.dead", "bad") && copy.sequence == all.items[0].sent_as && copy.header_count == 5);
    CHECK(strcmp(copy.sender, "other") == 0 && copy.sender_pid == getpid());
    CHECK_STATUS(list_letters(&other, "jobs", "pool", bad - 1, 1, 1, &all), CTIE_OK);
    CHECK(all.count == 1 && strcmp(all.items[0].value, "bad") == 0);
    CHECK_STATUS(list_letters(&other, "jobs", "pool", bad, 1, 1, &all), CTIE_OK);
    CHECK(all.count == 0);
    CHECK_STATUS(list_letters(&other, "jobs", "nobody", 0, 1, 1, &all), CTIE_E_NOT_FOUND);
    driver_value(&other, "jobs", "last");
    wait_for(&one, 1, next + 1);
    CHECK_VALUE(&one, 1, next, "jobs", "last");
    driver_acknowledge(&one, 1, delivery_of(&one, 1, next).claim);
    clock_pause(2500);
    CHECK(one.count == next + 1 && other.count == 1);
    free(all.items);
    driver_close(&one);
    driver_close(&other);
}

/* Neither a delivery that no listener has seen counts, nor one to a member that took it and gave it back. */
static void what_does_not_count(driver_server *server) {
    driver one;
    driver_open(&one, server, "unseen", "one");
    one.keeps_credit = true;
    CHECK_STATUS(declare_with(&one, "jobs", "pool", limited(2)), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_value(&one, "jobs", "0");
    size_t next = 0;
    for (; next < 4; next++) {
        wait_for(&one, 1, next + 1);
        driver_answer(&one, 1, delivery_of(&one, 1, next).claim, CTIE_ENGINE_UNDELIVERED, 0);
    }
    wait_for(&one, 1, next + 1);
    CHECK(delivery_of(&one, 1, next).delivery_count == 1);
    driver_answer(&one, 1, delivery_of(&one, 1, next++).claim, CTIE_ENGINE_LEFT, 0);
    wait_for(&one, 1, next + 1);
    CHECK(delivery_of(&one, 1, next).delivery_count == 2);
    CHECK(count_letters(&one, "jobs", "pool") == 0);
    driver_answer(&one, 1, delivery_of(&one, 1, next).claim, CTIE_ENGINE_LEFT, 0);
    shown all = {0};
    CHECK_STATUS(list_letters(&one, "jobs", "pool", 0, 10, 0, &all), CTIE_OK);
    CHECK(all.count == 1 && all.items[0].deliveries == 2);
    CHECK(strcmp(all.items[0].reason, "its listener was removed") == 0);
    /* A listener that is bound when the message is done removes the notes about it. */
    engine *of = one.engine;
    durable_key key;
    char filter[LETTER_MOST];
    uint64_t last = 1;
    CHECK_STATUS(durable_key_of(CTIE_STR("jobs"), CTIE_STR("pool"), &key), CTIE_OK);
    names_pardons(&of->names, key.base, filter);
    for (uint64_t binding = 2; last != 0; binding++) {
        CHECK(binding < 1000);
        driver_bind_with(&one, binding, durable("jobs", "pool", 64));
        driver_unbind(&one, binding);
        CHECK_STATUS(fetch_last(of, of->names.durable, filter, deadline_after(DRIVER_TIME_MS), &last), CTIE_OK);
    }
    free(all.items);
    driver_close(&one);
}

/* Rejects what it gets until there are so many dead letters. */
static void make_letters(driver *it, const char *topic, const char *name, uint64_t binding, size_t count) {
    size_t next = 0;
    while (next < count) {
        wait_for(it, binding, next + 1);
        driver_answer(it, binding, delivery_of(it, binding, next++).claim, CTIE_ENGINE_REJECTED, -1);
    }
    CHECK(count_letters(it, topic, name) == count);
}

static void retried_and_dropped(driver_server *server) {
    driver one;
    shown all = {0};
    uint64_t count = 7;
    driver_open(&one, server, "ends", "one");
    one.keeps_credit = true;
    CHECK_STATUS(declare_with(&one, "jobs", "pool", limited(1)), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_send_numbers(&one, "jobs", 0, 5);
    make_letters(&one, "jobs", "pool", 1, 5);
    driver_unbind(&one, 1);
    CHECK_STATUS(list_letters(&one, "jobs", "pool", 0, 100, 0, &all), CTIE_OK);
    CHECK(all.count == 5);
    driver_value(&one, "jobs", "5");
    CHECK_STATUS(end_letters(&one, "jobs", "pool", all.items[1].sequence, CTIE_ENGINE_DROP, &count), CTIE_OK);
    CHECK(count == 1);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", all.items[1].sequence, CTIE_ENGINE_DROP, &count), CTIE_E_NOT_FOUND);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", all.items[1].sequence, CTIE_ENGINE_RETRY, &count), CTIE_E_NOT_FOUND);
    CHECK(count == 0);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", all.items[3].sequence, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    CHECK(count == 1);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", all.items[3].sequence, CTIE_ENGINE_RETRY, &count), CTIE_E_NOT_FOUND);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", 0, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    CHECK(count == 3);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", 0, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    CHECK(count == 0 && count_letters(&one, "jobs", "pool") == 0);
    CHECK_STATUS(end_letters(&one, "jobs", "nobody", 0, CTIE_ENGINE_DROP, &count), CTIE_E_NOT_FOUND);
    /* They come first, in the order of their numbers, and count from 1. */
    driver_bind_with(&one, 2, durable("jobs", "pool", 64));
    static const char *const expected[] = {"0", "2", "3", "4", "5"};
    wait_for(&one, 2, 5);
    for (size_t i = 0; i < 5; i++) {
        CHECK_VALUE(&one, 2, i, "jobs", expected[i]);
        CHECK(delivery_of(&one, 2, i).delivery_count == 1);
    }
    CHECK(delivery_of(&one, 2, 2).sequence == all.items[3].sequence);
    driver_acknowledge(&one, 2, delivery_of(&one, 2, 0).claim);
    reject_for(&one, 2, delivery_of(&one, 2, 1).claim, "once more");
    driver_acknowledge(&one, 2, delivery_of(&one, 2, 2).claim);
    driver_answer(&one, 2, delivery_of(&one, 2, 3).claim, CTIE_ENGINE_UNDELIVERED, 0);
    driver_acknowledge(&one, 2, delivery_of(&one, 2, 4).claim);
    wait_for(&one, 2, 6);
    CHECK_VALUE(&one, 2, 5, "jobs", "4");
    driver_acknowledge(&one, 2, delivery_of(&one, 2, 5).claim);
    uint64_t second = all.items[2].sequence;
    CHECK_STATUS(list_letters(&one, "jobs", "pool", 0, 100, 0, &all), CTIE_OK);
    CHECK(all.count == 1 && all.items[0].sequence == second && strcmp(all.items[0].reason, "once more") == 0);
    clock_pause(2500);
    CHECK(count_of(&one, 2) == 6);
    /* A listener that is there gets one that is retried. */
    CHECK_STATUS(end_letters(&one, "jobs", "pool", 0, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    wait_for(&one, 2, 7);
    CHECK_VALUE(&one, 2, 6, "jobs", "2");
    driver_acknowledge(&one, 2, delivery_of(&one, 2, 6).claim);
    clock_pause(2500);
    CHECK(count_of(&one, 2) == 7 && count_letters(&one, "jobs", "pool") == 0);
    free(all.items);
    driver_close(&one);
}

static void on_a_prefix(driver_server *server) {
    driver one;
    driver_open(&one, server, "prefix", "one");
    one.keeps_credit = true;
    CHECK_STATUS(declare_with(&one, "jobs.*", "pool", limited(1)), CTIE_OK);
    ctie_durable_options elsewhere = limited(1);
    elsewhere.dead_letter = CTIE_STR("jobs.grave");
    CHECK_STATUS(declare_with(&one, "jobs.*", "other", elsewhere), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs.*", "pool", 64));
    driver_value(&one, "jobs.a", "0");
    make_letters(&one, "jobs.*", "pool", 1, 1);
    driver_value(&one, "jobs.b", "1");
    wait_for(&one, 1, 2);
    CHECK_VALUE(&one, 1, 1, "jobs.b", "1"); /* not the dead letter */
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 1).claim);
    CHECK(driver_is(&one, "jobs.a.dead", "0"));
    driver_bind_with(&one, 2, durable("jobs.*", "other", 64));
    wait_for(&one, 2, 3);
    CHECK_VALUE(&one, 2, 1, "jobs.a.dead", "0"); /* it has another identifier for its own */
    reject_for(&one, 2, delivery_of(&one, 2, 0).claim, "");
    for (size_t i = 1; i < 3; i++) { driver_acknowledge(&one, 2, delivery_of(&one, 2, i).claim); }
    CHECK(count_letters(&one, "jobs.*", "other") == 1 && driver_is(&one, "jobs.grave", "0"));
    wait_for(&one, 1, 3);
    CHECK_VALUE(&one, 1, 2, "jobs.grave", "0");
    driver_value(&one, "jobs.c", "2");
    wait_for(&one, 2, 4);
    CHECK_VALUE(&one, 2, 3, "jobs.c", "2");
    driver_close(&one);
}

static void destroyed_and_forgotten(driver_server *server) {
    driver one;
    shown all = {0};
    driver_open(&one, server, "destroying", "one");
    one.keeps_credit = true;
    CHECK_STATUS(declare_with(&one, "jobs.*", "pool", limited(1)), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs.*", "pool", 64));
    driver_value(&one, "jobs.a", "0");
    driver_value(&one, "jobs.b", "1");
    driver_value(&one, "jobs.a", "2");
    wait_for(&one, 1, 3);
    for (size_t i = 0; i < 2; i++) { driver_answer(&one, 1, delivery_of(&one, 1, i).claim, CTIE_ENGINE_REJECTED, -1); }
    CHECK(count_letters(&one, "jobs.*", "pool") == 2);
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "jobs.a", NULL);
    CHECK_STATUS(list_letters(&one, "jobs.*", "pool", 0, 100, 0, &all), CTIE_OK);
    CHECK(all.count == 1 && strcmp(all.items[0].identifier, "jobs.b") == 0);
    /* A destroyed message in hand is no dead letter. */
    driver_answer(&one, 1, delivery_of(&one, 1, 2).claim, CTIE_ENGINE_REJECTED, -1);
    CHECK(count_letters(&one, "jobs.*", "pool") == 1);
    wait_for(&one, 1, 4);
    CHECK(delivery_of(&one, 1, 3).kind == CTIE_MESSAGE_DESTROYED);
    reject_for(&one, 1, delivery_of(&one, 1, 3).claim, "no such job");
    CHECK_STATUS(list_letters(&one, "jobs.*", "pool", 0, 100, 1, &all), CTIE_OK);
    CHECK(all.count == 2 && all.items[1].kind == CTIE_MESSAGE_DESTROYED && all.items[1].sent_as == 0);
    driver_send(&one, CTIE_MESSAGE_DESTROYED, "", NULL);
    CHECK(count_letters(&one, "jobs.*", "pool") == 0);
    driver_value(&one, "jobs.a", "3");
    wait_for(&one, 1, 5);
    driver_answer(&one, 1, delivery_of(&one, 1, 4).claim, CTIE_ENGINE_REJECTED, -1);
    CHECK(count_letters(&one, "jobs.*", "pool") == 1);
    CHECK_STATUS(forget(&one, "jobs.*", "pool"), CTIE_OK);
    CHECK_STATUS(list_letters(&one, "jobs.*", "pool", 0, 100, 0, &all), CTIE_E_NOT_FOUND);
    CHECK_STATUS(declare_with(&one, "jobs.*", "pool", limited(1)), CTIE_OK);
    CHECK(count_letters(&one, "jobs.*", "pool") == 0);
    free(all.items);
    driver_close(&one);
}

static ctie_status seek_to(driver *it, uint64_t sequence) {
    uint32_t start = CTIE_ENGINE_FROM_SEQUENCE;
    return ENGINE_OF_NATS.seek(it->engine, CTIE_STR("jobs"), CTIE_STR("pool"), start, sequence, 0, DRIVER_TIME_MS);
}

static void moved(driver_server *server) {
    driver one;
    uint64_t count;
    driver_open(&one, server, "moved", "one");
    one.keeps_credit = true;
    CHECK_STATUS(declare_with(&one, "jobs", "pool", limited(1)), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    driver_send_numbers(&one, "jobs", 0, 4);
    wait_for(&one, 1, 4);
    uint64_t first = delivery_of(&one, 1, 0).sequence, second = delivery_of(&one, 1, 1).sequence;
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 0).claim);
    driver_answer(&one, 1, delivery_of(&one, 1, 1).claim, CTIE_ENGINE_REJECTED, -1);
    driver_answer(&one, 1, delivery_of(&one, 1, 2).claim, CTIE_ENGINE_REJECTED, -1);
    driver_acknowledge(&one, 1, delivery_of(&one, 1, 3).claim);
    CHECK(count_letters(&one, "jobs", "pool") == 2);
    driver_unbind(&one, 1);
    /* Back: dead letters stay, and are not delivered. */
    CHECK_STATUS(seek_to(&one, first), CTIE_OK);
    /* One is retried before the consumer passes it, and is delivered once all the same. */
    CHECK_STATUS(end_letters(&one, "jobs", "pool", second, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    driver_bind_with(&one, 2, durable("jobs", "pool", 64));
    wait_for(&one, 2, 3);
    CHECK_VALUE(&one, 2, 0, "jobs", "1");
    for (size_t i = 0; i < 3; i++) { driver_acknowledge(&one, 2, delivery_of(&one, 2, i).claim); }
    clock_pause(500);
    CHECK(count_of(&one, 2) == 3 && count_letters(&one, "jobs", "pool") == 1);
    /* Forward: dead letters stay, and are retried. */
    CHECK_STATUS(seek_to(&one, 100000), CTIE_OK);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", 0, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    CHECK(count == 1);
    wait_for(&one, 2, 4);
    CHECK_VALUE(&one, 2, 3, "jobs", "2");
    driver_acknowledge(&one, 2, delivery_of(&one, 2, 3).claim);
    /* A message in hand from before a move forward is rejected: it comes again. */
    driver_send_numbers(&one, "jobs", 4, 5);
    ctie_durable_options more = limited(2);
    more.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(declare_with(&one, "jobs", "pool", more), CTIE_OK);
    wait_for(&one, 2, 5);
    CHECK_STATUS(seek_to(&one, 100000), CTIE_OK);
    engine *of = one.engine;
    binding *bound = binding_find(of->bindings, 2);
    for (bool is_seen = false; !is_seen; clock_pause(1)) {
        pthread_mutex_lock(&bound->lock);
        is_seen = !bound->has_to_look;
        pthread_mutex_unlock(&bound->lock);
    }
    binding_release(bound);
    driver_answer(&one, 2, delivery_of(&one, 2, 4).claim, CTIE_ENGINE_REJECTED, -1);
    wait_for(&one, 2, 6);
    CHECK_VALUE(&one, 2, 5, "jobs", "4");
    CHECK(delivery_of(&one, 2, 5).delivery_count == 2);
    driver_answer(&one, 2, delivery_of(&one, 2, 5).claim, CTIE_ENGINE_REJECTED, -1);
    CHECK(count_letters(&one, "jobs", "pool") == 1);
    clock_pause(2500);
    CHECK(count_of(&one, 2) == 6);
    driver_close(&one);
}

/* A member dies between the steps of a death: the next one goes on, and the copy is sent once. */
static void half_dead(driver_server *server) {
    driver one;
    shown all = {0};
    driver_open(&one, server, "half", "one");
    one.keeps_credit = true;
    engine *of = one.engine;
    int64_t deadline = deadline_after(DRIVER_TIME_MS);
    durable_key key;
    CHECK_STATUS(durable_key_of(CTIE_STR("jobs"), CTIE_STR("pool"), &key), CTIE_OK);
    CHECK_STATUS(declare_with(&one, "jobs", "pool", limited(1)), CTIE_OK);
    driver_bind(&one, 9, "jobs.dead", CTIE_ENGINE_QUEUE, "");
    uint64_t number = driver_value(&one, "jobs", "bad");
    /* The copy is sent, and the letter still dying. */
    natsMsg *from = NULL;
    letter half = {.in_stream = number, .state = LETTER_DYING, .kind = CTIE_MESSAGE_VALUE, .deliveries = 1,
                   .died = clock_now(CLOCK_REALTIME), .size = 3, .reason = "it%20fell"};
    strcpy(half.base, key.base), strcpy(half.identifier, "jobs");
    CHECK_STATUS(fetch(of, of->names.stream, number, deadline, &from), CTIE_OK);
    CHECK_STATUS(letter_write(of, &half, from, deadline), CTIE_OK);
    natsMsg_Destroy(from);
    CHECK(count_letters(&one, "jobs", "pool") == 0);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    await_letters(&one, "jobs", "pool", 1);
    CHECK_STATUS(list_letters(&one, "jobs", "pool", 0, 10, 0, &all), CTIE_OK);
    CHECK(all.items[0].sequence == number && strcmp(all.items[0].reason, "it fell") == 0);
    wait_for(&one, 9, 1);
    CHECK(delivery_of(&one, 9, 0).sequence == all.items[0].sent_as);
    /* Again, from a letter whose copy is there: it says that it is dying since then. */
    letter found;
    CHECK_STATUS(letter_find(of, key.base, number, CTIE_STR("jobs"), deadline, &found), CTIE_OK);
    found.state = LETTER_DYING;
    CHECK_STATUS(letter_write(of, &found, found.message, deadline), CTIE_OK);
    letter_clear(&found);
    await_letters(&one, "jobs", "pool", 1);
    clock_pause(200);
    CHECK(count_of(&one, 9) == 1 && count_of(&one, 1) == 0);
    free(all.items);
    driver_close(&one);
}

static bool note_options(const ctie_engine_durable *durable, void *context) {
    uint32_t *most = context;
    *most = durable->options != NULL ? durable->options->max_deliveries : 0;
    return true;
}

static uint32_t most_deliveries(driver *it) {
    uint32_t most = 0;
    CHECK_STATUS(ENGINE_OF_NATS.durables(it->engine, note_options, &most, DRIVER_TIME_MS), CTIE_OK);
    return most;
}

/* The server loses everything, or only the messages: the consumer is made again as it was declared. */
static void after_a_loss(driver_server *server) {
    for (int has_all_lost = 0; has_all_lost < 2; has_all_lost++) {
        driver one;
        driver_open(&one, server, "losses", "one");
        one.keeps_credit = true;
        CHECK_STATUS(declare_with(&one, "jobs", "pool", limited(1)), CTIE_OK);
        driver_bind_with(&one, 1, durable("jobs", "pool", 64));
        driver_value(&one, "jobs", "bad");
        wait_for(&one, 1, 1);
        driver_answer(&one, 1, delivery_of(&one, 1, 0).claim, CTIE_ENGINE_REJECTED, -1);
        CHECK(count_letters(&one, "jobs", "pool") == 1);
        engine *of = one.engine;
        char what[256];
        snprintf(what, sizeof what, "STREAM.DELETE.%s", of->names.stream);
        driver_kill(server);
        if (has_all_lost) { driver_remove_files(server); }
        CHECK(!has_all_lost || mkdir(server->directory, 0700) == 0);
        driver_start(server);
        if (!has_all_lost) { CHECK_STATUS(api(of, what, NULL, deadline_after(DRIVER_TIME_MS), NULL), CTIE_OK); }
        driver_value(&one, "jobs", "worse"); /* which finds the loss */
        int64_t end = deadline_after(DRIVER_WAIT_MS);
        while (most_deliveries(&one) != 1 && deadline_left(end) > 0) { clock_pause(10); }
        CHECK(most_deliveries(&one) == 1);
        CHECK(count_letters(&one, "jobs", "pool") == 0);
        size_t next = one.count;
        driver_value(&one, "jobs", "worst");
        for (bool is_there = false; !is_there; next++) {
            wait_for(&one, 1, next + 1);
            delivered each = delivery_of(&one, 1, next);
            is_there = is_value(&each, "jobs", "worst");
            if (is_there) { driver_answer(&one, 1, each.claim, CTIE_ENGINE_REJECTED, -1); }
        }
        CHECK(count_letters(&one, "jobs", "pool") == 1);
        driver_close(&one);
        driver_kill(server);
        driver_remove_files(server);
        CHECK(mkdir(server->directory, 0700) == 0);
        driver_start(server);
    }
}

enum { MANY = 10000, DEATHS = 500 };

/* Stores letters as a member does, without their messages. */
static void store_letters(driver *it, const durable_key *key, uint64_t first, size_t count) {
    engine *of = it->engine;
    natsMsg *from = NULL;
    CHECK(natsMsg_Create(&from, "x", NULL, "letter", 6) == NATS_OK);
    for (size_t i = 0; i < count; i++) {
        letter each = {.in_stream = first + i, .state = LETTER_DEAD, .kind = CTIE_MESSAGE_VALUE, .deliveries = 1,
                       .died = 5, .size = 6};
        strcpy(each.base, key->base), strcpy(each.identifier, "jobs");
        natsMsg *message = letter_pack(&of->names, &each, from);
        CHECK(message != NULL && natsConnection_PublishMsg(of->connection, message) == NATS_OK);
        natsMsg_Destroy(message);
    }
    natsMsg_Destroy(from);
}

static void ten_thousand(driver_server *server) {
    driver one;
    shown all = {0};
    durable_key key;
    uint64_t count = 0;
    driver_open(&one, server, "many", "one");
    CHECK_STATUS(durable_key_of(CTIE_STR("jobs"), CTIE_STR("pool"), &key), CTIE_OK);
    CHECK_STATUS(declare_with(&one, "jobs", "pool", limited(1)), CTIE_OK);
    driver_bind_with(&one, 1, durable("jobs", "pool", 64));
    for (size_t i = 0; i < DEATHS; i++) {
        driver_send_numbers(&one, "jobs", (int)i, (int)i + 1);
        wait_for(&one, 1, i + 1);
        driver_answer(&one, 1, delivery_of(&one, 1, i).claim, CTIE_ENGINE_REJECTED, -1);
    }
    await_letters(&one, "jobs", "pool", DEATHS);
    driver_unbind(&one, 1);
    store_letters(&one, &key, 1000000, MANY - DEATHS);
    await_letters(&one, "jobs", "pool", MANY);
    int64_t made = clock_now(CLOCK_MONOTONIC);
    CHECK_STATUS(list_letters(&one, "jobs", "pool", 0, MANY, 0, &all), CTIE_OK);
    int64_t listed = clock_now(CLOCK_MONOTONIC);
    CHECK(all.count == MANY && all.items[MANY - 1].sequence == 1000000 + MANY - DEATHS - 1);
    for (size_t i = 1; i < all.count; i++) { CHECK(all.items[i].sequence > all.items[i - 1].sequence); }
    CHECK_STATUS(end_letters(&one, "jobs", "pool", 0, CTIE_ENGINE_RETRY, &count), CTIE_OK);
    int64_t retried = clock_now(CLOCK_MONOTONIC);
    CHECK(count == MANY && count_letters(&one, "jobs", "pool") == 0);
    fprintf(stderr, "%d dead letters are listed in %lld ms, retried in %lld ms\n", (int)MANY,
            (long long)((listed - made) / 1000000), (long long)((retried - listed) / 1000000));
    driver_bind_with(&one, 2, durable("jobs", "pool", 64));
    for (size_t i = 0; i < DEATHS; i++) {
        wait_for(&one, 2, i + 1);
        delivered each = delivery_of(&one, 2, i);
        CHECK(each.sequence == all.items[i].sequence && each.delivery_count == 1);
        driver_acknowledge(&one, 2, each.claim);
    }
    driver_unbind(&one, 2);
    store_letters(&one, &key, 2000000, MANY);
    await_letters(&one, "jobs", "pool", MANY);
    CHECK_STATUS(end_letters(&one, "jobs", "pool", 0, CTIE_ENGINE_DROP, &count), CTIE_OK);
    CHECK(count == MANY && count_letters(&one, "jobs", "pool") == 0);
    CHECK_STATUS(forget(&one, "jobs", "pool"), CTIE_OK);
    free(all.items);
    driver_close(&one);
}

int main(int count, char **arguments) {
    driver_server server;
    driver_serve(&server);
    const char *only = count > 1 ? arguments[1] : "";
#define RUN(name) if (only[0] == 0 || strcmp(only, #name) == 0) { name(&server); }
    RUN(a_poison_message_among_good_ones)
    RUN(what_does_not_count)
    RUN(retried_and_dropped)
    RUN(on_a_prefix)
    RUN(destroyed_and_forgotten)
    RUN(moved)
    RUN(half_dead)
    RUN(after_a_loss)
    RUN(ten_thousand)
    driver_end(&server);
    nats_Close();
    return check_end();
}
