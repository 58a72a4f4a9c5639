/* One group, opened more than once: by two paths in a process, and by a child that was forked while it was open. */
#include "group.h"

#include <execinfo.h>
#include <sys/stat.h>

static ctie_wormhole *open_at(const char *path) {
    ctie_wormhole_options options = group_options(0);
    options.directory = ctie_str_from(path);
    return open_group_with(&options);
}

/* ---- Two paths ----------------------------------------------------------------------------------- */

/* The descriptors of this process that are data.mdb. */
static int stores_open(void) {
    char path[64], target[256];
    int count = 0;
    for (int file = 0; file < 1024; file++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        ssize_t size = readlink(path, target, sizeof target);
        count += size > 9 && memcmp(target + size - 9, "/data.mdb", 9) == 0;
    }
    return count;
}

/* A link in the path of a directory is no harm; all paths to one directory are one group, opened once. */
static void test_two_paths(void) {
    char around[160], link_to_parent[96], through[200];
    snprintf(around, sizeof around, "%s/../%s", directory, strrchr(directory, '/') + 1);
    snprintf(link_to_parent, sizeof link_to_parent, "%s.link", directory);
    snprintf(through, sizeof through, "%s%s/", link_to_parent, strrchr(directory, '/'));
    CHECK(symlink("/tmp", link_to_parent) == 0);
    ctie_wormhole *wormholes[4] = {open_group()};
    int stores = stores_open();
    wormholes[1] = open_at(around), wormholes[2] = open_at(through), wormholes[3] = open_group();
    CHECK(stores > 0 && stores_open() == stores);
    struct ear ears[4] = {{0}};
    const int count = 4;
    for (int i = 0; i < count; i++) listen_to(wormholes[i], CTIE_STR("same"), "", &ears[i]);
    for (int i = 0; i < count; i++) {
        uint64_t sequence = 0;
        CHECK_STATUS(ctie_wormhole_send(wormholes[i], CTIE_STR("same"), ctie_value_int(i), NULL, &sequence, NULL, NULL),
                     CTIE_OK);
        CHECK(sequence == (uint64_t)i + 1);
        for (int j = 0; j < count; j++) CHECK(stored_int(wormholes[j], CTIE_STR("same")) == i);
        for (int j = 0; j < count; j++) AWAIT(ears[j].value == i);
    }
    /* Closing one does not take the locks of the others away. */
    for (int i = 0; i < count; i++) {
        CHECK_STATUS(ctie_wormhole_release(wormholes[i]), CTIE_OK);
        for (int j = i + 1; j < count; j++) {
            CHECK_STATUS(pass_int(wormholes[j], "same", 10 * i + j), CTIE_OK);
            AWAIT(ears[j].value == 10 * i + j);
        }
    }
    CHECK(unlink(link_to_parent) == 0);
    remove_directory();
}

/* A directory that is moved, and one made in its place, are two groups. */
static void test_moved_directory(void) {
    char moved[80];
    snprintf(moved, sizeof moved, "%s.moved", directory);
    ctie_wormhole *first = open_group();
    CHECK_STATUS(pass_int(first, "a", 1), CTIE_OK);
    CHECK(rename(directory, moved) == 0);
    ctie_wormhole *second = open_group();
    CHECK(stored_int(second, CTIE_STR("a")) == -1);
    CHECK_STATUS(pass_int(second, "a", 2), CTIE_OK);
    CHECK_STATUS(pass_int(first, "a", 3), CTIE_OK);
    ctie_wormhole *third = open_at(moved);
    CHECK(stored_int(third, CTIE_STR("a")) == 3 && stored_int(second, CTIE_STR("a")) == 2);
    CHECK_STATUS(ctie_wormhole_release(first), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(third), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(second), CTIE_OK);
    remove_directory();
    CHECK(rename(moved, directory) == 0);
    remove_directory();
}

/* ---- Forks --------------------------------------------------------------------------------------- */

/* A child that found a lock held for ever says where. */
static void say_where(int number) {
    void *frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    _exit(number);
}

static int use_after_fork(void *argument) {
    ctie_wormhole *old = argument;
    signal(SIGALRM, say_where);
    alarm(60);
    ctie_message *message = NULL;
    CHECK_STATUS(pass_int(old, "f", 1), CTIE_E_FORKED);
    CHECK_STATUS(ctie_wormhole_signal(old, CTIE_STR("f"), NULL, NULL, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_wormhole_message(old, CTIE_STR("f"), &message, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_wormhole_destroy(old, CTIE_STR("f"), NULL, NULL, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_wormhole_listen(old, CTIE_STR("f"), CTIE_RECEIVER(receive, NULL), NULL, NULL, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_wormhole_remove_all_listeners(old), CTIE_E_FORKED);
    CHECK_STATUS(ctie_wormhole_release(old), CTIE_E_FORKED);
    ctie_wormhole *fresh = open_group();
    struct ear ear = {0};
    listen_to(fresh, CTIE_STR("f"), "", &ear);
    int64_t next = stored_int(fresh, CTIE_STR("f")) + 1;
    CHECK_STATUS(pass_int(fresh, "f", next), CTIE_OK);
    AWAIT(ear.value == next);
    CHECK_STATUS(ctie_wormhole_release(fresh), CTIE_OK);
    return 0;
}

static void *pass_all_the_time(void *argument) {
    ctie_wormhole *wormhole = argument;
    for (int64_t i = 0; pass_int(wormhole, "busy", i) == CTIE_OK; i++) continue;
    return NULL;
}

/* Threads that hold every lock of the library while their process forks are no hindrance to the child. */
static void test_forks(int forks) {
    ctie_wormhole *wormhole = open_group(), *busy = open_group();
    struct ear ear = {0};
    pthread_t threads[2];
    CHECK_STATUS(pass_int(wormhole, "f", 0), CTIE_OK);
    listen_to(wormhole, CTIE_STR("f"), "", &ear);
    /* Swift's runtime makes descriptions of types when they are first used, under locks of its own, which a child that is
     * forked in the middle of that finds held for ever: so what the threads do has been done before. */
    for (int i = 0; i < 100; i++) { CHECK_STATUS(pass_int(busy, "busy", i), CTIE_OK); }
    AWAIT(ear.calls > 0);
    backtrace(&(void *){NULL}, 1); /* loads what it needs, which a child might not be able to */
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, pass_all_the_time, busy);
    for (int64_t i = 1; i <= forks; i++) {
        CHECK(in_child(use_after_fork, wormhole) == 0);
        AWAIT(ear.value == i);
    }
    CHECK_STATUS(ctie_wormhole_release(busy), CTIE_OK);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK_STATUS(pass_int(wormhole, "f", -5), CTIE_OK);
    AWAIT(ear.value == -5);
    CHECK(ear.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    FIGURES("; %d forks while two threads passed", forks);
    remove_directory();
}

int main(void) {
    name_directory();
    test_two_paths();
    test_moved_directory();
    test_forks(test_rounds(50));
    return check_end();
}
