/* Dead letters of durable consumers. */
#include "player.h"

static void expect_letter(player *p, step *expected, const ctie_value *letter) {
    static const char *const NUMBERS[] = {"sequence", "deliveries", "sent_as", "size"};
    static const char *const TEXTS[] = {"id", "kind", "reason"};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        int64_t found = -1;
        ctie_value_get_int(ctie_value_get(letter, ctie_str_from(NUMBERS[i])), &found);
        expect_number(p, expected, NUMBERS[i], found);
    }
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        ctie_str found = {NULL, 0}, key = ctie_str_from(i == 0 ? "identifier" : TEXTS[i]);
        ctie_value_get_string(ctie_value_get(letter, key), &found);
        expect_text(p, expected, TEXTS[i], found);
    }
}

void step_dead_letters(player *p, step *s) {
    ctie_value *found = NULL;
    ctie_error *error = NULL;
    step *letters = ctie_value_get(s, CTIE_STR("letters"));
    ctie_status status =
        ctie_wormhole_dead_letters(wormhole_of(p, s), text(p, s, "id", ""), text(p, s, "durable", ""),
                                   (uint64_t)number(s, "after", 0), (size_t)number(s, "limit", 0), &found, &error);
    if (expect_status(p, s, status, error)) {
        size_t count = ctie_value_count(letters);
        if (ctie_value_count(found) != count) { failf(p, "%zu dead letters", ctie_value_count(found)); }
        for (size_t i = 0; i < count && !failed(p); i++) {
            expect_letter(p, ctie_value_at(letters, i), ctie_value_at(found, i));
        }
    }
    ctie_value_release(found);
}

void step_dead_letter(player *p, step *s) {
    ctie_message *message = NULL;
    ctie_error *error = NULL;
    ctie_status status =
        ctie_wormhole_dead_letter(wormhole_of(p, s), text(p, s, "id", ""), text(p, s, "durable", ""),
                                  (uint64_t)number(s, "sequence", 0), &message, &error);
    if (expect_status(p, s, status, error)) {
        expect_message(p, s, message);
        expect_text(p, s, "reason", ctie_message_reason(message));
    }
    ctie_message_release(message);
}

static void resolve_dead(player *p, step *s, bool is_retry) {
    uint64_t count = 0;
    ctie_error *error = NULL;
    ctie_str id = text(p, s, "id", ""), name = text(p, s, "durable", "");
    uint64_t sequence = (uint64_t)number(s, "sequence", 0);
    ctie_status status = is_retry ? ctie_wormhole_retry(wormhole_of(p, s), id, name, sequence, &count, &error)
                                  : ctie_wormhole_drop(wormhole_of(p, s), id, name, sequence, &count, &error);
    if (expect_status(p, s, status, error)) { expect_number(p, s, "count", (int64_t)count); }
}

void step_retry(player *p, step *s) {
    resolve_dead(p, s, true);
}

void step_drop(player *p, step *s) {
    resolve_dead(p, s, false);
}
