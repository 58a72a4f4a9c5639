/*
 * Each message sent under a durable consumer is acknowledged, a dead letter, or reported as missed: exactly one of
 * these. Processes send at random, alone and in batches, with delays and expiry times, also large messages, and destroy.
 * Consumers refuse, make senders wait, or drop the excess; one is moved to the begin again and again; some messages always
 * fail; in every other round workers are killed and others started.
 * CTIE_TEST_SEED begins elsewhere.
 */
#include "job.h"

enum { SENDERS = 3, STEPS = 60, BATCH = 12, MOST = SENDERS * STEPS * BATCH, TOPICS = 5, NAMES = 7, WORKERS = 2, DEAD = 16 };

static const char *const topics[TOPICS] = {"q.a", "q.b", "q.c", "q.d", "q.e"};

/* The messages of this topic may be destroyed. */
enum { RAZED = 4 };

/*
 * The options that the consumers are declared with. A message whose number is divided by `poison` fails at every try.
 */
static const struct durable {
    const char *topic, *name, *grave;
    uint32_t when_full, max_deliveries;
    uint64_t max_messages;
    int poison;
    bool is_moved; /* it goes back to the oldest message now and then */
} names[NAMES] = {
    {"q.a", "steady", "", CTIE_FULL_DROP_OLDEST, 0, 0, 0, true},
    {"q.b", "poisoned", "dead.b", CTIE_FULL_DROP_OLDEST, 3, 0, 5, false},
    {"q.c", "refusing", "dead.c", CTIE_FULL_REFUSE, 2, 30, 7, false},
    {"q.d", "waiting", "", CTIE_FULL_WAIT, 0, 20, 0, false},
    {"q.*", "dropping", "", CTIE_FULL_DROP_OLDEST, 0, 40, 0, false},
    {"q.e", "razed", "", CTIE_FULL_DROP_OLDEST, 0, 0, 0, false},
    {"dead.*", "graves", "", CTIE_FULL_DROP_OLDEST, 0, 0, 0, false},
};

/* A message, by the number that is its value. */
struct message {
    _Atomic int topic, was_accepted, was_refused, may_expire;
    _Atomic int done[NAMES], given[NAMES], holder[NAMES];
};

static struct model {
    _Atomic int next, senders, over, is_cured, kills, count_of_dead, destroyed, moves;
    _Atomic int dead[DEAD]; /* processes that are being killed */
    _Atomic int64_t missed[NAMES], refused;
    _Atomic int faults;
    struct message messages[MOST];
} *model;

/* ---- Chance ---------------------------------------------------------------------------------------- */

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static unsigned below(unsigned *state, unsigned limit) { return next_random(state) % limit; }

static bool covers(const struct durable *name, const struct message *message) {
    return strcmp(name->topic, "q.*") == 0 || strcmp(name->topic, topics[message->topic]) == 0;
}

static bool is_poison(int name, int number) {
    return names[name].poison > 0 && number % names[name].poison == 0 && !model->messages[number].may_expire;
}

/* A share of the size is for what is queued. */
static ctie_wormhole *open_roomy_group(void) {
    ctie_wormhole_options options = group_options(0);
    options.max_map_size = 256 << 20;
    return open_group_with(&options);
}

/* ---- Working --------------------------------------------------------------------------------------- */

static bool is_dead(int process) {
    for (int i = 0; i < DEAD; i++) {
        if (model->dead[i] == process) return true;
    }
    return false;
}

/* No other process has the message in hand, except one that was killed with it, or if the consumer was moved. */
static void take(struct message *message, int name) {
    int other = atomic_exchange(&message->holder[name], getpid());
    if (other != 0 && other != getpid() && !is_dead(other) && !names[name].is_moved) model->faults++;
    message->given[name]++;
}

static void work(const ctie_message *reported, void *user_data) {
    int name = (int)(intptr_t)user_data;
    if (ctie_message_kind(reported) == CTIE_MESSAGE_MISSED) {
        model->missed[name] += (int64_t)ctie_message_missed(reported);
        ctie_message_acknowledge(reported);
        return;
    }
    if (ctie_message_kind(reported) == CTIE_MESSAGE_DESTROYED) {
        ctie_message_acknowledge(reported);
        return;
    }
    int64_t number = job_of(reported);
    if (number < 0 || number >= MOST) {
        model->faults++;
        return;
    }
    struct message *message = &model->messages[number];
    take(message, name);
    if (number % 17 == 0) nap_ns(200000);
    bool fails = is_poison(name, (int)number) ? !model->is_cured : number % 9 == 0 && ctie_message_delivery_count(reported) == 1;
    /* A message that may expire or be destroyed is not rejected, because its end would not be reported. */
    if (message->may_expire || message->topic == RAZED) fails = false;
    if (!fails) message->done[name]++;
    atomic_store(&message->holder[name], 0);
    if (fails) ctie_message_reject(reported, name % 2 == 0 ? -1 : 1, CTIE_STR("it fails"));
    else ctie_message_acknowledge(reported);
}

