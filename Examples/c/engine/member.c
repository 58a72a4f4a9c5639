/*
 * The members of a group. Each holds a flock() on its file, which the kernel releases when the process has ended, in
 * whatever way. A child that the process has forked without exec() keeps the lock as long as it lives.
 */
#define _GNU_SOURCE
#include "member.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* The content of a member's file. */
typedef struct card {
    int64_t since;
    int32_t pid;
    uint32_t name_size;
    char name[64];
} card;

/* The size of a text of UTF-8 that is cut between two characters. */
static size_t cut(ctie_str text, size_t most) {
    if (text.size <= most) return text.size;
    while (most > 0 && ((unsigned char)text.data[most] & 0xC0) == 0x80) most--;
    return most;
}

static ctie_status begin(int file, const ctie_engine_host *host) {
    card about = {now_ns(), host->pid, 0, {0}};
    about.name_size = (uint32_t)cut(host->name, sizeof about.name);
    if (about.name_size > 0) memcpy(about.name, host->name.data, about.name_size);
    if (flock(file, LOCK_EX | LOCK_NB) != 0) return status_of_errno();
    ssize_t size = write(file, &about, sizeof about);
    if (size < 0) return status_of_errno();
    return size == (ssize_t)sizeof about ? CTIE_OK : CTIE_E_NO_SPACE;
}

ctie_status member_join(const directory *it, uint64_t number, const ctie_engine_host *host, int *out) {
    char name[NUMBER_MOST];
    name_of(number, name);
    int file = directory_file(it, "members", name, O_RDWR | O_CREAT | O_EXCL);
    if (file < 0) return status_of_errno();
    ctie_status status = begin(file, host);
    if (status == CTIE_OK) *out = file;
    else member_leave(it, number, file);
    return status;
}

/* A file that cannot be removed is that of a dead member, without its lock. */
void member_leave(const directory *it, uint64_t number, int file) {
    char name[NUMBER_MOST];
    name_of(number, name);
    directory_remove(it, "members", name);
    flock(file, LOCK_UN);
    close(file);
}

/*
 * Opens the file of a living member. -1 with ENOENT: it has ended, because there is no file, or its lock can be taken;
 * then the file is removed. -1 with another error says nothing about the member.
 */
static int open_living(const directory *it, const char *name) {
    int file = directory_file(it, "members", name, O_RDONLY);
    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) != 0) return file;
    directory_remove(it, "members", name);
    close(file);
    errno = ENOENT;
    return -1;
}

bool member_lives(const directory *it, uint64_t number) {
    char name[NUMBER_MOST];
    name_of(number, name);
    int file = open_living(it, name);
    if (file < 0) return errno != ENOENT;
    close(file);
    return true;
}

typedef struct listing {
    const directory *in;
    uint64_t own;
    ctie_engine_member_fn visit;
    void *context;
    ctie_status status;
} listing;

static ctie_status read_card(int file, card *out) {
    ssize_t size = read_whole(file, out, sizeof *out);
    if (size < 0) return status_of_errno();
    return size == (ssize_t)sizeof *out && out->name_size <= sizeof out->name ? CTIE_OK : CTIE_E_CORRUPT;
}

static bool show_member(const char *name, void *context) {
    listing *it = (listing *)context;
    card about;
    int file = open_living(it->in, name);
    if (file < 0 && errno == ENOENT) return true;
    it->status = file < 0 ? status_of_errno() : read_card(file, &about);
    if (file >= 0) close(file);
    if (it->status != CTIE_OK) return false;
    ctie_engine_member member = {sizeof member, {about.name, about.name_size}, about.since, about.pid,
                                 strtoull(name, NULL, 10) == it->own};
    return it->visit(&member, it->context);
}

ctie_status members_visit(const directory *it, uint64_t own, ctie_engine_member_fn visit, void *context) {
    listing what = {it, own, visit, context, CTIE_OK};
    ctie_status status = directory_list(it, "members", show_member, &what);
    return status == CTIE_OK ? what.status : status;
}
