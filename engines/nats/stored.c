/* The initial deliveries to a binding to states. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

ctie_status stored_find(binding *it, stored_values *out, int64_t deadline) {
    return current_all(it->engine, ctie_str_from(it->topic), deadline, out);
}

static bool is_identifier(const binding *it) { return it->topic[strlen(it->topic) - 1] != '*'; }

static void show(binding *it, stored_value *value) {
    envelope read;
    const char *problem = NULL;
    if (!envelope_read(&it->engine->names, value->subject, value->message, &read, &problem)) {
        complain(it->of, COMPLAINT_FOREIGN, problem);
        return;
    }
    if (read.message.kind == CTIE_MESSAGE_VALUE && !has_expired(&read.message)) {
        read.message.sequence = number_of(it->engine, value->in_stream);
        read.message.flags = it->is_stored_again ? 0 : CTIE_ENGINE_STORED;
        it->stored_shown++;
        hand_over(it, &read.message);
    }
    envelope_clear(&read);
}

static void show_nothing(binding *it) {
    ctie_engine_message message = {.size = sizeof message, .kind = CTIE_MESSAGE_NONE, .flags = CTIE_ENGINE_STORED};
    message.identifier = ctie_str_from(it->topic);
    hand_over(it, &message);
}

void stored_deliver(binding *it) {
    while (it->credit > 0 && it->stored_next < it->stored.count) { show(it, &it->stored.items[it->stored_next++]); }
    if (it->credit == 0) { return; }
    if (it->stored_shown == 0 && !it->is_stored_again && is_identifier(it)) { show_nothing(it); }
    it->last = it->stored.up_to > it->last ? it->stored.up_to : it->last;
    stored_values_free(&it->stored);
    memset(&it->stored, 0, sizeof it->stored);
    it->phase = IS_FLOWING;
}
