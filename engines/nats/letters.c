/* The dead letters of the third stream. */
#include "letter.h"

#include "collect.h"
#include "requests.h"

#include <stdlib.h>
#include <string.h>

typedef struct gathering {
    engine *it;
    letters *into;
} gathering;

static bool take(void *context, natsMsg *message, uint64_t at) {
    gathering *to = context;
    letter found;
    if (!letter_read(&to->it->names, message, at, &found)) {
        natsMsg_Destroy(message);
        return true;
    }
    if (to->into->count == to->into->room) {
        size_t room = to->into->room * 2 + 64;
        letter *items = realloc(to->into->items, room * sizeof *items);
        if (items == NULL) {
            letter_clear(&found);
            return false;
        }
        to->into->items = items, to->into->room = room;
    }
    to->into->items[to->into->count++] = found;
    return true;
}

static int by_number(const void *a, const void *b) {
    const letter *one = a, *other = b;
    if (one->in_stream != other->in_stream) { return one->in_stream < other->in_stream ? -1 : 1; }
    int bases = strcmp(one->base, other->base);
    if (bases != 0) { return bases; }
    return one->at < other->at ? -1 : one->at > other->at;
}

void letters_clear(letters *it) {
    for (size_t i = 0; i < it->count; i++) { letter_clear(&it->items[i]); }
    free(it->items);
    *it = (letters){0};
}

/* One that was changed while they were collected is there twice: its newest version stays. */
static void keep_newest(letters *it) {
    size_t kept = 0;
    for (size_t i = 0; i < it->count; i++) {
        const letter *each = &it->items[i], *next = i + 1 < it->count ? each + 1 : NULL;
        bool is_old = next != NULL && next->in_stream == each->in_stream && strcmp(next->base, each->base) == 0;
        if (is_old) { letter_clear(&it->items[i]); } else { it->items[kept++] = *each; }
    }
    it->count = kept;
}

ctie_status letters_collect(engine *it, const char *filter, int64_t deadline, letters *out) {
    enum { PAUSE_MS = 20 };
    uint64_t last = 0;
    *out = (letters){0};
    ctie_status status = fetch_last(it, it->names.durable, filter, deadline, &last);
    if (status != CTIE_OK || last == 0) { return status; } /* mostly there are none */
    gathering what = {it, out};
    collecting all = {.stream = it->names.durable, .filter = filter, .names_only = true, .most = UINT64_MAX,
                      .take = take, .context = &what};
    for (;;) {
        status = collect(it, &all, deadline);
        if (status == CTIE_OK) { break; }
        letters_clear(out);
        if (status != CTIE_E_TIMEOUT || deadline_left(deadline) <= PAUSE_MS) { return status; }
        clock_pause(PAUSE_MS);
    }
    if (out->count > 0) { qsort(out->items, out->count, sizeof *out->items, by_number); }
    keep_newest(out);
    return CTIE_OK;
}

ctie_status letters_collect_one(engine *it, const char *base, uint64_t in_stream, int64_t deadline, letters *out) {
    const ctie_str any = CTIE_STR(">"), none = {"", 0}; /* a destroying of everything has no identifier */
    char filter[LETTER_MOST];
    names_letter(&it->names, base, in_stream, any, filter);
    ctie_status status = letters_collect(it, filter, deadline, out);
    if (status != CTIE_OK || out->count > 0) { return status; }
    names_letter(&it->names, base, in_stream, none, filter);
    return letters_collect(it, filter, deadline, out);
}

ctie_status letters_numbers(engine *it, const char *base, int64_t deadline, uint64_t **out, size_t *count) {
    char filter[LETTER_MOST];
    letters all;
    *out = NULL, *count = 0;
    names_letters(&it->names, base, filter);
    ctie_status status = letters_collect(it, filter, deadline, &all);
    if (status == CTIE_OK && all.count > 0) {
        *out = calloc(all.count, sizeof **out);
        if (*out == NULL) { status = CTIE_E_NO_MEMORY; }
        for (size_t i = 0; status == CTIE_OK && i < all.count; i++) { (*out)[(*count)++] = all.items[i].in_stream; }
    }
    letters_clear(&all);
    return status;
}

/* The same letter may have another version by now, which is found by the next look. */
static ctie_status remove_before(engine *it, const letters *all, uint64_t before, int64_t deadline, size_t *count) {
    ctie_status status = CTIE_OK;
    *count = 0;
    for (size_t i = 0; i < all->count && status == CTIE_OK;) {
        requests some = {.count = 0};
        for (; i < all->count && some.count < REQUESTS_MOST && !some.has_failed; i++) {
            if (all->items[i].in_stream >= before) { continue; }
            requests_add(&some, requests_delete(it->names.durable, all->items[i].at));
            ++*count;
        }
        status = requests_ask(it, &some, deadline);
    }
    return status;
}

ctie_status letters_destroy(engine *it, ctie_str identifier, uint64_t before, int64_t deadline) {
    char filter[LETTER_MOST];
    size_t count = 1;
    ctie_status status = CTIE_OK;
    if (identifier.size == 0) {
        names_letters(&it->names, NULL, filter);
    } else {
        names_letters_of(&it->names, identifier, filter);
    }
    while (status == CTIE_OK && count > 0) {
        letters all;
        status = letters_collect(it, filter, deadline, &all);
        if (status == CTIE_OK) { status = remove_before(it, &all, before, deadline, &count); }
        letters_clear(&all);
    }
    bool is_done_later = status == CTIE_E_TIMEOUT || status == CTIE_E_UNAVAILABLE;
    return is_done_later ? fail(it, CTIE_E_UNCERTAIN, "the server has not removed all dead letters in time") : status;
}
