#include "last.h"

#include "text.h"

#include <stdio.h>
#include <string.h>

enum { API_MOST = 32 + STREAM_MOST + SUBJECT_MOST };

bool last_is_possible(engine *it) {
    pthread_mutex_lock(&it->lock);
    bool is_so = !it->has_no_direct_gets;
    pthread_mutex_unlock(&it->lock);
    return is_so;
}

natsMsg *last_request(const char *stream, const char *subject) {
    char to[API_MOST];
    natsMsg *request = NULL;
    snprintf(to, sizeof to, "$JS.API.DIRECT.GET.%s.%s", stream, subject);
    return natsMsg_Create(&request, to, NULL, NULL, 0) == NATS_OK ? request : NULL;
}

static uint64_t number_in(const char *text, size_t size) {
    uint64_t number = 0;
    return text_number(text, size, UINT64_MAX, &number) ? number : 0;
}

/* The header is `<stream> <number>`, in newer versions with more behind it. */
uint64_t last_source(const engine *it, natsMsg *copy) {
    const char *text = NULL;
    size_t size = strlen(it->names.stream);
    if (natsMsgHeader_Get(copy, "Nats-Stream-Source", &text) != NATS_OK || text == NULL) { return 0; }
    if (strncmp(text, it->names.stream, size) != 0 || text[size] != ' ') { return 0; }
    return number_in(text + size + 1, strcspn(text + size + 1, " "));
}

ctie_status last_read(const engine *it, natsMsg *answer, uint64_t *in_stream, uint64_t *at) {
    const char *status = NULL, *stream = NULL, *text = NULL;
    if (natsMsgHeader_Get(answer, "Status", &status) == NATS_OK && status != NULL) {
        return strcmp(status, "404") == 0 ? CTIE_E_NOT_FOUND : CTIE_E_CORRUPT;
    }
    if (natsMsgHeader_Get(answer, "Nats-Stream", &stream) != NATS_OK || stream == NULL) { return CTIE_E_CORRUPT; }
    if (natsMsgHeader_Get(answer, "Nats-Sequence", &text) != NATS_OK || text == NULL) { return CTIE_E_CORRUPT; }
    uint64_t number = number_in(text, strlen(text));
    bool is_copy = strcmp(stream, it->names.now) == 0;
    if (!is_copy && strcmp(stream, it->names.stream) != 0) { return CTIE_E_CORRUPT; }
    uint64_t original = is_copy ? last_source(it, answer) : number;
    if (in_stream != NULL) { *in_stream = original; }
    if (at != NULL) { *at = number; }
    return number > 0 && original > 0 ? CTIE_OK : CTIE_E_CORRUPT;
}

ctie_status last_sourced(engine *it, int64_t deadline, uint64_t *out) {
    char to[API_MOST], body[SUBJECT_MOST + 32];
    natsMsg *request = NULL, *answer = NULL;
    snprintf(to, sizeof to, "$JS.API.DIRECT.GET.%s", it->names.now);
    int size = snprintf(body, sizeof body, "{\"last_by_subj\":\"%s\"}", it->names.messages);
    *out = 0;
    if (natsMsg_Create(&request, to, NULL, body, size) != NATS_OK) { return CTIE_E_NO_MEMORY; }
    ctie_status status = ask(it, request, deadline, &answer);
    if (status == CTIE_OK) { status = last_read(it, answer, out, NULL); }
    natsMsg_Destroy(answer);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}
