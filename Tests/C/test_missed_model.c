/*
 * The messages that a queue listener gets, and those reported as missed, are exactly those sent since it was bound.
 * Processes send, in batches, signal and destroy at random; limits drop what is slow; listeners are replaced; others
 * come and go beside them, or are killed. CTIE_TEST_SEED begins elsewhere.
 */
#include "group.h"

enum { SENDERS = 2, MORTALS = 2, IDENTIFIERS = 5, TOPICS = 8, EARS = 12, BATCH = 60 };

static const char *const identifiers[IDENTIFIERS] = {"m.a", "m.b", "m.c.d", "n.a", "n"};
static const char *const topics[TOPICS] = {"m.*", "m.a", "m.b", "n.a", "*", "n", "n.*", "m.c.*"};

/* A listener, in whatever process. Its durable consumer is its number. */
struct counts {
    int topic, is_durable, is_manual;
    unsigned pace;        /* how slow it is */
    _Atomic int64_t received, missed;
    _Atomic uint64_t sequence;
    _Atomic int went_back;
};

static struct model {
    _Atomic int64_t sent[IDENTIFIERS];
    _Atomic int64_t destroyed_all;
    _Atomic int ready, go, done, over;
    _Atomic int is_held; /* while it is, nobody returns from a message */
    struct counts ears[EARS];
} *model;

/* ---- Chance ---------------------------------------------------------------------------------------- */

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static unsigned below(unsigned *state, unsigned limit) { return next_random(state) % limit; }

static bool covers(const char *topic, const char *identifier) {
    size_t size = strlen(topic);
    if (topic[size - 1] != '*') return strcmp(topic, identifier) == 0;
    return strncmp(topic, identifier, size - 1) == 0 && strlen(identifier) > size - 1;
}

static int64_t sent_to(int topic) {
    int64_t sum = model->destroyed_all;
    for (int i = 0; i < IDENTIFIERS; i++) {
        if (covers(topics[topic], identifiers[i])) sum += model->sent[i];
    }
    return sum;
}

/* ---- Listening ------------------------------------------------------------------------------------- */

static void count(const ctie_message *message, void *user_data) {
    struct counts *ear = user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) {
        ear->missed += (int64_t)ctie_message_missed(message);
        return;
    }
    if (!ear->is_durable) {
        if (ctie_message_sequence(message) <= ear->sequence) ear->went_back++;
        ear->sequence = ctie_message_sequence(message);
    }
    /* A redelivered message has been received. */
    if (ctie_message_delivery_count(message) <= 1) ear->received++;
    while (model->is_held) nap_ns(100000);
    if (ear->pace > 0 && ctie_message_sequence(message) % ear->pace == 0) nap_ns(100000);
    if (!ear->is_manual) return;
    if (ctie_message_sequence(message) % 7 == 0 && ctie_message_delivery_count(message) == 1) {
        ctie_message_reject(message, 1, CTIE_STR(""));
    } else {
        ctie_message_acknowledge(message);
    }
}

static void bind_ear(ctie_wormhole *wormhole, int number) {
    struct counts *ear = &model->ears[number];
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    char name[8];
    snprintf(name, sizeof name, "ear%d", number);
    options.flags = CTIE_LISTEN_QUEUE | (ear->is_durable ? CTIE_LISTEN_DURABLE : 0);
    if (ear->is_manual) {
        options.flags |= CTIE_LISTEN_MANUAL;
        options.max_unacknowledged = 1 + (uint32_t)number;
    }
    options.name = ctie_str_from(name);
    ctie_status status = ctie_wormhole_listen(wormhole, ctie_str_from(topics[ear->topic]), CTIE_RECEIVER(count, ear),
                                              &options, NULL, NULL);
    CHECK(status == CTIE_OK || status == CTIE_PENDING);
}

