/*
 * Power loss in system durability. One process sends, and its writes and syncs are recorded. From the record the test
 * makes the disks that a power loss could have left at any moment: an unsynced write is there, is missing, or is there
 * in part. Each is opened as after a reboot, and has every message whose sender got a success.
 */
#include "group.h"
#include "sealed.h"
#include "write_log.h"

#include <stdarg.h>

#define SENDERS 4 /* the last one passes batches */
#define BATCH 5
#define SECTOR 512
#define MAX_DISK (8 << 20)

/* ---- Another boot -------------------------------------------------------------------------------- */

static bool has_booted_again;

/* Interposes the library's function: the kernel reports another boot. */
int open(const char *path, int flags, ...) {
    static int (*real)(const char *, int, ...);
    va_list more;
    va_start(more, flags);
    int mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    FIND_REAL(real, "open");
    if (!has_booted_again || strcmp(path, "/proc/sys/kernel/random/boot_id") != 0) return real(path, flags, mode);
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "01234567-89ab-cdef-0123-456789abcdef\n", 37) != 37) abort();
    close(ends[1]);
    return ends[0];
}

/* ---- Recording ----------------------------------------------------------------------------------- */

static ctie_wormhole *open_system(void) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_SYSTEM);
    options.map_size = 1 << 20;
    options.max_map_size = MAX_DISK;
    return open_group_with(&options);
}

static void name_of(unsigned sender, unsigned part, char (*name)[32]) {
    snprintf(*name, sizeof *name, "sender.%u.%u", sender, part);
}

static struct { ctie_wormhole *wormhole; int64_t messages; } recording;

static void pass_batch(int64_t number, unsigned *seed) {
    ctie_outgoing messages[BATCH];
    char names[BATCH][32];
    for (unsigned i = 0; i < BATCH; i++) {
        name_of(SENDERS - 1, i, &names[i]);
        messages[i] = (ctie_outgoing){ctie_str_from(names[i]), sealed(number, 3 + (size_t)rand_r(seed) % 400)};
    }
    CHECK_STATUS(ctie_wormhole_send_many(recording.wormhole, messages, BATCH, NULL, NULL, NULL), CTIE_OK);
}

static void *send(void *argument) {
    unsigned sender = (unsigned)(uintptr_t)argument, seed = sender;
    char name[32];
    name_of(sender, 0, &name);
    for (int64_t number = 0; number < recording.messages; number++) {
        size_t words = 3 + (size_t)rand_r(&seed) % (rand_r(&seed) % 8 == 0 ? 6000 : 100);
        if (sender == SENDERS - 1) {
            pass_batch(number, &seed);
        } else {
            CHECK_STATUS(ctie_wormhole_send(recording.wormhole, ctie_str_from(name), sealed(number, words), NULL, NULL, NULL,
                                            NULL), CTIE_OK);
        }
        log_event(LOGGED_ANSWER, (uint64_t)number, NULL, sender);
    }
    return NULL;
}

static int record(void *unused) {
    pthread_t threads[SENDERS];
    (void)unused;
    recording.wormhole = open_system();
    for (uintptr_t i = 0; i < SENDERS; i++) pthread_create(&threads[i], NULL, send, (void *)i);
    for (uintptr_t i = 0; i < SENDERS; i++) pthread_join(threads[i], NULL);
    return 0; /* without closing */
}

/* ---- The disks that can be left ------------------------------------------------------------------ */

/* A disk, and what has been written and may not have come to it. */
struct disk {
    unsigned char *bytes;
    size_t size;
    size_t synced; /* the position in the log up to which everything is on the disk */
    int64_t reported[SENDERS];
};

static const struct log_entry *entry_at(size_t position) {
    return (const struct log_entry *)(const void *)(write_log->bytes + position);
}

static void apply(struct disk *disk, const struct log_entry *entry, size_t from, size_t to) {
    if (entry->kind == LOGGED_SIZE && entry->offset > disk->size) disk->size = (size_t)entry->offset;
    if (entry->kind != LOGGED_WRITE || entry->offset + to > MAX_DISK) return;
    memcpy(disk->bytes + entry->offset + from, (const unsigned char *)(entry + 1) + from, to - from);
    if (entry->offset + to > disk->size) disk->size = (size_t)(entry->offset + to);
}

/* Brings everything before a position of the log to the disk. */
static void sync_up_to(struct disk *disk, size_t position) {
    while (disk->synced < position) {
        const struct log_entry *entry = entry_at(disk->synced);
        apply(disk, entry, 0, entry->size);
        disk->synced += entry_stride(entry);
    }
}

