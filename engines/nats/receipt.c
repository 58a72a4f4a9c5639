#include "receipt.h"

#include "text.h"

#include <string.h>

static bool skip(const char **at, const char *end, const char *text) {
    size_t size = strlen(text);
    if ((size_t)(end - *at) < size || memcmp(*at, text, size) != 0) { return false; }
    *at += size;
    return true;
}

/* `{"stream":"<name>", "seq":<number>}`, as nearly every answer is. */
static bool is_usual(const engine *it, natsMsg *answer, uint64_t *in_stream) {
    const char *at = natsMsg_GetData(answer), *end = at + natsMsg_GetDataLength(answer);
    bool is_ours = skip(&at, end, "{\"stream\":\"") && skip(&at, end, it->names.stream) && skip(&at, end, "\",");
    if (!is_ours) { return false; }
    skip(&at, end, " ");
    if (!skip(&at, end, "\"seq\":")) { return false; }
    const char *digits = at;
    while (at < end && *at >= '0' && *at <= '9') { at++; }
    size_t size = (size_t)(at - digits);
    return skip(&at, end, "}") && at == end && text_number(digits, size, UINT64_MAX, in_stream) && *in_stream > 0;
}

/* `{"stream": …, "seq": …}`, with `"duplicate": true` if it was stored before; or `{"error": …}`. */
static ctie_status read_any(engine *it, natsMsg *answer, receipt *out) {
    json_t *object = json_loadb(natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer), 0, NULL);
    const json_t *error = json_object_get(object, "error");
    ctie_status status = CTIE_OK;
    out->in_stream = api_number(object, "seq");
    out->is_duplicate = json_is_true(json_object_get(object, "duplicate"));
    if (error != NULL) {
        status = fail_api(it, error, "the message was not stored");
    } else if (out->in_stream == 0 || strcmp(api_text(object, "stream"), it->names.stream) != 0) {
        status = fail(it, CTIE_E_UNCERTAIN, "another than the group's stream has answered for it");
    }
    json_decref(object);
    return status;
}

ctie_status receipt_read(engine *it, natsMsg *answer, receipt *out) {
    *out = (receipt){0, false};
    return is_usual(it, answer, &out->in_stream) ? CTIE_OK : read_any(it, answer, out);
}
