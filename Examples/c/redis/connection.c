/* Commands and replies, each step within the rest of the caller's time. */
#define _GNU_SOURCE
#include "connection.h"

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t deadline_in(int64_t timeout_ms) {
    const int64_t most = (int64_t)24 * 60 * 60 * 1000; /* so that no sum overflows */
    return now_ms() + (timeout_ms < most ? timeout_ms : most);
}

/* A longer path is cut by hiredis, and would be that of another server. */
bool connection_init(connection *it, const char *socket) {
    const size_t room = sizeof ((struct sockaddr_un *)NULL)->sun_path;
    int size = snprintf(it->socket, sizeof it->socket, "%s", socket);
    it->context = NULL;
    return size >= 0 && (size_t)size < room && (size_t)size < sizeof it->socket &&
           pthread_mutex_init(&it->lock, NULL) == 0;
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
    bool is_there = it->context != NULL && it->context->err == 0;
    if (is_there && fcntl(it->context->fd, F_SETFD, FD_CLOEXEC) == 0) return true;
    disconnect(it);
    return false;
}

/* [exchange] */
/* A server that sends its answer in small pieces must not take longer: the time of each step is what is left. */
static ctie_status exchange(redisContext *with, const words *command, redisReply **out, int64_t deadline) {
    const ctie_status lost = CTIE_E_UNCERTAIN;
    struct timeval left;
    void *reply = NULL;
    int count = (int)command->count, is_written = 0;
    if (redisAppendCommandArgv(with, count, command->data, command->sizes) != REDIS_OK) return CTIE_E_NO_MEMORY;
    while (!is_written) {
        if (!left_until(deadline, &left) || redisSetTimeout(with, left) != REDIS_OK) return lost;
        if (redisBufferWrite(with, &is_written) != REDIS_OK) return lost;
    }
    while (reply == NULL) {
        if (!left_until(deadline, &left) || redisSetTimeout(with, left) != REDIS_OK) return lost;
        if (redisBufferRead(with) != REDIS_OK || redisGetReplyFromReader(with, &reply) != REDIS_OK) return lost;
    }
    *out = (redisReply *)reply;
    return CTIE_OK;
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
    int64_t deadline = deadline_in(timeout_ms);
    ctie_status status = CTIE_E_UNAVAILABLE;
    *out = NULL;
    if (!lock_until(it, deadline)) return status;
    if (connect_until(it, deadline)) {
        status = exchange(it->context, command, out, deadline);
        if (status == CTIE_OK) status = status_of(*out);
        else disconnect(it); /* the answer may still come, and must not be taken for that of the next command */
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
    memset(it, 0, sizeof *it);
    if (room > INT_MAX) return false; /* hiredis counts in `int` */
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
