/* Deliveries to a state or a queue: the stored values, and new messages. */
#define _GNU_SOURCE
#include "parts.h"

/* ---- Handing over ------------------------------------------------------------------------------- */

/* [deliver] */
/* Each message takes one of the binding's credit; the library gives some of it back at once. */
ctie_status hand_over(engine *it, binding *to, const ctie_engine_message *message) {
    uint32_t returned = 0;
    ctie_status status = it->host->deliver(it->host->context, to->number, message, 1, &returned);
    if (status == CTIE_OK || status == CTIE_E_CORRUPT) {
        to->credit += returned - 1;
    } else {
        to->credit = 0; /* the library has not looked at it: the binding has ended, perhaps */
        if (status != CTIE_E_NOT_FOUND) complain(it, "a message was refused", status);
    }
    return status;
}
/* [end] */

static bool is_done(ctie_status status) { return status == CTIE_OK || status == CTIE_E_CORRUPT; }

static bool hand_over_notice(engine *it, binding *to, int32_t kind, const char *id, uint64_t number, uint64_t missed) {
    ctie_engine_message message;
    memset(&message, 0, sizeof message);
    message.size = sizeof message, message.kind = kind, message.identifier = ctie_str_from(id);
    message.sequence = number, message.missed = missed;
    message.flags = kind == CTIE_MESSAGE_NONE ? CTIE_ENGINE_STORED : 0;
    return is_done(hand_over(it, to, &message));
}

/* Says whether the binding has got the notice; then the number begins again. */
bool hand_over_missed(engine *it, binding *to, uint64_t *missed, uint64_t up_to) {
    if (!hand_over_notice(it, to, CTIE_MESSAGE_MISSED, "", up_to, *missed)) return false;
    *missed = 0;
    return true;
}

/* ---- Stored values ------------------------------------------------------------------------------ */

typedef struct show {
    engine *it;
    binding *to;
    bool is_whole; /* all that can be read now was shown */
} show;

/* The stored values are those up to the binding's position; newer ones follow as messages. */
static bool show_current(const char *id, void *context) {
    show *with = (show *)context;
    binding *to = with->to;
    stored found;
    if (to->credit == 0) return with->is_whole = false;
    if (!topic_covers(to->topic, ctie_str_from(id)) || (to->has_shown && strcmp(id, to->shown) <= 0)) return true;
    ctie_status status = message_read(&with->it->files, "current", id, &found);
    if (status != CTIE_OK) {
        complain(with->it, "a stored message cannot be read", status);
        return with->is_whole = status == CTIE_E_CORRUPT; /* a damaged one never can be */
    }
    if (found.message.sequence <= to->position && !has_expired(&found)) {
        found.message.flags = CTIE_ENGINE_STORED;
        with->is_whole = is_done(hand_over(with->it, to, &found.message));
        if (with->is_whole) to->has_shown = copy_text(to->shown, sizeof to->shown, ctie_str_from(id)) == CTIE_OK;
    }
    message_free(&found);
    return with->is_whole;
}

void deliver_stored(engine *it, binding *to) {
    show with = {it, to, true};
    ctie_status status = directory_list(&it->files, "current", show_current, &with);
    if (status != CTIE_OK) complain(it, "the stored messages cannot be listed", status);
    if (status != CTIE_OK || !with.is_whole || to->credit == 0) return;
    bool is_prefix = to->topic[strlen(to->topic) - 1] == '*';
    if (!to->has_shown && !is_prefix && !hand_over_notice(it, to, CTIE_MESSAGE_NONE, to->topic, 0, 0)) return;
    to->is_initial = false;
}

/* ---- Messages ----------------------------------------------------------------------------------- */

sight look_at(engine *it, const char *topic, uint64_t number, stored *out) {
    ctie_status status = message_at(&it->files, number, out);
    if (status == CTIE_E_NOT_FOUND || status == CTIE_E_CORRUPT) return IS_MISSED;
    if (status != CTIE_OK) {
        complain(it, "a message cannot be read", status);
        return CANNOT_BE_READ; /* now, as without memory: it is not lost */
    }
    bool is_covered = topic_covers(topic, out->message.identifier);
    if (is_covered && !out->is_destroyed && !has_expired(out)) return IS_THERE;
    message_free(out);
    return is_covered ? IS_MISSED : IS_OF_OTHERS;
}

static void miss(binding *to, uint64_t number) {
    if (to->delivery == CTIE_ENGINE_QUEUE) to->missed++, to->missed_up_to = number;
}

/* Hands over the message after the binding's position; one that the library drops is missed. */
static bool hand_over_next(engine *it, binding *to, const ctie_engine_message *message) {
    ctie_status status = hand_over(it, to, message);
    if (!is_done(status)) return false;
    to->position++;
    if (status == CTIE_E_CORRUPT) miss(to, to->position);
    return true;
}

bool deliver_next(engine *it, binding *to, uint64_t last) {
    for (; to->position < last; to->position++) {
        stored found;
        sight seen = look_at(it, to->topic, to->position + 1, &found);
        if (seen == CANNOT_BE_READ) return false;
        if (seen == IS_MISSED) miss(to, to->position + 1);
        if (seen != IS_THERE) continue;
        bool was_one = to->missed > 0 ? hand_over_missed(it, to, &to->missed, to->missed_up_to)
                                      : hand_over_next(it, to, &found.message);
        message_free(&found);
        return was_one;
    }
    return to->missed > 0 && hand_over_missed(it, to, &to->missed, to->missed_up_to);
}
