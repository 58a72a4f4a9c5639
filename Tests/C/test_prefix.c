/* Listeners on prefixes: their messages, the order, and the part of the store that is read for them. */
#include "group.h"
#include "interpose.h"

#include <pthread.h>

/* ---- How often the store is looked into ---------------------------------------------------------------- */

static _Atomic long looks;

/* Interposed functions of LMDB, so that a test can count, and a writer can die or stop at the worst moment. */
static enum { LIVE, DIE_BEFORE_COMMIT, DIE_AFTER_COMMIT, STOP_AFTER_COMMIT } fate = LIVE;

int mdb_cursor_get(void *cursor, void *key, void *data, int operation);
int mdb_get(void *transaction, unsigned database, void *key, void *data);
int mdb_txn_commit(void *transaction);

int mdb_cursor_get(void *cursor, void *key, void *data, int operation) {
    static int (*real)(void *, void *, void *, int);
    FIND_REAL(real, "mdb_cursor_get");
    looks++;
    return real(cursor, key, data, operation);
}

int mdb_get(void *transaction, unsigned database, void *key, void *data) {
    static int (*real)(void *, unsigned, void *, void *);
    FIND_REAL(real, "mdb_get");
    looks++;
    return real(transaction, database, key, data);
}

int mdb_txn_commit(void *transaction) {
    static int (*real)(void *);
    FIND_REAL(real, "mdb_txn_commit");
    if (fate == DIE_BEFORE_COMMIT) raise(SIGKILL);
    int result = real(transaction);
    if (fate == DIE_AFTER_COMMIT) raise(SIGKILL);
    if (fate == STOP_AFTER_COMMIT) {
        fate = LIVE;
        raise(SIGSTOP);
    }
    return result;
}

static ctie_wormhole *open_large(void) {
    ctie_wormhole_options options = group_options(0);
    options.max_map_size = 256 << 20;
    return open_group_with(&options);
}

static void name_one(const char *prefix, int i, char (*name)[32]) { snprintf(*name, sizeof *name, "%s%d", prefix, i); }

/* Passes nulls under so many identifiers, in steps of a thousand. */
static void fill(ctie_wormhole *wormhole, const char *prefix, int count) {
    enum { STEP = 1000 };
    static char names[STEP][32];
    ctie_outgoing messages[STEP];
    for (int first = 0; first < count; first += STEP) {
        for (int i = 0; i < STEP; i++) {
            name_one(prefix, first + i, &names[i]);
            messages[i] = (ctie_outgoing){ctie_str_from(names[i]), ctie_value_int(first + i)};
        }
        CHECK_STATUS(ctie_wormhole_send_many(wormhole, messages, STEP, NULL, NULL, NULL), CTIE_OK);
    }
}

static void listen_quietly(ctie_wormhole *wormhole, const char *identifier, ctie_receiver_fn fn, void *context) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_NO_INITIAL_DELIVERY;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, ctie_str_from(identifier), CTIE_RECEIVER(fn, context), &options, NULL,
                                      NULL), CTIE_OK);
}

