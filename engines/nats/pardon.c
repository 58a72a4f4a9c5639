/* The server counts each delivery to a member. One that no listener has seen does not count: a note says how many these
   were, before the message goes back. */
#include "letter.h"

#include "collect.h"
#include "post.h"
#include "requests.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `<life> <count> <delivery>`; the last is the number of the delivery that was noted last. */
typedef struct note {
    uint64_t at; /* its number in the third stream; 0: there is none */
    uint64_t count, delivery;
} note;

/* A note of an earlier life of the message does not count. */
static void read_note(natsMsg *from, const char *life, note *out) {
    const char *text = natsMsg_GetData(from);
    size_t size = (size_t)natsMsg_GetDataLength(from), first = 0, second;
    while (first < size && text[first] != ' ') { first++; }
    for (second = first + 1; second < size && text[second] != ' ';) { second++; }
    bool is_of_it = second < size && first == strlen(life) && memcmp(text, life, first) == 0;
    uint64_t count, delivery;
    bool is_read = is_of_it && text_number(text + first + 1, second - first - 1, UINT32_MAX - 1, &count) &&
                   text_number(text + second + 1, size - second - 1, UINT32_MAX, &delivery);
    if (is_read) { out->count = count, out->delivery = delivery; }
}

static ctie_status find(engine *it, const pardon *of, const char *subject, int64_t deadline, note *out) {
    natsMsg *message = NULL;
    *out = (note){0};
    ctie_status status = fetch_last(it, it->names.durable, subject, deadline, &out->at);
    if (status != CTIE_OK || out->at == 0) { return status; }
    status = fetch(it, it->names.durable, out->at, deadline, &message);
    if (status == CTIE_OK) { read_note(message, of->life, out); }
    natsMsg_Destroy(message);
    return status == CTIE_E_NOT_FOUND ? CTIE_PENDING : status;
}

ctie_status pardons_count(engine *it, const pardon *of, int64_t deadline, uint32_t *out) {
    char subject[LETTER_MOST];
    note found;
    names_pardon(&it->names, of->base, of->in_stream, of->is_again, subject);
    ctie_status status = find(it, of, subject, deadline, &found);
    *out = (uint32_t)found.count;
    return status;
}

ctie_status pardons_add(engine *it, const pardon *of, int64_t deadline) {
    char subject[LETTER_MOST], text[72];
    natsMsg *message = NULL;
    note found;
    uint64_t at;
    names_pardon(&it->names, of->base, of->in_stream, of->is_again, subject);
    ctie_status status = find(it, of, subject, deadline, &found);
    bool is_noted = found.count > 0 && found.delivery == of->delivery; /* by an earlier try */
    if (status != CTIE_OK || is_noted) { return status; }
    int size = snprintf(text, sizeof text, "%s %u %u", of->life, (uint32_t)found.count + 1, of->delivery);
    if (natsMsg_Create(&message, subject, NULL, text, size) != NATS_OK) { return CTIE_E_NO_MEMORY; }
    status = post(it, it->names.durable, message, (int64_t)found.at, deadline, &at);
    natsMsg_Destroy(message);
    return status == CTIE_E_CONFLICT ? CTIE_PENDING : status; /* another member had it meanwhile */
}

/* ---- Those that are not needed any more ------------------------------------------------------------ */

enum { NOTES_MOST = 4096 }; /* more are removed by a later look */

typedef struct useless {
    uint64_t done;           /* messages up to this number are acknowledged */
    const uint64_t *letters; /* the messages that have letters; sorted */
    size_t letter_count;
    uint64_t found[NOTES_MOST];
    size_t count;
} useless;

static int compare(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

static bool take(void *context, natsMsg *message, uint64_t at) {
    useless *to = context;
    uint64_t in_stream;
    bool is_again, is_read = names_read_pardon(natsMsg_GetSubject(message), &in_stream, &is_again);
    natsMsg_Destroy(message);
    if (!is_read || to->count == NOTES_MOST) { return true; }
    bool has_letter = to->letter_count > 0 &&
                      bsearch(&in_stream, to->letters, to->letter_count, sizeof in_stream, compare) != NULL;
    if (is_again ? !has_letter : in_stream <= to->done) { to->found[to->count++] = at; }
    return true;
}

static ctie_status remove_all(engine *it, const useless *what, int64_t deadline) {
    ctie_status status = CTIE_OK;
    for (size_t i = 0; i < what->count && status == CTIE_OK;) {
        requests some = {.count = 0};
        for (; i < what->count && some.count < REQUESTS_MOST && !some.has_failed; i++) {
            requests_add(&some, requests_delete(it->names.durable, what->found[i]));
        }
        status = requests_ask(it, &some, deadline);
    }
    return status;
}

void pardons_tidy(engine *it, const char *base, uint64_t done, const uint64_t *letters, size_t letter_count,
                  int64_t deadline) {
    char filter[LETTER_MOST];
    uint64_t last;
    names_pardons(&it->names, base, filter);
    if (fetch_last(it, it->names.durable, filter, deadline, &last) != CTIE_OK || last == 0) { return; }
    useless *what = calloc(1, sizeof *what);
    if (what == NULL) { return; }
    what->done = done, what->letters = letters, what->letter_count = letter_count;
    collecting all = {.stream = it->names.durable, .filter = filter, .names_only = true, .most = UINT64_MAX,
                      .take = take, .context = what};
    if (collect(it, &all, deadline) == CTIE_OK) { remove_all(it, what, deadline); }
    free(what);
}
