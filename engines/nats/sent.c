#include "sent.h"

#include "destroy.h"
#include "recent.h"

#include <sys/random.h>

ctie_status sent_check(engine *it, const ctie_engine_message *message) {
    switch (message->kind) {
    case CTIE_MESSAGE_VALUE: case CTIE_MESSAGE_SIGNAL:
        if (message->identifier.size == 0) { return fail(it, CTIE_E_INVALID, "a message without an identifier"); }
        break;
    case CTIE_MESSAGE_DESTROYED: break;
    default: return fail(it, CTIE_E_INVALID, "a message of the kind %d", (int)message->kind);
    }
    if (message->not_before > clock_now(CLOCK_REALTIME)) {
        return fail(it, CTIE_E_UNSUPPORTED, "a server of NATS keeps no message for a later time");
    }
    return CTIE_OK;
}

bool sent_may_pass(ctie_status status) {
    return status == CTIE_E_UNAVAILABLE || status == CTIE_E_UNCERTAIN || status == CTIE_E_TIMEOUT;
}

/* With a token that was stored before, it may be another message that has the number. */
void sent_note(engine *it, const ctie_engine_message *message, const sent_message *of) {
    if (!of->is_duplicate) { recent_note(it, message, of->in_stream); }
}

ctie_status sent_conclude(engine *it, const ctie_engine_message *message, const sent_message *of, int64_t deadline) {
    bool is_there = true;
    ctie_status status = CTIE_OK;
    if (message->kind != CTIE_MESSAGE_DESTROYED) { return CTIE_OK; }
    if (of->is_duplicate) { status = destroy_is_at(it, message->identifier, of->in_stream, deadline, &is_there); }
    if (status != CTIE_OK || !is_there) { return status; }
    return destroy_older(it, message->identifier, of->in_stream, deadline);
}

const uint8_t *sent_token(engine *it, const uint8_t *token, uint8_t own[CTIE_TRANSPORT_TOKEN_SIZE]) {
    if (token != NULL) { return token; }
    if (getrandom(own, CTIE_TRANSPORT_TOKEN_SIZE, 0) == CTIE_TRANSPORT_TOKEN_SIZE) { return own; }
    fail(it, CTIE_E_SYSTEM, "no random bytes");
    return NULL;
}
