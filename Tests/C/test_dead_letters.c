/* Messages that a durable consumer is given too often in vain: they become dead letters, which are listed, read, retried and
 * dropped. */
#include "dead.h"

enum { MOST = 64 };

/* The messages that a worker got: values below `bad` are rejected. */
struct work {
    _Atomic int64_t bad;
    _Atomic int count, missed;
    int64_t values[1024];
    uint32_t deliveries[1024];
    const char *reason;
    int64_t delay_ms;
};

static uint32_t flags; /* of the group */
static ctie_wormhole *wormhole;

static void work_or_reject(const ctie_message *message, void *user_data) {
    struct work *work = user_data;
    int64_t value = int_of(message);
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) work->missed += (int)ctie_message_missed(message);
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) return;
    if (value < work->bad) {
        CHECK_STATUS(ctie_message_reject(message, work->delay_ms, ctie_str_from(work->reason)), CTIE_OK);
    }
    int place = work->count % 1024;
    work->values[place] = value;
    work->deliveries[place] = ctie_message_delivery_count(message);
    work->count++;
}

static struct work failing(int64_t bad, const char *reason) {
    return (struct work){.bad = bad, .reason = reason, .delay_ms = -1};
}

static void begin(void) {
    ctie_wormhole_options options = group_options(flags);
    if (flags & CTIE_WORMHOLE_MEMORY) options.directory = (ctie_str){NULL, 0};
    wormhole = open_group_with(&options);
}

static void end(void) {
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    if (flags & CTIE_WORMHOLE_MEMORY) return;
    remove_directory();
}

static void pass_some(const char *identifier, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) CHECK_STATUS(pass_int(wormhole, identifier, i), CTIE_OK);
}

/* Rejects what is below `bad` till all of it is dead. */
static void bury(const char *identifier, int64_t bad, size_t dead) {
    struct work work = failing(bad, "no use");
    ctie_listener *listener = listen_as_worker(wormhole, identifier, work_or_reject, &work, 0);
    AWAIT(dead_count(wormhole, identifier) == dead);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

/* The copy of a dead letter has its reason, beside the headers of the original. */
static void the_copy_has_the_reason(void) {
    ctie_header header = {CTIE_HEADER_CORRELATION, CTIE_STR("c-17")};
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    ctie_message *message = NULL;
    options.headers = &header;
    options.header_count = 1;
    begin();
    declare_worker(wormhole, "jobs", 2);
    CHECK_STATUS(
        ctie_wormhole_send(wormhole, CTIE_STR("jobs"), ctie_value_int(4), &options, NULL, NULL, NULL), CTIE_OK);
    bury("jobs", 5, 1);
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("jobs.dead"), &message, NULL), CTIE_OK);
    CHECK(int_of(message) == 4 && ctie_message_header_count(message) == 6);
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_CORRELATION), "c-17"));
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_DEAD_NAME), "worker"));
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_DEAD_REASON), "no use"));
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_DEAD_DELIVERIES), "2"));
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_DEAD_SEQUENCE), "1"));
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_DEAD_IDENTIFIER), "jobs"));
    ctie_message_release(message);
    end();
}

/*
 * If a dead letter's copy becomes a dead letter itself, the headers report the last death, however many headers of its
 * own it has.
 */
static void the_copy_has_the_last_death(void) {
    enum { OWN = CTIE_MAX_HEADERS - 5 };
    static char names[OWN][8];
    ctie_header headers[OWN];
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    ctie_message *message = NULL;
    for (int i = 0; i < OWN; i++) {
        snprintf(names[i], sizeof names[i], "h%d", i);
        headers[i] = (ctie_header){ctie_str_from(names[i]), CTIE_STR("text")};
    }
    options.headers = headers;
    options.header_count = OWN;
    begin();
    declare_worker(wormhole, "jobs", 1);
    declare_worker(wormhole, "jobs.dead", 2);
    CHECK_STATUS(
        ctie_wormhole_send(wormhole, CTIE_STR("jobs"), ctie_value_int(4), &options, NULL, NULL, NULL), CTIE_OK);
    bury("jobs", 5, 1);
    bury("jobs.dead", 5, 1);
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("jobs.dead.dead"), &message, NULL), CTIE_OK);
    CHECK(int_of(message) == 4 && ctie_message_header_count(message) == CTIE_MAX_HEADERS);
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_DEAD_DELIVERIES), "2"));
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_DEAD_IDENTIFIER), "jobs.dead"));
    CHECK(text_is(ctie_message_header(message, CTIE_STR("h26")), "text"));
    ctie_message_release(message);
    end();
}