static void work_for(ctie_wormhole *wormhole, int name) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE | CTIE_LISTEN_MANUAL;
    options.max_unacknowledged = 1 + (uint32_t)name;
    options.name = ctie_str_from(names[name].name);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, ctie_str_from(names[name].topic),
                                      CTIE_RECEIVER(work, (void *)(intptr_t)name), &options, NULL, NULL), CTIE_OK);
}

static int work_beside(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_roomy_group();
    for (int name = 0; name < NAMES; name++) work_for(wormhole, name);
    while (!model->over) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* ---- Sending --------------------------------------------------------------------------------------- */

static int new_number(unsigned topic) {
    int number = model->next++;
    model->messages[number].topic = (int)topic;
    return number;
}

/* Notes what became of some messages that were sent together. */
static void resolve(const int *numbers, unsigned count, ctie_status status) {
    CHECK(status == CTIE_OK || status == CTIE_E_FULL);
    for (unsigned i = 0; i < count; i++) {
        if (status == CTIE_OK) model->messages[numbers[i]].was_accepted = 1;
        else model->messages[numbers[i]].was_refused = 1;
    }
    if (status != CTIE_OK) model->refused += count;
}

static void send_one(ctie_wormhole *wormhole, unsigned *chance) {
    unsigned topic = below(chance, TOPICS);
    int number = new_number(topic);
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    if (below(chance, 4) == 0) options.delay_ms = 1 + below(chance, 30);
    if (below(chance, 4) == 0) {
        options.expires_ms = 1 + below(chance, 20);
        model->messages[number].may_expire = 1;
    }
    ctie_status status = ctie_wormhole_send(wormhole, ctie_str_from(topics[topic]), job_value(number), &options, NULL,
                                            NULL, NULL);
    resolve(&number, 1, status);
}

static void send_batch(ctie_wormhole *wormhole, unsigned *chance) {
    ctie_outgoing messages[BATCH];
    int numbers[BATCH];
    unsigned count = 1 + below(chance, BATCH);
    for (unsigned i = 0; i < count; i++) {
        unsigned topic = below(chance, TOPICS);
        numbers[i] = new_number(topic);
        messages[i] = (ctie_outgoing){ctie_str_from(topics[topic]), job_value(numbers[i])};
    }
    resolve(numbers, count, ctie_wormhole_send_many(wormhole, messages, count, NULL, NULL, NULL));
}

static void destroy(ctie_wormhole *wormhole) {
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, ctie_str_from(topics[RAZED]), NULL, NULL, NULL), CTIE_OK);
    model->destroyed++;
}

static int send_all(void *argument) {
    unsigned chance = *(unsigned *)argument;
    ctie_wormhole *wormhole = open_roomy_group();
    for (int i = 0; i < STEPS; i++) {
        if (below(&chance, 20) == 0) destroy(wormhole);
        if (below(&chance, 3) == 0) send_batch(wormhole, &chance);
        else send_one(wormhole, &chance);
        if (below(&chance, 8) == 0) nap_ns(below(&chance, 2000000));
    }
    model->senders++;
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* ---- What became of it ----------------------------------------------------------------------------- */

/* The dead letters of a consumer. */
struct graves {
    int64_t count;
    bool holds[MOST];
};

static void bury(struct graves *graves, ctie_wormhole *wormhole, int name, const ctie_value *letter) {
    ctie_message *message = NULL;
    int64_t sequence = 0;
    ctie_value_get_int(ctie_value_get(letter, CTIE_STR("sequence")), &sequence);
    ctie_status status = ctie_wormhole_dead_letter(wormhole, ctie_str_from(names[name].topic),
                                                   ctie_str_from(names[name].name), (uint64_t)sequence, &message, NULL);
    int64_t number = status == CTIE_OK ? job_of(message) : -1;
    CHECK(number >= 0 && number < MOST);
    if (number >= 0 && number < MOST) graves->holds[number] = true;
    ctie_message_release(message);
}

static const struct graves *graves_of(ctie_wormhole *wormhole, int name) {
    static struct graves graves;
    ctie_value *list = NULL;
    memset(&graves, 0, sizeof graves);
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, ctie_str_from(names[name].topic), ctie_str_from(names[name].name), 0,
                                            0, &list, NULL), CTIE_OK);
    graves.count = (int64_t)ctie_value_count(list);
    for (int64_t i = 0; i < graves.count; i++) bury(&graves, wormhole, name, ctie_value_at(list, (size_t)i));
    ctie_value_release(list);
    return &graves;
}

