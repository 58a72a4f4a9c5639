/* A store that cannot be trusted is put out of the way, and that is told on standard error. */
#include "check.h"
#include "group.h"

#include <fcntl.h>
#include <glob.h>

/* Does what follows with standard error in a file; gives what was written there. */
static const char *told_by_opening(void) {
    static char text[1024];
    char path[96];
    snprintf(path, sizeof path, "%s.log", directory);
    int before = dup(2), file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, 2);
    ctie_wormhole *wormhole = open_group();
    dup2(before, 2);
    close(before);
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == -1);
    CHECK_STATUS(pass_int(wormhole, "new", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = 0;
    close(file);
    unlink(path);
    return text;
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

static void test_store_without_bells(void) {
    char path[96];
    make_group();
    snprintf(path, sizeof path, "%s/bells", directory);
    CHECK(unlink(path) == 0);
    const char *text = told_by_opening();
    CHECK(strstr(text, directory) != NULL && strstr(text, "has no file bells") != NULL);
    CHECK(strstr(text, "data.mdb.stale-") != NULL && count_files("data.mdb.stale-*") == 1);
    remove_directory();
}

static void test_orderly_store(void) {
    make_group();
    ctie_wormhole *wormhole = open_group();
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == 1 && count_files("*.stale-*") == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    test_store_without_bells();
    test_orderly_store();
    return check_end();
}