static void rejected_too_often_is_dead(void) {
    struct work work = failing(1, "ValueError: no such customer");
    struct ear ear = {0};
    begin();
    declare_worker(wormhole, "jobs", 3);
    ctie_listen_options queue = CTIE_LISTEN_OPTIONS_INIT;
    queue.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("jobs.dead"), CTIE_RECEIVER_OWNED(receive, &ear, forget), &queue,
                                      NULL, NULL), CTIE_OK);
    pass_some("jobs", 0, 3);
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(work.count == 5 && ear.calls == 1);
    CHECK(ear.value == 0 && ear.kind == CTIE_MESSAGE_VALUE && strcmp(ear.identifier, "jobs.dead") == 0);
    CHECK(stored_int(wormhole, CTIE_STR("jobs.dead")) == 0);
    ctie_value *found = dead_letters(wormhole, "jobs", 0, 0);
    CHECK(ctie_value_count(found) == 1);
    const ctie_value *letter = ctie_value_at(found, 0);
    CHECK(has_text(letter, CTIE_STR("identifier"), "jobs") && has_text(letter, CTIE_STR("kind"), "value"));
    CHECK(has_text(letter, CTIE_STR("reason"), "ValueError: no such customer"));
    CHECK(int_at(letter, "deliveries") == 3 && int_at(letter, "sequence") == 1);
    CHECK(int_at(letter, "sent_as") == (int64_t)ear.sequence && int_at(letter, "size") == 1);
    CHECK(int_at(letter, "dead") > int_at(letter, "time"));
    CHECK(has_text(ctie_value_get(letter, CTIE_STR("sender")), CTIE_STR("name"), "tester"));
    CHECK(int_at(ctie_value_get(letter, CTIE_STR("sender")), "pid") == getpid());
    ctie_value_release(found);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_dead_letter(wormhole, CTIE_STR("jobs"), WORKER, 1, &message, NULL), CTIE_OK);
    CHECK(int_of(message) == 0 && ctie_message_delivery_count(message) == 3 && ctie_message_sequence(message) == 1);
    CHECK(ctie_message_reason(message).size == strlen("ValueError: no such customer"));
    CHECK_STATUS(ctie_message_acknowledge(message), CTIE_E_INVALID);
    CHECK_STATUS(ctie_message_reject(message, 0, CTIE_STR("")), CTIE_E_INVALID);
    ctie_message_release(message);
    /* It is given to nobody any more, what comes after it is. */
    pass_some("jobs", 3, 5);
    AWAIT(work.count == 7);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(work.missed == 0 && dead_count(wormhole, "jobs") == 1);
    end();
}

