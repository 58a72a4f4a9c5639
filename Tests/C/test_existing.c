/* Opening a group only if it exists: nothing is created, set aside or allocated otherwise. */
#include "group.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static ctie_status open_existing(uint32_t flags) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_EXISTING | flags);
    ctie_wormhole *wormhole = NULL;
    ctie_status status = ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL);
    CHECK((wormhole != NULL) == (status == CTIE_OK));
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return status;
}

static int count_entries(void) {
    DIR *opened = opendir(directory);
    int count = 0;
    if (opened == NULL) return -1;
    while (readdir(opened) != NULL) count++;
    closedir(opened);
    return count - 2;
}

static void test_missing(void) {
    CHECK_STATUS(open_existing(0), CTIE_E_NOT_FOUND);
    CHECK_STATUS(open_existing(CTIE_WORMHOLE_FAST), CTIE_E_NOT_FOUND);
    CHECK_STATUS(open_existing(CTIE_WORMHOLE_SYSTEM), CTIE_E_NOT_FOUND);
    CHECK(count_entries() == -1);
    /* A directory of something else. */
    CHECK(mkdir(directory, 0700) == 0);
    CHECK_STATUS(open_existing(0), CTIE_E_NOT_FOUND);
    CHECK(count_entries() == 0);
}

/* The usual places are not made either. */
static void test_usual_places(void) {
    static const uint32_t kinds[] = {0, CTIE_WORMHOLE_SYSTEM};
    setenv("XDG_RUNTIME_DIR", directory, 1);
    setenv("XDG_STATE_HOME", directory, 1);
    for (int i = 0; i < 2; i++) {
        ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
        ctie_wormhole *wormhole = NULL;
        options.flags = CTIE_WORMHOLE_EXISTING | kinds[i];
        CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_E_NOT_FOUND);
    }
    CHECK(count_entries() == 0);
}

static void test_made(void) {
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "a", 7), CTIE_OK);
    CHECK_STATUS(open_existing(0), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    /* Closed, it is still there. */
    CHECK_STATUS(open_existing(0), CTIE_OK);
    CHECK_STATUS(open_existing(CTIE_WORMHOLE_SYSTEM), CTIE_E_CONFLICT);
}

/*
 * The byte at 40 of the group's wakeups file says whether it was closed in order. If not, the machine's next start
 * makes the store stale.
 */
static bool is_closed_in_order(void) {
    char path[200];
    uint32_t reported = 0;
    snprintf(path, sizeof path, "%s/wakeups", directory);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(pread(file, &reported, sizeof reported, 40) == sizeof reported);
    close(file);
    return reported == 1;
}

/* A refused open has changed nothing. */
static void test_refused_leaves_it_closed(void) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_SYSTEM);
    ctie_wormhole *wormhole = NULL;
    CHECK(is_closed_in_order());
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_E_CONFLICT);
    CHECK(is_closed_in_order());
    wormhole = open_group();
    CHECK(!is_closed_in_order());
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(is_closed_in_order());
}

static void write_at(const char *name, off_t from, const void *bytes, size_t size) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_WRONLY);
    CHECK(pwrite(file, bytes, size, from) == (ssize_t)size);
    close(file);
}

/* A store that another process would set aside stays. */
static void test_untrusted(void) {
    uint64_t boot[3] = {3, 3, 0};
    int before = count_entries();
    write_at("wakeups", 24, boot, 20);
    CHECK_STATUS(open_existing(0), CTIE_E_NOT_FOUND);
    CHECK(count_entries() == before);
    CHECK_STATUS(ctie_wormhole_release(open_group()), CTIE_OK);
    CHECK(count_entries() == before + 3);
    remove_directory();
}

static void test_damaged(void) {
    char garbage[64];
    memset(garbage, 0xa5, sizeof garbage);
    CHECK_STATUS(ctie_wormhole_release(open_group()), CTIE_OK);
    int before = count_entries();
    for (int page = 0; page < 4; page++) write_at("data.mdb", page * 4096, garbage, sizeof garbage);
    CHECK_STATUS(open_existing(0), CTIE_E_CORRUPT);
    CHECK_STATUS(open_existing(0), CTIE_E_CORRUPT);
    CHECK(count_entries() == before);
}

static void test_in_memory(void) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *first = NULL, *second = NULL;
    options.flags = CTIE_WORMHOLE_MEMORY | CTIE_WORMHOLE_EXISTING;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &first, NULL), CTIE_E_NOT_FOUND);
    options.flags = CTIE_WORMHOLE_MEMORY;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &first, NULL), CTIE_OK);
    options.flags = CTIE_WORMHOLE_MEMORY | CTIE_WORMHOLE_EXISTING;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &second, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(second), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(first), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &first, NULL), CTIE_E_NOT_FOUND);
}

int main(void) {
    name_directory();
    test_missing();
    test_usual_places();
    test_made();
    test_refused_leaves_it_closed();
    test_untrusted();
    test_damaged();
    test_in_memory();
    remove_directory();
    return check_end();
}
