/* Messages by their numbers or subjects. */
#include "letter.h"

#include "post.h"
#include "requests.h"

#include <stdio.h>
#include <string.h>

/* The last message of a subject, and every answer about what is not there, come from the leader of a cluster. */
static ctie_status ask_leader(engine *it, const char *stream, json_t *body, int64_t deadline, uint64_t *at) {
    char what[STREAM_MOST + 32];
    json_t *answer = NULL;
    *at = 0;
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "STREAM.MSG.GET.%s", stream);
    ctie_status status = api(it, what, body, deadline, &answer);
    *at = api_number(json_object_get(answer, "message"), "seq");
    json_decref(answer);
    json_decref(body);
    return status;
}

ctie_status fetch_last(engine *it, const char *stream, const char *subject, int64_t deadline, uint64_t *at) {
    ctie_status status = ask_leader(it, stream, json_pack("{s:s}", "last_by_subj", subject), deadline, at);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}

natsMsg *fetch_request(const char *stream, uint64_t at) {
    char to[STREAM_MOST + 32], body[48];
    natsMsg *request = NULL;
    snprintf(to, sizeof to, "$JS.API.DIRECT.GET.%s", stream);
    int size = snprintf(body, sizeof body, "{\"seq\":%llu}", (unsigned long long)at);
    return natsMsg_Create(&request, to, NULL, body, size) == NATS_OK ? request : NULL;
}

static ctie_status try_once(engine *it, const char *stream, uint64_t at, int64_t deadline, natsMsg **out) {
    const char *text = NULL;
    natsMsg *request = fetch_request(stream, at);
    *out = NULL;
    if (request == NULL) { return CTIE_E_NO_MEMORY; }
    ctie_status status = ask(it, request, deadline, out);
    if (status != CTIE_OK) { return status; }
    if (natsMsgHeader_Get(*out, "Status", &text) != NATS_OK || text == NULL) { return CTIE_OK; }
    natsMsg_Destroy(*out);
    *out = NULL;
    return CTIE_E_NOT_FOUND;
}

ctie_status fetch(engine *it, const char *stream, uint64_t at, int64_t deadline, natsMsg **out) {
    enum { PAUSE_MS = 10, PATIENCE_MS = 1000 };
    *out = NULL;
    for (;;) {
        uint64_t seen;
        int64_t soon = deadline_after(PATIENCE_MS);
        ctie_status status = connection_ready(it, deadline);
        if (status != CTIE_OK) { return status; }
        status = try_once(it, stream, at, soon < deadline ? soon : deadline, out);
        bool may_pass = status == CTIE_E_NOT_FOUND || status == CTIE_E_UNAVAILABLE || status == CTIE_E_UNCERTAIN;
        if (!may_pass) { return status; }
        /* A copy of the stream may be behind, and without the stream nobody answers. */
        status = ask_leader(it, stream, json_pack("{s:I}", "seq", (json_int_t)at), deadline, &seen);
        if (status != CTIE_OK) { return status; }
        if (deadline_left(deadline) <= PAUSE_MS) { return CTIE_E_TIMEOUT; }
        clock_pause(PAUSE_MS);
    }
}

/* ---- Letters --------------------------------------------------------------------------------------- */

ctie_status letter_find(engine *it, const char *base, uint64_t in_stream, ctie_str identifier, int64_t deadline,
                        letter *out) {
    char subject[LETTER_MOST];
    uint64_t at;
    natsMsg *message = NULL;
    *out = (letter){0};
    names_letter(&it->names, base, in_stream, identifier, subject);
    ctie_status status = fetch_last(it, it->names.durable, subject, deadline, &at);
    if (status != CTIE_OK || at == 0) { return status; }
    status = fetch(it, it->names.durable, at, deadline, &message);
    if (status == CTIE_E_NOT_FOUND) { return CTIE_PENDING; } /* it was changed meanwhile */
    if (status != CTIE_OK || letter_read(&it->names, message, at, out)) { return status; }
    letter_clear(out);
    return fail(it, CTIE_E_CORRUPT, "the dead letter %s cannot be read", subject);
}

static ctie_status write_as_it_is(engine *it, letter *what, natsMsg *from, int64_t deadline) {
    uint64_t at = 0;
    natsMsg *message = letter_pack(&it->names, what, from);
    if (message == NULL) { return CTIE_E_NO_MEMORY; }
    ctie_status status = post(it, it->names.durable, message, (int64_t)what->at, deadline, &at);
    natsMsg_Destroy(message);
    if (status == CTIE_OK) { what->at = at; }
    return status;
}

ctie_status letter_write(engine *it, letter *what, natsMsg *from, int64_t deadline) {
    ctie_status status = write_as_it_is(it, what, from, deadline);
    bool has_reason = what->reason != NULL && what->reason[0] != 0;
    if (status != CTIE_E_LIMIT || !has_reason) { return status; }
    what->reason = "";
    return write_as_it_is(it, what, from, deadline);
}

ctie_status letter_remove(engine *it, uint64_t at, int64_t deadline) {
    requests one = {.count = 0};
    requests_add(&one, requests_delete(it->names.durable, at));
    return requests_ask(it, &one, deadline);
}
