/* Messages become dead letters, step by step: a letter that is dying, the copy for others, the letter. A member that dies
   in between leaves the message to another one, which finds the letter and goes on from there. */
#include "dead_copy.h"
#include "letter.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The letter that is dying ---------------------------------------------------------------------- */

static bool fill(const death *what, natsMsg *from, letter *out) {
    int32_t kind;
    ctie_str identifier;
    if (!names_read(&what->it->names, message_subject(from), &kind, &identifier)) { return false; }
    snprintf(out->base, sizeof out->base, "%s", what->key->base);
    out->in_stream = what->in_stream;
    out->kind = kind;
    snprintf(out->identifier, sizeof out->identifier, "%.*s", (int)identifier.size, identifier.data);
    int size = natsMsg_GetDataLength(from);
    out->size = kind == CTIE_MESSAGE_VALUE && size > 0 ? (uint64_t)size : 0;
    return true;
}

/* Begins a death, in place of the version `at` that was retried, or of none. CTIE_E_CONFLICT: another one is there. */
static ctie_status begin(const death *what, natsMsg *from, const char *reason, letter *it) {
    it->state = LETTER_DYING;
    it->deliveries = what->deliveries;
    it->died = clock_now(CLOCK_REALTIME);
    it->reason = reason;
    if (it->passed[0] == 0) { snprintf(it->passed, sizeof it->passed, "%s", what->record->suffix); }
    return letter_write(what->it, it, from, what->deadline);
}

/* Whether it was destroyed since. That it is not in the stream is no proof: newer messages may have pushed it out, such as
   its own copy. */
static ctie_status find_destroying(const death *what, const letter *it, bool *is_destroyed) {
    static const ctie_str EVERYTHING = {"", 0};
    const ctie_str of[] = {EVERYTHING, ctie_str_from(it->identifier)};
    *is_destroyed = false;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char subject[SUBJECT_MOST];
        uint64_t last;
        names_subject(&what->it->names, CTIE_MESSAGE_DESTROYED, of[i], subject);
        ctie_status status = fetch_last(what->it, what->it->names.stream, subject, what->deadline, &last);
        if (status != CTIE_OK) { return status; }
        *is_destroyed |= last > it->in_stream;
    }
    return CTIE_OK;
}

/* It may have been destroyed while its letter was made. */
static ctie_status leave_destroyed(const death *what, const letter *it) {
    natsMsg *message = NULL;
    bool is_destroyed = false;
    ctie_status status = fetch(what->it, what->it->names.stream, it->in_stream, what->deadline, &message);
    natsMsg_Destroy(message);
    if (status != CTIE_E_NOT_FOUND) { return status; }
    status = find_destroying(what, it, &is_destroyed);
    return status == CTIE_OK && is_destroyed ? letter_remove(what->it, it->at, what->deadline) : status;
}

/* The rest, of a letter that is dying; `is_begun`: since an earlier try, or by another member. */
static ctie_status finish(const death *what, natsMsg *from, letter *it, bool is_begun) {
    char reason[3 * CTIE_MESSAGE_MAX_REASON + 1];
    size_t size = strnlen(it->reason, sizeof reason - 1);
    *text_decode(reason, it->reason, size) = 0;
    death as_noted = *what;
    as_noted.deliveries = it->deliveries, as_noted.reason = reason;
    ctie_status status = dead_copy_send(&as_noted, it, from, is_begun, &it->sent_as);
    if (status != CTIE_OK) { return status; }
    it->state = LETTER_DEAD;
    status = letter_write(what->it, it, from, what->deadline);
    if (status == CTIE_E_CONFLICT) { return CTIE_OK; } /* another member was faster, or it was dropped */
    return status == CTIE_OK ? leave_destroyed(what, it) : status;
}

/* ---- A message that the durable consumer had from the stream of all messages ------------------------- */

/* Goes on with a death that another member has begun, or finds it ended. */
static ctie_status go_on(const death *what, const letter *mine) {
    letter found;
    ctie_str identifier = ctie_str_from(mine->identifier);
    ctie_status status = letter_find(what->it, what->key->base, what->in_stream, identifier, what->deadline, &found);
    if (status != CTIE_OK) { return status; }
    if (found.state == LETTER_NONE) { return CTIE_PENDING; } /* it was removed meanwhile */
    if (found.state == LETTER_DYING) { status = finish(what, found.message, &found, true); }
    letter_clear(&found);
    return status;
}

static ctie_status die_at_first(const death *what, const char *reason) {
    natsMsg *from = NULL;
    letter mine = {0};
    ctie_status status = fetch(what->it, what->it->names.stream, what->in_stream, what->deadline, &from);
    if (status == CTIE_E_NOT_FOUND) { return CTIE_OK; } /* destroyed, or removed by a limit: nothing is left to keep */
    if (status == CTIE_OK && !fill(what, from, &mine)) { status = CTIE_E_CORRUPT; }
    if (status == CTIE_OK) { status = begin(what, from, reason, &mine); }
    if (status == CTIE_E_CONFLICT) {
        status = go_on(what, &mine);
    } else if (status == CTIE_OK) {
        status = finish(what, from, &mine, false);
    }
    natsMsg_Destroy(from);
    return status;
}

/* ---- One that was retried -------------------------------------------------------------------------- */

static ctie_status die_again(const death *what, const char *reason) {
    natsMsg *message = NULL;
    letter it;
    ctie_status status = fetch(what->it, what->it->names.durable, what->again_at, what->deadline, &message);
    if (status == CTIE_E_NOT_FOUND) { return CTIE_OK; } /* it is another version by now, or was destroyed */
    if (status != CTIE_OK) { return status; }
    if (!letter_read(&what->it->names, message, what->again_at, &it)) {
        natsMsg_Destroy(message);
        return letter_remove(what->it, what->again_at, what->deadline);
    }
    natsMsg *content = it.message;
    bool is_begun = it.state == LETTER_DYING;
    if (it.state == LETTER_AGAIN) { status = begin(what, content, reason, &it); }
    if (status == CTIE_OK && it.state == LETTER_DYING) { status = finish(what, content, &it, is_begun); }
    natsMsg_Destroy(content);
    return status == CTIE_E_CONFLICT ? CTIE_OK : status;
}

ctie_status die(const death *what) {
    char reason[3 * CTIE_MESSAGE_MAX_REASON + 1];
    size_t size = strnlen(what->reason, CTIE_MESSAGE_MAX_REASON);
    *text_encode(reason, (ctie_str){what->reason, size}, "") = 0;
    return what->again_at != 0 ? die_again(what, reason) : die_at_first(what, reason);
}
