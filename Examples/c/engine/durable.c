/* Durable consumers and their messages in hand. */
#define _GNU_SOURCE
#include "durable.h"
#include "member.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Files ------------------------------------------------------------------------------------- */

typedef struct search {
    const directory *in;
    const char *topic, *name;
    char *file;
    durable *room;
    ctie_status status;
} search;

/* A file that cannot be read may be the one: a second one of that name would get its messages again. */
static bool is_other(const char *file, void *context) {
    search *it = (search *)context;
    it->status = durable_load(it->in, file, it->room);
    if (it->status != CTIE_OK) return false;
    if (strcmp(it->room->topic, it->topic) != 0 || strcmp(it->room->name, it->name) != 0) return true;
    it->status = copy_text(it->file, NUMBER_MOST, ctie_str_from(file));
    return false;
}

ctie_status durable_find(const directory *it, const char *topic, const char *name, char file[NUMBER_MOST]) {
    search what = {it, topic, name, file, (durable *)malloc(sizeof(durable)), CTIE_OK};
    if (what.room == NULL) return CTIE_E_NO_MEMORY;
    file[0] = 0;
    ctie_status status = directory_list(it, "durables", is_other, &what);
    free(what.room);
    if (status == CTIE_OK) status = what.status;
    return status == CTIE_OK && file[0] == 0 ? CTIE_E_NOT_FOUND : status;
}

static size_t size_of(const durable *it) { return offsetof(durable, claims) + it->claim_count * sizeof *it->claims; }

ctie_status durable_load(const directory *it, const char *name, durable *out) {
    int file = directory_file(it, "durables", name, O_RDONLY);
    if (file < 0) return status_of_errno();
    ssize_t size = read_whole(file, out, sizeof *out);
    ctie_status status = size < 0 ? status_of_errno() : CTIE_OK;
    close(file);
    if (status != CTIE_OK) return status;
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

/* The index of a claim; the number of claims if the member has it no more, because others took it for dead. */
static uint32_t index_of(const durable *in, uint64_t member, uint64_t number) {
    uint32_t index = 0;
    for (; index < in->claim_count; index++) {
        if (in->claims[index].member == member && in->claims[index].claim == number) break;
    }
    return index;
}

/* From then on it is in no hand. */
static void take_back(claim *it, int64_t due, bool was_seen) {
    it->member = it->binding = it->claim = 0;
    it->due = due;
    if (!was_seen && it->count > 0) it->count--;
}

void durable_answer(durable *of, uint64_t member, const ctie_engine_answer *answer) {
    uint32_t index = index_of(of, member, answer->claim);
    if (index == of->claim_count) return;
    claim *it = &of->claims[index];
    int64_t now = now_ns(), pause = answer->delay_ns >= 0 ? answer->delay_ns : pause_after(it->count);
    switch (answer->outcome) {
    case CTIE_ENGINE_ACKNOWLEDGED: durable_remove_claim(of, index); break;
    case CTIE_ENGINE_REJECTED: take_back(it, pause < INT64_MAX - now ? now + pause : INT64_MAX, true); break;
    default: take_back(it, 0, answer->outcome != CTIE_ENGINE_UNDELIVERED);
    }
}

bool durable_end_binding(durable *of, uint64_t member, uint64_t binding) {
    bool has_any = false;
    for (uint32_t i = 0; i < of->claim_count; i++) {
        if (of->claims[i].member != member || of->claims[i].binding != binding) continue;
        take_back(&of->claims[i], 0, false);
        has_any = true;
    }
    return has_any;
}

/* A listener may have seen what a dead member had in hand: that delivery counts. */
bool durable_bury(const directory *it, durable *in, uint64_t own) {
    bool has_any = false;
    for (uint32_t i = 0; i < in->claim_count; i++) {
        claim *each = &in->claims[i];
        if (each->member == 0 || each->member == own || member_lives(it, each->member)) continue;
        take_back(each, 0, true);
        has_any = true;
    }
    return has_any;
}