static int64_t count_of_dead(ctie_wormhole *wormhole, int name) { return graves_of(wormhole, name)->count; }

/* Whether a consumer may lose a message: for lack of room, or because it has expired or been destroyed. */
static bool may_be_lost(int name, const struct message *message) {
    return message->may_expire || message->topic == RAZED || (names[name].when_full == CTIE_FULL_DROP_OLDEST && names[name].max_messages > 0);
}

/* The number of messages for a name that are neither done nor dead letters; -1 if one of them has to become that yet. */
static int64_t count_of_missing(ctie_wormhole *wormhole, int name) {
    const struct graves *graves = graves_of(wormhole, name);
    int64_t missing = 0;
    for (int i = 0; i < model->next; i++) {
        const struct message *message = &model->messages[i];
        if (!message->was_accepted || !covers(&names[name], message) || graves->holds[i]) continue;
        if (is_poison(name, i) && !model->is_cured) return -1;
        if (message->done[name] > 0) continue;
        if (!may_be_lost(name, message)) return -1;
        missing++;
    }
    return missing;
}

/* Whether each message that a name was sent is done, a dead letter, or reported as missed. */
static bool is_resolved(ctie_wormhole *wormhole, int name) {
    int64_t missing = count_of_missing(wormhole, name);
    return missing >= 0 && missing <= model->missed[name];
}

static bool is_all_resolved(ctie_wormhole *wormhole) {
    for (int name = 0; name < NAMES - 1; name++) {
        if (!is_resolved(wormhole, name)) return false;
    }
    return true;
}

static int64_t count_of_graves(void) {
    int64_t sum = 0;
    for (int i = 0; i < model->next; i++) sum += model->messages[i].done[NAMES - 1] > 0;
    return sum;
}

static void check_message(int name, int number) {
    const struct message *message = &model->messages[number];
    if (message->was_refused) CHECK(message->given[name] == 0);
    if (message->was_accepted && is_poison(name, number) && !model->is_cured) {
        CHECK(message->done[name] == 0);
        CHECK(model->kills > 0 || message->given[name] == (int)names[name].max_deliveries);
    }
    /* A worker that dies after handling a message has not acknowledged it. */
    if (model->kills == 0 && !names[name].is_moved) CHECK(message->done[name] <= 1);
}

static void check_name(ctie_wormhole *wormhole, int name) {
    for (int i = 0; i < model->next; i++) {
        if (covers(&names[name], &model->messages[i])) check_message(name, i);
    }
    int64_t missing = count_of_missing(wormhole, name), more = model->missed[name] - missing;
    /* A message in hand of a killed worker may be reported as missed though it was delivered, and so may one that a
     * consumer had done before it was moved. A *destroyed* that is dropped or destroyed is missed, too. */
    bool is_inexact = model->kills > 0 || names[name].is_moved;
    int64_t most = covers(&names[name], &(struct message){.topic = RAZED}) ? model->destroyed : 0;
    CHECK(missing >= 0 && more >= 0 && (is_inexact || more <= most));
    if (checks_failed > 0) {
        fprintf(stderr, "    %s: %lld are neither done nor dead letters, %lld missed\n", names[name].name,
                (long long)missing, (long long)model->missed[name]);
    }
}

