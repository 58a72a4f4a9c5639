#include "names.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void below(const group_names *names, const char *consumer, const char *rest, char out[LETTER_MOST]) {
    snprintf(out, LETTER_MOST, "ctie.%.*s.q.%.*s.%s", STREAM_MOST - 1, names->group, CONSUMER_MOST - 1, consumer, rest);
}

void names_options(const group_names *names, const char *consumer, char out[LETTER_MOST]) {
    below(names, consumer, "o", out);
}

void names_letter(const group_names *names, const char *consumer, uint64_t in_stream, ctie_str identifier,
                  char out[LETTER_MOST]) {
    char rest[160];
    snprintf(rest, sizeof rest, "l.%" PRIu64 "%s%.*s", in_stream, identifier.size > 0 ? "." : "",
             (int)(identifier.size < 128 ? identifier.size : 128), identifier.data);
    below(names, consumer, rest, out);
}

void names_letters(const group_names *names, const char *consumer, char out[LETTER_MOST]) {
    below(names, consumer != NULL ? consumer : "*", "l.>", out);
}

void names_letters_of(const group_names *names, ctie_str identifier, char out[LETTER_MOST]) {
    char rest[160];
    snprintf(rest, sizeof rest, "l.*.%.*s", (int)(identifier.size < 128 ? identifier.size : 128), identifier.data);
    below(names, "*", rest, out);
}

void names_pardon(const group_names *names, const char *consumer, uint64_t in_stream, char out[LETTER_MOST]) {
    char rest[32];
    snprintf(rest, sizeof rest, "p.%" PRIu64, in_stream);
    below(names, consumer, rest, out);
}

void names_pardons(const group_names *names, const char *consumer, char out[LETTER_MOST]) {
    below(names, consumer, "p.>", out);
}

bool names_read_letter(const group_names *names, const char *subject, char consumer[CONSUMER_MOST], uint64_t *in_stream,
                       ctie_str *identifier) {
    char stem[LETTER_MOST];
    size_t size = (size_t)snprintf(stem, sizeof stem, "ctie.%s.q.", names->group);
    *identifier = (ctie_str){"", 0};
    if (subject == NULL || strncmp(subject, stem, size) != 0) { return false; }
    subject += size;
    size = strcspn(subject, ".");
    if (size == 0 || size >= CONSUMER_MOST || strncmp(subject + size, ".l.", 3) != 0) { return false; }
    memcpy(consumer, subject, size);
    consumer[size] = 0;
    subject += size + 3;
    size = strcspn(subject, ".");
    if (!text_number(subject, size, INT64_MAX, in_stream) || *in_stream == 0) { return false; }
    if (subject[size] == 0) { return true; }
    if (!names_is_identifier(subject + size + 1)) { return false; }
    *identifier = ctie_str_from(subject + size + 1);
    return true;
}
