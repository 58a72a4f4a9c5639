/*
 * Large messages. They never lack room while there is enough of it, however they come and go among small ones, and leave
 * LMDB's list of free pages as short as it was. A process that is killed while it writes one leaves all of it or nothing,
 * and a reader never sees a part of one beside another.
 */
#include "group.h"

#include <fcntl.h>

#define LARGEST ((4 << 20) - 64)

/* ---- Contents ------------------------------------------------------------------------------------ */

/* Fills words so that each follows from the number and its position. */
static ctie_value *numbered(uint64_t number, size_t size) {
    size_t count = size / sizeof(uint64_t) + 2;
    uint64_t *words = malloc(count * sizeof *words);
    words[0] = number;
    for (size_t i = 1; i < count; i++) words[i] = number * UINT64_C(0x9E3779B97F4A7C15) + i;
    ctie_value *value = ctie_value_bytes((ctie_str){(const char *)words, count * sizeof *words});
    free(words);
    return value;
}

/* The number of a value; -1 for a torn one. */
static int64_t number_of(const ctie_value *value) {
    ctie_str bytes = {NULL, 0};
    uint64_t word, number = 0;
    if (ctie_value_get_bytes(value, &bytes) != CTIE_OK || bytes.size < 2 * sizeof word) return -1;
    memcpy(&number, bytes.data, sizeof number);
    for (size_t i = 1; i < bytes.size / sizeof word; i++) {
        memcpy(&word, bytes.data + i * sizeof word, sizeof word);
        if (word != number * UINT64_C(0x9E3779B97F4A7C15) + i) return -1;
    }
    return (int64_t)number;
}

static ctie_status pass(ctie_wormhole *wormhole, const char *identifier, uint64_t number, size_t size) {
    return ctie_wormhole_send(wormhole, ctie_str_from(identifier), numbered(number, size), NULL, NULL, NULL, NULL);
}

/* The number of the current message; 0 if there is none, -1 for a torn one. */
static int64_t current(ctie_wormhole *wormhole, const char *identifier) {
    ctie_message *message = NULL;
    ctie_status status = ctie_wormhole_message(wormhole, ctie_str_from(identifier), &message, NULL);
    if (status == CTIE_E_NOT_FOUND) return 0;
    if (status != CTIE_OK) return -1;
    int64_t number = number_of(ctie_message_value(message));
    ctie_message_release(message);
    return number;
}

/* ---- Turns of large and small messages ----------------------------------------------------------- */

#define NAMES 60
#define STORE (64 << 20)

static struct {
    uint64_t number[NAMES];
    size_t size[NAMES]; /* of all that is stored under a name, as state and in the queue */
    size_t live, largest_live;
    int passed, destroyed;
} model;

static size_t random_size(unsigned *seed) {
    /* As many of each order of magnitude. */
    size_t order = (size_t)64 << (unsigned)rand_r(seed) % 17;
    size_t size = order / 2 + (size_t)rand_r(seed) % order;
    return size < LARGEST ? size : LARGEST;
}

static void name_of(int name, char (*identifier)[32]) {
    snprintf(*identifier, sizeof *identifier, name % 3 == 0 ? "queued.%d" : "state.%d", name);
}

static void destroy_one(ctie_wormhole *wormhole, int name) {
    char identifier[32];
    name_of(name, &identifier);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, ctie_str_from(identifier), NULL, NULL, NULL), CTIE_OK);
    model.live -= model.size[name];
    model.size[name] = 0;
    model.number[name] = 0;
    model.destroyed++;
}

static void send_one(ctie_wormhole *wormhole, int name, uint64_t number, size_t size) {
    char identifier[32];
    name_of(name, &identifier);
    /* A queued message stays until its name is destroyed. A state replaces the one before it. */
    size_t adds = name % 3 == 0 ? 2 * size : size;
    while (model.live + adds > STORE / 100 * 60) destroy_one(wormhole, rand() % NAMES);
    CHECK_STATUS(pass(wormhole, identifier, number, size), CTIE_OK);
    if (name % 3 != 0) {
        model.live -= model.size[name];
        model.size[name] = 0;
    }
    model.size[name] += adds;
    model.live += adds;
    if (model.live > model.largest_live) model.largest_live = model.live;
    model.number[name] = number;
    model.passed++;
}

