/* Messages that their listener has by the second consumer: as letters in the state `again`. */
#include "work.h"

#include <string.h>

/* A message in hand from before its consumer was moved behind it has no consumer any more, and goes the way of a dead letter
   that was retried. */
ctie_status work_carry(const work *it, uint32_t deliveries) {
    natsMsg *from = NULL;
    letter made = {.in_stream = it->what->in_stream, .state = LETTER_AGAIN, .deliveries = deliveries};
    int32_t kind;
    ctie_str identifier;
    ctie_status status = fetch(it->it, it->it->names.stream, made.in_stream, it->deadline, &from);
    if (status == CTIE_E_NOT_FOUND) { return work_end(it->what, END_NOTHING, 0); }
    if (status != CTIE_OK) { return status; }
    if (names_read(&it->it->names, message_subject(from), &kind, &identifier)) {
        int size = natsMsg_GetDataLength(from);
        made.kind = kind, made.size = kind == CTIE_MESSAGE_VALUE && size > 0 ? (uint64_t)size : 0;
        memcpy(made.base, it->key.base, sizeof made.base);
        memcpy(made.passed, it->record.suffix, sizeof made.passed);
        if (identifier.size > 0) { memcpy(made.identifier, identifier.data, identifier.size); }
        status = letter_write(it->it, &made, from, it->deadline);
    }
    natsMsg_Destroy(from);
    return status == CTIE_OK || status == CTIE_E_CONFLICT ? work_end(it->what, END_NOTHING, 0) : status;
}

/* A consumer that was moved and is not behind the message yet must not deliver it once more. */
ctie_status work_finish(const work *it) {
    const deed *what = it->what;
    natsMsg *message = NULL;
    letter found;
    ctie_status status = fetch(it->it, it->it->names.durable, what->again_at, it->deadline, &message);
    if (status == CTIE_E_NOT_FOUND) { return work_end(what, END_DONE, 0); }
    if (status != CTIE_OK) { return status; }
    bool is_read = letter_read(&it->it->names, message, what->again_at, &found);
    bool is_passed = what->in_stream < it->record.start || strcmp(found.passed, it->record.suffix) == 0;
    if (!is_read || is_passed) {
        status = letter_remove(it->it, what->again_at, it->deadline);
    } else {
        found.state = LETTER_DONE;
        status = letter_write(it->it, &found, message, it->deadline);
    }
    natsMsg_Destroy(message);
    return status == CTIE_OK || status == CTIE_E_CONFLICT ? work_end(what, END_DONE, 0) : status;
}
