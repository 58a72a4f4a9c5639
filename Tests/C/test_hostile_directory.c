/* Directories and files that somebody has prepared: each is refused with its status, and nothing outside is touched. */
#define _GNU_SOURCE
#include "group.h"
#include "interpose.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>

static const char *const files[] = {"wakeups", "data.mdb", "lock.mdb"};
static const int file_count = sizeof files / sizeof *files;
static int refusals;

static ctie_status try_open(const char *path) {
    ctie_wormhole_options options = group_options(0);
    ctie_wormhole *wormhole = NULL;
    options.directory = ctie_str_from(path);
    options.timeout_ms = 200;
    ctie_status status = ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL);
    CHECK((status == CTIE_OK) == (wormhole != NULL));
    if (wormhole != NULL) CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return status;
}

static void refuse(const char *path, ctie_status expected) {
    CHECK_STATUS(try_open(path), expected);
    refusals++;
}

static void make_group(void) {
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "kept", 7), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void check_group(void) {
    ctie_wormhole *wormhole = open_group();
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == 7);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void make_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    CHECK(bind(file, (struct sockaddr *)&address, sizeof address) == 0);
    close(file);
}

/* Other things than a plain file or directory, under its name. `aside` is the new path of the real one. */
static void put_link(const char *path, const char *aside) { CHECK(symlink(aside, path) == 0); }
static void put_dead_link(const char *path, const char *aside) {
    (void)aside;
    CHECK(symlink("/nowhere/at/all", path) == 0);
}
static void put_link_to_itself(const char *path, const char *aside) { (void)aside, CHECK(symlink(path, path) == 0); }
static void put_device(const char *path, const char *aside) { (void)aside, CHECK(symlink("/dev/zero", path) == 0); }
static void put_fifo(const char *path, const char *aside) { (void)aside, CHECK(mkfifo(path, 0600) == 0); }
static void put_socket(const char *path, const char *aside) { (void)aside, make_socket(path); }

typedef void put_fn(const char *path, const char *aside);
static put_fn *const kinds[] = {put_link, put_dead_link, put_link_to_itself, put_device, put_fifo, put_socket};

/* ---- The directory ------------------------------------------------------------------------------- */

static void test_other_kinds_of_directory(void) {
    char aside[80];
    snprintf(aside, sizeof aside, "%s.aside", directory);
    make_group();
    CHECK(rename(directory, aside) == 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kinds[i](directory, aside);
        refuse(directory, CTIE_E_UNSAFE);
        CHECK(unlink(directory) == 0);
    }
    close(open(directory, O_CREAT | O_WRONLY, 0600));
    refuse(directory, CTIE_E_UNSAFE);
    CHECK(unlink(directory) == 0);
    CHECK(rename(aside, directory) == 0);
    check_group();
}

static void test_rights_of_directory(void) {
    static const mode_t modes[] = {0770, 0707, 0777, 0720, 0702, 01777};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK(chmod(directory, modes[i]) == 0);
        refuse(directory, CTIE_E_UNSAFE);
    }
    CHECK(chmod(directory, 0700) == 0);
    if (geteuid() == 0) {
        CHECK(chown(directory, 12345, 0) == 0);
        refuse(directory, CTIE_E_UNSAFE);
        CHECK(chown(directory, 0, 0) == 0);
    }
    check_group();
}

static void test_paths(void) {
    char path[5000];
    ctie_wormhole_options options = group_options(0);
    ctie_wormhole *wormhole = NULL;
    snprintf(path, sizeof path, "%s/missing/below", directory);
    refuse(path, CTIE_E_SYSTEM);
    memset(path, 'a', sizeof path - 1);
    path[0] = '/', path[sizeof path - 1] = 0;
    refuse(path, CTIE_E_LIMIT);
    options.directory = (ctie_str){"/tmp\0x", 6};
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_E_INVALID);
}

/* ---- The files ----------------------------------------------------------------------------------- */

static void paths_of(const char *file, char (*path)[128], char (*aside)[128]) {
    snprintf(*path, sizeof *path, "%s/%s", directory, file);
    snprintf(*aside, sizeof *aside, "%s.%s", directory, file);
}

