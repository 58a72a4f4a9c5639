/* The content of a dead letter's copy: its identifier and headers. */
#include "dead_copy.h"

#include "text.h"

#include <stdio.h>
#include <string.h>

enum { ADDED = 5, DIGITS = 24 };

/* ---- Its identifier -------------------------------------------------------------------------------- */

#define SUFFIX ".dead"

static bool has_suffix(ctie_str text) {
    size_t size = sizeof SUFFIX - 1;
    return text.size > size && memcmp(text.data + text.size - size, SUFFIX, size) == 0;
}

bool dead_copy_is_of(const durable_options *options, ctie_str topic, ctie_str identifier) {
    bool is_prefix = topic.size > 0 && topic.data[topic.size - 1] == '*';
    if (options->max_deliveries == 0 || !is_prefix) { return false; }
    if (options->dead_letter[0] == 0) { return has_suffix(identifier); }
    size_t size = strlen(options->dead_letter);
    return identifier.size == size && memcmp(identifier.data, options->dead_letter, size) == 0;
}

static bool identifier_of(const durable_options *options, const letter *of, char out[2 * DEAD_LETTER_MOST]) {
    if (of->kind == CTIE_MESSAGE_DESTROYED || of->identifier[0] == 0) { return false; }
    if (options->dead_letter[0] != 0) {
        snprintf(out, 2 * DEAD_LETTER_MOST, "%s", options->dead_letter);
    } else {
        snprintf(out, 2 * DEAD_LETTER_MOST, "%s" SUFFIX, of->identifier);
    }
    return names_is_identifier(out);
}

/* ---- Its headers ----------------------------------------------------------------------------------- */

typedef struct headers {
    ctie_header items[CTIE_MAX_HEADERS];
    size_t count, size;
    char deliveries[DIGITS], sequence[DIGITS];
} headers;

static bool is_same(ctie_str a, ctie_str b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

/* The message's own headers, and as many of the dead letter's as there is room for. Of one that has been a dead letter
   before, the last death counts. */
static void make_headers(const death *what, const letter *of, const ctie_engine_message *message, headers *out) {
    snprintf(out->deliveries, DIGITS, "%u", what->deliveries);
    snprintf(out->sequence, DIGITS, "%llu", (unsigned long long)number_of_letter(what->it, of->in_stream));
    const ctie_header added[ADDED] = {
        {CTIE_STR("dead_reason"), ctie_str_from(what->reason)}, {CTIE_STR("dead_name"), what->key->name},
        {CTIE_STR("dead_deliveries"), ctie_str_from(out->deliveries)},
        {CTIE_STR("dead_identifier"), ctie_str_from(of->identifier)},
        {CTIE_STR("dead_sequence"), ctie_str_from(out->sequence)}};
    out->count = out->size = 0;
    for (size_t i = 0; i < message->header_count; i++) {
        const ctie_header *each = &message->headers[i];
        bool is_older = false;
        for (int k = 0; k < ADDED; k++) { is_older |= is_same(each->name, added[k].name); }
        if (is_older) { continue; }
        out->items[out->count++] = *each;
        out->size += each->name.size + each->value.size;
    }
    for (int k = 0; k < ADDED; k++) {
        size_t size = added[k].name.size + added[k].value.size;
        if (out->count == CTIE_MAX_HEADERS || out->size + size > CTIE_MAX_HEADERS_SIZE) { continue; }
        out->items[out->count++] = added[k];
        out->size += size;
    }
}

/* ---- Sending it ------------------------------------------------------------------------------------ */

ctie_status dead_copy_send(const death *what, const letter *of, natsMsg *from, bool may_be_sent, uint64_t *sent_as) {
    char identifier[2 * DEAD_LETTER_MOST], subject[SUBJECT_MOST];
    const char *problem;
    envelope read;
    headers all;
    *sent_as = 0;
    if (!identifier_of(&what->record->options, of, identifier)) { return CTIE_OK; }
    letter_subject(&what->it->names, of, subject);
    if (!envelope_read(&what->it->names, subject, from, &read, &problem)) { return CTIE_OK; }
    sender original = {.pid = read.message.sender_pid};
    memcpy(original.member, read.member[0] != 0 ? read.member : what->it->self.member, sizeof original.member);
    text_copy(original.name, sizeof original.name, read.message.sender_name);
    make_headers(what, of, &read.message, &all);
    ctie_engine_message message = read.message;
    message.identifier = ctie_str_from(identifier);
    message.headers = all.items, message.header_count = all.count;
    message.time = of->died, message.expires = 0;
    ctie_status status = dead_copy_store(what, of, &message, &original, may_be_sent, sent_as);
    envelope_clear(&read);
    return status == CTIE_E_LIMIT ? CTIE_OK : status; /* a letter without a copy is better than none */
}