static void retried_ones_come_first_and_in_order(void) {
    begin();
    declare_worker(wormhole, "jobs", 2);
    pass_some("jobs", 0, 10);
    bury("jobs", 10, 10);
    pass_some("jobs", 10, 20);
    CHECK(retry(wormhole, "jobs", 4) == 1 && retry(wormhole, "jobs", 2) == 1 && dead_count(wormhole, "jobs") == 8);
    CHECK(retry(wormhole, "jobs", 0) == 8 && dead_count(wormhole, "jobs") == 0 && retry(wormhole, "jobs", 0) == 0);
    struct work work = failing(0, "");
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(work.count == 20);
    for (int i = 0; i < 20; i++) CHECK(work.values[i] == i && work.deliveries[i] == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(work.missed == 0);
    end();
}

static void retried_ones_may_die_again(void) {
    begin();
    declare_worker(wormhole, "jobs", 3);
    pass_some("jobs", 0, 2);
    bury("jobs", 1, 1);
    struct work work = failing(1, "again");
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    CHECK(retry(wormhole, "jobs", 1) == 1);
    AWAIT(work.count == 3 && dead_count(wormhole, "jobs") == 1);
    CHECK(work.deliveries[0] == 1 && work.deliveries[1] == 2 && work.deliveries[2] == 3);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

/* The value under the identifier of dead letters is another message: destroying it changes nothing. */
static void dropped_letters_are_removed(void) {
    begin();
    declare_worker(wormhole, "jobs", 1);
    pass_some("jobs", 0, MOST);
    bury("jobs", MOST, MOST);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("jobs.dead"), NULL, NULL, NULL), CTIE_OK);
    CHECK(dead_count(wormhole, "jobs") == MOST);
    CHECK(drop(wormhole, "jobs", 3) == 1 && dead_count(wormhole, "jobs") == MOST - 1);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_dead_letter(wormhole, CTIE_STR("jobs"), WORKER, 3, &message, NULL), CTIE_E_NOT_FOUND);
    CHECK(message == NULL);
    CHECK_STATUS(ctie_wormhole_drop(wormhole, CTIE_STR("jobs"), WORKER, 3, NULL, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_retry(wormhole, CTIE_STR("jobs"), WORKER, UINT64_MAX, NULL, NULL), CTIE_E_NOT_FOUND);
    CHECK(drop(wormhole, "jobs", 0) == MOST - 1 && dead_count(wormhole, "jobs") == 0);
    struct work work = failing(0, "");
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    pass_some("jobs", 500, 501);
    AWAIT(work.count == 1);
    CHECK(work.values[0] == 500 && work.missed == 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

static void listed_in_parts(void) {
    begin();
    declare_worker(wormhole, "jobs", 1);
    pass_some("jobs", 0, 700);
    bury("jobs", 700, 700);
    int64_t sequence = 0;
    for (size_t count = 0, total = 0; total < 700; total += count) {
        ctie_value *found = dead_letters(wormhole, "jobs", (uint64_t)sequence, 300);
        count = ctie_value_count(found);
        CHECK(count == (total < 600 ? 300 : 100));
        if (count == 0) break;
        for (size_t i = 0; i < count; i++) {
            CHECK(int_at(ctie_value_at(found, i), "sequence") == (int64_t)(total + i + 1));
        }
        sequence = int_at(ctie_value_at(found, count - 1), "sequence");
        ctie_value_release(found);
    }
    CHECK(drop(wormhole, "jobs", 0) == 700);
    end();
}

/* A worker on all jobs is not given its own dead letters. */
static void a_prefix_does_not_cover_its_dead_letters(void) {
    begin();
    declare_worker(wormhole, "jobs.*", 2);
    pass_some("jobs.a", 0, 2);
    bury("jobs.*", 2, 2);
    CHECK(stored_int(wormhole, CTIE_STR("jobs.a.dead")) == 1);
    struct work work = failing(2, "");
    ctie_listener *listener = listen_as_worker(wormhole, "jobs.*", work_or_reject, &work, 0);
    pass_some("jobs.a", 2, 3);
    AWAIT(work.count == 1);
    CHECK(work.values[0] == 2 && dead_count(wormhole, "jobs.*") == 2 && work.missed == 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

static void where_they_go_can_be_said(void) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    char longest[129];
    memset(longest, 'a', 128);
    longest[128] = 0;
    begin();
    options.max_deliveries = 1;
    options.dead_letter = CTIE_STR("jobs");
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("jobs"), WORKER, &options, NULL), CTIE_E_IDENTIFIER);
    options.dead_letter = CTIE_STR("graveyard");
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("jobs"), WORKER, &options, NULL), CTIE_OK);
    pass_some("jobs", 7, 8);
    bury("jobs", 8, 1);
    CHECK(stored_int(wormhole, CTIE_STR("graveyard")) == 7 && stored_int(wormhole, CTIE_STR("jobs.dead")) == -1);
    declare_worker(wormhole, longest, 1);
    pass_some(longest, 0, 1);
    bury(longest, 1, 1);
    ctie_value *found = dead_letters(wormhole, longest, 0, 0);
    CHECK(int_at(ctie_value_at(found, 0), "sent_as") == 0);
    ctie_value_release(found);
    end();
}