static void test_other_kinds_of_file(const char *file) {
    char path[128], aside[128];
    paths_of(file, &path, &aside);
    CHECK(rename(path, aside) == 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kinds[i](path, aside);
        refuse(directory, CTIE_E_UNSAFE);
        CHECK(unlink(path) == 0);
    }
    CHECK(mkdir(path, 0700) == 0);
    refuse(directory, CTIE_E_UNSAFE);
    CHECK(rmdir(path) == 0);
    CHECK(link(aside, path) == 0);
    refuse(directory, CTIE_E_UNSAFE);
    CHECK(unlink(path) == 0);
    CHECK(rename(aside, path) == 0);
    check_group();
}

static void test_rights_of_file(const char *file) {
    static const mode_t modes[] = {0620, 0602, 0666, 0777};
    char path[128], aside[128];
    paths_of(file, &path, &aside);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK(chmod(path, modes[i]) == 0);
        refuse(directory, CTIE_E_UNSAFE);
    }
    CHECK(chmod(path, 0600) == 0);
    if (geteuid() == 0) {
        CHECK(chown(path, 12345, 0) == 0);
        refuse(directory, CTIE_E_UNSAFE);
        CHECK(chown(path, 0, 0) == 0);
    }
    check_group();
}

static void copy(const char *from, const char *to) {
    char command[300];
    snprintf(command, sizeof command, "cp -p %s %s", from, to);
    CHECK(system(command) == 0);
}

/* Cut to any length at which something ends or begins, a file is refused; nobody reads behind its end. */
static void test_truncated_file(const char *file) {
    char path[128], aside[128];
    struct stat info;
    paths_of(file, &path, &aside);
    CHECK(stat(path, &info) == 0);
    copy(path, aside);
    off_t sizes[] = {0, 1, 7, 8, 12, 16, 40, 64, 127, 256, 4095, 4096, 4097, 8191, 8192, 12288, 36864,
                     info.st_size / 2, info.st_size - 4096, info.st_size - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] >= info.st_size) continue;
        CHECK(truncate(path, sizes[i]) == 0);
        ctie_status status = try_open(directory);
        CHECK(status == CTIE_E_UNSAFE || status == CTIE_E_CORRUPT);
        refusals++;
        copy(aside, path);
    }
    CHECK(unlink(aside) == 0);
    check_group();
}

/* The locks are recreated; a store that has lost its other half is not taken for a whole one. */
static void test_missing_files(void) {
    char path[128], aside[128];
    ctie_wormhole *wormhole;
    paths_of("data.mdb", &path, &aside);
    CHECK(rename(path, aside) == 0);
    refuse(directory, CTIE_E_CORRUPT);
    CHECK(rename(aside, path) == 0);
    paths_of("lock.mdb", &path, &aside);
    CHECK(unlink(path) == 0);
    check_group();
    paths_of("wakeups", &path, &aside);
    CHECK(unlink(path) == 0);
    wormhole = open_group();
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == -1);
    CHECK_STATUS(pass_int(wormhole, "kept", 7), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    check_group();
}

static bool ends_at_allocation;

int posix_fallocate(int file, off_t offset, off_t size) {
    static int (*real)(int, off_t, off_t);
    if (ends_at_allocation) _exit(7);
    FIND_REAL(real, "posix_fallocate");
    return real(file, offset, size);
}

