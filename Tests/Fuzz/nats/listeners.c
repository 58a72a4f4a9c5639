#include "listeners.h"
#include "host.h"
#include "tasks.h"

#include <string.h>

const char *topic_of(uint8_t byte) {
    static const char *const TOPICS[] = {"a.b", "a.*", "*", "q", "a.c", "x"};
    return TOPICS[byte % (sizeof TOPICS / sizeof *TOPICS)];
}

const char *name_of(uint8_t byte) { return byte % 2 == 0 ? "w" : "other"; }

static bound *binding_of(uint8_t byte, uint64_t *number) {
    *number = byte % BINDINGS_MOST + 1;
    return &bindings_known[*number - 1];
}

/* A number is for one binding of an engine. */
void listener_bind(void *engine, const ctie_engine *functions, piece from) {
    uint64_t number = 1;
    while (number <= BINDINGS_MOST && bindings_known[number - 1].topic[0] != 0) { number++; }
    if (number > BINDINGS_MOST) { return; }
    uint8_t topic = piece_byte(&from), kind = piece_byte(&from), credit = piece_byte(&from);
    bound *it = &bindings_known[number - 1];
    strcpy(it->topic, topic_of(topic));
    it->delivery = kind % 3, it->is_bound = true, it->gives_credit_back = credit < 128;
    it->credit = credit % 16 + 1;
    bool is_durable = it->delivery == CTIE_ENGINE_DURABLE;
    ctie_engine_binding how = {.size = sizeof how, .topic = ctie_str_from(it->topic), .delivery = it->delivery,
                               .flags = it->delivery == CTIE_ENGINE_STATE ? topic / 64 % 2 : 0,
                               .start = kind / 4 % 4, .credit = it->credit};
    how.name = ctie_str_from(is_durable ? name_of(kind / 64) : "");
    how.max_unacknowledged = is_durable ? kind / 16 % 4 * 8 + 1 : 0;
    how.start_sequence = piece_byte(&from);
    how.start_time = (int64_t)(1767225600 + piece_byte(&from)) * 1000000000;
    ctie_status status = functions->bind(engine, number, &how, TIMEOUT_MS);
    check_status(status);
    if (status == CTIE_E_UNCERTAIN) { functions->unbind(engine, number, TIMEOUT_MS); }
    if (status != CTIE_OK) { it->is_bound = false; }
}

void listener_unbind(void *engine, const ctie_engine *functions, piece from) {
    uint64_t number;
    bound *it = binding_of(piece_byte(&from), &number);
    if (!it->is_bound) { return; }
    check_status(functions->unbind(engine, number, TIMEOUT_MS));
    it->is_bound = false;
}

void listener_credit(void *engine, const ctie_engine *functions, piece from) {
    uint64_t number;
    bound *it = binding_of(piece_byte(&from), &number);
    uint32_t count = piece_byte(&from) % 16 + 1;
    if (!it->is_bound) { return; }
    it->credit += count;
    functions->credit(engine, number, count);
}

void listener_answer(void *engine, const ctie_engine *functions, piece from) {
    uint64_t number;
    bound *it = binding_of(piece_byte(&from), &number);
    uint8_t which = piece_byte(&from), outcome = piece_byte(&from);
    if (!it->is_bound || it->claim_count == 0) { return; }
    size_t index = which % it->claim_count;
    ctie_engine_answer given = {.size = sizeof given, .claim = it->claims[index], .outcome = outcome % 4,
                                .delay_ns = outcome & 16 ? -1 : outcome * 1000000};
    it->claims[index] = it->claims[--it->claim_count];
    functions->resolve(engine, number, &given, 1);
    it->credit++;
    functions->credit(engine, number, 1);
}
