/* The listed backlog is what arrives, whichever process sent, dropped, destroyed and moved. */
#include "group.h"

#define DURABLE (CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE)

enum { ROUNDS = 40, NAMES = 3, STEPS = 120 };

static const char *const NAMED[NAMES] = {"a", "b", "c"};
static const char *const TOPICS[NAMES] = {"jobs.a", "jobs.*", "*"};
static const char *const IDENTIFIERS[] = {"jobs.a", "jobs.b", "jobs.a.c", "other"};

static ctie_wormhole *wormhole;

static unsigned seed;
/*
 * In every other round messages are delivered and left unacknowledged, and in the others dropped and destroyed: an
 * unacknowledged message that is removed before it is redelivered counts as waiting until then, and does not arrive.
 */
static bool leaves;

static int below(int limit) {
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 8) % (unsigned)limit);
}

static ctie_str any_identifier(void) { return ctie_str_from(IDENTIFIERS[below(4)]); }

static ctie_wormhole *open_small(void) {
    ctie_wormhole_options options = group_options(0);
    options.max_queued = leaves ? 0 : 400;
    return open_group_with(&options);
}

/* ---- What is done --------------------------------------------------------------------------------- */

static void pass_some(void) {
    ctie_outgoing batch[50];
    int count = 1 + below(50);
    for (int i = 0; i < count; i++) {
        ctie_value *value = below(4) == 0 ? NULL : ctie_value_int(below(100000));
        batch[i] = (ctie_outgoing){any_identifier(), value};
    }
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, batch, (size_t)count, NULL, NULL, NULL), CTIE_OK);
}

static uint64_t newest(void) {
    uint64_t sequence = 0;
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("nobody"), &sequence, NULL, NULL), CTIE_OK);
    return sequence;
}

static void move_one(void) {
    int name = below(NAMES);
    uint64_t last = newest();
    uint64_t to = below(8) == 0 ? UINT64_MAX : 1 + (uint64_t)below((int)(last + 1));
    ctie_status status = ctie_wormhole_seek(wormhole, ctie_str_from(TOPICS[name]), ctie_str_from(NAMED[name]), to, 0, NULL);
    CHECK(status == CTIE_OK || status == CTIE_E_NOT_FOUND);
}

static ctie_listener *listen_as(int name, ctie_receiver_fn fn, void *data, uint32_t flags, uint32_t most) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.name = ctie_str_from(NAMED[name]);
    options.flags = DURABLE | flags;
    options.max_unacknowledged = most;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, ctie_str_from(TOPICS[name]), CTIE_RECEIVER(fn, data), &options,
                                      &listener, NULL), CTIE_OK);
    return listener;
}

static void listen_for_a_while(void) {
    struct ear ear = {0};
    ctie_listener *listener = listen_as(below(NAMES), receive, &ear, below(2) == 0 ? CTIE_LISTEN_MANUAL : 0, 1 + (uint32_t)below(20));
    nap_ns(below(2000000));
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

static void forget_one(void) {
    int name = below(NAMES);
    ctie_status status = ctie_wormhole_forget(wormhole, ctie_str_from(TOPICS[name]), ctie_str_from(NAMED[name]), NULL);
    CHECK(status == CTIE_OK || status == CTIE_E_NOT_FOUND);
}

static void declare_one(int name) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    options.flags = below(2) == 0 ? CTIE_DURABLE_FROM_OLDEST : 0;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, ctie_str_from(TOPICS[name]), ctie_str_from(NAMED[name]), &options, NULL),
                 CTIE_OK);
}

static void step(void) {
    int what = below(100);
    if (leaves && what >= 70 && what < 77) { what = 90; }
    if (!leaves && what >= 85 && what < 93) { what = 0; }
    if (what < 50) {
        CHECK_STATUS(pass_int(wormhole, IDENTIFIERS[below(4)], below(100000)), CTIE_OK);
    } else if (what < 70) {
        pass_some();
    } else if (what < 76) {
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, any_identifier(), NULL, NULL, NULL), CTIE_OK);
    } else if (what < 77) {
        CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    } else if (what < 85) {
        move_one();
    } else if (what < 93) {
        listen_for_a_while();
    } else if (what < 94) {
        forget_one();
    } else {
        declare_one(below(NAMES));
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

struct found {
    int64_t waiting, size, missed;
};

static struct found ask(int name) {
    ctie_value *list = NULL;
    struct found found = {0, 0, 0};
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK);
    const ctie_value *durable = ctie_value_at(list, (size_t)name);
    ctie_value_get_int(ctie_value_get(durable, CTIE_STR("waiting")), &found.waiting);
    ctie_value_get_int(ctie_value_get(durable, CTIE_STR("waiting_size")), &found.size);
    ctie_value_get_int(ctie_value_get(durable, CTIE_STR("missed")), &found.missed);
    ctie_value_release(list);
    return found;
}

struct tally {
    _Atomic int64_t received, missed;
};

static void add(const ctie_message *message, void *user_data) {
    struct tally *tally = user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) {
        tally->missed += (int64_t)ctie_message_missed(message);
    } else {
        tally->received++;
    }
}

static void what_waits_is_what_comes(int round) {
    for (int name = 0; name < NAMES; name++) {
        struct found before = ask(name);
        struct tally tally = {0, 0};
        ctie_listener *listener = listen_as(name, add, &tally, 0, 0);
        AWAIT(tally.received >= before.waiting && tally.missed >= before.missed && ask(name).waiting == 0);
        CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
        struct found after = ask(name);
        bool holds = tally.received == before.waiting && tally.missed == before.missed && after.waiting == 0 &&
                     after.size == 0 && after.missed == 0;
        CHECK(holds);
        if (!holds) {
            fprintf(stderr, "round %d, %s: %lld waited and %lld came, %lld missed and %lld reported; %lld of %lld bytes left\n",
                    round, NAMED[name], (long long)before.waiting, (long long)tally.received, (long long)before.missed,
                    (long long)tally.missed, (long long)after.waiting, (long long)after.size);
        }
    }
}

static void play(int round) {
    unsigned seeds[3] = {(unsigned)round * 3 + 1, (unsigned)round * 3 + 2, (unsigned)round * 3 + 3};
    name_directory();
    wormhole = open_small();
    for (int name = 0; name < NAMES; name++) { declare_one(name); }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    pid_t children[3];
    int count = 1 + round % 3;
    for (int i = 0; i < count; i++) { children[i] = start_child(do_steps, &seeds[i]); }
    for (int i = 0; i < count; i++) { CHECK(end_of_child(children[i]) == 0); }
    wormhole = open_small();
    for (int name = 0; name < NAMES; name++) { declare_one(name); }
    what_waits_is_what_comes(round);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(int argc, char **argv) {
    int from = argc > 1 ? atoi(argv[1]) : 0, to = argc > 2 ? atoi(argv[2]) : test_size(ROUNDS, 6);
    for (int round = from; round < to; round++) {
        seed = (unsigned)round + 1000;
        leaves = round % 2 == 0;
        play(round);
    }
    return check_end();
}