static void destroying_and_forgetting_take_them_away(void) {
    begin();
    declare_worker(wormhole, "jobs", 1);
    pass_some("jobs", 0, 4);
    bury("jobs", 4, 4);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("jobs"), NULL, NULL, NULL), CTIE_OK);
    CHECK(dead_count(wormhole, "jobs") == 0);
    pass_some("jobs", 0, 4);
    bury("jobs", 4, 4);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK(dead_count(wormhole, "jobs") == 0);
    pass_some("jobs", 0, 4);
    bury("jobs", 4, 4);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("jobs"), WORKER, NULL), CTIE_OK);
    ctie_value *found = NULL;
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, CTIE_STR("jobs"), WORKER, 0, 0, &found, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_retry(wormhole, CTIE_STR("jobs"), WORKER, 0, NULL, NULL), CTIE_E_NOT_FOUND);
    declare_worker(wormhole, "jobs", 1);
    CHECK(dead_count(wormhole, "jobs") == 0);
    end();
}

/* A signal can be dead, too; that something was destroyed is, and nothing is destroyed by that. */
static void receive_nothing(const ctie_message *message, void *user_data) {
    _Atomic int *count = user_data;
    CHECK_STATUS(ctie_message_reject(message, 0, CTIE_STR("\xff" "bad text")), CTIE_OK);
    (*count)++;
}

static void signals_and_destroyings_die(void) {
    _Atomic int count = 0;
    begin();
    declare_worker(wormhole, "jobs", 2);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("jobs.dead"), ctie_value_int(5), NULL, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("jobs"), NULL, NULL, NULL), CTIE_OK);
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", receive_nothing, &count, 0);
    AWAIT(dead_count(wormhole, "jobs") == 1);
    ctie_value *found = dead_letters(wormhole, "jobs", 0, 0);
    CHECK(has_text(ctie_value_at(found, 0), CTIE_STR("kind"), "signal"));
    CHECK(has_text(ctie_value_at(found, 0), CTIE_STR("reason"), "\xef\xbf\xbd" "bad text"));
    ctie_value_release(found);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("jobs"), NULL, NULL, NULL), CTIE_OK);
    AWAIT(count >= 4 && dead_count(wormhole, "jobs") == 1);
    found = dead_letters(wormhole, "jobs", 0, 0);
    CHECK(has_text(ctie_value_at(found, 0), CTIE_STR("kind"), "destroyed"));
    ctie_value_release(found);
    CHECK(stored_int(wormhole, CTIE_STR("jobs.dead")) == 5);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

static void reasons_are_cut(void) {
    static char text[4096];
    struct work work = failing(1, text);
    memset(text, 'x', sizeof text - 1);
    memcpy(text + 998, "\xe2\x82\xac", 3); /* a character that crosses the limit */
    begin();
    declare_worker(wormhole, "jobs", 1);
    pass_some("jobs", 0, 1);
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(dead_count(wormhole, "jobs") == 1);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_dead_letter(wormhole, CTIE_STR("jobs"), WORKER, 1, &message, NULL), CTIE_OK);
    CHECK(ctie_message_reason(message).size == 998);
    ctie_message_release(message);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