static struct { _Atomic int calls, torn; _Atomic int64_t last; } queue_ear;

static void receive_queued(const ctie_message *message, void *unused) {
    (void)unused;
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) return;
    int64_t number = number_of(ctie_message_value(message));
    if (number < 0) queue_ear.torn++;
    queue_ear.last = number;
    queue_ear.calls++;
}

/* Messages that are queued and were not destroyed are still whole. */
static void check_queue(ctie_wormhole *wormhole) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    options.name = CTIE_STR("worker");
    memset(&queue_ear, 0, sizeof queue_ear);
    CHECK_STATUS(pass(wormhole, "queued.end", 1000000, 100), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("queued.*"), CTIE_RECEIVER(receive_queued, NULL), &options, NULL, NULL),
                 CTIE_OK);
    AWAIT(queue_ear.last == 1000000);
    CHECK(queue_ear.torn == 0);
    FIGURES(", %d queued", queue_ear.calls);
}

static void test_turns(uint32_t flags, int turns) {
    ctie_wormhole_options options = group_options(flags);
    ctie_durable_options queue = CTIE_DURABLE_OPTIONS_INIT;
    unsigned seed = 7 + flags;
    int failed = checks_failed;
    char identifier[32];
    srand(seed);
    memset(&model, 0, sizeof model);
    options.map_size = options.max_map_size = STORE;
    options.max_value_size = 2 * LARGEST;
    ctie_wormhole *wormhole = open_group_with(&options);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("queued.*"), CTIE_STR("worker"), &queue, NULL), CTIE_OK);
    for (int turn = 1; turn <= turns && checks_failed <= failed; turn++) {
        int name = rand_r(&seed) % NAMES;
        if (rand_r(&seed) % 4 == 0) destroy_one(wormhole, name);
        else send_one(wormhole, name, (uint64_t)turn, random_size(&seed));
        int other = rand_r(&seed) % NAMES;
        name_of(other, &identifier);
        CHECK(current(wormhole, identifier) == (int64_t)model.number[other]);
    }
    check_queue(wormhole);
    FIGURES(", %d passed, %d destroyed, at most %zu MiB", model.passed, model.destroyed, model.largest_live >> 20);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- LMDB's list of free pages ------------------------------------------------------------------- */

/* The pages of the tree that holds the list: LMDB's structure MDB_db in the newest of the first two pages. */
static uint64_t pages_of_free_list(void) {
    unsigned char pages[2][4096];
    uint64_t commits[2], counts[3];
    char path[96];
    snprintf(path, sizeof path, "%s/data.mdb", directory);
    int file = open(path, O_RDONLY);
    CHECK(pread(file, pages, sizeof pages, 0) == sizeof pages);
    close(file);
    for (int i = 0; i < 2; i++) memcpy(&commits[i], pages[i] + 144, sizeof commits[i]);
    memcpy(counts, pages[commits[1] > commits[0]] + 48, sizeof counts);
    return counts[0] + counts[1] + counts[2];
}

static void pass_small(ctie_wormhole *wormhole) {
    for (uint64_t i = 1; i <= 3000; i++) CHECK_STATUS(pass(wormhole, "small", i, 64), CTIE_OK);
}

/* After large messages, a commit has no longer list of free pages to rewrite than before. */
static void test_free_list(uint32_t flags, bool isQueued) {
    ctie_wormhole_options options = group_options(flags);
    ctie_durable_options queue = CTIE_DURABLE_OPTIONS_INIT;
    options.map_size = 1 << 20;
    options.max_map_size = 256 << 20;
    options.max_value_size = 2 * LARGEST;
    ctie_wormhole *wormhole = open_group_with(&options);
    pass_small(wormhole);
    uint64_t before = pages_of_free_list();
    if (isQueued) {
        CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("large"), CTIE_STR("worker"), &queue, NULL), CTIE_OK);
    }
    for (uint64_t i = 1; i <= 12; i++) CHECK_STATUS(pass(wormhole, "large", i, LARGEST), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("large"), NULL, NULL, NULL), CTIE_OK);
    pass_small(wormhole);
    uint64_t after = pages_of_free_list();
    CHECK(after <= before + 2);
    FIGURES(", %llu and %llu pages", (unsigned long long)before, (unsigned long long)after);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Kills and readers --------------------------------------------------------------------------- */

