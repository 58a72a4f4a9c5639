#include "record.h"

#include "post.h"
#include "requests.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_SIZE_MOST = 4096 };
static const char *const STATES[] = {"none", "making", "made", "forgotten"};

ctie_status durable_key_of(ctie_str topic, ctie_str name, durable_key *out) {
    out->topic = topic, out->name = name;
    return names_consumer(topic, name, out->base) ? CTIE_OK : CTIE_E_NO_MEMORY;
}

void record_consumer(const char *base, const char *suffix, char out[CONSUMER_NAME_MOST]) {
    snprintf(out, CONSUMER_NAME_MOST, "%s%s%s", base, suffix[0] != 0 ? "-" : "", suffix);
}

/* ---- Reading --------------------------------------------------------------------------------------- */

static bool read_suffix(const json_t *from, const char *key, char out[SUFFIX_MOST]) {
    const char *text = api_text(from, key);
    if (strlen(text) >= SUFFIX_MOST || text[strspn(text, "0123456789abcdef")] != 0) { return false; }
    strcpy(out, text);
    return true;
}

bool record_parse(const char *text, size_t size, durable_record *out) {
    json_t *object = json_loadb(text, size, 0, NULL);
    const char *state = api_text(object, "state");
    out->state = RECORD_NONE;
    for (int i = RECORD_MAKING; i <= RECORD_FORGOTTEN; i++) {
        if (strcmp(state, STATES[i]) == 0) { out->state = (record_state)i; }
    }
    out->has_previous = json_is_string(json_object_get(object, "previous"));
    out->start = api_number(object, "start");
    bool is_read = out->state != RECORD_NONE && read_suffix(object, "suffix", out->suffix) &&
                   read_suffix(object, "previous", out->previous) &&
                   durable_options_parse(json_object_get(object, "options"), &out->options);
    json_decref(object);
    return is_read;
}

/* The data of a message is in base64. */
static bool parse_encoded(const json_t *message, durable_record *out) {
    unsigned char text[RECORD_SIZE_MOST];
    const char *data = api_text(message, "data");
    size_t size = strlen(data);
    if (size == 0 || size % 4 != 0 || size / 4 * 3 > sizeof text) { return false; }
    if (EVP_DecodeBlock(text, (const unsigned char *)data, (int)size) < 0) { return false; }
    size_t padding = (data[size - 1] == '=') + (data[size - 2] == '=');
    return record_parse((const char *)text, size / 4 * 3 - padding, out);
}

/* A record of an earlier epoch belongs to a consumer that was lost with its stream. */
static bool is_of_epoch(engine *it, const json_t *message) {
    pthread_mutex_lock(&it->lock);
    int64_t begin = api_time(it->epoch);
    pthread_mutex_unlock(&it->lock);
    return api_time(api_text(message, "time")) >= begin;
}

ctie_status record_read(engine *it, const char *base, durable_record *out, int64_t deadline) {
    char what[STREAM_MOST + 32], subject[LETTER_MOST];
    *out = (durable_record){.options = durable_defaults()};
    names_options(&it->names, base, subject);
    json_t *answer = NULL, *body = json_pack("{s:s}", "last_by_subj", subject);
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "STREAM.MSG.GET.%s", it->names.durable);
    ctie_status status = api(it, what, body, deadline, &answer);
    const json_t *message = json_object_get(answer, "message");
    if (status == CTIE_OK && is_of_epoch(it, message)) {
        out->at = api_number(message, "seq");
        bool is_read = out->at > 0 && parse_encoded(message, out);
        if (!is_read) { status = fail(it, CTIE_E_CORRUPT, "the record %s cannot be read", subject); }
    }
    json_decref(answer);
    json_decref(body);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}

/* ---- Changing -------------------------------------------------------------------------------------- */

static char *text_of(const durable_key *key, const durable_record *from) {
    char name[DEAD_LETTER_MOST], topic[DEAD_LETTER_MOST];
    snprintf(name, sizeof name, "%.*s", (int)key->name.size, key->name.data);
    snprintf(topic, sizeof topic, "%.*s", (int)key->topic.size, key->topic.data);
    json_t *options = durable_options_pack(&from->options);
    json_t *object = options != NULL ? json_pack("{s:s, s:s, s:s, s:s, s:I, s:o}", "name", name, "topic", topic, "state",
                                                 STATES[from->state], "suffix", from->suffix, "start",
                                                 (json_int_t)from->start, "options", options)
                                     : NULL;
    if (object != NULL && from->has_previous) {
        json_object_set_new(object, "previous", json_string(from->previous));
    }
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return text;
}

ctie_status record_write(engine *it, const durable_key *key, durable_record *record, int64_t deadline) {
    char subject[LETTER_MOST];
    natsMsg *message = NULL;
    uint64_t at = 0;
    char *text = text_of(key, record);
    names_options(&it->names, key->base, subject);
    bool is_made = text != NULL && natsMsg_Create(&message, subject, NULL, text, (int)strlen(text)) == NATS_OK;
    ctie_status status = is_made ? post(it, it->names.durable, message, (int64_t)record->at, deadline, &at)
                                 : fail(it, CTIE_E_NO_MEMORY, "a record of a durable consumer");
    if (status == CTIE_OK) { record->at = at; }
    if (is_made) { natsMsg_Destroy(message); }
    free(text);
    return status;
}

ctie_status record_doubt(engine *it, ctie_status status) {
    if (status != CTIE_E_TIMEOUT && status != CTIE_E_UNAVAILABLE) { return status; }
    return fail(it, CTIE_E_UNCERTAIN, "the server has not answered: the change may have been made");
}

ctie_status record_remove(engine *it, const durable_record *record, int64_t deadline) {
    requests one = {.count = 0};
    requests_add(&one, requests_delete(it->names.durable, record->at));
    return requests_ask(it, &one, deadline);
}