static void pauses_are_as_declared(void) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    begin();
    options.max_deliveries = 5;
    options.backoff_first_ms = 20;
    options.backoff_factor = 3;
    options.backoff_most_ms = 100;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("jobs"), WORKER, &options, NULL), CTIE_OK);
    pass_some("jobs", 0, 1);
    int64_t start = now_ns();
    bury("jobs", 1, 1);
    CHECK(now_ns() - start >= INT64_C(280000000)); /* 20, 60, 100, 100 */
    /* At once, though other pauses are declared. */
    struct work work = failing(1, "");
    work.delay_ms = 0;
    options.backoff_first_ms = options.backoff_most_ms = 3600000;
    options.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("jobs"), WORKER, &options, NULL), CTIE_OK);
    CHECK(retry(wormhole, "jobs", 0) == 1);
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(work.count == 5 && dead_count(wormhole, "jobs") == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

/* The count may be lowered below what messages have had already: they get no more than one further try. */
static void fewer_deliveries_may_be_declared(void) {
    struct work work = failing(1, "");
    begin();
    pass_some("jobs", 0, 0);
    declare_worker(wormhole, "jobs", 0);
    pass_some("jobs", 0, 1);
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(work.count >= 5);
    declare_worker(wormhole, "jobs", 2);
    AWAIT(dead_count(wormhole, "jobs") == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

/* A listener that goes with a message in its hands has lost it. */
static void take(const ctie_message *message, void *user_data) {
    (void)message;
    (*(_Atomic int *)user_data)++;
}

static void left_too_often_is_dead(void) {
    begin();
    declare_worker(wormhole, "jobs", 2);
    pass_some("jobs", 0, 1);
    for (int i = 0; i < 2; i++) {
        _Atomic int count = 0;
        ctie_listener *listener = listen_as_worker(wormhole, "jobs", take, &count, CTIE_LISTEN_MANUAL);
        AWAIT(count == 1);
        CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    }
    CHECK(dead_count(wormhole, "jobs") == 1);
    ctie_value *found = dead_letters(wormhole, "jobs", 0, 0);
    CHECK(has_text(ctie_value_at(found, 0), CTIE_STR("reason"), "its listener was removed"));
    ctie_value_release(found);
    end();
}

/* Whether it became a dead letter before it expired. */
static bool bury_for(uint64_t span) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    struct work work = failing(5, "no use");
    options.expires_ms = span;
    declare_worker(wormhole, "jobs", 1);
    CHECK_STATUS(
        ctie_wormhole_send(wormhole, CTIE_STR("jobs"), ctie_value_int(4), &options, NULL, NULL, NULL), CTIE_OK);
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(stored_int(wormhole, CTIE_STR("jobs.dead")) == 4 || work.missed == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    return work.missed == 0;
}

/* A dead letter expires when the message would have; its copy does not, and no listener is notified. */
static void they_expire(void) {
    ctie_message *message = NULL;
    struct work work = failing(0, "");
    begin();
    for (uint64_t span = 100; !bury_for(span); span *= 2) continue;
    AWAIT(dead_count(wormhole, "jobs") == 0);
    CHECK_STATUS(ctie_wormhole_dead_letter(wormhole, CTIE_STR("jobs"), WORKER, 1, &message, NULL), CTIE_E_NOT_FOUND);
    CHECK(retry(wormhole, "jobs", 0) == 0);
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("jobs.dead"), &message, NULL), CTIE_OK);
    CHECK(int_of(message) == 4 && ctie_message_expires(message) == 0);
    ctie_message_release(message);
    pass_some("jobs", 6, 7);
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(work.count == 1);
    CHECK(work.values[0] == 6 && work.missed == 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

static void bad_arguments_are_refused(void) {
    ctie_value *found = NULL;
    begin();
    declare_worker(wormhole, "jobs", 2);
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, CTIE_STR("jobs"), WORKER, 0, 0, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, CTIE_STR("jobs"), WORKER, 0, SIZE_MAX, &found, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, CTIE_STR("a"), WORKER, 0, 0, &found, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, CTIE_STR("!"), WORKER, 0, 0, &found, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, CTIE_STR("jobs"), CTIE_STR(""), 0, 0, &found, NULL),
                 CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, CTIE_STR("jobs"), WORKER, UINT64_MAX, 0, &found, NULL), CTIE_OK);
    CHECK(ctie_value_count(found) == 0);
    ctie_value_release(found);
    end();
}