#define SLOTS 6

static struct { _Atomic uint64_t passed[SLOTS]; uint32_t flags; } *shared;

static ctie_wormhole *open_medium(void) {
    ctie_wormhole_options options = group_options(shared->flags);
    options.max_map_size = 32 << 20;
    return open_group_with(&options);
}

static const char *slot_name(int slot) {
    static const char *const names[SLOTS] = {"a", "b", "c", "d", "e", "f"};
    return names[slot];
}

static size_t slot_size(unsigned *seed) { return 1000 + (size_t)rand_r(seed) % 400000; }

/* Each of the two senders has slots of its own. */
static void send_until_killed(int sender, unsigned seed) {
    ctie_wormhole *wormhole = open_medium();
    for (;;) {
        int slot = (int)(rand_r(&seed) % (SLOTS / 2)) * 2 + sender;
        uint64_t number = shared->passed[slot] + 1;
        if (rand_r(&seed) % 8 == 0) ctie_wormhole_destroy(wormhole, CTIE_STR("z"), NULL, NULL, NULL);
        else if (rand_r(&seed) % 8 == 0) pass(wormhole, "z", number, slot_size(&seed));
        else if (pass(wormhole, slot_name(slot), number, slot_size(&seed)) == CTIE_OK) shared->passed[slot] = number;
    }
}

/* Whole messages only, and each at least as new as what the sender knows of. */
static void check_slots(ctie_wormhole *wormhole) {
    for (int slot = 0; slot < SLOTS; slot++) {
        int64_t passed = (int64_t)shared->passed[slot], number = current(wormhole, slot_name(slot));
        CHECK(number >= passed);
        /* A message may be stored whose sender was killed before it knew. */
        if (number > 0 && number == passed + 1) shared->passed[slot] = (uint64_t)number;
    }
}

