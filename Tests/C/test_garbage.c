/*
 * Groups with garbage in one of their files: opening and using them gives errors or answers, and neither a signal nor
 * an endless loop. A store whose pages are damaged is put out of the way, and the next opening begins a new one.
 */
#include "group.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char *const files[] = {"wakeups", "data.mdb", "lock.mdb"};
static char pristine[sizeof directory];
static unsigned seed = 11;

static unsigned any(unsigned bound) { return (unsigned)rand_r(&seed) % bound; }

/* Puts the group back as it was made. */
static void restore(void) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s && cp -rp %s %s", directory, pristine, directory);
    CHECK(system(command) == 0);
}

/* Binds a durable consumer, for which messages are kept from here on. */
static void keep_for_queue(ctie_wormhole *wormhole) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    static struct ear ear;
    options.name = CTIE_STR("worker");
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    CHECK_STATUS(ctie_wormhole_loop(wormhole, &options.loop), CTIE_OK); /* Nobody dispatches it. */
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("some.*"), CTIE_RECEIVER_OWNED(receive, &ear, forget), &options,
                                      &listener, NULL), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

/* A group with all kinds of pages: branches, leaves, extents, some of them free, lists of free pages; and of records. */
static void make_group(void) {
    ctie_wormhole_options options = group_options(0);
    char identifier[32];
    options.map_size = 1 << 20;
    ctie_wormhole *wormhole = open_group_with(&options);
    keep_for_queue(wormhole);
    for (int i = 0; i < 300; i++) {
        snprintf(identifier, sizeof identifier, "some.%d", i % 100);
        CHECK_STATUS(pass_bytes(wormhole, identifier, 10 + (size_t)i), CTIE_OK);
        if (i % 7 == 0) CHECK_STATUS(ctie_wormhole_destroy(wormhole, ctie_str_from(identifier), NULL, NULL, NULL), CTIE_OK);
        if (i % 5 == 0) CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("s"), NULL, NULL, NULL), CTIE_OK);
        if (i % 50 == 0) CHECK_STATUS(pass_bytes(wormhole, "large", 36000 + (size_t)i * 10), CTIE_OK);
        if (i % 100 == 0) CHECK_STATUS(pass_bytes(wormhole, "some.large", 65536 + (size_t)i * 10), CTIE_OK);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* Spoils a stretch of a file: single bits, or everything in it. */
static void spoil(const char *name, off_t from, unsigned size, bool bits) {
    char path[128];
    unsigned char bytes[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_RDWR);
    ssize_t count = pread(file, bytes, size, from);
    for (unsigned i = 0; i < (bits ? 1 + any(8) : (unsigned)count) && count > 0; i++) {
        if (bits) bytes[any((unsigned)count)] ^= (unsigned char)(1 << any(8));
        else bytes[i] = (unsigned char)any(256);
    }
    CHECK(count < 0 || pwrite(file, bytes, (size_t)count, from) == count);
    close(file);
}

static int receive_all(ctie_wormhole *wormhole) {
    static struct ear ear;
    ctie_listener *listener = NULL;
    ctie_wormhole_listen(wormhole, CTIE_STR("*"), CTIE_RECEIVER_OWNED(receive, &ear, forget), NULL, &listener, NULL);
    nap_ns(2000000);
    ctie_listener_release(listener);
    return ear.calls;
}

/* Uses a group in every way; the exit status tells whether it could be opened. */
static int use(void *unused) {
    ctie_wormhole_options options = group_options(0);
    ctie_wormhole *wormhole = NULL;
    char identifier[32];
    (void)unused;
    alarm(60);
    options.timeout_ms = 100;
    if (ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL) != CTIE_OK) return 2;
    for (int i = 0; i < 100; i += 3) {
        ctie_message *message = NULL;
        snprintf(identifier, sizeof identifier, "some.%d", i);
        ctie_wormhole_message(wormhole, ctie_str_from(identifier), &message, NULL);
        ctie_message_release(message);
    }
    receive_all(wormhole);
    pass_bytes(wormhole, "some.1", 3000);
    pass_bytes(wormhole, "large", 37000);
    ctie_wormhole_signal(wormhole, CTIE_STR("some.1"), NULL, NULL, NULL);
    ctie_wormhole_destroy(wormhole, CTIE_STR("some.2"), NULL, NULL, NULL);
    receive_all(wormhole);
    ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL);
    ctie_wormhole_release(wormhole);
    return 0;
}

