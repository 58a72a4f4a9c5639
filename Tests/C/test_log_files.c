/* Changes to an open group's files are logged by each wormhole that has a log, with no lock held: the log sends. */
#include "group.h"

typedef struct story {
    ctie_wormhole *wormhole;
    _Atomic int lines;
    _Atomic int sent;
    _Atomic int32_t level;
    char text[1024];
} story;

static void note(int32_t level, ctie_str message, void *user_data) {
    story *story = user_data;
    snprintf(story->text, sizeof story->text, "%.*s", (int)message.size, message.data);
    story->level = level;
    if (story->wormhole != NULL && pass_int(story->wormhole, "logged", 1) == CTIE_OK) story->sent++;
    story->lines++;
}

static ctie_wormhole *open_with_log(story *story) {
    ctie_wormhole_options options = group_options(0);
    options.log = CTIE_LOGGER(note, story);
    return story->wormhole = open_group_with(&options);
}

static bool is_reported(const story *story) {
    return story->sent == story->lines && story->level == CTIE_LOG_WARNING && strstr(story->text, directory) != NULL &&
           strstr(story->text, "were removed while it was open") != NULL;
}

static void remove_files(void) {
    char command[192];
    snprintf(command, sizeof command, "rm -f %s/wakeups %s/lock.mdb", directory, directory);
    CHECK(system(command) == 0);
}

/* A wormhole in use logs with a call, one with listeners by itself; one without a log logs nothing. */
static void test_removed_files(void) {
    story calling = {0}, listening = {0};
    ctie_wormhole *one = open_with_log(&calling), *two = open_with_log(&listening), *silent = open_group();
    struct ear ear = {0};
    listen_to(two, CTIE_STR("other"), "", &ear);
    AWAIT(ear.calls == 1);
    remove_files();
    AWAIT(pass_int(one, "a", 1) == CTIE_OK && calling.lines > 0);
    AWAIT(listening.lines > 0);
    CHECK(is_reported(&calling) && is_reported(&listening));
    CHECK(stored_int(silent, CTIE_STR("logged")) == 1);
    CHECK_STATUS(ctie_wormhole_release(silent), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(two), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(one), CTIE_OK);
}

int main(void) {
    name_directory();
    test_removed_files();
    remove_directory();
    return check_end();
}