static void test_kills(uint32_t flags, int rounds) {
    shared->flags = flags;
    for (int slot = 0; slot < SLOTS; slot++) shared->passed[slot] = 0;
    ctie_wormhole *wormhole = open_medium();
    for (int round = 0; round < rounds; round++) {
        pid_t children[2];
        for (int i = 0; i < 2; i++) {
            if ((children[i] = fork()) != 0) continue;
            send_until_killed(i, (unsigned)(2 * round + i));
            _exit(0);
        }
        nap_ns(3000000 + rand() % 9000000);
        for (int i = 0; i < 3; i++) {
            for (int slot = 0; slot < SLOTS; slot++) CHECK(current(wormhole, slot_name(slot)) >= 0);
        }
        for (int i = 0; i < 2; i++) kill(children[i], SIGKILL);
        for (int i = 0; i < 2; i++) waitpid(children[i], NULL, 0);
        check_slots(wormhole);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    wormhole = open_medium();
    check_slots(wormhole);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Damage -------------------------------------------------------------------------------------- */

/* Has the record of a message refer to an extent that there is not. */
static int break_references(void) {
    static unsigned char bytes[4 << 20];
    char path[96];
    int broken = 0;
    snprintf(path, sizeof path, "%s/data.mdb", directory);
    int file = open(path, O_RDWR);
    ssize_t size = pread(file, bytes, sizeof bytes, 0);
    for (ssize_t i = 0; i + 32 <= size; i++) {
        /* A reference: its mark, and the size of the record at its end. */
        uint64_t reported;
        memcpy(&reported, bytes + i + 24, sizeof reported);
        if (bytes[i] != 0xFF || bytes[i + 1] != 0 || reported < 50000 || reported > 50100) continue;
        bytes[i + 16] = 0x77;
        broken++;
    }
    CHECK(pwrite(file, bytes, (size_t)size, 0) == size);
    close(file);
    return broken;
}

static void test_damage(uint32_t flags) {
    ctie_wormhole_options options = group_options(flags);
    ctie_wormhole *wormhole = open_group_with(&options);
    struct ear ear = {0};
    CHECK_STATUS(pass(wormhole, "good", 1, 1000), CTIE_OK);
    CHECK_STATUS(pass(wormhole, "bad", 1, 50000), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(break_references() > 0);
    wormhole = open_group_with(&options);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("bad"), &message, NULL), CTIE_E_CORRUPT);
    CHECK(current(wormhole, "good") == 1);
    listen_to(wormhole, CTIE_STR("bad"), "", &ear);
    AWAIT(ear.calls == 1);
    CHECK_STATUS(pass(wormhole, "bad", 2, 60000), CTIE_OK);
    CHECK(current(wormhole, "bad") == 2);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("bad"), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(pass(wormhole, "bad", 3, 50000), CTIE_OK);
    CHECK(current(wormhole, "bad") == 3);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* Finds references to records of `least` bytes or a few more. Returns how many. */
static size_t find_references(const unsigned char *bytes, size_t size, uint64_t least, size_t *positions, size_t capacity) {
    size_t count = 0;
    for (size_t i = 0; i + 32 <= size && count < capacity; i++) {
        uint64_t stated;
        memcpy(&stated, bytes + i + 24, sizeof stated);
        if (bytes[i] == 0xFF && bytes[i + 1] == 0 && stated >= least && stated < least + 100) positions[count++] = i;
    }
    return count;
}

/* Has "second", of 50,000 bytes, refer to the record of "first", of 60,000 bytes. */
static void cross_references(void) {
    static unsigned char bytes[4 << 20];
    size_t first[64], second[64];
    char path[96];
    snprintf(path, sizeof path, "%s/data.mdb", directory);
    int file = open(path, O_RDWR);
    ssize_t size = pread(file, bytes, sizeof bytes, 0);
    CHECK(size > 0);
    CHECK(find_references(bytes, (size_t)size, 60000, first, 64) > 0);
    size_t count = find_references(bytes, (size_t)size, 50000, second, 64);
    CHECK(count > 0);
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + second[i] + 4, bytes + first[0] + 4, 16);
        memcpy(bytes + second[i] + 24, bytes + first[0] + 24, 8);
    }
    CHECK(pwrite(file, bytes, (size_t)size, 0) == size);
    close(file);
}

/* A damaged reference gives no other message's bytes, and does not release that message's extent. */
static void test_crossed_references(uint32_t flags) {
    ctie_wormhole_options options = group_options(flags);
    ctie_wormhole *wormhole = open_group_with(&options);
    ctie_message *message = NULL;
    CHECK_STATUS(pass(wormhole, "first", 1, 60000), CTIE_OK);
    CHECK_STATUS(pass(wormhole, "second", 2, 50000), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    cross_references();
    wormhole = open_group_with(&options);
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("second"), &message, NULL), CTIE_E_CORRUPT);
    CHECK(current(wormhole, "first") == 1);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("second"), NULL, NULL, NULL), CTIE_OK);
    for (uint64_t i = 3; i < 12; i++) {
        CHECK_STATUS(pass(wormhole, i % 2 == 0 ? "third" : "fourth", i, 59000), CTIE_OK);
        CHECK(current(wormhole, "first") == 1);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    test_free_list(0, false);
    test_free_list(CTIE_WORMHOLE_FAST, true);
    test_turns(0, test_rounds(3000));
    test_turns(CTIE_WORMHOLE_FAST, test_rounds(3000));
    test_kills(0, test_rounds(60));
    test_kills(CTIE_WORMHOLE_FAST, test_rounds(60));
    test_kills(CTIE_WORMHOLE_SYSTEM, test_rounds(20));
    test_damage(0);
    test_damage(CTIE_WORMHOLE_FAST);
    test_crossed_references(0);
    test_crossed_references(CTIE_WORMHOLE_FAST);
    return check_end();
}
