#include "destroy.h"

#include "last.h"

#include <stdio.h>

/* Removes the messages of a filter before a number of that stream. NULL: all messages before it. */
static ctie_status purge(engine *it, const char *stream, const char *filter, uint64_t before, int64_t deadline) {
    char what[STREAM_MOST + 32];
    if (before > INT64_MAX) { return fail(it, CTIE_E_LIMIT, "the server's numbers are too high to purge the stream"); }
    json_t *body = json_pack("{s:s*, s:I}", "filter", filter, "seq", (json_int_t)before);
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "STREAM.PURGE.%s", stream);
    ctie_status status = api(it, what, body, deadline, NULL);
    json_decref(body);
    /* The destroying itself is stored: a caller that repeats it comes here again. */
    if (status != CTIE_E_TIMEOUT && status != CTIE_E_UNAVAILABLE) { return status; }
    return fail(it, CTIE_E_UNCERTAIN, "the server has not said whether older messages are removed");
}

/* Waits until the second stream has copied the destroying, and finds its number there. False if it lags too far. */
static bool find_copy(engine *it, const char *subject, uint64_t in_stream, int64_t deadline, uint64_t *place,
                      bool *is_it) {
    for (int pause = 1; deadline_left(deadline) > pause; pause = pause < 16 ? pause * 2 : pause) {
        natsMsg *request = last_request(it->names.now, subject), *answer = NULL;
        uint64_t copied = 0;
        if (request == NULL) { return false; }
        ctie_status status = ask(it, request, deadline, &answer);
        if (status == CTIE_OK) { status = last_read(it, answer, &copied, place); }
        natsMsg_Destroy(answer);
        if (status != CTIE_OK && status != CTIE_E_NOT_FOUND) { return false; }
        *is_it = copied == in_stream;
        if (copied >= in_stream) { return true; }
        clock_pause(pause);
    }
    return false;
}

/* Once everything before the destroying has gone from both streams, its copy hides nothing: it goes, too, so that the
   second stream does not grow by each identifier that was ever destroyed. What cannot be removed in time stays until the
   next destroying, and so does the copy, which hides it. */
static ctie_status purge_copies(engine *it, ctie_str identifier, uint64_t in_stream, const char *filter,
                                int64_t deadline) {
    char subject[SUBJECT_MOST];
    uint64_t place = 0;
    bool is_it = false;
    int64_t soon = deadline_after(1000);
    if (soon > deadline) { soon = deadline; }
    names_subject(&it->names, CTIE_MESSAGE_DESTROYED, identifier, subject);
    if (!find_copy(it, subject, in_stream, soon, &place, &is_it)) { return CTIE_OK; }
    bool takes_it = is_it && filter != NULL && place < UINT64_MAX;
    return purge(it, it->names.now, filter, takes_it ? place + 1 : place, deadline);
}

ctie_status destroy_older(engine *it, ctie_str identifier, uint64_t in_stream, int64_t deadline) {
    char filter[SUBJECT_MOST];
    bool is_everything = identifier.size == 0;
    if (!is_everything) { names_filter(&it->names, SUBJECT_ANY, identifier, filter); }
    const char *which = is_everything ? NULL : filter;
    ctie_status status = purge(it, it->names.stream, which, in_stream, deadline);
    return status == CTIE_OK ? purge_copies(it, identifier, in_stream, which, deadline) : status;
}
