/*
 * The functions of the engine. Three locks, always taken in this order: the group's (directory_lock), `work`, `small`.
 * The functions that may not wait take `small` alone, which is never held while a file is read.
 */
#define _GNU_SOURCE
#include "member.h"
#include "parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

void *engine_of_files(const char *directory) {
    engine *it = (engine *)calloc(1, sizeof *it);
    if (it == NULL) return NULL;
    it->files.root = it->member_file = it->watch = it->wake = -1;
    it->outcomes_end = &it->outcomes;
    bool is_named = copy_text(it->path, sizeof it->path, ctie_str_from(directory)) == CTIE_OK;
    bool has_work = is_named && pthread_mutex_init(&it->work, NULL) == 0;
    if (has_work && pthread_mutex_init(&it->small, NULL) == 0) return it;
    if (has_work) pthread_mutex_destroy(&it->work);
    free(it);
    return NULL;
}

/* ---- Opening and closing -------------------------------------------------------------------------- */

static ctie_status join_group(engine *it, int64_t timeout_ms) {
    held lock;
    ctie_status status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    status = directory_new_id(&lock, &it->member);
    if (status == CTIE_OK) status = member_join(&it->files, it->member, it->host, &it->member_file);
    ctie_status unlocked = directory_unlock(&lock, status == CTIE_OK);
    return status == CTIE_OK ? unlocked : status;
}

static ctie_status start_thread(engine *it, const char *lock_path) {
    it->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (it->wake < 0) return status_of_errno();
    it->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (it->watch < 0 || inotify_add_watch(it->watch, lock_path, IN_MODIFY) < 0) return status_of_errno();
    it->has_thread = pthread_create(&it->thread, NULL, run_engine, it) == 0;
    return it->has_thread ? CTIE_OK : CTIE_E_SYSTEM;
}

/* After an error the library calls close_group(), which ends whatever has begun here. */
static ctie_status open_group(void *data, ctie_str group, const ctie_engine_host *host, uint32_t *abilities,
                              int64_t timeout_ms) {
    engine *it = (engine *)data;
    char name[NAME_MOST], path[PATH_MOST], lock_path[PATH_MOST];
    ctie_status status = copy_text(name, sizeof name, group);
    if (status != CTIE_OK) return status;
    int size = snprintf(path, sizeof path, "%s/%s", it->path, name);
    int lock_size = snprintf(lock_path, sizeof lock_path, "%s/%s/lock", it->path, name);
    if (size < 0 || lock_size < 0 || lock_size >= (int)sizeof lock_path) return CTIE_E_INVALID;
    it->host = host;
    if (mkdir(it->path, 0700) != 0 && errno != EEXIST) return status_of_errno();
    status = directory_open(&it->files, path);
    if (status == CTIE_OK) status = join_group(it, timeout_ms);
    if (status == CTIE_OK) status = start_thread(it, lock_path);
    if (status == CTIE_OK) *abilities = CTIE_ENGINE_ATOMIC_BATCHES | CTIE_ENGINE_EXACT_MISSED | CTIE_ENGINE_TOKENS;
    return status;
}

static void close_file(int file) {
    if (file >= 0) close(file);
}

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
        /* It wakes the others; without that they look a little later. */
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

/* The number of the first message that was sent with a token; 0: none was. */
static uint64_t sent_with(const engine *it, const uint8_t *token) {
    for (size_t i = 0; token != NULL && i < it->token_count && i < TOKENS; i++) {
        if (memcmp(it->tokens[i].token, token, sizeof it->tokens[i].token) == 0) return it->tokens[i].first;
    }
    return 0;
}

static void note_token(engine *it, const uint8_t *token, uint64_t first) {
    if (token == NULL) return;
    memcpy(it->tokens[it->token_count % TOKENS].token, token, sizeof it->tokens[0].token);
    it->tokens[it->token_count++ % TOKENS].first = first;
}

/* [send] */
static ctie_status send_messages(void *data, const ctie_engine_message *messages, size_t count, const uint8_t *token,
                                 uint64_t *first, uint32_t *listeners, int64_t timeout_ms) {
    engine *it = (engine *)data;
    held lock;
    ctie_status status = directory_lock(&it->files, &lock, timeout_ms);
    if (status != CTIE_OK) return status;
    *listeners = 0;
    *first = sent_with(it, token);
    if (*first != 0) return directory_unlock(&lock, false);
    *first = lock.now.last + 1;
    for (size_t i = 0; i < count && status == CTIE_OK; i++) {
        status = message_write(&it->files, *first + i, ctie_engine_message_at(messages, i));
    }
    if (status == CTIE_OK) {
        lock.now.last += count; /* this is the step that sends them, all at once */
        status = directory_commit(&lock);
    }
    if (status == CTIE_OK) note_token(it, token, *first);
    directory_unlock(&lock, false); /* after an error the next messages replace those that were written */
    return status;
}
/* [end] */

/* ---- The table ------------------------------------------------------------------------------------ */

/* [functions] */
/* Those that are missing may be NULL: a wormhole over this engine has no list of its durable consumers, no seek, no
   delays, and joins no buses. */
const ctie_engine ENGINE_OF_FILES = {
    .size = sizeof(ctie_engine),
    .open = open_group,
    .send = send_messages,
    .current = read_current,
    .identifiers = list_identifiers,
    .bind = bind_listener,
    .credit = add_credit,
    .resolve = take_outcomes,
    .unbind = unbind_listener,
    .members = list_members,
    .close = close_group,
    .forget = forget_durable,
};
/* [end] */
