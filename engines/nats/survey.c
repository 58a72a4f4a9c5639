/* All that is stored under a topic. The second stream has the last messages, and lags a little behind that of all; what
   it has not copied yet comes from there. Each of the two shows what it has up to some number, so that everything up to
   the highest number seen has been looked at. */
#include "collect.h"
#include "last.h"
#include "recent.h"
#include "survey.h"

#include <stdlib.h>

enum {
    BEHIND_MOST = 4096,  /* messages: of more than these the last ones of each subject are fewer, perhaps */
    PATIENCE_MS = 1000,
    OWN_MS = 500,        /* the longest wait for the server to show what this member has sent */
};

static void forget(survey *it) {
    for (size_t i = 0; i < it->count; i++) { natsMsg_Destroy(it->items[i].message); }
    it->count = 0, it->up_to = it->everything = 0;
}

void survey_clear(survey *it) {
    forget(it);
    free(it->items);
    it->items = NULL, it->room = 0;
}

static bool take(void *context, natsMsg *message, uint64_t place) {
    survey *to = context;
    found item = {.message = message, .in_stream = to->is_of_copies ? last_source(to->it, message) : place};
    int32_t kind;
    bool is_ours = names_read(&to->it->names, natsMsg_GetSubject(message), &kind, &item.identifier);
    if (!is_ours || item.in_stream == 0) { to->broken++; }
    if (item.in_stream > to->up_to) { to->up_to = item.in_stream; }
    if (!is_ours || item.in_stream == 0 || kind == CTIE_MESSAGE_SIGNAL || item.identifier.size == 0) {
        natsMsg_Destroy(message);
        return true;
    }
    item.is_value = kind == CTIE_MESSAGE_VALUE;
    if (to->count == to->room) {
        size_t room = to->room * 2 + 64;
        found *items = realloc(to->items, room * sizeof *items);
        if (items == NULL) {
            natsMsg_Destroy(message);
            return false;
        }
        to->items = items, to->room = room;
    }
    to->items[to->count++] = item;
    return true;
}

/* ---- What the server shows -------------------------------------------------------------------------- */

static ctie_status collect_all(survey *into, int64_t deadline) {
    char filter[SUBJECT_MOST];
    engine *it = into->it;
    names_filter(&it->names, SUBJECT_ANY, into->topic, filter);
    collecting copies = {.stream = it->names.now, .filter = filter, .names_only = into->names_only,
                         .most = UINT64_MAX, .take = take, .context = into};
    into->is_of_copies = true;
    ctie_status status = collect(it, &copies, deadline);
    if (status != CTIE_OK) { return status; }
    bool has_copies = into->up_to > 0 && into->up_to < INT64_MAX;
    collecting newer = {.stream = it->names.stream, .filter = filter, .start = has_copies ? into->up_to + 1 : 0,
                        .names_only = into->names_only, .most = has_copies ? BEHIND_MOST : UINT64_MAX,
                        .take = take, .context = into};
    into->is_of_copies = false;
    status = collect(it, &newer, deadline);
    if (status != CTIE_E_LIMIT) { return status; }
    newer.start = 0, newer.most = UINT64_MAX;
    return collect(it, &newer, deadline);
}

static bool take_everything(void *context, natsMsg *message, uint64_t place) {
    survey *to = context;
    uint64_t number = to->is_of_copies ? last_source(to->it, message) : place;
    if (number > to->everything) { to->everything = number; }
    natsMsg_Destroy(message);
    return true;
}

/* From a server without direct gets. */
static ctie_status collect_everything(survey *into, int64_t deadline) {
    engine *it = into->it;
    collecting what = {.stream = it->names.now, .filter = it->names.everything, .names_only = true,
                       .most = UINT64_MAX, .take = take_everything, .context = into};
    into->is_of_copies = true;
    ctie_status status = collect(it, &what, deadline);
    if (status != CTIE_OK) { return status; }
    what.stream = it->names.stream;
    into->is_of_copies = false;
    return collect(it, &what, deadline);
}

/* After the rest, so that a destroying of everything in between is not overlooked. */
static ctie_status ask_for_everything(survey *into, int64_t deadline) {
    engine *it = into->it;
    if (!last_is_possible(it)) { return collect_everything(into, deadline); }
    int64_t soon = deadline_after(PATIENCE_MS);
    natsMsg *requests[2], *answers[2] = {NULL, NULL};
    ctie_status statuses[2], first = CTIE_OK;
    requests[0] = last_request(it->names.now, it->names.everything);
    requests[1] = last_request(it->names.stream, it->names.everything);
    if (requests[0] == NULL || requests[1] == NULL) {
        natsMsg_Destroy(requests[0]);
        natsMsg_Destroy(requests[1]);
        return CTIE_E_NO_MEMORY;
    }
    ask_many(it, requests, 2, soon < deadline ? soon : deadline, answers, statuses);
    for (int i = 0; i < 2; i++) {
        uint64_t number = 0;
        ctie_status status = statuses[i];
        if (status == CTIE_OK) { status = last_read(it, answers[i], &number, NULL); }
        if (status == CTIE_OK && number > into->everything) { into->everything = number; }
        if (first == CTIE_OK && status != CTIE_E_NOT_FOUND) { first = status; }
        natsMsg_Destroy(answers[i]);
    }
    return first == CTIE_E_UNCERTAIN ? CTIE_E_TIMEOUT : first;
}

/* Whether the server shows what this member has sent itself: a copy that answers may be behind. */
static bool shows_own(survey *of, int64_t deadline) {
    uint64_t own = recent_highest(of->it, of->topic), sourced = 0;
    if (own <= of->up_to) { return true; }
    return last_sourced(of->it, deadline, &sourced) == CTIE_OK && own <= sourced;
}

ctie_status survey_all(survey *it, int64_t deadline) {
    int64_t patience = deadline_after(OWN_MS);
    for (int pause = 1;; pause = pause < 50 ? pause * 2 : pause) {
        forget(it);
        ctie_status status = connection_ready(it->it, deadline);
        if (status != CTIE_OK) { return status; }
        status = collect_all(it, deadline);
        if (status == CTIE_OK) { status = ask_for_everything(it, deadline); }
        bool is_done = status == CTIE_OK && (shows_own(it, deadline) || deadline_left(patience) == 0);
        bool may_pass = status == CTIE_OK || status == CTIE_E_TIMEOUT || status == CTIE_E_UNAVAILABLE ||
                        status == CTIE_E_NOT_FOUND;
        if (is_done || !may_pass) { return status; }
        if (deadline_left(deadline) <= pause) {
            if (status == CTIE_E_UNAVAILABLE) { return status; }
            return fail(it->it, CTIE_E_TIMEOUT, "not all that is stored was shown in time");
        }
        if (status != CTIE_OK) { streams_doubt(it->it, deadline); }
        clock_pause(pause);
    }
}
