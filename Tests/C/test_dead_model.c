/* Limits and counts of names with dead letters, on identifiers and prefixes, after anything that several processes may do
   with them: what a process remembers from before makes no difference. */
#include "group.h"

#define DURABLE (CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE)

enum { ROUNDS = 16, STEPS = 80, NAMES = 3, MOST = 30 };

static const char *const NAMED[NAMES] = {"a", "b", "c"};
static const char *const TOPICS[NAMES] = {"jobs.a", "jobs.*", "*"};
static const char *const IDENTIFIERS[] = {"jobs.a", "jobs.b", "jobs.a.dead", "jobs.b.dead", "other"};

static ctie_wormhole *wormhole;
static unsigned seed;

static int below(int limit) {
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 8) % (unsigned)limit);
}

static ctie_str topic_of(int name) { return ctie_str_from(TOPICS[name]); }
static ctie_str text_of(int name) { return ctie_str_from(NAMED[name]); }
static ctie_str any_identifier(void) { return ctie_str_from(IDENTIFIERS[below(5)]); }

static ctie_wormhole *open_small(void) {
    ctie_wormhole_options options = group_options(0);
    options.max_queued = 2000;
    return open_group_with(&options);
}

static void declare(int name, uint32_t deliveries) {
    static const uint32_t WHEN_FULL[NAMES] = {CTIE_FULL_REFUSE, CTIE_FULL_REFUSE, CTIE_FULL_DROP_OLDEST};
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    options.max_deliveries = deliveries;
    options.max_messages = MOST;
    options.when_full = WHEN_FULL[name];
    options.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, topic_of(name), text_of(name), &options, NULL), CTIE_OK);
}

/* ---- What is done --------------------------------------------------------------------------------- */

static ctie_status send_to(const char *identifier) {
    return ctie_wormhole_send(wormhole, ctie_str_from(identifier), ctie_value_int(1), NULL, NULL, NULL, NULL);
}

static void send_some(void) {
    ctie_status status = send_to(IDENTIFIERS[below(5)]);
    CHECK(status == CTIE_OK || status == CTIE_E_FULL);
}

static void send_batch(void) {
    ctie_outgoing batch[20];
    int count = 1 + below(20);
    for (int i = 0; i < count; i++) { batch[i] = (ctie_outgoing){any_identifier(), ctie_value_int(i)}; }
    ctie_status status = ctie_wormhole_send_many(wormhole, batch, (size_t)count, NULL, NULL, NULL);
    CHECK(status == CTIE_OK || status == CTIE_E_FULL);
}

static void move(int name, uint64_t to) {
    CHECK_STATUS(ctie_wormhole_seek(wormhole, topic_of(name), text_of(name), to, 0, NULL), CTIE_OK);
}

static void move_one(void) { move(below(NAMES), below(3) == 0 ? UINT64_MAX : 1 + (uint64_t)below(2000)); }

/* Rejects some of the messages it gets. Nothing of it is a dead letter of its own. */
static void judge(const ctie_message *message, void *name) {
    ctie_str identifier = ctie_message_identifier(message);
    bool is_dead = identifier.size > 5 && memcmp(identifier.data + identifier.size - 5, ".dead", 5) == 0;
    CHECK(!is_dead || ctie_message_kind(message) == CTIE_MESSAGE_MISSED || *(int *)name == 0);
    if (ctie_message_kind(message) != CTIE_MESSAGE_MISSED && ctie_message_sequence(message) % 3 == 0) {
        ctie_message_reject(message, 0, CTIE_STR("bad"));
    }
}

static ctie_listener *listen_as(int name, ctie_receiver_fn fn, void *data) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.name = text_of(name);
    options.flags = DURABLE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, topic_of(name), CTIE_RECEIVER(fn, data), &options, &listener, NULL),
                 CTIE_OK);
    return listener;
}

