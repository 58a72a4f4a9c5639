#include "destroy.h"

#include "last.h"
#include "letter.h"
#include "older.h"
#include "requests.h"

#include <stdio.h>
#include <string.h>

/* A filter that is one subject is many times as fast on the server as one with a `*`. */
static const int32_t KINDS[] = {CTIE_MESSAGE_VALUE, CTIE_MESSAGE_SIGNAL, CTIE_MESSAGE_DESTROYED};
enum { VALUE, SIGNAL, DESTROYED, KIND_COUNT };

/* A purge without a filter moves all consumers to `before` at most, and nothing before it is left for them. */
static ctie_status purge(engine *it, const char *stream, uint64_t before, int64_t deadline) {
    requests one = {.count = 0};
    requests_add(&one, requests_new("STREAM.PURGE", stream, json_pack("{s:I}", "seq", (json_int_t)before)));
    return requests_ask(it, &one, deadline);
}

/* ---- The copies ------------------------------------------------------------------------------------- */

/* The last message of a subject, among the copies. */
typedef struct copy {
    uint64_t in_stream, at; /* its numbers in the stream of all messages, and here; 0: there is none */
} copy;

static ctie_status find_copies(engine *it, ctie_str identifier, int64_t deadline, copy out[KIND_COUNT]) {
    requests all = {.count = 0};
    natsMsg *answers[KIND_COUNT] = {NULL};
    ctie_status statuses[KIND_COUNT], first = CTIE_OK;
    for (int i = 0; i < KIND_COUNT; i++) {
        char subject[SUBJECT_MOST];
        names_subject(&it->names, KINDS[i], identifier, subject);
        requests_add(&all, last_request(it->names.now, subject));
    }
    if (all.has_failed) { return requests_ask(it, &all, deadline); }
    ask_many(it, all.items, KIND_COUNT, deadline, answers, statuses);
    for (int i = 0; i < KIND_COUNT; i++) {
        out[i] = (copy){0, 0};
        ctie_status status = statuses[i];
        if (status == CTIE_OK) { status = last_read(it, answers[i], &out[i].in_stream, &out[i].at); }
        if (status != CTIE_E_NOT_FOUND && first == CTIE_OK) { first = status; }
        natsMsg_Destroy(answers[i]);
    }
    return first;
}

/* Waits until the destroying is among them. False if they lag too far behind. */
static bool await_copies(engine *it, ctie_str identifier, uint64_t in_stream, int64_t deadline, copy out[KIND_COUNT]) {
    for (int pause = 1; deadline_left(deadline) > pause; pause = pause < 16 ? pause * 2 : pause) {
        if (find_copies(it, identifier, deadline, out) != CTIE_OK) { return false; }
        if (out[DESTROYED].in_stream >= in_stream) { return true; }
        clock_pause(pause);
    }
    return false;
}

static ctie_status delete_copies(engine *it, const copy *first, size_t count, uint64_t up_to, int64_t deadline) {
    requests all = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        if (first[i].at == 0 || first[i].in_stream > up_to) { continue; }
        requests_add(&all, requests_delete(it->names.now, first[i].at));
    }
    return requests_ask(it, &all, deadline);
}

/* Once everything before the destroying is removed from both streams, its copy hides nothing. Then it is removed, too,
   so that the second stream does not grow by each identifier that was ever destroyed. Messages that cannot be removed
   in time stay until the next destroying, and so does the copy, which hides them. */
static ctie_status remove_copies(engine *it, ctie_str identifier, uint64_t in_stream, int64_t deadline) {
    copy copies[KIND_COUNT];
    if (!last_is_possible(it)) { return CTIE_OK; }
    if (!await_copies(it, identifier, in_stream, deadline, copies)) { return CTIE_OK; }
    if (identifier.size == 0) { return purge(it, it->names.now, copies[DESTROYED].at, deadline); }
    ctie_status status = delete_copies(it, copies, DESTROYED, in_stream, deadline);
    return status == CTIE_OK ? delete_copies(it, copies + DESTROYED, 1, in_stream, deadline) : status;
}

ctie_status destroy_older(engine *it, ctie_str identifier, uint64_t in_stream, int64_t deadline) {
    if (in_stream > INT64_MAX) { return fail(it, CTIE_E_LIMIT, "the numbers of the server's stream are too high"); }
    bool is_everything = identifier.size == 0;
    ctie_status status = is_everything ? purge(it, it->names.stream, in_stream, deadline)
                                       : older_remove(it, identifier, in_stream, deadline);
    if (status == CTIE_OK) { status = letters_destroy(it, identifier, in_stream, deadline); }
    if (status != CTIE_OK) { return status; }
    int64_t soon = deadline_after(1000);
    return remove_copies(it, identifier, in_stream, soon < deadline ? soon : deadline);
}

ctie_status destroy_is_at(engine *it, ctie_str identifier, uint64_t in_stream, int64_t deadline, bool *is_so) {
    char what[STREAM_MOST + 32], subject[SUBJECT_MOST];
    json_t *answer = NULL, *body = json_pack("{s:I}", "seq", (json_int_t)in_stream);
    *is_so = false;
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    names_subject(&it->names, CTIE_MESSAGE_DESTROYED, identifier, subject);
    snprintf(what, sizeof what, "STREAM.MSG.GET.%s", it->names.stream);
    ctie_status status = api(it, what, body, deadline, &answer);
    if (status == CTIE_OK) { *is_so = strcmp(api_text(json_object_get(answer, "message"), "subject"), subject) == 0; }
    json_decref(answer);
    json_decref(body);
    if (status == CTIE_E_NOT_FOUND) { return CTIE_OK; }
    return status == CTIE_E_TIMEOUT || status == CTIE_E_UNAVAILABLE ? CTIE_E_UNCERTAIN : status;
}
