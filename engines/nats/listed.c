#include "listed.h"

#include "collect.h"
#include "letter.h"

#include <stdlib.h>
#include <string.h>

/* The subject is `ctie.<group>.q.<base>.o`. */
static bool read_base(natsMsg *message, char base[CONSUMER_MOST]) {
    const char *subject = natsMsg_GetSubject(message), *end = strrchr(subject, '.');
    const char *start = end;
    while (start != NULL && start > subject && start[-1] != '.') { start--; }
    if (start == NULL || start == end || end - start >= CONSUMER_MOST) { return false; }
    memcpy(base, start, (size_t)(end - start));
    base[end - start] = 0;
    return true;
}

static bool take_record(void *context, natsMsg *message, uint64_t at) {
    all_listed *to = context;
    listed item = {.record = {.at = at}};
    size_t size = (size_t)natsMsg_GetDataLength(message);
    bool is_read = read_base(message, item.base) && record_parse(natsMsg_GetData(message), size, &item.record);
    natsMsg_Destroy(message);
    if (!is_read) { return true; }
    if (to->count == to->room) {
        size_t room = to->room * 2 + 16;
        listed *items = realloc(to->items, room * sizeof *items);
        if (items == NULL) { return false; }
        to->items = items, to->room = room;
    }
    record_consumer(item.base, item.record.suffix, item.consumer);
    to->items[to->count++] = item;
    return true;
}

static ctie_status collect_records(engine *it, int64_t deadline, all_listed *into) {
    enum { PAUSE_MS = 20 };
    char filter[LETTER_MOST];
    names_options(&it->names, "*", filter);
    collecting what = {.stream = it->names.durable, .filter = filter, .most = UINT64_MAX, .take = take_record,
                       .context = into};
    ctie_status status = collect(it, &what, deadline);
    while (status == CTIE_E_TIMEOUT && deadline_left(deadline) > PAUSE_MS) { /* an answer was lost */
        clock_pause(PAUSE_MS);
        into->count = 0;
        status = collect(it, &what, deadline);
    }
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}

static ctie_status count_letters(engine *it, int64_t deadline, all_listed *into) {
    char filter[LETTER_MOST];
    letters all;
    if (into->count == 0) { return CTIE_OK; }
    names_letters(&it->names, NULL, filter);
    ctie_status status = letters_collect(it, filter, deadline, &all);
    for (size_t i = 0; status == CTIE_OK && i < all.count; i++) {
        for (size_t k = 0; all.items[i].state == LETTER_DEAD && k < into->count; k++) {
            if (strcmp(into->items[k].base, all.items[i].base) == 0) { into->items[k].dead++; }
        }
    }
    letters_clear(&all);
    return status;
}

ctie_status listed_find(engine *it, int64_t deadline, all_listed *out) {
    *out = (all_listed){0};
    ctie_status status = collect_records(it, deadline, out);
    return status == CTIE_OK ? count_letters(it, deadline, out) : status;
}