static void listen_for_a_while(void) {
    static int names[NAMES] = {0, 1, 2};
    int name = below(NAMES);
    ctie_listener *listener = listen_as(name, judge, &names[name]);
    nap_ns(below(2000000));
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

static void reconcile_dead_letters(void) {
    int name = below(NAMES);
    ctie_status status = below(2) == 0 ? ctie_wormhole_retry(wormhole, topic_of(name), text_of(name), 0, NULL, NULL)
                                       : ctie_wormhole_drop(wormhole, topic_of(name), text_of(name), 0, NULL, NULL);
    CHECK_STATUS(status, CTIE_OK);
}

static void step(void) {
    int what = below(100);
    if (what < 45) {
        send_some();
    } else if (what < 60) {
        send_batch();
    } else if (what < 68) {
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, any_identifier(), NULL, NULL, NULL), CTIE_OK);
    } else if (what < 70) {
        CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    } else if (what < 78) {
        move_one();
    } else if (what < 90) {
        listen_for_a_while();
    } else if (what < 97) {
        reconcile_dead_letters();
    } else {
        declare(below(NAMES), 1 + (uint32_t)below(2));
    }
}

static int do_steps(void *number) {
    seed = *(unsigned *)number;
    wormhole = open_small();
    for (int i = 0; i < STEPS; i++) { step(); }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* ---- What must hold ------------------------------------------------------------------------------- */

struct tally {
    _Atomic int received, missed;
};

static void add(const ctie_message *message, void *user_data) {
    struct tally *tally = user_data;
    tally->missed += (int)ctie_message_missed(message);
    if (ctie_message_kind(message) != CTIE_MESSAGE_MISSED) { tally->received++; }
}

/* Every waiting message is taken, and missed ones are reported. */
static void empty(int name) {
    struct tally tally = {0, 0};
    uint64_t dropped = 0;
    CHECK_STATUS(ctie_wormhole_drop(wormhole, topic_of(name), text_of(name), 0, &dropped, NULL), CTIE_OK);
    ctie_listener *listener = listen_as(name, add, &tally);
    CHECK_STATUS(send_to(name == 2 ? "other" : "jobs.a"), CTIE_OK);
    AWAIT(tally.received > 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

/* So many of the last messages come that are none of its dead letters, and no more. */
static void limit_holds(int name, int round) {
    const char *identifier = name == 2 ? "other" : "jobs.a";
    struct tally tally = {0, 0};
    int refused = 0, wanted = MOST;
    for (int i = 0; i <= NAMES; i++) {
        for (int j = 0; j < NAMES; j++) { move(j, UINT64_MAX); }
        if (i < NAMES) { empty(i); }
    }
    for (int i = 0; i < 2 * MOST; i++) {
        ctie_status status = send_to(identifier);
        CHECK(status == CTIE_OK || status == CTIE_E_FULL);
        if (status == CTIE_E_FULL) { refused++; }
        if (name > 0 && i % 3 == 0) { CHECK_STATUS(send_to("jobs.b.dead"), CTIE_OK); }
        if (i == MOST) {
            CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("jobs.b.dead"), NULL, NULL, NULL), CTIE_OK);
        }
    }
    ctie_listener *listener = listen_as(name, add, &tally);
    AWAIT(tally.received + tally.missed >= 2 * MOST - refused);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    bool holds = tally.received == wanted && tally.missed == MOST - refused && refused == (name == 2 ? 0 : MOST);
    CHECK(holds);
    if (!holds) {
        fprintf(stderr, "round %d, %s: %d refused, %d received, %d missed\n", round, NAMED[name], refused, (int)tally.received,
                (int)tally.missed);
    }
}

static void play(int round) {
    unsigned seeds[2] = {(unsigned)round * 3 + 1, (unsigned)round * 3 + 2};
    pid_t children[2];
    name_directory();
    wormhole = open_small();
    for (int name = 0; name < NAMES; name++) { declare(name, 1); }
    ctie_wormhole *own = wormhole;
    for (int i = 0; i < round % 3; i++) { children[i] = start_child(do_steps, &seeds[i]); }
    for (int i = 0; i < STEPS; i++) { step(); }
    for (int i = 0; i < round % 3; i++) { CHECK(end_of_child(children[i]) == 0); }
    CHECK(own == wormhole);
    for (int name = 0; name < NAMES; name++) { declare(name, 1); }
    for (int name = 0; name < NAMES; name++) { limit_holds(name, round); }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(int argc, char **argv) {
    int from = argc > 1 ? atoi(argv[1]) : 0, to = argc > 2 ? atoi(argv[2]) : test_size(ROUNDS, 6);
    for (int round = from; round < to; round++) {
        seed = (unsigned)round + 1000;
        play(round);
    }
    return check_end();
}