/* A process with half of the listeners. */
static int listen_beside(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    for (int i = EARS / 2; i < EARS; i++) bind_ear(wormhole, i);
    model->ready++;
    while (!model->over) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* ---- Sending --------------------------------------------------------------------------------------- */

static void send_batch(ctie_wormhole *wormhole, unsigned *chance) {
    ctie_outgoing messages[BATCH];
    unsigned size = 1 + below(chance, BATCH), chosen[BATCH];
    for (unsigned i = 0; i < size; i++) {
        chosen[i] = below(chance, IDENTIFIERS);
        messages[i] = (ctie_outgoing){ctie_str_from(identifiers[chosen[i]]), ctie_value_int((int64_t)i)};
    }
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, messages, size, NULL, NULL, NULL), CTIE_OK);
    for (unsigned i = 0; i < size; i++) model->sent[chosen[i]]++;
}

static void send_something(ctie_wormhole *wormhole, unsigned *chance) {
    unsigned number = below(chance, IDENTIFIERS), choice = below(chance, 100);
    ctie_str identifier = ctie_str_from(identifiers[number]);
    if (choice < 15) return send_batch(wormhole, chance);
    if (choice < 16) {
        CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
        model->destroyed_all++;
        return;
    }
    if (choice < 22) {
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, identifier, NULL, NULL, NULL), CTIE_OK);
    } else if (choice < 32) {
        CHECK_STATUS(ctie_wormhole_signal(wormhole, identifier, NULL, NULL, NULL), CTIE_OK);
    } else {
        CHECK_STATUS(pass_int(wormhole, identifiers[number], choice), CTIE_OK);
    }
    model->sent[number]++;
}

static int send_all(void *argument) {
    unsigned chance = *(unsigned *)argument;
    ctie_wormhole *wormhole = open_group();
    model->ready++;
    while (!model->go) nap_ns(100000);
    for (int i = 0; i < 300; i++) send_something(wormhole, &chance);
    model->done++;
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* ---- What goes on beside --------------------------------------------------------------------------- */

static void ignore(const ctie_message *message, void *unused) {
    (void)message;
    (void)unused;
}

/* A listener that is there for a moment; a durable consumer is forgotten now and then. */
static void disturb(ctie_wormhole *wormhole, unsigned *chance) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    ctie_str topic = ctie_str_from(topics[below(chance, TOPICS)]);
    bool is_durable = below(chance, 2) == 0;
    options.flags = CTIE_LISTEN_QUEUE | (is_durable ? CTIE_LISTEN_DURABLE : 0)
        | (below(chance, 2) == 0 ? CTIE_LISTEN_FROM_OLDEST : 0);
    options.name = CTIE_STR("beside");
    CHECK_STATUS(ctie_wormhole_listen(wormhole, topic, CTIE_RECEIVER(ignore, NULL), &options, &listener, NULL),
                 CTIE_OK);
    if (below(chance, 3) == 0) nap_ns(below(chance, 300000));
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    if (is_durable && below(chance, 2) == 0) {
        /* Others have this name, too. */
        ctie_status status = ctie_wormhole_forget(wormhole, topic, CTIE_STR("beside"), NULL);
        CHECK(status == CTIE_OK || status == CTIE_E_NOT_FOUND);
    }
}

static void go_on_beside(ctie_wormhole *wormhole, ctie_wormhole *other, unsigned *chance) {
    switch (below(chance, 8)) {
    case 0: model->is_held = !model->is_held; break;
    case 1:
    case 2: {
        int number = (int)below(chance, EARS / 2);
        /* Replacing a listener waits until it has returned. */
        model->is_held = 0;
        if (model->ears[number].is_durable) bind_ear(wormhole, number);
        break;
    }
    case 3:
    case 4: disturb(other, chance); break;
    default: nap_ns(below(chance, 400000)); break;
    }
}

/* Listens for a moment, again and again, until it is killed. */
static int live_dangerously(void *argument) {
    unsigned chance = *(unsigned *)argument;
    ctie_wormhole *wormhole = open_group();
    model->ready++;
    for (;;) disturb(wormhole, &chance);
    return 0;
}

/* ---- A round --------------------------------------------------------------------------------------- */

