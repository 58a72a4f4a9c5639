/* Commands and replies, each step within the rest of the caller's time. */
#define _GNU_SOURCE
#include "connection.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void connection_init(connection *it, const char *socket) {
    snprintf(it->socket, sizeof it->socket, "%s", socket);
    pthread_mutex_init(&it->lock, NULL);
    it->context = NULL;
}

static void disconnect(connection *it) {
    if (it->context != NULL) redisFree(it->context);
    it->context = NULL;
}

void connection_end(connection *it) {
    disconnect(it);
    pthread_mutex_destroy(&it->lock);
}

/* ---- Time ----------------------------------------------------------------------------------------- */

/* The time until the deadline; false if none is left. */
static bool left_until(int64_t deadline, struct timeval *out) {
    int64_t left = deadline - now_ms();
    *out = (struct timeval){left / 1000, left % 1000 * 1000};
    return left > 0;
}

static bool lock_until(connection *it, int64_t deadline) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t left = deadline - now_ms();
    if (left <= 0) return pthread_mutex_trylock(&it->lock) == 0;
    until.tv_sec += left / 1000;
    until.tv_nsec += left % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    return pthread_mutex_clocklock(&it->lock, CLOCK_MONOTONIC, &until) == 0;
}

/* ---- A command ------------------------------------------------------------------------------------- */

static bool connect_until(connection *it, int64_t deadline) {
    struct timeval left;
    if (it->context != NULL) return true;
    if (!left_until(deadline, &left)) return false;
    it->context = redisConnectUnixWithTimeout(it->socket, left);
    if (it->context != NULL && it->context->err == 0) return true;
    disconnect(it);
    return false;
}

/* [exchange] */
/* A server that sends its answer in small pieces must not take longer: the time of each step is what is left. */
static bool exchange(redisContext *with, const words *command, redisReply **out, int64_t deadline) {
    struct timeval left;
    void *reply = NULL;
    int is_written = 0;
    if (redisAppendCommandArgv(with, (int)command->count, command->data, command->sizes) != REDIS_OK) return false;
    while (!is_written) {
        if (!left_until(deadline, &left) || redisSetTimeout(with, left) != REDIS_OK) return false;
        if (redisBufferWrite(with, &is_written) != REDIS_OK) return false;
    }
    while (reply == NULL) {
        if (!left_until(deadline, &left) || redisSetTimeout(with, left) != REDIS_OK) return false;
        if (redisBufferRead(with) != REDIS_OK || redisGetReplyFromReader(with, &reply) != REDIS_OK) return false;
    }
    *out = (redisReply *)reply;
    return true;
}
/* [end] */

/* The server says that it has not done the command. */
static ctie_status status_of(const redisReply *reply) {
    static const struct { const char *begin; ctie_status status; } KNOWN[] = {
        {"LOADING", CTIE_E_UNAVAILABLE}, /* it has just been started */
        {"READONLY", CTIE_E_UNAVAILABLE}, {"MASTERDOWN", CTIE_E_UNAVAILABLE}, {"BUSY", CTIE_E_UNAVAILABLE},
        {"OOM", CTIE_E_NO_SPACE},         {"MISCONF", CTIE_E_NO_SPACE}, /* it cannot write its file */
        {"NOAUTH", CTIE_E_DENIED},        {"NOPERM", CTIE_E_DENIED}};
    if (reply->type != REDIS_REPLY_ERROR) return CTIE_OK;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        if (strncmp(reply->str, KNOWN[i].begin, strlen(KNOWN[i].begin)) == 0) return KNOWN[i].status;
    }
    return CTIE_E_SYSTEM;
}

ctie_status connection_call(connection *it, const words *command, redisReply **out, int64_t timeout_ms) {
    int64_t deadline = now_ms() + timeout_ms;
    ctie_status status = CTIE_E_UNAVAILABLE;
    *out = NULL;
    if (!lock_until(it, deadline)) return status;
    if (connect_until(it, deadline)) {
        if (exchange(it->context, command, out, deadline)) {
            status = status_of(*out);
        } else {
            /* The answer may still come, and must not be taken for that of the next command. */
            disconnect(it);
            status = CTIE_E_UNCERTAIN;
        }
    }
    pthread_mutex_unlock(&it->lock);
    if (status != CTIE_OK && *out != NULL) {
        freeReplyObject(*out);
        *out = NULL;
    }
    return status;
}

/* ---- Words ------------------------------------------------------------------------------------------ */

bool words_init(words *it, size_t room) {
    *it = (words){(const char **)calloc(room, sizeof *it->data), (size_t *)calloc(room, sizeof *it->sizes), 0, room};
    if (it->data != NULL && it->sizes != NULL) return true;
    words_free(it);
    return false;
}

void words_add(words *it, const void *data, size_t size) {
    assert(it->count < it->room);
    it->data[it->count] = size > 0 ? (const char *)data : "";
    it->sizes[it->count++] = size;
}

void words_add_text(words *it, const char *text) { words_add(it, text, strlen(text)); }

void words_free(words *it) {
    free(it->data);
    free(it->sizes);
}