/* The results for the damaged groups. */
static struct { int tried, refused, used; } tally;

/* Uses the group that was spoilt; `what` says how. */
static void try_using(const char *file, off_t from, unsigned size, const char *what) {
    int end = in_child(use, NULL);
    bool is_fine = end == 0 || end == 2;
    /* A store refused for its pages has been set aside. */
    if (end == 2 && strcmp(file, "data.mdb") == 0) is_fine = in_child(use, NULL) == 0;
    CHECK(is_fine);
    if (!is_fine) fprintf(stderr, "    %d: %s in %s of %u bytes at %lld\n", end, what, file, size,
                          (long long)from);
    tally.tried++;
    tally.refused += end == 2;
    tally.used += end == 0;
}

static void try_spoilt(const char *file, off_t from, unsigned size, bool bits) {
    restore();
    spoil(file, from, size, bits);
    try_using(file, from, size, bits ? "bits" : "all");
}

static void try_written(const char *name, off_t from, uint64_t number) {
    char path[128];
    restore();
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_RDWR);
    CHECK(pwrite(file, &number, sizeof number, from) == sizeof number);
    close(file);
    try_using(name, from, sizeof number, "a number");
}

/* Offsets in the two pages that describe a store: the number of the last used page, and of the commit. */
enum { LAST_PAGE = 136, COMMIT = 144 };

/* The number of used pages of a file. */
static unsigned count_pages(const char *name) {
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", pristine, name);
    int file = open(path, O_RDONLY);
    CHECK(fstat(file, &info) == 0);
    uint64_t pages = (uint64_t)info.st_size / 4096, used = 0;
    for (off_t page = 0; page < 2 && strcmp(name, "data.mdb") == 0; page++) {
        uint64_t last = 0;
        CHECK(pread(file, &last, sizeof last, page * 4096 + LAST_PAGE) == sizeof last);
        if (last >= used) used = last + 1;
    }
    close(file);
    CHECK(used <= pages);
    return (unsigned)(used > 0 ? used : pages);
}

static void test_file(const char *file, int rounds) {
    unsigned pages = count_pages(file);
    FIGURES("; %u pages of %s", pages, file);
    for (int round = 0; round < rounds; round++) {
        /* The first pages say most about the others. */
        off_t page = (off_t)(any(2) ? any(3) : any(pages)) * 4096;
        unsigned size = any(4) == 0 ? 4096 : 1 + any(any(2) ? 256 : 4096);
        try_spoilt(file, page + (any(2) ? 0 : (off_t)any(4096 - size + 1)), size, any(2));
    }
}

/* Numbers that no store gets to, in one of the two pages that describe it. */
static void test_absurd_numbers(void) {
    static const uint64_t absurd[] = {UINT64_MAX, 1ull << 63, (1ull << 63) + 1, 1ull << 60};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        for (off_t page = 0; page < 2; page++) {
            try_written("data.mdb", page * 4096 + LAST_PAGE, absurd[i]);
            try_written("data.mdb", page * 4096 + COMMIT, absurd[i]);
        }
    }
}

int main(void) {
    int rounds = test_rounds(60);
    name_directory();
    snprintf(pristine, sizeof pristine, "/tmp/crosstie-pristine-%d", (int)getpid());
    make_group();
    CHECK(rename(directory, pristine) == 0);
    for (int i = 0; i < 3; i++) test_file(files[i], rounds);
    test_absurd_numbers();
    remove_directory();
    FIGURES("; %d groups with garbage: %d refused, %d used", tally.tried, tally.refused, tally.used);
    snprintf(directory, sizeof directory, "%s", pristine);
    remove_directory();
    return check_end();
}