/* Of what is not synced, every sector is on the disk with a chance of `percent`. */
static void lose_some(struct disk *left, size_t end, unsigned percent, unsigned *seed) {
    for (size_t position = left->synced; position < end; position += entry_stride(entry_at(position))) {
        const struct log_entry *entry = entry_at(position);
        if (entry->kind == LOGGED_SIZE && (unsigned)rand_r(seed) % 100 < percent) apply(left, entry, 0, 0);
        if (entry->kind != LOGGED_WRITE) continue;
        for (size_t from = 0, to; from < entry->size; from = to) {
            to = (size_t)((entry->offset + from) / SECTOR + 1) * SECTOR - (size_t)entry->offset;
            if (to > entry->size) to = entry->size;
            if ((unsigned)rand_r(seed) % 100 < percent) apply(left, entry, from, to);
        }
    }
}

/* ---- Looking at one ------------------------------------------------------------------------------ */

static int64_t number_of(ctie_wormhole *wormhole, unsigned sender, unsigned part) {
    ctie_message *message = NULL;
    char name[32];
    name_of(sender, part, &name);
    ctie_status status = ctie_wormhole_message(wormhole, ctie_str_from(name), &message, NULL);
    CHECK(status == CTIE_OK || status == CTIE_E_NOT_FOUND);
    int64_t number = unsealed(ctie_message_value(message));
    ctie_message_release(message);
    return number;
}

static int look(void *argument) {
    const struct disk *left = argument;
    has_booted_again = true;
    ctie_wormhole *wormhole = open_system();
    for (unsigned sender = 0; sender < SENDERS; sender++) {
        int64_t number = number_of(wormhole, sender, 0);
        CHECK(number == left->reported[sender] || number == left->reported[sender] + 1);
        for (unsigned part = 1; part < BATCH && sender == SENDERS - 1; part++) {
            CHECK(number_of(wormhole, sender, part) == number);
        }
    }
    CHECK_STATUS(pass_int(wormhole, "after", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static void put(const char *name, const unsigned char *bytes, size_t size) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static size_t get(const char *name, unsigned char *bytes, size_t size) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_RDONLY);
    ssize_t count = read(file, bytes, size);
    CHECK(count > 0);
    close(file);
    return (size_t)count;
}

/* The wakeups file, which is synced only when the last process closes the group, as at the beginning and at the end. */
static struct { unsigned char bytes[1 << 20]; size_t size; } wakeups[2];

static struct { int disks, reported, losses; } tally;

static void test_disk(const struct disk *disk, size_t end, unsigned percent, unsigned *seed) {
    static struct disk left;
    unsigned char *bytes = left.bytes != NULL ? left.bytes : share(MAX_DISK);
    left = *disk;
    left.bytes = bytes;
    memcpy(bytes, disk->bytes, MAX_DISK);
    lose_some(&left, end, percent, seed);
    put("data.mdb", left.bytes, left.size);
    put("wakeups", wakeups[tally.disks % 2].bytes, wakeups[tally.disks % 2].size);
    CHECK(in_child(look, &left) == 0);
    tally.disks++;
}

/* Goes through the log; at about `count` places in it the power fails. */
static void test_losses(struct disk *disk, int count) {
    static const unsigned percents[] = {0, 100, 50, 10, 90};
    unsigned seed = 5;
    size_t entries = 0, position = 0;
    for (; position < write_log->used; position += entry_stride(entry_at(position))) entries++;
    for (position = 0; position < write_log->used; position += entry_stride(entry_at(position))) {
        const struct log_entry *entry = entry_at(position), *one = entry_at((size_t)entry->offset);
        size_t end = position + entry_stride(entry);
        if (entry->kind == LOGGED_SYNC) sync_up_to(disk, (size_t)entry->offset);
        if (entry->kind == LOGGED_SYNC_ONE) apply(disk, one, 0, one->size);
        if (entry->kind == LOGGED_ANSWER) disk->reported[entry->size] = (int64_t)entry->offset, tally.reported++;
        if ((size_t)rand_r(&seed) % entries >= (size_t)count) continue;
        for (size_t i = 0; i < 5; i++) test_disk(disk, end, percents[i], &seed);
        tally.losses++;
    }
}

int main(void) {
    struct disk disk = {.bytes = share(MAX_DISK), .reported = {-1, -1, -1, -1}};
    name_directory();
    write_log_make();
    recording.messages = 60;
    CHECK_STATUS(ctie_wormhole_release(open_system()), CTIE_OK);
    disk.size = get("data.mdb", disk.bytes, MAX_DISK);
    wakeups[0].size = get("wakeups", wakeups[0].bytes, sizeof wakeups[0].bytes);
    write_log->is_on = true;
    CHECK(in_child(record, NULL) == 0);
    write_log->is_on = false;
    wakeups[1].size = get("wakeups", wakeups[1].bytes, sizeof wakeups[1].bytes);
    test_losses(&disk, test_rounds(40));
    FIGURES("; %d messages answered for, %d losses of power, %d disks: every one has them", tally.reported, tally.losses,
            tally.disks);
    remove_directory();
    return check_end();
}