static void choose(unsigned *chance) {
    memset(model, 0, sizeof *model);
    for (int i = 0; i < EARS; i++) {
        struct counts *ear = &model->ears[i];
        ear->topic = (int)below(chance, TOPICS);
        ear->is_durable = below(chance, 2) == 0;
        ear->is_manual = below(chance, 3) == 0;
        ear->pace = below(chance, 2) == 0 ? 0 : 1 + below(chance, 9);
    }
}

static bool is_exact(const struct counts *ear) { return ear->received + ear->missed == sent_to(ear->topic); }

static bool are_all_exact(void) {
    for (int i = 0; i < EARS; i++) {
        if (!is_exact(&model->ears[i])) return false;
    }
    return true;
}

static void check_ears(void) {
    int64_t end = now_ns() + INT64_C(60000000000);
    while (!are_all_exact() && now_ns() < end) nap_ns(500000);
    /* No listener gets more than that. */
    nap_ns(5000000);
    for (int i = 0; i < EARS; i++) {
        const struct counts *ear = &model->ears[i];
        CHECK(is_exact(ear));
        CHECK(ear->went_back == 0);
        if (is_exact(ear)) continue;
        fprintf(stderr, "    %s %s%s: %lld received, %lld missed of %lld\n", topics[ear->topic],
                ear->is_durable ? "durable" : "live", ear->is_manual ? ", manual" : "", (long long)ear->received,
                (long long)ear->missed, (long long)sent_to(ear->topic));
    }
}

static void play(unsigned seed, int64_t *missed) {
    static const uint64_t limits[] = {8, 40, 64, 300, 5000};
    unsigned chance = seed * 2654435761u + 1, seeds[SENDERS + MORTALS];
    ctie_wormhole_options options = group_options(0);
    pid_t children[SENDERS + 1], mortals[MORTALS];
    int living = MORTALS;
    choose(&chance);
    options.max_queued = limits[below(&chance, 5)];
    if (below(&chance, 4) == 0) options.max_queued_size = 1 << 14;
    /* The first one decides the limits; the children open what is there. */
    CHECK_STATUS(ctie_wormhole_release(open_group_with(&options)), CTIE_OK);
    for (int i = 0; i < SENDERS; i++) {
        seeds[i] = next_random(&chance);
        children[i] = start_child(send_all, &seeds[i]);
    }
    for (int i = 0; i < MORTALS; i++) {
        seeds[SENDERS + i] = next_random(&chance);
        mortals[i] = start_child(live_dangerously, &seeds[SENDERS + i]);
    }
    children[SENDERS] = start_child(listen_beside, NULL);
    ctie_wormhole *wormhole = open_group(), *other = open_group();
    for (int i = 0; i < EARS / 2; i++) bind_ear(wormhole, i);
    AWAIT(model->ready == SENDERS + MORTALS + 1);
    model->go = 1;
    while (model->done < SENDERS) {
        go_on_beside(wormhole, other, &chance);
        if (living > 0 && below(&chance, 20) == 0) kill_child(mortals[--living]);
    }
    while (living > 0) kill_child(mortals[--living]);
    model->is_held = 0;
    check_ears();
    model->over = 1;
    for (int i = 0; i <= SENDERS; i++) CHECK(end_of_child(children[i]) == 0);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    for (int i = 0; i < EARS; i++) *missed += model->ears[i].missed;
    remove_directory();
}

int main(void) {
    const char *given = getenv("CTIE_TEST_SEED");
    unsigned first = given != NULL ? (unsigned)strtoul(given, NULL, 10) : 1;
    int rounds = test_rounds(20);
    int64_t missed = 0;
    name_directory();
    model = share(sizeof *model);
    for (int i = 0; i < rounds && checks_failed == 0; i++) {
        play(first + (unsigned)i, &missed);
        if (checks_failed > 0) { fprintf(stderr, "CTIE_TEST_SEED=%u shows it\n", first + (unsigned)i); }
    }
    FIGURES("; %lld missed in %d rounds", (long long)missed, rounds);
    return check_end();
}
