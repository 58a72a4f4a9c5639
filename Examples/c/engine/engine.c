/*
 * The functions of the engine. Three locks, always taken in this order: the group's (directory_lock), `work`, `small`.
 * Only `small` is taken by the functions that may not wait, and nobody holds it while reading a file.
 */
#define _GNU_SOURCE
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

void *engine_of_files(const char *directory) {
    engine *it = (engine *)calloc(1, sizeof *it);
    if (it == NULL) return NULL;
    snprintf(it->path, sizeof it->path, "%s", directory);
    it->files.root = it->member_file = it->watch = it->wake = -1;
    it->outcomes_end = &it->outcomes;
    pthread_mutex_init(&it->work, NULL);
    pthread_mutex_init(&it->small, NULL);
    return it;
}

static void copy_text(char *to, size_t room, ctie_str text) {
    size_t size = text.size < room ? text.size : room - 1;
    if (size > 0) memcpy(to, text.data, size);
    to[size] = 0;
}

/* ---- Opening and closing -------------------------------------------------------------------------- */

static ctie_status open_group(void *data, ctie_str group, const ctie_engine_host *host, uint32_t *abilities,
                              int64_t timeout_ms) {
    engine *it = (engine *)data;
    char path[PATH_MOST];
    held lock;
    int size = snprintf(path, sizeof path, "%s/%.*s", it->path, (int)group.size, group.data);
    if (size + 8 >= (int)sizeof path) return CTIE_E_INVALID;
    it->host = host;
    *abilities = CTIE_ENGINE_ATOMIC_BATCHES | CTIE_ENGINE_EXACT_MISSED | CTIE_ENGINE_TOKENS;
    mkdir(it->path, 0700);
    ctie_status status = directory_open(&it->files, path);
    if (status == CTIE_OK) status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    status = directory_new_id(&lock, &it->member);
    if (status == CTIE_OK) it->member_file = member_join(&it->files, it->member, host);
    ctie_status unlocked = directory_unlock(&lock, true);
    if (status == CTIE_OK) status = unlocked;
    snprintf(path + size, sizeof path - (size_t)size, "/lock");
    it->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    it->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (it->member_file < 0 || it->wake < 0 || it->watch < 0) return CTIE_E_SYSTEM;
    if (inotify_add_watch(it->watch, path, IN_MODIFY) < 0) return CTIE_E_SYSTEM;
    it->has_thread = pthread_create(&it->thread, NULL, run_engine, it) == 0;
    return it->has_thread ? status : CTIE_E_SYSTEM;
}

static void close_file(int file) {
    if (file >= 0) close(file);
}

/* Also called after an `open` that failed half-way. */
static void close_group(void *data) {
    engine *it = (engine *)data;
    held lock;
    if (it->has_thread) {
        pthread_mutex_lock(&it->small);
        it->is_over = true;
        pthread_mutex_unlock(&it->small);
        wake(it);
        pthread_join(it->thread, NULL);
    }
    if (it->member_file >= 0) {
        member_leave(&it->files, it->member, it->member_file);
        if (directory_lock(&it->files, &lock, 100) == CTIE_OK) directory_unlock(&lock, true);
    }
    for (outcome *next; it->outcomes != NULL; it->outcomes = next) next = it->outcomes->next, free(it->outcomes);
    for (binding *next; it->ended != NULL; it->ended = next) next = it->ended->next, free(it->ended);
    close_file(it->watch), close_file(it->wake);
    directory_close(&it->files);
    pthread_mutex_destroy(&it->work), pthread_mutex_destroy(&it->small);
    free(it);
}

/* ---- Sending -------------------------------------------------------------------------------------- */

/* [send] */
static ctie_status send_messages(void *data, const ctie_engine_message *messages, size_t count, const uint8_t *token,
                                 uint64_t *first, uint32_t *listeners, int64_t timeout_ms) {
    engine *it = (engine *)data;
    held lock;
    ctie_status status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    *listeners = 0;
    for (size_t i = 0; token != NULL && i < it->token_count && i < TOKENS; i++) {
        if (memcmp(it->tokens[i].token, token, sizeof it->tokens[i].token) != 0) continue;
        *first = it->tokens[i].first;
        return directory_unlock(&lock, false);
    }
    *first = lock.now.last + 1;
    for (size_t i = 0; i < count && status == CTIE_OK; i++) {
        status = message_write(&it->files, *first + i, ctie_engine_message_at(messages, i));
    }
    if (status != CTIE_OK) {
        directory_unlock(&lock, false); /* the next messages replace those that were written */
        return status;
    }
    if (token != NULL) {
        memcpy(it->tokens[it->token_count % TOKENS].token, token, sizeof it->tokens[0].token);
        it->tokens[it->token_count++ % TOKENS].first = *first;
    }
    lock.now.last += count; /* this is the step that sends them, all at once */
    return directory_unlock(&lock, true);
}
/* [end] */

/* ---- Reading -------------------------------------------------------------------------------------- */

static ctie_status read_current(void *data, ctie_str identifier, ctie_engine_message_fn visit, void *context,
                                int64_t timeout_ms) {
    engine *it = (engine *)data;
    char name[ID_MOST];
    held lock;
    stored found;
    copy_text(name, sizeof name, identifier);
    ctie_status status = directory_lock(&it->files, &lock, timeout_ms);
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
} listing;

static bool show_identifier(const char *id, void *context) {
    listing *with = (listing *)context;
    stored found;
    if (!topic_covers(with->topic, ctie_str_from(id))) return true;
    if (message_read(&with->it->files, "current", id, &found) != CTIE_OK) return true;
    bool is_there = !has_expired(&found);
    message_free(&found);
    return !is_there || with->visit(ctie_str_from(id), with->context);
}

static ctie_status list_identifiers(void *data, ctie_str topic, ctie_engine_identifier_fn visit, void *context,
                                    int64_t timeout_ms) {
    listing with = {(engine *)data, {0}, visit, context};
    held lock;
    copy_text(with.topic, sizeof with.topic, topic);
    ctie_status status = directory_lock(&with.it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    status = directory_list(&with.it->files, "current", show_identifier, &with);
    directory_unlock(&lock, false);
    return status;
}

static ctie_status list_members(void *data, ctie_engine_member_fn visit, void *context, int64_t timeout_ms) {
    engine *it = (engine *)data;
    held lock;
    ctie_status status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    status = members_visit(&it->files, it->member, visit, context);
    directory_unlock(&lock, false);
    return status;
}

/* ---- The table ------------------------------------------------------------------------------------ */

/* [functions] */
/* The last ones may be NULL: a wormhole over this engine has no list of its durable consumers, no seek, no delays. */
const ctie_engine ENGINE_OF_FILES = {
    sizeof(ctie_engine), open_group,   send_messages, read_current,    list_identifiers, bind_listener,
    add_credit,          take_outcomes, unbind_listener, list_members, close_group,      forget_durable,
    NULL,                NULL,          NULL,            NULL,         NULL};
/* [end] */
