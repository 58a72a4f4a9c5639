/*
 * A program with more rights than its caller: what the environment says of directories is the caller's, and not
 * followed. The program makes a set-user-ID copy of itself for another user, which only root can; otherwise the test is
 * skipped.
 */
#define _GNU_SOURCE
#include "addresses.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/auxv.h>

enum { NOBODY = 65534, SKIPPED = 77, HAS_FOLLOWED = 0, HAS_NOT_FOLLOWED = 1, HAS_FAILED = 2 };

/* ---- The copy: its exit status says whether it followed the environment --------------------------- */

static int open_default_group(void) {
    ctie_wormhole *wormhole = NULL;
    char path[160];
    snprintf(path, sizeof path, "%s/crosstie/set-uid", directory);
    ctie_status status = ctie_wormhole_open(CTIE_STR("set-uid"), NULL, &wormhole, NULL);
    ctie_wormhole_release(wormhole);
    bool has_followed = access(path, F_OK) == 0;
    if (!has_followed && status != CTIE_OK) return HAS_FAILED;
    return has_followed ? HAS_FOLLOWED : HAS_NOT_FOLLOWED;
}

/* The engine in the directory that the environment names needs no server. Another one finds none. */
static int open_server_group(void) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.timeout_ms = 300;
    return try_address("nats://127.0.0.1:1/shop", &options) == CTIE_OK ? HAS_FOLLOWED : HAS_NOT_FOLLOWED;
}

static int check_as(const char *what) {
    bool is_secure = getauxval(AT_SECURE) != 0;
    if (strcmp(what, "plain") == 0) return is_secure ? HAS_FAILED : open_server_group();
    if (!is_secure) return SKIPPED;
    return strcmp(what, "engine") == 0 ? open_server_group() : open_default_group();
}

/* ---- The test ------------------------------------------------------------------------------------- */

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

static char copy_path[80];

/* The plain one is a program of its owner's, and has no more rights. */
static int run_copy(void *what) {
    char *arguments[] = {copy_path, what, directory, NULL};
    setenv("XDG_RUNTIME_DIR", directory, 1);
    setenv("TMPDIR", directory, 1);
    bool is_plain = strcmp(what, "plain") == 0;
    if (is_plain && (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
                     setresuid(NOBODY, NOBODY, NOBODY) != 0)) return HAS_FAILED;
    execv(copy_path, arguments);
    return SKIPPED;
}

/* An engine that everybody may load. */
static void name_open_engine(void) {
    begin_engines();
    use_engine("server");
    CHECK(chmod(engines, 0755) == 0 && chmod(dirname(strdupa(engine_library)), 0755) == 0);
}

int main(int count, char **arguments) {
    if (count > 2) {
        snprintf(directory, sizeof directory, "%s", arguments[2]);
        return check_as(arguments[1]);
    }
    if (geteuid() != 0) {
        printf("only root can make a set-user-ID program of somebody else\n");
        return SKIPPED;
    }
    name_directory();
    CHECK(mkdir(directory, 0777) == 0 && chmod(directory, 0777) == 0);
    snprintf(copy_path, sizeof copy_path, "%s/program", directory);
    copy_self(copy_path);
    name_open_engine();
    int plain = in_child(run_copy, "plain"), engine = in_child(run_copy, "engine"), end = in_child(run_copy, "group");
    end_engines();
    remove_directory();
    CHECK(system("rm -rf /tmp/crosstie-65534/set-uid /tmp/crosstie-65534/crosstie/set-uid") == 0);
    if (end > HAS_FAILED) {
        printf("no set-user-ID program runs here: %d\n", end);
        return SKIPPED;
    }
    CHECK(plain == HAS_FOLLOWED && engine == HAS_NOT_FOLLOWED && end == HAS_NOT_FOLLOWED);
    return check_end();
}
