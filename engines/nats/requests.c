#include "requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Codes of the server: of a message that was removed, and of every other failure to remove one. */
enum { NO_SEQUENCE = 10043, DELETE_FAILED = 10057 };

void requests_add(requests *to, natsMsg *request) {
    if (request == NULL) { to->has_failed = true; } else { to->items[to->count++] = request; }
}

natsMsg *requests_new(const char *what, const char *stream, json_t *body) {
    char subject[STREAM_MOST + 48];
    natsMsg *made = NULL;
    char *text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    snprintf(subject, sizeof subject, "$JS.API.%s.%s", what, stream);
    if (text != NULL && natsMsg_Create(&made, subject, NULL, text, (int)strlen(text)) != NATS_OK) { made = NULL; }
    free(text);
    json_decref(body);
    return made;
}

natsMsg *requests_delete(const char *stream, uint64_t number) {
    json_t *body = json_pack("{s:I, s:b}", "seq", (json_int_t)number, "no_erase", 1);
    return requests_new("STREAM.MSG.DELETE", stream, body);
}

/* Of the answer to a removal. Somebody else has removed the message, or the stream. Of a number that was never given, or
   whose message was dropped, the server only says so in words: a refusal has the same code. */
bool requests_is_removed(const json_t *answer) {
    const json_t *error = json_object_get(answer, "error");
    const char *words = api_text(error, "description");
    if (api_error(answer) != DELETE_FAILED) {
        return api_error(answer) == NO_SEQUENCE || api_number(error, "code") == 404;
    }
    return strcmp(words, "no message found") == 0 || strcmp(words, "stream store EOF") == 0;
}

static ctie_status read_answer(engine *it, natsMsg *answer) {
    json_t *object = json_loadb(natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer), 0, NULL);
    const json_t *error = json_object_get(object, "error");
    ctie_status status = CTIE_OK;
    if (!json_is_object(object)) {
        status = CTIE_E_UNCERTAIN;
    } else if (error != NULL && !requests_is_removed(object)) {
        status = fail_api(it, error, "older messages were not removed");
    }
    json_decref(object);
    return status;
}

/* The destroying itself is stored: a caller that repeats it comes here again. */
ctie_status requests_ask(engine *it, requests *what, int64_t deadline) {
    natsMsg *answers[REQUESTS_MOST] = {NULL};
    ctie_status statuses[REQUESTS_MOST], first = CTIE_OK;
    if (what->has_failed) {
        while (what->count > 0) { natsMsg_Destroy(what->items[--what->count]); }
        return CTIE_E_NO_MEMORY;
    }
    if (what->count == 0) { return CTIE_OK; }
    ask_many(it, what->items, what->count, deadline, answers, statuses);
    for (size_t i = 0; i < what->count; i++) {
        if (statuses[i] == CTIE_OK) { statuses[i] = read_answer(it, answers[i]); }
        if (first == CTIE_OK) { first = statuses[i]; }
        natsMsg_Destroy(answers[i]);
    }
    if (first != CTIE_E_TIMEOUT && first != CTIE_E_UNAVAILABLE && first != CTIE_E_UNCERTAIN) { return first; }
    return fail(it, CTIE_E_UNCERTAIN, "the server has not said whether older messages are removed");
}
