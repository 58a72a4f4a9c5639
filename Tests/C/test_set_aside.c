/* A store that cannot be trusted is set aside, and only the log of the process that opens it reports that. */
#define _GNU_SOURCE
#include "check.h"
#include "group.h"

#include <fcntl.h>
#include <glob.h>

/* The log and the result of opening a wormhole. */
typedef struct story {
    char text[1024];
    int lines;
    int32_t level;
    int ends;
    int lines_at_end;
    ctie_status release_inside; /* of another wormhole, which the log closes */
    ctie_wormhole *other;
} story;

static void note(int32_t level, ctie_str message, void *user_data) {
    story *story = user_data;
    story->level = level;
    story->lines++;
    snprintf(story->text, sizeof story->text, "%.*s", (int)message.size, message.data);
    if (story->other != NULL) story->release_inside = ctie_wormhole_release(story->other);
    story->other = NULL;
}

static void note_end(void *user_data) {
    story *story = user_data;
    story->ends++;
    story->lines_at_end = story->lines;
}

/* Does what `opens` does with standard error in a file; gives how many bytes were written there. */
static long reported_on_stderr(void (*opens)(story *), story *story) {
    char path[96];
    snprintf(path, sizeof path, "%s.log", directory);
    int before = dup(2), file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, 2);
    opens(story);
    dup2(before, 2);
    close(before);
    long size = (long)lseek(file, 0, SEEK_END);
    close(file);
    unlink(path);
    return size;
}

static void open_and_use(story *story) {
    ctie_wormhole_options options = group_options(0);
    ctie_wormhole *wormhole = NULL;
    options.log = CTIE_LOGGER_OWNED(note, story, note_end);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_OK);
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == -1);
    CHECK_STATUS(pass_int(wormhole, "new", 1), CTIE_OK);
    CHECK(story->ends == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(story->ends == 1);
}

static void open_without_log(story *story) {
    (void)story;
    ctie_wormhole *wormhole = open_group();
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == -1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* There is a store there that cannot be trusted. */
static void check_reported(const char *why) {
    story story = {0};
    CHECK(reported_on_stderr(open_and_use, &story) == 0);
    CHECK(story.lines == 1 && story.level == CTIE_LOG_WARNING && strstr(story.text, directory) != NULL);
    CHECK(strstr(story.text, why) != NULL && strstr(story.text, "data.mdb.stale-") != NULL);
    CHECK(story.lines_at_end == 1);
}

static void make_group(void) {
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "kept", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static int count_files(const char *pattern) {
    char path[96];
    glob_t found = {0};
    snprintf(path, sizeof path, "%s/%s", directory, pattern);
    int count = glob(path, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return count;
}

static void make_group_without_wakeups(void) {
    char path[96];
    make_group();
    snprintf(path, sizeof path, "%s/wakeups", directory);
    CHECK(unlink(path) == 0);
}

static void test_store_without_wakeups(void) {
    make_group_without_wakeups();
    check_reported("has no file");
    CHECK(count_files("data.mdb.stale-*") == 1);
    remove_directory();
}

static void test_silent_without_log(void) {
    make_group_without_wakeups();
    CHECK(reported_on_stderr(open_without_log, NULL) == 0);
    remove_directory();
}

/* A log is a callback as any other: calls that would wait inside it do not. */
static void test_log_closes_another(void) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    story story = {0};
    options.flags = CTIE_WORMHOLE_MEMORY;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("other"), &options, &story.other, NULL), CTIE_OK);
    make_group_without_wakeups();
    open_and_use(&story);
    CHECK_STATUS(story.release_inside, CTIE_PENDING);
    remove_directory();
}

/* A failed open has nothing to log, and its log is destroyed. */
static void test_refused_opening(void) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    story story = {0};
    options.log = CTIE_LOGGER_OWNED(note, &story, note_end);
    options.flags = CTIE_WORMHOLE_MEMORY | CTIE_WORMHOLE_FAST;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_E_INVALID);
    options.flags = 1u << 31;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, NULL, NULL), CTIE_E_INVALID);
    CHECK(story.ends == 3 && story.lines == 0);
}

static void test_orderly_store(void) {
    make_group();
    ctie_wormhole *wormhole = open_group();
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == 1 && count_files("*.stale-*") == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* LMDB would follow the wrong number of a page wherever it leads. */
static void test_damaged_page(void) {
    char path[96];
    uint64_t wrong = UINT64_C(0x123456789);
    ctie_wormhole_options options = group_options(0);
    ctie_wormhole *wormhole = NULL;
    ctie_error *error = NULL;
    story story = {0};
    options.log = CTIE_LOGGER_OWNED(note, &story, note_end);
    make_group();
    snprintf(path, sizeof path, "%s/data.mdb", directory);
    int file = open(path, O_RDWR);
    for (off_t page = 2; page < 8; page++) CHECK(pwrite(file, &wrong, sizeof wrong, page * 4096) == sizeof wrong);
    close(file);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, &error), CTIE_E_CORRUPT);
    ctie_str message = ctie_error_message(error);
    CHECK(memmem(message.data, message.size, "data.mdb.stale-", 15) != NULL && count_files("data.mdb.stale-*") == 1);
    ctie_error_release(error);
    CHECK(story.lines == 1 && story.ends == 1 && story.lines_at_end == 1 && strstr(story.text, "is damaged") != NULL);
    open_without_log(NULL);
    remove_directory();
}

int main(void) {
    name_directory();
    test_damaged_page();
    test_store_without_wakeups();
    test_silent_without_log();
    test_log_closes_another();
    test_refused_opening();
    test_orderly_store();
    return check_end();
}