/* A message does not cause a read below a prefix, nor does a message beside the prefix for its listeners. */
static void test_looks_do_not_grow(void) {
    enum { BELOW = 20000, ROUNDS = 200 };
    static struct ear below, beside;
    char name[32];
    ctie_wormhole *wormhole = open_large();
    fill(wormhole, "k.", BELOW);
    listen_quietly(wormhole, "k.*", receive, &below);
    listen_quietly(wormhole, "tick", receive, &beside);
    CHECK_STATUS(pass_int(wormhole, "k.0", -1), CTIE_OK);
    AWAIT(below.calls == 1);
    long before = looks;
    for (int i = 1; i <= ROUNDS; i++) {
        name_one("k.", i * 97 % BELOW, &name);
        CHECK_STATUS(pass_int(wormhole, name, i), CTIE_OK);
        AWAIT(below.value == i);
    }
    CHECK(looks - before < 40 * ROUNDS);
    /* More of them than the group remembers changes of: it is not its own that are many. */
    for (int i = 1; i <= 10000; i++) CHECK_STATUS(pass_int(wormhole, "tick", i), CTIE_OK);
    AWAIT(beside.value == 10000);
    before = looks;
    CHECK_STATUS(pass_int(wormhole, "k.7", -7), CTIE_OK);
    AWAIT(below.value == -7);
    CHECK(looks - before < BELOW / 50 && below.calls == ROUNDS + 2 && below.went_back == 0);
    FIGURES("; %ld looks for a message among %d", looks - before, BELOW);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* Another process's changes beside a prefix do not have its listener look. */
static int pass_beside(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_large();
    for (int i = 0; i < 6000; i++) CHECK_STATUS(pass_int(wormhole, i % 2 ? "j.x" : "tick", i), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "k.last", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static void test_others_do_not_disturb(void) {
    static struct ear below, other;
    ctie_wormhole *wormhole = open_large();
    fill(wormhole, "k.", 20000);
    listen_quietly(wormhole, "k.*", receive, &below);
    listen_quietly(wormhole, "j.*", receive, &other);
    CHECK_STATUS(pass_int(wormhole, "k.0", -1), CTIE_OK);
    AWAIT(below.calls == 1);
    long before = looks;
    CHECK(in_child(pass_beside, NULL) == 0);
    AWAIT(below.calls == 2 && other.value == 5999);
    CHECK(looks - before < 40 * (other.calls + 10));
    CHECK(below.went_back == 0 && other.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Order --------------------------------------------------------------------------------------------- */

struct gate {
    struct ear ear;
    _Atomic bool is_open;
    int kinds[16];
    char names[16][16];
};

static void receive_at_gate(const ctie_message *message, void *context) {
    struct gate *gate = context;
    int index = gate->ear.calls % 16;
    ctie_str name = ctie_message_identifier(message);
    gate->kinds[index] = ctie_message_kind(message);
    snprintf(gate->names[index], sizeof gate->names[index], "%.*s", (int)name.size, name.data);
    receive(message, &gate->ear);
    AWAIT(gate->is_open);
}

static bool received_is(const struct gate *gate, int index, int kind, const char *name) {
    return gate->kinds[index] == kind && strcmp(gate->names[index], name) == 0;
}

/* Messages that a listener was too slow for are delivered in the order of numbers, of every kind. */
static void test_order_of_kinds(void) {
    static struct gate gate;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "a.gone", 1), CTIE_OK);
    listen_quietly(wormhole, "a.*", receive_at_gate, &gate);
    CHECK_STATUS(pass_int(wormhole, "a.first", 1), CTIE_OK);
    AWAIT(gate.ear.calls == 1);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("a.x"), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "a.x", 2), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "a.late", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("a.gone"), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("a.b"), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "a.late", 2), CTIE_OK);
    gate.is_open = true;
    AWAIT(gate.ear.calls == 6);
    CHECK(received_is(&gate, 1, CTIE_MESSAGE_SIGNAL, "a.x") && received_is(&gate, 2, CTIE_MESSAGE_VALUE, "a.x"));
    CHECK(received_is(&gate, 3, CTIE_MESSAGE_DESTROYED, "a.gone") && received_is(&gate, 4, CTIE_MESSAGE_SIGNAL, "a.b"));
    CHECK(received_is(&gate, 5, CTIE_MESSAGE_VALUE, "a.late") && gate.ear.went_back == 0);
    gate.is_open = false;
    CHECK_STATUS(pass_int(wormhole, "a.x", 3), CTIE_OK);
    AWAIT(gate.ear.calls == 7);
    CHECK_STATUS(pass_int(wormhole, "a.y", 4), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("a.s"), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "a.z", 5), CTIE_OK);
    gate.is_open = true;
    AWAIT(gate.ear.calls == 10);
    CHECK(received_is(&gate, 7, CTIE_MESSAGE_DESTROYED, "a.*") && received_is(&gate, 8, CTIE_MESSAGE_SIGNAL, "a.s"));
    CHECK(received_is(&gate, 9, CTIE_MESSAGE_VALUE, "a.z") && gate.ear.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* A burst larger than the group's recent changes: each message arrives once, in order. */
static void test_burst(void) {
    enum { MANY = 30000 };
    static struct gate gate;
    ctie_wormhole *wormhole = open_large();
    listen_quietly(wormhole, "k.*", receive_at_gate, &gate);
    CHECK_STATUS(pass_int(wormhole, "k.first", -1), CTIE_OK);
    AWAIT(gate.ear.calls == 1);
    fill(wormhole, "k.n", MANY);
    long before = looks;
    gate.is_open = true;
    AWAIT(gate.ear.calls == MANY + 1);
    CHECK(gate.ear.value == MANY - 1 && gate.ear.went_back == 0);
    CHECK(looks - before < 4 * MANY); /* one scan, and each is read once more */
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Against a model ----------------------------------------------------------------------------------- */

enum { NAMES = 40, MOST_DESTROYED = 900 };

/* The writers' state, in memory that all processes share. */
static struct model {
    _Atomic uint64_t signalled[NAMES]; /* the newest signal whose passing has returned */
    _Atomic int destroyed[NAMES], destroyed_count;
} *model;

/* One listener: its last message of each identifier. */
struct witness {
    uint64_t last, newest[NAMES], signalled[NAMES];
    int kind[NAMES], went_back;
    unsigned seed;
    int nap_every; /* 0: never */
    _Atomic bool has_ended;
};

static const char *name_of(int i) {
    static _Thread_local char name[32];
    name_one(i % 2 ? "p.q." : "p.", i, &name);
    return name;
}

static void witness(const ctie_message *message, void *context) {
    struct witness *self = context;
    uint64_t sequence = ctie_message_sequence(message);
    ctie_str name = ctie_message_identifier(message);
    int kind = ctie_message_kind(message);
    if (sequence <= self->last) self->went_back++;
    self->last = sequence;
    for (int i = 0; i < NAMES; i++) {
        if (!text_is(name, name_of(i))) continue;
        if (kind == CTIE_MESSAGE_SIGNAL) self->signalled[i] = sequence;
        else self->newest[i] = sequence, self->kind[i] = kind;
    }
    if (self->nap_every > 0 && rand_r(&self->seed) % self->nap_every == 0) nap_ns(rand_r(&self->seed) % 3000000);
    if (text_is(name, "p.q.end")) self->has_ended = true;
}

static void do_anything(ctie_wormhole *wormhole, unsigned *seed) {
    int i = rand_r(seed) % NAMES;
    ctie_str name = ctie_str_from(name_of(i));
    uint64_t sequence = 0;
    switch (rand_r(seed) % 16) {
    case 0:
    case 1:
        CHECK_STATUS(ctie_wormhole_signal(wormhole, name, &sequence, NULL, NULL), CTIE_OK);
        for (uint64_t old = model->signalled[i]; old < sequence;)
            if (atomic_compare_exchange_weak(&model->signalled[i], &old, sequence)) break;
        return;
    case 2:
        if (i % 3 != 0 || model->destroyed_count++ >= MOST_DESTROYED) return;
        model->destroyed[i]++;
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, name, NULL, NULL, NULL), CTIE_OK);
        return;
    case 3:
        for (int n = rand_r(seed) % 200; n >= 0; n--) CHECK_STATUS(pass_int(wormhole, "beside", n), CTIE_OK);
        return;
    case 4: fill(wormhole, "p.many.", 1000); return;
    default: CHECK_STATUS(pass_int(wormhole, name_of(i), rand_r(seed)), CTIE_OK);
    }
}

