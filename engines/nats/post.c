#include "post.h"

#include "ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum {
    WRONG_LAST = 10071,
    PATIENCE_MS = 1000, /* for one answer; a repeated message is stored once, by its identifier */
    PAUSE_MOST = 50,
};

/* ---- The message ----------------------------------------------------------------------------------- */

static bool copy_headers(natsMsg *to, natsMsg *from) {
    const char **keys = NULL, *value = NULL;
    int count = 0;
    natsStatus status = natsMsgHeader_Keys(from, &keys, &count);
    bool is_done = status == NATS_OK || status == NATS_NOT_FOUND;
    for (int i = 0; is_done && i < count; i++) {
        if (strncasecmp(keys[i], "Nats-", 5) == 0) { continue; }
        is_done = natsMsgHeader_Get(from, keys[i], &value) != NATS_OK ||
                  natsMsgHeader_Set(to, keys[i], value) == NATS_OK;
    }
    free(keys);
    return is_done;
}

natsMsg *post_copy(natsMsg *from, const char *subject) {
    natsMsg *made = NULL;
    int size = natsMsg_GetDataLength(from);
    if (natsMsg_Create(&made, subject, NULL, natsMsg_GetData(from), size) != NATS_OK) { return NULL; }
    if (copy_headers(made, from)) { return made; }
    natsMsg_Destroy(made);
    return NULL;
}

bool post_expects(natsMsg *message, int64_t after) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)after);
    return natsMsgHeader_Set(message, "Nats-Expected-Last-Subject-Sequence", text) == NATS_OK;
}

/* The identifier by which the server knows a repeated message. */
static bool identify(natsMsg *message, char id[40]) {
    unsigned char bytes[16];
    const char *given = NULL;
    if (natsMsgHeader_Get(message, "Nats-Msg-Id", &given) == NATS_OK && given != NULL) {
        return snprintf(id, 40, "%s", given) < 40;
    }
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) { return false; }
    for (size_t i = 0; i < sizeof bytes; i++) { snprintf(id + 2 * i, 3, "%02x", bytes[i]); }
    return true;
}

/* ---- Storing it ------------------------------------------------------------------------------------ */

ctie_status post_read(engine *it, const char *stream, natsMsg *answer, uint64_t *at) {
    json_t *object = json_loadb(natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer), 0, NULL);
    const json_t *error = json_object_get(object, "error");
    ctie_status status = CTIE_OK;
    *at = api_number(object, "seq");
    if (api_error(object) == WRONG_LAST) {
        status = CTIE_E_CONFLICT;
    } else if (error != NULL) {
        status = fail_api(it, error, "the message was not stored");
    } else if (*at == 0 || strcmp(api_text(object, "stream"), stream) != 0) {
        status = fail(it, CTIE_E_UNCERTAIN, "another than the group's stream has answered for it");
    }
    json_decref(object);
    return status;
}

static ctie_status try_once(engine *it, const char *stream, natsMsg *message, int64_t after, const char *id,
                            int64_t deadline, uint64_t *at, bool *is_nobody) {
    natsMsg *request = post_copy(message, natsMsg_GetSubject(message)), *answer = NULL;
    bool is_made = request != NULL && natsMsgHeader_Set(request, "Nats-Msg-Id", id) == NATS_OK &&
                   (after < 0 || post_expects(request, after));
    if (!is_made) {
        natsMsg_Destroy(request);
        return fail(it, CTIE_E_NO_MEMORY, "a message to the server");
    }
    int64_t soon = deadline_after(PATIENCE_MS);
    ctie_status status = ask_somebody(it, request, soon < deadline ? soon : deadline, &answer, is_nobody);
    if (status == CTIE_OK) { status = post_read(it, stream, answer, at); }
    natsMsg_Destroy(answer);
    return status;
}

static bool is_missing(engine *it, const char *stream, int64_t deadline) {
    char what[STREAM_MOST + 32];
    snprintf(what, sizeof what, "STREAM.INFO.%s", stream);
    return api(it, what, NULL, deadline, NULL) == CTIE_E_NOT_FOUND;
}

static bool may_pass(ctie_status status) {
    return status == CTIE_E_UNAVAILABLE || status == CTIE_E_UNCERTAIN || status == CTIE_E_TIMEOUT;
}

static ctie_status in_doubt(engine *it) {
    return fail(it, CTIE_E_UNCERTAIN, "the server has not answered: the change may have been made");
}

ctie_status post(engine *it, const char *stream, natsMsg *message, int64_t after, int64_t deadline, uint64_t *at) {
    char id[40];
    bool is_doubtful = false;
    *at = 0;
    if (!identify(message, id)) { return fail(it, CTIE_E_SYSTEM, "no random bytes"); }
    for (int pause = 1;; pause = pause < PAUSE_MOST ? pause * 2 : pause) {
        bool is_nobody = false;
        ctie_status status = connection_ready(it, deadline);
        if (status == CTIE_OK) { status = try_once(it, stream, message, after, id, deadline, at, &is_nobody); }
        if (status == CTIE_OK || status == CTIE_E_CONFLICT) { return status; }
        is_doubtful |= status == CTIE_E_UNCERTAIN || status == CTIE_E_TIMEOUT;
        if (is_nobody && is_missing(it, stream, deadline)) { return CTIE_E_NOT_FOUND; }
        if (!may_pass(status) || deadline_left(deadline) <= pause) { return is_doubtful ? in_doubt(it) : status; }
        clock_pause(pause);
    }
}