/* Beyond the end of every process that has the group open. */
static void they_outlast_everybody(void) {
    if (flags & CTIE_WORMHOLE_MEMORY) return;
    begin();
    declare_worker(wormhole, "jobs", 1);
    pass_some("jobs", 0, 50);
    bury("jobs", 50, 50);
    pass_some("jobs", 50, 100);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    begin();
    CHECK(dead_count(wormhole, "jobs") == 50 && retry(wormhole, "jobs", 0) == 50);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    begin();
    struct work work = failing(0, "");
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(work.count == 100);
    for (int i = 0; i < 100; i++) CHECK(work.values[i] == i && work.deliveries[i] == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

static int take_and_die(void *argument) {
    struct work *shared = argument;
    ctie_wormhole *own = open_group();
    listen_as_worker(own, "jobs", take, &shared->count, CTIE_LISTEN_MANUAL);
    return pause();
}

static void killed_too_often_is_dead(void) {
    if (flags & CTIE_WORMHOLE_MEMORY) return;
    struct work *shared = share(sizeof *shared), work = failing(0, "");
    begin();
    declare_worker(wormhole, "jobs", 2);
    pass_some("jobs", 0, 2);
    for (int i = 0; i < 2; i++) {
        pid_t child = start_child(take_and_die, shared);
        AWAIT(shared->count == i + 1);
        kill_child(child);
    }
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(work.count == 1 && dead_count(wormhole, "jobs") == 1);
    CHECK(work.values[0] == 1);
    ctie_value *found = dead_letters(wormhole, "jobs", 0, 0);
    CHECK(has_text(ctie_value_at(found, 0), CTIE_STR("reason"), "its process ended"));
    ctie_value_release(found);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

/*
 * The number of messages kept for queues is bounded: the oldest are dropped, dead letters among them, and those had
 * been delivered.
 */
static void they_count_against_the_limits(void) {
    struct work work = failing(0, "");
    ctie_wormhole_options options = group_options(flags);
    if (flags & CTIE_WORMHOLE_MEMORY) options.directory = (ctie_str){NULL, 0};
    options.max_queued = 256;
    wormhole = open_group_with(&options);
    declare_worker(wormhole, "jobs", 1);
    pass_some("jobs", 0, 100);
    bury("jobs", 100, 100);
    pass_some("jobs", 100, 1000);
    size_t left = dead_count(wormhole, "jobs");
    CHECK(left < 100);
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    AWAIT(work.count + work.missed == 900);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(drop(wormhole, "jobs", 0) == left);
    end();
}

/* Passes bytes under new identifiers, `filler.<size>.<number>`, until no more of that size fit. Gives how many did. */
static int fill_with(size_t size) {
    char identifier[64];
    ctie_status status = CTIE_OK;
    int count = -1;
    for (; status == CTIE_OK; count++) {
        snprintf(identifier, sizeof identifier, "filler.%zu.%d", size, count + 1);
        status = pass_bytes(wormhole, identifier, size);
    }
    CHECK_STATUS(status, CTIE_E_NO_SPACE);
    return count;
}

static void destroy_fillers(size_t size, int count) {
    char identifier[64];
    for (int i = 0; i < count; i++) {
        snprintf(identifier, sizeof identifier, "filler.%zu.%d", size, i);
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, ctie_str_from(identifier), NULL, NULL, NULL), CTIE_OK);
    }
}

static bool has_worked_at(const struct work *work, int64_t value) {
    int count = work->count;
    for (int i = 0; i < count && i < 1024; i++) {
        if (work->values[i] == value) return true;
    }
    return false;
}

/* A store without room for them keeps the rest going; with room they are dead after all. */
static void a_full_store_waits_for_room(void) {
    enum { LARGEST = 19, SMALLEST = 6 };
    int fillers[LARGEST + 1];
    struct work work = failing(1, "no");
    begin();
    declare_worker(wormhole, "jobs", 1);
    pass_some("jobs", 0, 4);
    for (int bits = LARGEST; bits >= SMALLEST; bits--) fillers[bits] = fill_with((size_t)1 << bits);
    ctie_listener *listener = listen_as_worker(wormhole, "jobs", work_or_reject, &work, 0);
    for (int64_t value = 1; value < 4; value++) AWAIT(has_worked_at(&work, value));
    for (int bits = LARGEST; bits >= SMALLEST; bits--) destroy_fillers((size_t)1 << bits, fillers[bits]);
    AWAIT(dead_count(wormhole, "jobs") == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    end();
}

static void test_all(void) {
    rejected_too_often_is_dead();
    the_copy_has_the_reason();
    the_copy_has_the_last_death();
    retried_ones_come_first_and_in_order();
    retried_ones_may_die_again();
    dropped_letters_are_removed();
    listed_in_parts();
    a_prefix_does_not_cover_its_dead_letters();
    where_they_go_can_be_said();
    destroying_and_forgetting_take_them_away();
    signals_and_destroyings_die();
    reasons_are_cut();
    pauses_are_as_declared();
    fewer_deliveries_may_be_declared();
    left_too_often_is_dead();
    they_expire();
    bad_arguments_are_refused();
    they_outlast_everybody();
    killed_too_often_is_dead();
    they_count_against_the_limits();
    a_full_store_waits_for_room();
}

int main(void) {
    name_directory();
    test_all();
    flags = CTIE_WORMHOLE_MEMORY;
    test_all();
    return check_end();
}
