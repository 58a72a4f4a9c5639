/* The server counts each delivery to a member. One that no listener has seen does not count: a note says how many these
   were, before the message goes back. */
#include "letter.h"

#include "post.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* `<again_at> <count>`: a note of an earlier life of the message does not count. */
static bool read_note(natsMsg *note, uint64_t again_at, uint32_t *out) {
    const char *text = natsMsg_GetData(note);
    size_t size = (size_t)natsMsg_GetDataLength(note), first = 0;
    uint64_t of = 0, count = 0;
    while (first < size && text[first] != ' ') { first++; }
    bool is_read = first < size && text_number(text, first, UINT64_MAX, &of) &&
                   text_number(text + first + 1, size - first - 1, UINT32_MAX, &count);
    if (!is_read || of != again_at) { return false; }
    *out = (uint32_t)count;
    return true;
}

static ctie_status find(engine *it, const char *base, uint64_t in_stream, uint64_t again_at, int64_t deadline,
                        uint64_t *at, uint32_t *out) {
    char subject[LETTER_MOST];
    natsMsg *note = NULL;
    *out = 0;
    names_pardon(&it->names, base, in_stream, subject);
    ctie_status status = fetch_last(it, it->names.durable, subject, deadline, at);
    if (status != CTIE_OK || *at == 0) { return status; }
    status = fetch(it, it->names.durable, *at, deadline, &note);
    if (status == CTIE_OK) { read_note(note, again_at, out); }
    natsMsg_Destroy(note);
    return status == CTIE_E_NOT_FOUND ? CTIE_PENDING : status;
}

ctie_status pardons_count(engine *it, const char *base, uint64_t in_stream, uint64_t again_at, int64_t deadline,
                          uint32_t *out) {
    uint64_t at;
    return find(it, base, in_stream, again_at, deadline, &at, out);
}

ctie_status pardons_add(engine *it, const char *base, uint64_t in_stream, uint64_t again_at, int64_t deadline) {
    char subject[LETTER_MOST], text[48];
    natsMsg *note = NULL;
    uint64_t at;
    uint32_t count;
    ctie_status status = find(it, base, in_stream, again_at, deadline, &at, &count);
    if (status != CTIE_OK) { return status; }
    names_pardon(&it->names, base, in_stream, subject);
    int size = snprintf(text, sizeof text, "%llu %u", (unsigned long long)again_at, count + 1);
    if (natsMsg_Create(&note, subject, NULL, text, size) != NATS_OK) { return CTIE_E_NO_MEMORY; }
    status = post(it, it->names.durable, note, (int64_t)at, deadline, &at);
    natsMsg_Destroy(note);
    return status == CTIE_E_CONFLICT ? CTIE_PENDING : status; /* another member had it meanwhile */
}
