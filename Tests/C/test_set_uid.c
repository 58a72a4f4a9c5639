/*
 * A program with more rights than its caller: what the environment says of directories is the caller's, and not
 * followed. The program makes a set-user-ID copy of itself for another user, which only root can; otherwise the test is
 * skipped.
 */
#define _GNU_SOURCE
#include "group.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>

enum { NOBODY = 65534, SKIPPED = 77 };

/* The copy's check: exit status 0 if it followed the environment, 1 if not. */
static int open_default_group(void) {
    ctie_wormhole *wormhole = NULL;
    char path[160];
    if (getauxval(AT_SECURE) == 0) return SKIPPED;
    snprintf(path, sizeof path, "%s/crosstie/set-uid", directory);
    ctie_status status = ctie_wormhole_open(CTIE_STR("set-uid"), NULL, &wormhole, NULL);
    ctie_wormhole_release(wormhole);
    bool has_followed = access(path, F_OK) == 0;
    if (!has_followed && status != CTIE_OK) return 2;
    return has_followed ? 0 : 1;
}

static void copy_self(const char *path) {
    char bytes[65536];
    ssize_t size;
    int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_CREAT | O_WRONLY, 0755);
    while ((size = read(from, bytes, sizeof bytes)) > 0) CHECK(write(to, bytes, (size_t)size) == size);
    CHECK(fchown(to, NOBODY, NOBODY) == 0);
    CHECK(fchmod(to, 04755) == 0);
    close(from);
    close(to);
}

static int run_copy(void *path) {
    char *arguments[] = {path, directory, NULL};
    setenv("XDG_RUNTIME_DIR", directory, 1);
    setenv("TMPDIR", directory, 1);
    execv(path, arguments);
    return SKIPPED;
}

int main(int count, char **arguments) {
    char path[80];
    if (count > 1) {
        snprintf(directory, sizeof directory, "%s", arguments[1]);
        return open_default_group();
    }
    if (geteuid() != 0) {
        printf("only root can make a set-user-ID program of somebody else\n");
        return SKIPPED;
    }
    name_directory();
    CHECK(mkdir(directory, 0777) == 0 && chmod(directory, 0777) == 0);
    snprintf(path, sizeof path, "%s/program", directory);
    copy_self(path);
    int end = in_child(run_copy, path);
    remove_directory();
    CHECK(system("rm -rf /tmp/crosstie-65534/set-uid /tmp/crosstie-65534/crosstie/set-uid") == 0);
    if (end != 1 && end != 0 && end != 2) {
        printf("no set-user-ID program runs here: %d\n", end);
        return SKIPPED;
    }
    CHECK(end == 1);
    return check_end();
}
