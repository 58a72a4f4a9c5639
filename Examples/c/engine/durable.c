/* Durable consumers, and the members that have their messages in hand. */
#define _GNU_SOURCE
#include "durable.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- Files ------------------------------------------------------------------------------------- */

typedef struct search {
    const directory *in;
    const char *topic, *name;
    char *file;
    durable *room;
} search;

static bool is_other(const char *file, void *context) {
    search *it = (search *)context;
    if (durable_load(it->in, file, it->room) != CTIE_OK) return true;
    if (strcmp(it->room->topic, it->topic) != 0 || strcmp(it->room->name, it->name) != 0) return true;
    snprintf(it->file, 24, "%s", file);
    return false;
}

ctie_status durable_find(const directory *it, const char *topic, const char *name, char file[24]) {
    search what = {it, topic, name, file, (durable *)malloc(sizeof(durable))};
    if (what.room == NULL) return CTIE_E_NO_MEMORY;
    file[0] = 0;
    ctie_status status = directory_list(it, "durables", is_other, &what);
    free(what.room);
    return status == CTIE_OK && file[0] == 0 ? CTIE_E_NOT_FOUND : status;
}

static size_t size_of(const durable *it) { return offsetof(durable, claims) + it->claim_count * sizeof *it->claims; }

ctie_status durable_load(const directory *it, const char *name, durable *out) {
    int file = directory_file(it, "durables", name, O_RDONLY);
    if (file < 0) return status_of_errno();
    ssize_t size = read(file, out, sizeof *out);
    close(file);
    bool is_whole = size >= (ssize_t)offsetof(durable, claims) && out->claim_count <= CLAIMS_MOST &&
                    (size_t)size == size_of(out) && memchr(out->topic, 0, ID_MOST) && memchr(out->name, 0, ID_MOST);
    return is_whole ? CTIE_OK : CTIE_E_CORRUPT;
}

ctie_status durable_save(const directory *it, const char *file, const durable *from) {
    return directory_replace(it, "durables", file, from, size_of(from));
}

/* ---- Claims ------------------------------------------------------------------------------------ */

uint32_t durable_due(const durable *in) {
    uint32_t found = CLAIMS_MOST;
    int64_t now = now_ns();
    for (uint32_t i = 0; i < in->claim_count; i++) {
        if (in->claims[i].member != 0 || in->claims[i].due > now) continue;
        if (found == CLAIMS_MOST || in->claims[i].number < in->claims[found].number) found = i;
    }
    return found;
}

int64_t durable_next_due(const durable *in) {
    int64_t next = INT64_MAX;
    for (uint32_t i = 0; i < in->claim_count; i++) {
        if (in->claims[i].member == 0 && in->claims[i].due < next) next = in->claims[i].due;
    }
    return next;
}

void durable_remove_claim(durable *from, uint32_t index) { from->claims[index] = from->claims[--from->claim_count]; }

/* Each rejection waits twice as long as the one before, from 100 ms on. */
static int64_t pause_after(uint32_t count) {
    uint32_t doublings = count < 2 ? 0 : count > 9 ? 8 : count - 1;
    return (int64_t)100000000 << doublings;
}

/* The index of a claim; the number of claims if the member has none of it, because it was taken for dead. */
static uint32_t index_of(const durable *in, uint64_t member, uint64_t number) {
    uint32_t index = 0;
    while (index < in->claim_count && (in->claims[index].member != member || in->claims[index].claim != number)) index++;
    return index;
}

void durable_answer(durable *of, uint64_t member, const ctie_engine_answer *answer) {
    uint32_t index = index_of(of, member, answer->claim);
    if (index == of->claim_count) return;
    claim *it = &of->claims[index];
    if (answer->outcome == CTIE_ENGINE_ACKNOWLEDGED) return durable_remove_claim(of, index);
    int64_t now = now_ns(), pause = answer->delay_ns >= 0 ? answer->delay_ns : pause_after(it->count);
    it->due = answer->outcome != CTIE_ENGINE_REJECTED ? 0 : pause < INT64_MAX - now ? now + pause : INT64_MAX;
    it->member = it->claim = 0;
    if (answer->outcome == CTIE_ENGINE_UNDELIVERED) it->count--;
}

bool durable_end_binding(durable *of, uint64_t member, uint64_t binding) {
    bool has_any = false;
    for (uint32_t i = 0; i < of->claim_count; i++) {
        claim *it = &of->claims[i];
        if (it->member != member || it->binding != binding) continue;
        it->member = it->claim = 0, it->due = 0, it->count--;
        has_any = true;
    }
    return has_any;
}

bool durable_bury(const directory *it, durable *in, uint64_t own) {
    bool has_any = false;
    for (uint32_t i = 0; i < in->claim_count; i++) {
        claim *each = &in->claims[i];
        if (each->member == 0 || each->member == own || member_lives(it, each->member)) continue;
        each->member = each->claim = 0, each->due = 0; /* perhaps it was seen: its delivery counts */
        has_any = true;
    }
    return has_any;
}

/* ---- Members ----------------------------------------------------------------------------------- */

typedef struct card {
    int64_t since;
    int32_t pid;
    uint32_t name_size;
    char name[64];
} card;

static void name_of(uint64_t number, char out[24]) { snprintf(out, 24, "%020llu", (unsigned long long)number); }

/* The kernel releases this lock when the process ends, however it ends, and all children that it has made without exec(). */
int member_join(const directory *it, uint64_t number, const ctie_engine_host *host) {
    char name[24];
    card about = {now_ns(), host->pid, (uint32_t)(host->name.size <= 64 ? host->name.size : 64), {0}};
    if (about.name_size > 0) memcpy(about.name, host->name.data, about.name_size);
    name_of(number, name);
    int file = directory_file(it, "members", name, O_RDWR | O_CREAT | O_EXCL);
    if (file < 0) return -1;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && write(file, &about, sizeof about) == sizeof about) return file;
    close(file);
    return -1;
}

void member_leave(const directory *it, uint64_t number, int file) {
    char name[24];
    name_of(number, name);
    directory_remove(it, "members", name);
    flock(file, LOCK_UN);
    close(file);
}

/* The card of a living member; the file of a dead one is removed. */
static bool read_card(const directory *it, const char *name, card *out) {
    int file = directory_file(it, "members", name, O_RDONLY);
    if (file < 0) return false;
    bool lives = flock(file, LOCK_EX | LOCK_NB) != 0;
    if (!lives) directory_remove(it, "members", name);
    bool is_whole = read(file, out, sizeof *out) == sizeof *out && out->name_size <= sizeof out->name;
    close(file);
    return lives && is_whole;
}

bool member_lives(const directory *it, uint64_t number) {
    char name[24];
    card about;
    name_of(number, name);
    return read_card(it, name, &about);
}

typedef struct listing {
    const directory *in;
    uint64_t own;
    ctie_engine_member_fn visit;
    void *context;
} listing;

static bool show_member(const char *name, void *context) {
    listing *it = (listing *)context;
    card about;
    if (!read_card(it->in, name, &about)) return true;
    ctie_engine_member member = {sizeof member, {about.name, about.name_size}, about.since, about.pid,
                                 strtoull(name, NULL, 10) == it->own};
    return it->visit(&member, it->context);
}

ctie_status members_visit(const directory *it, uint64_t own, ctie_engine_member_fn visit, void *context) {
    listing what = {it, own, visit, context};
    return directory_list(it, "members", show_member, &what);
}
