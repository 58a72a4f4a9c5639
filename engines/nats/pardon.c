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

/* `<life> <count>`: a note of an earlier life of the message does not count. */
static bool read_note(natsMsg *note, const char *life, uint32_t *out) {
    const char *text = natsMsg_GetData(note);
    size_t size = (size_t)natsMsg_GetDataLength(note), first = 0;
    uint64_t count = 0;
    while (first < size && text[first] != ' ') { first++; }
    bool is_read = first < size && first == strlen(life) && memcmp(text, life, first) == 0 &&
                   text_number(text + first + 1, size - first - 1, UINT32_MAX, &count);
    if (!is_read) { return false; }
    *out = (uint32_t)count;
    return true;
}

static ctie_status find(engine *it, const char *subject, const char *life, int64_t deadline, uint64_t *at,
                        uint32_t *out) {
    natsMsg *note = NULL;
    *out = 0;
    ctie_status status = fetch_last(it, it->names.durable, subject, deadline, at);
    if (status != CTIE_OK || *at == 0) { return status; }
    status = fetch(it, it->names.durable, *at, deadline, &note);
    if (status == CTIE_OK) { read_note(note, life, out); }
    natsMsg_Destroy(note);
    return status == CTIE_E_NOT_FOUND ? CTIE_PENDING : status;
}

ctie_status pardons_count(engine *it, const pardon *of, int64_t deadline, uint32_t *out) {
    char subject[LETTER_MOST];
    uint64_t at;
    names_pardon(&it->names, of->base, of->in_stream, of->is_again, subject);
    return find(it, subject, of->life, deadline, &at, out);
}

ctie_status pardons_add(engine *it, const pardon *of, int64_t deadline) {
    char subject[LETTER_MOST], text[48];
    natsMsg *note = NULL;
    uint64_t at;
    uint32_t count;
    names_pardon(&it->names, of->base, of->in_stream, of->is_again, subject);
    ctie_status status = find(it, subject, of->life, deadline, &at, &count);
    if (status != CTIE_OK) { return status; }
    int size = snprintf(text, sizeof text, "%s %u", of->life, count + 1);
    if (natsMsg_Create(&note, subject, NULL, text, size) != NATS_OK) { return CTIE_E_NO_MEMORY; }
    status = post(it, it->names.durable, note, (int64_t)at, deadline, &at);
    natsMsg_Destroy(note);
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
