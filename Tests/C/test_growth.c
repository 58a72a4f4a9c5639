/* A store that grows while several processes write, read and listen, and while writers are killed. */
#include "check.h"
#include "group.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define WRITERS 2
#define READERS 2
#define MESSAGES 700 /* of up to 16 KiB each, for each writer */
#define SIZE 16384

/* The state that the processes share. */
static struct {
    _Atomic int passed[WRITERS]; /* how many messages a writer has passed */
    _Atomic int received;
    _Atomic int failures;
} *shared;

static ctie_wormhole *open_store(uint32_t flags, uint64_t largest) {
    ctie_wormhole_options options = group_options(flags);
    options.map_size = 1 << 20;
    options.max_map_size = largest;
    return open_group_with(&options);
}

/* Message `number` of a writer: its size and every byte follow from both. */
static ctie_value *content(int writer, int number) {
    static char bytes[SIZE];
    size_t size = (size_t)(SIZE / 2 + (number * 37) % (SIZE / 2));
    memset(bytes, 'a' + (writer * 7 + number) % 26, size);
    return ctie_value_bytes((ctie_str){bytes, size});
}

static ctie_status pass(ctie_wormhole *wormhole, int writer, int number) {
    char identifier[32];
    snprintf(identifier, sizeof identifier, "w%d.%d", writer, number);
    return ctie_wormhole_send(wormhole, ctie_str_from(identifier), content(writer, number), NULL, NULL, NULL, NULL);
}

static bool is_stored(ctie_wormhole *wormhole, int writer, int number) {
    char identifier[32];
    ctie_message *message = NULL;
    snprintf(identifier, sizeof identifier, "w%d.%d", writer, number);
    if (ctie_wormhole_message(wormhole, ctie_str_from(identifier), &message, NULL) != CTIE_OK) return false;
    ctie_value *expected = content(writer, number);
    bool is_equal = ctie_value_equal(ctie_message_value(message), expected);
    ctie_value_release(expected);
    ctie_message_release(message);
    return is_equal;
}

static void count_message(const ctie_message *message, void *user_data) {
    (void)user_data;
    if (ctie_message_status(message) != CTIE_OK) shared->failures++;
    shared->received++;
}

static void write_all(int writer, uint32_t flags, uint64_t largest) {
    ctie_wormhole *wormhole = open_store(flags, largest);
    for (int number = 0; number < MESSAGES; number++) {
        if (pass(wormhole, writer, number) != CTIE_OK) shared->failures++;
        shared->passed[writer]++;
    }
    ctie_wormhole_release(wormhole);
}

static void read_all(int reader, uint32_t flags) {
    ctie_wormhole *wormhole = open_store(flags, 0);
    if (ctie_wormhole_listen(wormhole, CTIE_STR("*"), CTIE_RECEIVER(count_message, NULL), NULL, NULL,
                             NULL) != CTIE_OK) {
        shared->failures++;
    }
    unsigned int seed = (unsigned int)reader;
    bool is_over = false;
    while (!is_over) {
        is_over = true;
        for (int writer = 0; writer < WRITERS; writer++) {
            int passed = shared->passed[writer];
            if (passed < MESSAGES) is_over = false;
            if (passed > 0 && !is_stored(wormhole, writer, rand_r(&seed) % passed)) shared->failures++;
        }
    }
    AWAIT(shared->received > 0); /* the writers may be done before a listener has begun */
    ctie_wormhole_release(wormhole);
}

static off_t store_size(void) {
    struct stat status;
    char path[96];
    snprintf(path, sizeof path, "%s/data.mdb", directory);
    return stat(path, &status) == 0 ? status.st_size : -1;
}

static void test_several_processes(uint32_t flags) {
    pid_t children[WRITERS + READERS];
    memset(shared, 0, sizeof *shared);
    for (int i = 0; i < WRITERS + READERS; i++) {
        if ((children[i] = fork()) != 0) continue;
        if (i < WRITERS) write_all(i, flags, 0);
        else read_all(i, flags);
        _exit(0);
    }
    for (int i = 0; i < WRITERS + READERS; i++) {
        int status = -1;
        CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
    }
    CHECK(shared->failures == 0 && shared->received > 0);
    CHECK(store_size() >= 16 << 20);
    ctie_wormhole *wormhole = open_store(0, 0);
    for (int writer = 0; writer < WRITERS; writer++) {
        for (int number = 0; number < MESSAGES; number++) CHECK(is_stored(wormhole, writer, number));
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* Writers are killed while the store grows from 1 to 8 MiB; what they had passed is there. */
static void test_killed_writers(uint32_t flags) {
    const int rounds = test_rounds(24);
    for (int round = 0; round < rounds; round++) {
        memset(shared, 0, sizeof *shared);
        ctie_wormhole *wormhole = round % 2 == 0 ? NULL : open_store(flags, 0);
        pid_t child = fork();
        if (child == 0) {
            write_all(0, flags, 0);
            _exit(0);
        }
        int enough = 20 + round * 600 / rounds;
        while (shared->passed[0] < enough) sched_yield();
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (wormhole == NULL) wormhole = open_store(flags, 0);
        int passed = shared->passed[0];
        CHECK(shared->failures == 0);
        for (int number = 0; number < passed; number++) CHECK(is_stored(wormhole, 0, number));
        for (int number = passed; number < MESSAGES; number++) CHECK_STATUS(pass(wormhole, 0, number), CTIE_OK);
        for (int number = 0; number < MESSAGES; number++) CHECK(is_stored(wormhole, 0, number));
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
        remove_directory();
    }
}

/* No file may get larger than 2 MiB and a bit: what a full disk says, too, when more is to be had. */
static void test_full_disk(uint32_t flags) {
    struct rlimit before, limit;
    ctie_wormhole *wormhole = open_store(flags, 0);
    int count = 0;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit = before;
    limit.rlim_cur = (2 << 20) + 100000;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    ctie_status status = CTIE_OK;
    while ((status = pass(wormhole, 0, count)) == CTIE_OK && count < 10000) count++;
    CHECK_STATUS(status, CTIE_E_NO_SPACE);
    CHECK(store_size() == (2 << 20) + 65536 && count > 100);
    for (int number = 0; number < count; number++) CHECK(is_stored(wormhole, 0, number));
    for (int number = 0; number < 8; number++) {
        char identifier[32];
        snprintf(identifier, sizeof identifier, "w0.%d", number);
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, ctie_str_from(identifier), NULL, NULL, NULL), CTIE_OK);
    }
    CHECK_STATUS(pass(wormhole, 0, 0), CTIE_OK);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    for (int number = 0; number < MESSAGES; number++) CHECK_STATUS(pass(wormhole, 0, number), CTIE_OK);
    CHECK(store_size() >= 8 << 20);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    signal(SIGXFSZ, SIG_IGN);
    const uint32_t flags[] = {0, CTIE_WORMHOLE_FAST};
    for (int i = 0; i < 2; i++) {
        test_several_processes(flags[i]);
        test_killed_writers(flags[i]);
        test_full_disk(flags[i]);
    }
    return check_end();
}
