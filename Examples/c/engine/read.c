/* The functions of the engine that read: the current message, identifiers, members. */
#define _GNU_SOURCE
#include "member.h"
#include "parts.h"

ctie_status read_current(void *data, ctie_str identifier, ctie_engine_message_fn visit, void *context,
                         int64_t timeout_ms) {
    engine *it = (engine *)data;
    char name[ID_MOST];
    held lock;
    stored found;
    ctie_status status = copy_text(name, sizeof name, identifier);
    if (status == CTIE_OK) status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    status = message_read(&it->files, "current", name, &found);
    directory_unlock(&lock, false);
    if (status == CTIE_OK) {
        if (!has_expired(&found)) visit(&found.message, context);
        message_free(&found);
    }
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}

typedef struct listing {
    engine *it;
    char topic[ID_MOST];
    ctie_engine_identifier_fn visit;
    void *context;
    ctie_status status;
} listing;

static bool show_identifier(const char *id, void *context) {
    listing *with = (listing *)context;
    stored found;
    if (!topic_covers(with->topic, ctie_str_from(id))) return true;
    ctie_status status = message_read(&with->it->files, "current", id, &found);
    if (status == CTIE_E_NOT_FOUND) return true;
    if (status == CTIE_E_CORRUPT) return with->visit(ctie_str_from(id), with->context); /* reading it says so, too */
    if ((with->status = status) != CTIE_OK) return false;
    bool is_there = !has_expired(&found);
    message_free(&found);
    return !is_there || with->visit(ctie_str_from(id), with->context);
}

ctie_status list_identifiers(void *data, ctie_str topic, ctie_engine_identifier_fn visit, void *context,
                             int64_t timeout_ms) {
    listing with = {(engine *)data, {0}, visit, context, CTIE_OK};
    held lock;
    ctie_status status = copy_text(with.topic, sizeof with.topic, topic);
    if (status == CTIE_OK) status = directory_lock(&with.it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    status = directory_list(&with.it->files, "current", show_identifier, &with);
    directory_unlock(&lock, false);
    return status == CTIE_OK ? with.status : status;
}

ctie_status list_members(void *data, ctie_engine_member_fn visit, void *context, int64_t timeout_ms) {
    engine *it = (engine *)data;
    held lock;
    ctie_status status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    status = members_visit(&it->files, it->member, visit, context);
    directory_unlock(&lock, false);
    return status;
}
