/* File cleaners leave a group in use alone; and what is removed while its members only keep it open is brought back. */
#define _GNU_SOURCE
#include "cleaner.h"
#include "moved_clock.h"
#include "removal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

/* The state that the processes share. */
static struct {
    _Atomic bool is_over;
    _Atomic int ready;
} *scene;

/* ---- Cleaners that go by locks, or by the sticky bit --------------------------------------------- */

static mode_t mode_of(const char *name) {
    char path[128];
    struct stat status = {0};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    CHECK(stat(path, &status) == 0);
    return status.st_mode;
}

/* Whether a cleaner would have the lock that it takes before it cleans a directory. */
static bool can_be_cleaned(void) {
    int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_locked = flock(file, LOCK_EX | LOCK_NB) == 0;
    close(file);
    return is_locked;
}

static void test_marks(void) {
    ctie_wormhole *first = open_group(), *second = open_group();
    for (size_t index = 0; index < 3; index++) CHECK((mode_of(FILES[index]) & (S_ISVTX | 0777)) == (S_ISVTX | 0600));
    CHECK((mode_of("opening") & (S_ISVTX | 0777)) == (S_ISVTX | 0600));
    CHECK(!can_be_cleaned());
    CHECK_STATUS(ctie_wormhole_release(first), CTIE_OK);
    CHECK(!can_be_cleaned());
    pid_t child = fork_child();
    if (child == 0) {
        pause();
        _exit(0);
    }
    CHECK_STATUS(ctie_wormhole_release(second), CTIE_OK);
    CHECK(can_be_cleaned());
    kill_child(child);
    remove_directory();
}

static void test_systemd(void) {
    char parent[64], path[128];
    if (system("command -v systemd-tmpfiles >/dev/null 2>&1") != 0) {
        FIGURES("; there is no systemd-tmpfiles");
        return;
    }
    name_directory_inside(parent);
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "kept", 1), CTIE_OK);
    if (clean_with_systemd(parent)) {
        for (size_t index = 0; index < 3; index++) {
            CHECK(has_files());
            /* It is the lock that counts here. */
            snprintf(path, sizeof path, "%s/%s", directory, FILES[index]);
            CHECK(chmod(path, 0600) == 0);
        }
        CHECK(clean_with_systemd(parent) && has_files());
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
        CHECK(clean_with_systemd(parent) && !has_files());
    } else {
        FIGURES("; systemd-tmpfiles does not clean here");
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    }
    memcpy(directory, parent, sizeof directory);
    remove_directory();
}

/* ---- Cleaners that go by times alone --------------------------------------------------------------- */

static void make_old(void) {
    const struct timespec times[2] = {{.tv_sec = 86400}, {.tv_sec = 86400}};
    char path[128];
    for (size_t index = 0; index < 3; index++) {
        snprintf(path, sizeof path, "%s/%s", directory, FILES[index]);
        CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
    }
    CHECK(utimensat(AT_FDCWD, directory, times, 0) == 0);
}

/* The number of files, the directory included, that look old. */
static int count_old(void) {
    char path[128];
    struct stat status = {0};
    int count = 0;
    for (size_t index = 0; index < 3; index++) {
        snprintf(path, sizeof path, "%s/%s", directory, FILES[index]);
        CHECK(stat(path, &status) == 0);
        count += status.st_mtim.tv_sec == 86400 && status.st_atim.tv_sec == 86400;
    }
    CHECK(stat(directory, &status) == 0);
    return count + (status.st_mtim.tv_sec == 86400 && status.st_atim.tv_sec == 86400);
}

/* Once an hour the times of a group in use are set to now. */
static void test_times(void) {
    ctie_wormhole *wormhole = open_group();
    move_clock(3601 * 1000);
    CHECK_STATUS(pass_int(wormhole, "kept", 1), CTIE_OK);
    for (int hour = 0; hour < 3; hour++) {
        make_old();
        /* A look within the hour. */
        move_clock(1800 * 1000);
        CHECK_STATUS(pass_int(wormhole, "kept", 2), CTIE_OK);
        CHECK(count_old() >= 3); /* all but what the message itself changed */
        move_clock(1801 * 1000);
        CHECK_STATUS(pass_int(wormhole, "kept", 3), CTIE_OK);
        CHECK(count_old() == 0);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Those that are not listening ---------------------------------------------------------------- */

static void test_last_one_leaves(void) {
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "kept", 7), CTIE_OK);
    remove_directory();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    wormhole = open_group();
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == 7);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* The process that has it open opens the path again. */
static void test_same_process(void) {
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "kept", 7), CTIE_OK);
    remove_directory();
    ctie_wormhole *other = open_group();
    CHECK(stored_int(other, CTIE_STR("kept")) == 7);
    CHECK_STATUS(pass_int(wormhole, "kept", 8), CTIE_OK);
    CHECK(stored_int(other, CTIE_STR("kept")) == 8);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    remove_directory();
}

static int idle(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "kept", 7), CTIE_OK);
    scene->ready = 1;
    AWAIT(scene->ready == 2);
    /* It looks once a second. */
    AWAIT(stored_int(wormhole, CTIE_STR("kept")) == 7 && has_files());
    scene->ready = 3;
    AWAIT(scene->is_over);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return checks_failed != 0;
}

/* While nobody notices, nobody else can open the group, and nothing is set aside. */
static void test_nobody_notices(void) {
    memset(scene, 0, sizeof *scene);
    pid_t child = start_child(idle, NULL);
    AWAIT(scene->ready == 1);
    remove_wakeups();
    ctie_wormhole_options options = group_options(0);
    options.timeout_ms = 50;
    ctie_wormhole *wormhole = NULL;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_E_TIMEOUT);
    scene->ready = 2;
    AWAIT(scene->ready == 3);
    wormhole = open_group();
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == 7);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    scene->is_over = true;
    CHECK(end_of_child(child) == 0);
    remove_directory();
}

static int open_and_fork(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "kept", 7), CTIE_OK);
    pid_t child = fork();
    if (child == 0) {
        scene->ready = (int)getpid();
        while (true) pause();
    }
    AWAIT(scene->ready != 0);
    kill(getpid(), SIGKILL);
    return 1;
}

/* A child that was forked shares its parent's open files; it does not keep the directory for a dead one. */
static void test_forked_child(void) {
    memset(scene, 0, sizeof *scene);
    CHECK(in_child(open_and_fork, NULL) == -SIGKILL);
    CHECK(can_be_cleaned());
    ctie_wormhole *wormhole = open_group();
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == 7);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    kill(scene->ready, SIGKILL);
    remove_directory();
}

int main(void) {
    scene = share(sizeof *scene);
    name_directory();
    test_marks();
    test_systemd();
    test_times();
    test_last_one_leaves();
    test_same_process();
    test_nobody_notices();
    test_forked_child();
    return check_end();
}
