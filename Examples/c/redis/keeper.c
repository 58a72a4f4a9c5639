/* The thread has a connection of its own: one that waits for commits takes no other commands. */
#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* `destroy` waits for the thread, and so at most for one of its steps. */
enum { RENEW_MS = 1000, STEP_MS = 200 };

/* ---- The lease ------------------------------------------------------------------------------------ */

/* The times are the server's: the clocks of the members may differ. */
static const char RENEW[] = "local t = redis.call('TIME')\n"
                            "redis.call('ZADD', KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[2], ARGV[1])\n"
                            "return 1\n";

ctie_status keeper_renew(keeper *it, uint64_t member, int64_t timeout_ms) {
    words command;
    redisReply *reply = NULL;
    char number[24], lease[24];
    if (!words_init(&command, 6)) return CTIE_E_NO_MEMORY;
    snprintf(number, sizeof number, "%llu", (unsigned long long)member);
    snprintf(lease, sizeof lease, "%d", (int)LEASE_MS);
    words_add_text(&command, "EVAL"), words_add_text(&command, RENEW), words_add_text(&command, "1");
    words_add_text(&command, it->members), words_add_text(&command, number), words_add_text(&command, lease);
    ctie_status status = connection_call(it->commands, &command, &reply, timeout_ms);
    words_free(&command);
    if (reply != NULL) freeReplyObject(reply);
    return status;
}

/* ---- The thread ------------------------------------------------------------------------------------ */

static void notify(keeper *it) {
    pthread_mutex_lock(&it->lock);
    if (it->notify != NULL) it->notify(it->context);
    pthread_mutex_unlock(&it->lock);
}

static redisContext *subscribe(keeper *it) {
    struct timeval most = {0, STEP_MS * 1000};
    redisContext *fresh = redisConnectUnixWithTimeout(it->commands->socket, most);
    redisReply *reply = NULL;
    bool is_there = fresh != NULL && fresh->err == 0 && fcntl(fresh->fd, F_SETFD, FD_CLOEXEC) == 0;
    if (is_there && redisSetTimeout(fresh, most) == REDIS_OK) {
        reply = (redisReply *)redisCommand(fresh, "SUBSCRIBE %s", it->channel);
    }
    bool is_subscribed = reply != NULL && reply->type == REDIS_REPLY_ARRAY;
    if (reply != NULL) freeReplyObject(reply);
    if (is_subscribed) return fresh;
    if (fresh != NULL) redisFree(fresh);
    return NULL;
}

/* Takes the messages that have come; false if the connection has broken. */
static bool take_messages(keeper *it, redisContext *from) {
    void *reply = NULL;
    bool has_any = false;
    if (redisBufferRead(from) != REDIS_OK) return false;
    while (redisGetReplyFromReader(from, &reply) == REDIS_OK && reply != NULL) {
        freeReplyObject(reply);
        reply = NULL;
        has_any = true;
    }
    if (has_any) notify(it);
    return from->err == 0;
}

/* Waits for messages or a reason to look. Says whether `from` has something to read, or has broken. */
static bool wait_for(const keeper *it, const redisContext *from) {
    struct pollfd files[2] = {{it->stop, POLLIN, 0}, {from != NULL ? from->fd : -1, POLLIN, 0}};
    int count = poll(files, 2, from != NULL ? RENEW_MS / 2 : STEP_MS / 4);
    /* A failure would come at once again: it costs a step, as silence does. */
    if (count < 0 && errno != EINTR) nanosleep(&(struct timespec){0, STEP_MS * 1000000L}, NULL);
    return count > 0 && files[1].revents != 0;
}

static void *run(void *data) {
    keeper *it = (keeper *)data;
    redisContext *from = NULL;
    int64_t renewed = 0;
    for (bool goes_on = true; goes_on;) {
        if (from == NULL && (from = subscribe(it)) != NULL) notify(it); /* it may have missed some */
        pthread_mutex_lock(&it->lock);
        uint64_t member = it->member;
        pthread_mutex_unlock(&it->lock);
        if (member != 0 && now_ms() - renewed >= RENEW_MS && keeper_renew(it, member, STEP_MS) == CTIE_OK) {
            renewed = now_ms();
        }
        if (wait_for(it, from) && !take_messages(it, from)) {
            redisFree(from);
            from = NULL;
        }
        pthread_mutex_lock(&it->lock);
        goes_on = !it->is_over;
        pthread_mutex_unlock(&it->lock);
    }
    if (from != NULL) redisFree(from);
    return NULL;
}

bool keeper_begin(keeper *it, connection *commands) {
    it->commands = commands;
    it->stop = eventfd(0, EFD_CLOEXEC);
    if (it->stop < 0) return false;
    bool has_lock = pthread_mutex_init(&it->lock, NULL) == 0;
    if (has_lock && pthread_create(&it->thread, NULL, run, it) == 0) return true;
    if (has_lock) pthread_mutex_destroy(&it->lock);
    close(it->stop);
    return false;
}

void keeper_end(keeper *it) {
    const uint64_t one = 1;
    pthread_mutex_lock(&it->lock);
    it->is_over = true;
    pthread_mutex_unlock(&it->lock);
    ssize_t size = write(it->stop, &one, sizeof one);
    (void)size; /* without it the thread looks a little later */
    pthread_join(it->thread, NULL);
    close(it->stop);
    pthread_mutex_destroy(&it->lock);
}

/* After this has returned, the function before is not running. */
void keeper_set_notify(keeper *it, ctie_transport_notify_fn notify, void *context) {
    pthread_mutex_lock(&it->lock);
    it->notify = notify, it->context = context;
    pthread_mutex_unlock(&it->lock);
}

void keeper_set_member(keeper *it, uint64_t member) {
    pthread_mutex_lock(&it->lock);
    it->member = member;
    pthread_mutex_unlock(&it->lock);
}
