/* No room: in the store, on the disk, in a tmpfs. Stored messages stay readable, and destroying makes room at once. */
#define _GNU_SOURCE
#include "group.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* ---- A full store -------------------------------------------------------------------------------- */

/* Passes until there is no room; how many messages there was room for. */
static int fill(ctie_wormhole *wormhole, const char *prefix, size_t size) {
    char identifier[32];
    ctie_status status = CTIE_OK;
    int count = 0;
    for (; count < 100000; count++) {
        snprintf(identifier, sizeof identifier, "%s.%d", prefix, count);
        if ((status = pass_bytes(wormhole, identifier, size)) != CTIE_OK) break;
    }
    CHECK_STATUS(status, CTIE_E_NO_SPACE);
    return count;
}

static void check_all(ctie_wormhole *wormhole, const char *prefix, int from, int count, size_t size) {
    char identifier[32];
    for (int i = from; i < count; i++) {
        ctie_message *message = NULL;
        ctie_str bytes = {NULL, 0};
        snprintf(identifier, sizeof identifier, "%s.%d", prefix, i);
        CHECK_STATUS(ctie_wormhole_message(wormhole, ctie_str_from(identifier), &message, NULL), CTIE_OK);
        ctie_value_get_bytes(ctie_message_value(message), &bytes);
        CHECK(bytes.size == size);
        ctie_message_release(message);
    }
}

/* Fills, makes room by destroying some, fills again, and so on: messages that are not destroyed stay. */
static void fill_and_destroy(ctie_wormhole *wormhole, size_t size) {
    char identifier[32];
    int count = fill(wormhole, "full", size);
    CHECK(count > 3);
    check_all(wormhole, "full", 0, count, size);
    for (int i = 0; i < 3; i++) {
        snprintf(identifier, sizeof identifier, "full.%d", i);
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, ctie_str_from(identifier), NULL, NULL, NULL), CTIE_OK);
    }
    CHECK_STATUS(pass_bytes(wormhole, "new", size), CTIE_OK);
    check_all(wormhole, "full", 3, count, size);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(pass_bytes(wormhole, "new", size), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
}

static void test_full_store(uint32_t flags) {
    ctie_wormhole_options options = group_options(flags);
    options.max_map_size = options.map_size;
    ctie_wormhole *wormhole = open_group_with(&options);
    struct ear ear = {0};
    listen_to(wormhole, CTIE_STR("new"), "", &ear);
    for (int round = 0; round < 3; round++) {
        fill_and_destroy(wormhole, 200000);
        fill_and_destroy(wormhole, 2500);
    }
    AWAIT(ear.kind == CTIE_MESSAGE_DESTROYED);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* Queued messages of an identifier are removed, even if they occupy more pages than a full store has left to write. */
static void test_destroying_what_is_scattered(uint32_t flags, int pairs) {
    ctie_wormhole_options options = group_options(flags);
    options.map_size = options.max_map_size = 32 << 20;
    ctie_wormhole *wormhole = open_group_with(&options);
    ctie_listen_options durable = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    durable.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    durable.name = CTIE_STR("worker");
    struct ear ear = {0};
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("q.*"), CTIE_RECEIVER(receive, &ear), &durable, &listener, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    for (int i = 0; i < 2 * pairs; i++) CHECK_STATUS(pass_bytes(wormhole, i % 2 == 0 ? "q.a" : "q.b", 1000), CTIE_OK);
    fill(wormhole, "large", 200000);
    fill(wormhole, "small", 100);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("q.a"), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("q.*"), CTIE_RECEIVER(receive, &ear), &durable, NULL, NULL),
                 CTIE_OK);
    AWAIT(ear.kind == CTIE_MESSAGE_DESTROYED);
    /* The others, how many are missed, and that they were destroyed. */
    CHECK(ear.calls == pairs + 2);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- A full tmpfs -------------------------------------------------------------------------------- */

static char mount_point[64];

/* Takes all room on the file system but so many bytes. */
static void leave_room(off_t size) {
    char path[96];
    static char page[4096];
    snprintf(path, sizeof path, "%s/filler", mount_point);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    off_t used = 0;
    while (write(file, page, sizeof page) == sizeof page) used += (off_t)sizeof page;
    CHECK(ftruncate(file, used > size ? used - size : 0) == 0);
    close(file);
}

/* However little room there is, a group is made whole or not at all. */
static void test_making_without_room(uint32_t flags) {
    ctie_wormhole_options options = group_options(flags);
    options.map_size = 1 << 20;
    int made = 0, refused = 0;
    for (off_t room = 0; room < 2 << 20; room += 28 << 10) {
        ctie_wormhole *wormhole = NULL;
        leave_room(room);
        ctie_status status = ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL);
        if (status == CTIE_OK) {
            CHECK_STATUS(pass_int(wormhole, "a", room), CTIE_OK);
            CHECK(stored_int(wormhole, CTIE_STR("a")) == room);
            CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
            made++;
        } else {
            CHECK_STATUS(status, CTIE_E_NO_SPACE);
            refused++;
        }
        remove_directory();
    }
    CHECK(made > 0 && refused > 0);
    leave_room(8 << 20);
}

/* A group owns its space: once created, it works on a file system without a free page; and it grows no further. */
static void test_growing_without_room(uint32_t flags) {
    ctie_wormhole_options options = group_options(flags);
    options.map_size = 1 << 20;
    options.max_map_size = 64 << 20;
    ctie_wormhole *wormhole = open_group_with(&options), *other = NULL;
    leave_room(0);
    for (int i = 0; i < 2000; i++) CHECK_STATUS(pass_int(wormhole, "a", i), CTIE_OK);
    fill_and_destroy(wormhole, 20000);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &other, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    leave_room(3 << 20);
    fill_and_destroy(wormhole, 20000);
    leave_room(0);
    fill_and_destroy(wormhole, 20000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    wormhole = open_group_with(&options);
    fill_and_destroy(wormhole, 3000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    leave_room(8 << 20);
}

/* In a mount namespace of its own, so that nothing is left behind. */
static int use_tmpfs(void *unused) {
    (void)unused;
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0) return 77;
    if (mount("none", mount_point, "tmpfs", 0, "size=8m") != 0) return 77;
    snprintf(directory, sizeof directory, "%.40s/group", mount_point);
    test_making_without_room(0);
    test_growing_without_room(0);
    test_making_without_room(CTIE_WORMHOLE_FAST);
    test_growing_without_room(CTIE_WORMHOLE_FAST);
    return 0;
}

static void test_full_tmpfs(void) {
    snprintf(mount_point, sizeof mount_point, "/tmp/crosstie-mount-%d", (int)getpid());
    CHECK(mkdir(mount_point, 0700) == 0);
    int end = in_child(use_tmpfs, NULL);
    CHECK(end == 0 || end == 77);
    FIGURES(end == 77 ? "; no tmpfs may be mounted here" : "; a full tmpfs");
    CHECK(rmdir(mount_point) == 0);
}

int main(void) {
    name_directory();
    test_full_store(0);
    test_full_store(CTIE_WORMHOLE_FAST);
    test_destroying_what_is_scattered(0, test_rounds(3000));
    test_destroying_what_is_scattered(CTIE_WORMHOLE_FAST, test_rounds(3000));
    test_full_tmpfs();
    return check_end();
}
