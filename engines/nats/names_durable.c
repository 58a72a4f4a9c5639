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

void names_pardon(const group_names *names, const char *consumer, uint64_t in_stream, bool is_again,
                  char out[LETTER_MOST]) {
    char rest[32];
    snprintf(rest, sizeof rest, "p.%" PRIu64 "%s", in_stream, is_again ? ".a" : "");
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

bool names_read_pardon(const char *subject, uint64_t *in_stream, bool *is_again) {
    const char *at = subject != NULL ? strstr(subject, ".p.") : NULL;
    if (at == NULL) { return false; }
    size_t size = strcspn(at + 3, ".");
    *is_again = at[3 + size] != 0;
    return text_number(at + 3, size, INT64_MAX, in_stream);
}