/* Copies of dead letters are sent once each; dead letters may be retried, and are then acknowledged, or are dropped. */
static void check_dead_letters(ctie_wormhole *wormhole) {
    /* A message that a killed worker had done comes again, and may then be a dead letter. */
    AWAIT(durable_is_idle(wormhole, names[1].name) && durable_is_idle(wormhole, names[2].name));
    int64_t poisoned = count_of_dead(wormhole, 1), refusing = count_of_dead(wormhole, 2);
    uint64_t count = 0;
    AWAIT(count_of_graves() == poisoned + refusing);
    CHECK_STATUS(ctie_wormhole_drop(wormhole, CTIE_STR("q.c"), CTIE_STR("refusing"), 0, &count, NULL), CTIE_OK);
    CHECK(count == (uint64_t)refusing && count_of_dead(wormhole, 2) == 0);
    model->is_cured = 1;
    CHECK_STATUS(ctie_wormhole_retry(wormhole, CTIE_STR("q.b"), CTIE_STR("poisoned"), 0, &count, NULL), CTIE_OK);
    CHECK(count == (uint64_t)poisoned);
    AWAIT(is_resolved(wormhole, 1));
    check_name(wormhole, 1);
    for (int i = 0; i < model->next; i++) {
        const struct message *message = &model->messages[i];
        if (covers(&names[2], message) && is_poison(2, i)) CHECK(message->done[2] == 0);
    }
}

/* ---- A round --------------------------------------------------------------------------------------- */

static void declare_all(ctie_wormhole *wormhole) {
    for (int name = 0; name < NAMES; name++) {
        ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
        options.max_deliveries = names[name].max_deliveries;
        options.dead_letter = ctie_str_from(names[name].grave);
        options.backoff_first_ms = 1;
        options.backoff_most_ms = 4;
        options.max_messages = names[name].max_messages;
        options.when_full = names[name].when_full;
        CHECK_STATUS(ctie_wormhole_declare(wormhole, ctie_str_from(names[name].topic), ctie_str_from(names[name].name),
                                           &options, NULL), CTIE_OK);
    }
}

/* To the oldest message: none is passed over, and some are delivered again. */
static void move(ctie_wormhole *wormhole) {
    for (int name = 0; name < NAMES; name++) {
        if (!names[name].is_moved) continue;
        CHECK_STATUS(ctie_wormhole_seek(wormhole, ctie_str_from(names[name].topic), ctie_str_from(names[name].name), 1, 0,
                                        NULL), CTIE_OK);
        model->moves++;
    }
}

static void kill_and_replace(pid_t *worker) {
    model->dead[model->kills++ % DEAD] = *worker;
    kill_child(*worker);
    *worker = start_child(work_beside, NULL);
}

static void play(unsigned seed) {
    unsigned chance = seed * 2654435761u + 1, seeds[SENDERS];
    pid_t senders[SENDERS], workers[WORKERS];
    memset(model, 0, sizeof *model);
    ctie_wormhole *wormhole = open_roomy_group();
    declare_all(wormhole);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    for (int i = 0; i < WORKERS; i++) workers[i] = start_child(work_beside, NULL);
    for (int i = 0; i < SENDERS; i++) {
        seeds[i] = next_random(&chance);
        senders[i] = start_child(send_all, &seeds[i]);
    }
    wormhole = open_roomy_group();
    while (model->senders < SENDERS) {
        nap_ns(below(&chance, 3000000));
        if (below(&chance, 10) == 0) move(wormhole);
        if (seed % 2 == 0 && model->kills < DEAD && below(&chance, 3) == 0) {
            kill_and_replace(&workers[below(&chance, WORKERS)]);
        }
    }
    for (int i = 0; i < SENDERS; i++) CHECK(end_of_child(senders[i]) == 0);
    AWAIT(is_all_resolved(wormhole));
    for (int name = 0; name < NAMES - 1; name++) check_name(wormhole, name);
    if (checks_failed == 0) check_dead_letters(wormhole);
    CHECK(model->faults == 0);
    model->over = 1;
    for (int i = 0; i < WORKERS; i++) CHECK(end_of_child(workers[i]) == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    const char *given = getenv("CTIE_TEST_SEED");
    unsigned first = given != NULL ? (unsigned)strtoul(given, NULL, 10) : 1;
    int rounds = test_rounds(12);
    int64_t sent = 0, refused = 0, destroyed = 0, moves = 0;
    name_directory();
    model = share(sizeof *model);
    for (int i = 0; i < rounds && checks_failed == 0; i++) {
        play(first + (unsigned)i);
        sent += model->next;
        refused += model->refused;
        destroyed += model->destroyed;
        moves += model->moves;
        if (checks_failed > 0) fprintf(stderr, "CTIE_TEST_SEED=%u shows it\n", first + (unsigned)i);
    }
    FIGURES("; %lld messages in %d rounds, %lld refused, %lld destroyings, %lld moves", (long long)sent, rounds,
            (long long)refused, (long long)destroyed, (long long)moves);
    return check_end();
}