/* Does this and that; every other one dies in its last commit. */
static int write_anything(void *argument) {
    unsigned seed = *(unsigned *)argument;
    ctie_wormhole *wormhole = open_large();
    for (int i = 0; i < 40; i++) do_anything(wormhole, &seed);
    if (seed % 2 == 0) fate = seed % 4 == 0 ? DIE_AFTER_COMMIT : DIE_BEFORE_COMMIT;
    pass_int(wormhole, name_of((int)(seed % NAMES)), -1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static void compare(ctie_wormhole *wormhole, const struct witness *self, int i) {
    ctie_message *message = NULL;
    ctie_status status = ctie_wormhole_message(wormhole, ctie_str_from(name_of(i)), &message, NULL);
    if (status == CTIE_OK) CHECK(self->newest[i] == ctie_message_sequence(message));
    else if (model->destroyed[i] > 0) CHECK(self->kind[i] == CTIE_MESSAGE_DESTROYED);
    else CHECK(self->newest[i] == 0);
    /* A destroying takes the signal with it, and is itself replaced by the next value. */
    CHECK(model->destroyed[i] > 0 || self->signalled[i] >= model->signalled[i]);
    ctie_message_release(message);
}

static void test_against_model(int rounds) {
    static const char *const topics[] = {"*", "p.*", "p.q.*", "p.*"};
    struct witness witnesses[4] = {{.nap_every = 0}, {.nap_every = 20}, {.nap_every = 5}, {.nap_every = 1000}};
    ctie_wormhole *wormholes[4];
    model = share(sizeof *model);
    for (int i = 0; i < 4; i++) {
        wormholes[i] = open_large(); /* each with a thread of its own */
        listen_quietly(wormholes[i], topics[i], witness, &witnesses[i]);
    }
    unsigned seed = 5;
    for (int round = 0; round < rounds; round++) {
        unsigned seeds[2] = {(unsigned)rand_r(&seed), (unsigned)rand_r(&seed)};
        pid_t one = start_child(write_anything, &seeds[0]), two = start_child(write_anything, &seeds[1]);
        int ends[2] = {end_of_child(one), end_of_child(two)};
        for (int i = 0; i < 2; i++) CHECK(ends[i] == 0 || ends[i] == -SIGKILL);
    }
    CHECK_STATUS(pass_int(wormholes[0], "p.q.end", 0), CTIE_OK);
    for (int i = 0; i < 4; i++) {
        AWAIT(witnesses[i].has_ended);
        CHECK(witnesses[i].went_back == 0);
        for (int name = 0; name < NAMES; name++)
            if (i != 2 || name % 2) compare(wormholes[0], &witnesses[i], name);
    }
    for (int i = 0; i < 4; i++) CHECK_STATUS(ctie_wormhole_release(wormholes[i]), CTIE_OK);
    munmap(model, sizeof *model);
    remove_directory();
}

/* ---- Writers that die or stop -------------------------------------------------------------------------- */

static int pass_and(void *how) {
    ctie_wormhole *wormhole = open_group();
    fate = *(int *)how;
    pass_int(wormhole, "d.x", 2);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* A committed message is delivered although its writer could not record the change, and so is the next one. */
static void test_dead_writer(void) {
    struct ear ear = {0};
    int how = DIE_AFTER_COMMIT;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "d.x", 1), CTIE_OK);
    listen_to(wormhole, CTIE_STR("d.*"), "", &ear);
    AWAIT(ear.value == 1);
    for (int round = 0; round < 20; round++) {
        CHECK(in_child(pass_and, &how) == -SIGKILL);
        if (round % 2) CHECK_STATUS(pass_int(wormhole, "d.y", round), CTIE_OK);
        AWAIT(ear.calls == 2 + round + (round + 1) / 2);
    }
    CHECK(ear.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* Nor does it matter that others have written since, before the listener looks. */
static void test_dead_writer_before_others(void) {
    static struct gate gate;
    int how = DIE_AFTER_COMMIT;
    ctie_wormhole *wormhole = open_group();
    listen_quietly(wormhole, "d.*", receive_at_gate, &gate);
    CHECK_STATUS(pass_int(wormhole, "d.first", 1), CTIE_OK);
    AWAIT(gate.ear.calls == 1);
    CHECK(in_child(pass_and, &how) == -SIGKILL);
    CHECK_STATUS(pass_int(wormhole, "d.y", 3), CTIE_OK);
    gate.is_open = true;
    AWAIT(gate.ear.value == 3);
    CHECK(gate.ear.calls == 3 && received_is(&gate, 1, CTIE_MESSAGE_VALUE, "d.x") && gate.ear.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

static void test_stopped_writer(void) {
    struct ear ear = {0};
    int how = STOP_AFTER_COMMIT, status = 0;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "d.x", 1), CTIE_OK);
    listen_to(wormhole, CTIE_STR("d.*"), "", &ear);
    AWAIT(ear.value == 1);
    pid_t child = start_child(pass_and, &how);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    AWAIT(ear.value == 2);
    kill(child, SIGCONT);
    CHECK(end_of_child(child) == 0);
    CHECK_STATUS(pass_int(wormhole, "d.y", 3), CTIE_OK);
    AWAIT(ear.value == 3);
    CHECK(ear.calls == 3 && ear.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    test_looks_do_not_grow();
    test_others_do_not_disturb();
    test_order_of_kinds();
    test_burst();
    test_against_model(test_rounds(30));
    test_dead_writer();
    test_dead_writer_before_others();
    test_stopped_writer();
    return check_end();
}
