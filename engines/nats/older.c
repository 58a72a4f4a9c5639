/* Removes each message by its number. One purge with a filter would be faster. But a server of version 2.9 then moves
   every consumer with a wider filter to the first message that the purge's filter still matches, and never delivers the
   messages of other identifiers in between. Such consumers are durable ones of prefixes, and the one that copies to the
   second stream. */
#include "older.h"

#include "collect.h"
#include "requests.h"

#include <stdlib.h>
#include <string.h>

enum { PORTION = 4096 }; /* numbers: those of one are removed before the next one is asked for */

typedef struct older {
    engine *it;
    ctie_str identifier;
    size_t count;
    uint64_t numbers[PORTION];
} older;

static bool take(void *context, natsMsg *message, uint64_t place) {
    older *to = context;
    int32_t kind;
    ctie_str found;
    bool is_ours = names_read(&to->it->names, natsMsg_GetSubject(message), &kind, &found) &&
                   found.size == to->identifier.size && memcmp(found.data, to->identifier.data, found.size) == 0;
    if (is_ours && to->count < PORTION) { to->numbers[to->count++] = place; }
    natsMsg_Destroy(message);
    return true;
}

static ctie_status find(older *into, uint64_t start, uint64_t before, int64_t deadline) {
    char filter[SUBJECT_MOST];
    engine *it = into->it;
    names_filter(&it->names, SUBJECT_ANY, into->identifier, filter);
    collecting what = {.stream = it->names.stream, .filter = filter, .start = start, .names_only = true,
                       .most = UINT64_MAX, .take = take, .context = into, .before = before, .enough = PORTION};
    into->count = 0;
    ctie_status status = collect(it, &what, deadline);
    if (status == CTIE_E_NOT_FOUND) { return CTIE_OK; } /* the stream was lost with all of them */
    bool is_done_later = status == CTIE_E_TIMEOUT || status == CTIE_E_UNAVAILABLE;
    return is_done_later ? fail(it, CTIE_E_UNCERTAIN, "the server has not shown all older messages in time") : status;
}

static ctie_status remove_found(const older *what, int64_t deadline) {
    engine *it = what->it;
    ctie_status status = CTIE_OK;
    for (size_t i = 0; i < what->count && status == CTIE_OK;) {
        requests some = {.count = 0};
        for (; i < what->count && some.count < REQUESTS_MOST && !some.has_failed; i++) {
            requests_add(&some, requests_delete(it->names.stream, what->numbers[i]));
        }
        status = requests_ask(it, &some, deadline);
    }
    return status;
}

ctie_status older_remove(engine *it, ctie_str identifier, uint64_t before, int64_t deadline) {
    ctie_status status;
    uint64_t start = 1;
    older *portion = malloc(sizeof *portion);
    if (portion == NULL) { return CTIE_E_NO_MEMORY; }
    portion->it = it, portion->identifier = identifier;
    do {
        status = find(portion, start, before, deadline);
        if (status == CTIE_OK) { status = remove_found(portion, deadline); }
        if (portion->count > 0) { start = portion->numbers[portion->count - 1] + 1; }
    } while (status == CTIE_OK && portion->count == PORTION);
    free(portion);
    return status;
}