/* A process that dies while it recreates the locks leaves a group that the next one opens. */
static void test_death_before_the_locks_have_their_size(void) {
    char path[128], aside[128];
    int status;
    paths_of("lock.mdb", &path, &aside);
    CHECK(unlink(path) == 0);
    pid_t child = fork();
    if (child == 0) {
        ends_at_allocation = true;
        try_open(directory);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    check_group();
}

static void test_other_format(void) {
    char path[128], aside[128];
    uint32_t known = 0, newer = 0, older = 1;
    paths_of("wakeups", &path, &aside);
    int file = open(path, O_RDWR);
    CHECK(pread(file, &known, sizeof known, 8) == sizeof known && known > 0);
    for (int i = 1; i < 32; i++) {
        newer = known + ((uint32_t)1 << i);
        CHECK(pwrite(file, &newer, sizeof newer, 8) == sizeof newer);
        refuse(directory, CTIE_E_VERSION);
    }
    CHECK(older < known && pwrite(file, &older, sizeof older, 8) == sizeof older);
    refuse(directory, CTIE_E_VERSION);
    CHECK(pwrite(file, &known, sizeof known, 8) == sizeof known);
    close(file);
    check_group();
}

/* ---- Names that try to escape -------------------------------------------------------------------- */

static void test_escaping_names(void) {
    static char longest[129];
    memset(longest, 'x', sizeof longest);
    const ctie_str names[] = {CTIE_STR("../x"), CTIE_STR(".."), CTIE_STR("/etc/x"), CTIE_STR("a/b"), {"a\0b", 3},
                              {"\0", 1}, CTIE_STR(""), {longest, sizeof longest}, CTIE_STR("a\\b"), CTIE_STR("~"),
                              CTIE_STR("a.*.b"), CTIE_STR("%2e%2e"), CTIE_STR("\xC3\xA4"), CTIE_STR("a\nb")};
    ctie_wormhole *wormhole = open_group(), *none = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ctie_message *message = NULL;
        CHECK_STATUS(ctie_wormhole_open(names[i], NULL, &none, NULL), CTIE_E_IDENTIFIER);
        CHECK_STATUS(ctie_wormhole_send(wormhole, names[i], ctie_value_int(1), NULL, NULL, NULL, NULL), CTIE_E_IDENTIFIER);
        CHECK_STATUS(ctie_wormhole_signal(wormhole, names[i], NULL, NULL, NULL), CTIE_E_IDENTIFIER);
        CHECK_STATUS(ctie_wormhole_message(wormhole, names[i], &message, NULL), CTIE_E_IDENTIFIER);
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, names[i], NULL, NULL, NULL), CTIE_E_IDENTIFIER);
        CHECK_STATUS(ctie_wormhole_listen(wormhole, names[i], CTIE_RECEIVER(receive, NULL), NULL, NULL, NULL),
                     CTIE_E_IDENTIFIER);
        refusals += 6;
    }
    CHECK(none == NULL && stored_int(wormhole, CTIE_STR("kept")) == 7);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* ---- File systems ----------------------------------------------------------------------------------------- */

/* The file system type that the library sees; 0: the real one. */
static long pretended_type;

int fstatfs(int file, struct statfs *out) {
    static int (*real)(int, struct statfs *);
    FIND_REAL(real, "fstatfs");
    int result = real(file, out);
    if (pretended_type != 0) out->f_type = pretended_type;
    return result;
}

/* NFS, FUSE, SMB, virtiofs. */
static const long foreign_types[] = {0x6969, 0x65735546, 0xFE534D42, 0x6A656A63};

static void test_file_systems_that_share_no_memory(void) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_ANY_FILESYSTEM);
    remove_directory();
    make_group();
    for (size_t i = 0; i < sizeof foreign_types / sizeof *foreign_types; i++) {
        pretended_type = foreign_types[i];
        refuse(directory, CTIE_E_UNSAFE);
        ctie_wormhole *wormhole = open_group_with(&options);
        CHECK(stored_int(wormhole, CTIE_STR("kept")) == 7);
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    }
    pretended_type = 0;
    check_group();
}

int main(void) {
    name_directory();
    test_other_kinds_of_directory();
    test_rights_of_directory();
    test_paths();
    for (int i = 0; i < file_count; i++) {
        test_other_kinds_of_file(files[i]);
        test_rights_of_file(files[i]);
        test_truncated_file(files[i]);
    }
    test_missing_files();
    test_death_before_the_locks_have_their_size();
    test_other_format();
    test_escaping_names();
    test_file_systems_that_share_no_memory();
    remove_directory();
    FIGURES("; %d refusals, each with its status", refusals);
    return check_end();
}
