#include "letter.h"

#include "post.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const STATES[] = {"", "dying", "dead", "again", "done"};
static const char *const KINDS[] = {"value", "signal", "destroyed"};
static const int32_t KIND_NUMBERS[] = {CTIE_MESSAGE_VALUE, CTIE_MESSAGE_SIGNAL, CTIE_MESSAGE_DESTROYED};
enum { STATE_COUNT = 5, KIND_COUNT = 3 };

static const char *get(natsMsg *from, const char *key) {
    const char *value = NULL;
    return natsMsgHeader_Get(from, key, &value) == NATS_OK && value != NULL ? value : "";
}

static uint64_t get_number(natsMsg *from, const char *key, uint64_t most) {
    const char *text = get(from, key);
    uint64_t number = 0;
    return text_number(text, strlen(text), most, &number) ? number : 0;
}

const char *message_subject(natsMsg *message) {
    const char *given = get(message, "Nats-Subject");
    return given[0] != 0 ? given : natsMsg_GetSubject(message);
}

/* ---- Reading --------------------------------------------------------------------------------------- */

static int index_of(const char *text, const char *const *all, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(text, all[i]) == 0) { return i; }
    }
    return 0;
}

bool letter_read(const group_names *names, natsMsg *message, uint64_t at, letter *out) {
    ctie_str identifier;
    *out = (letter){.message = message, .at = at};
    bool is_ours = names_read_letter(names, message_subject(message), out->base, &out->in_stream, &identifier);
    out->state = (letter_state)index_of(get(message, "Ctie-State"), STATES, STATE_COUNT);
    const char *passed = get(message, "Ctie-Passed");
    if (!is_ours || out->state == LETTER_NONE || strlen(passed) >= sizeof out->passed) { return false; }
    snprintf(out->identifier, sizeof out->identifier, "%.*s", (int)identifier.size, identifier.data);
    strcpy(out->passed, passed);
    out->kind = KIND_NUMBERS[index_of(get(message, "Ctie-Kind"), KINDS, KIND_COUNT)];
    out->deliveries = (uint32_t)get_number(message, "Ctie-Deliveries", UINT32_MAX);
    out->died = (int64_t)get_number(message, "Ctie-Died", INT64_MAX);
    out->sent_as = get_number(message, "Ctie-Sent-As", INT64_MAX);
    out->size = get_number(message, "Ctie-Size", INT64_MAX);
    out->reason = get(message, "Ctie-Reason");
    return true;
}

void letter_clear(letter *it) {
    natsMsg_Destroy(it->message);
    *it = (letter){0};
}

void letter_subject(const group_names *names, const letter *it, char out[SUBJECT_MOST]) {
    names_subject(names, it->kind, ctie_str_from(it->identifier), out);
}

/* ---- Writing --------------------------------------------------------------------------------------- */

/* libnats reads the line after an empty value as its continuation. */
static bool set(natsMsg *to, const char *key, const char *value) {
    if (value[0] != 0) { return natsMsgHeader_Set(to, key, value) == NATS_OK; }
    natsStatus status = natsMsgHeader_Delete(to, key);
    return status == NATS_OK || status == NATS_NOT_FOUND;
}

static bool set_number(natsMsg *to, const char *key, uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return set(to, key, text);
}

static const char *name_of_kind(int32_t kind) {
    for (int i = 0; i < KIND_COUNT; i++) {
        if (KIND_NUMBERS[i] == kind) { return KINDS[i]; }
    }
    return KINDS[0];
}

natsMsg *letter_pack(const group_names *names, const letter *it, natsMsg *from) {
    char subject[LETTER_MOST];
    names_letter(names, it->base, it->in_stream, ctie_str_from(it->identifier), subject);
    natsMsg *made = post_copy(from, subject);
    bool is_done = made != NULL && set(made, "Ctie-State", STATES[it->state]) &&
                   set(made, "Ctie-Kind", name_of_kind(it->kind)) &&
                   set_number(made, "Ctie-Deliveries", it->deliveries) &&
                   set_number(made, "Ctie-Died", (uint64_t)it->died) && set_number(made, "Ctie-Sent-As", it->sent_as) &&
                   set_number(made, "Ctie-Size", it->size) && set(made, "Ctie-Passed", it->passed) &&
                   set(made, "Ctie-Reason", it->reason != NULL ? it->reason : "");
    if (is_done) { return made; }
    natsMsg_Destroy(made);
    return NULL;
}
