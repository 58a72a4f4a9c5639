/* The thread of a wormhole: it has outcomes noted, delivers, and looks for members that have died. */
#define _GNU_SOURCE
#include "member.h"
#include "parts.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 200, LOCK_MS = 1000 };

void wake(engine *it) {
    const uint64_t one = 1;
    ssize_t size = write(it->wake, &one, sizeof one);
    (void)size; /* if it is full, the thread is awake */
}

void complain(engine *it, const char *what, ctie_status status) {
    char text[200];
    bool is_first = !it->has_trouble;
    it->has_trouble = true;
    if (!is_first || it->trouble == what) return;
    it->trouble = what;
    int size = snprintf(text, sizeof text, "the engine of files: %s: %s", what, ctie_status_message(status));
    if (size > 0) it->host->log(it->host->context, CTIE_LOG_WARNING, ctie_str_from(text));
}

static void end_turn(engine *it) {
    if (!it->has_trouble) it->trouble = NULL;
    it->has_trouble = false;
}

static bool add_up(const ctie_engine_member *member, void *sum) {
    *(uint64_t *)sum += (uint64_t)member->since * 31 + (uint32_t)member->pid;
    return true;
}

static void look_for_members(engine *it) {
    uint64_t sum = 0;
    ctie_status status = members_visit(&it->files, it->member, add_up, &sum);
    if (status != CTIE_OK) complain(it, "the members cannot be listed", status);
    if (status != CTIE_OK || sum == it->members_seen) return;
    it->members_seen = sum;
    it->host->members_changed(it->host->context);
}

/* Gives the listeners what they may have. Says whether there may be more. */
static bool deliver(engine *it, uint64_t last, bool buries, bool *has_changed) {
    bool has_more = false;
    for (binding *each = it->bindings; each != NULL; each = each->next) {
        pthread_mutex_lock(&it->small);
        each->credit += each->added;
        each->added = 0;
        pthread_mutex_unlock(&it->small);
        if (each->delivery == CTIE_ENGINE_DURABLE) {
            has_more |= deliver_durables(it, each, last, buries, has_changed);
            continue;
        }
        if (each->is_initial && each->credit > 0) deliver_stored(it, each);
        int count = 0;
        while (!each->is_initial && count < BATCH && each->credit > 0 && deliver_next(it, each, last)) count++;
        has_more |= count == BATCH;
    }
    return has_more;
}

/* One turn, with the group's lock. Says whether there may be more to do. */
static bool work(engine *it, uint64_t last, bool *has_changed) {
    *has_changed = note_outcomes(it);
    bool looks = steady_ns() - it->looked >= PATIENCE_MS * (int64_t)1000000;
    if (looks) {
        it->looked = steady_ns();
        look_for_members(it);
    }
    return deliver(it, last, looks, has_changed);
}

/* False if nothing can be read, and poll() would return at once again. */
static bool drain(const struct pollfd *from) {
    char events[4096];
    if ((from->revents & ~POLLIN) != 0) return false;
    if (from->revents == 0 || read(from->fd, events, sizeof events) >= 0) return true;
    return errno == EAGAIN || errno == EINTR;
}

static void wait_for_work(engine *it) {
    struct pollfd files[2] = {{it->wake, POLLIN, 0}, {it->watch, POLLIN, 0}};
    /* A process that dies writes nothing, so it looks from time to time. */
    int64_t left = it->next == INT64_MAX ? PATIENCE_MS : (it->next - steady_ns()) / 1000000 + 1;
    if (left > PATIENCE_MS) left = PATIENCE_MS;
    bool is_well = poll(files, 2, left < 0 ? 0 : (int)left) >= 0 || errno == EINTR;
    for (int i = 0; i < 2; i++) is_well = drain(&files[i]) && is_well;
    if (is_well) return;
    complain(it, "it cannot be woken", CTIE_E_SYSTEM);
    nanosleep(&(struct timespec){0, PATIENCE_MS * 1000000L}, NULL);
}

void *run_engine(void *data) {
    engine *it = (engine *)data;
    for (bool is_over = false, has_more = false; !is_over || has_more;) {
        if (!has_more) wait_for_work(it);
        pthread_mutex_lock(&it->small);
        is_over = it->is_over;
        pthread_mutex_unlock(&it->small);
        held lock;
        bool has_changed = false;
        has_more = false;
        it->next = INT64_MAX;
        ctie_status status = directory_lock(&it->files, &lock, LOCK_MS);
        if (status == CTIE_OK) {
            pthread_mutex_lock(&it->work);
            has_more = work(it, lock.now.last, &has_changed) && !is_over;
            pthread_mutex_unlock(&it->work);
            status = directory_unlock(&lock, has_changed);
        }
        if (status != CTIE_OK) complain(it, "the group's counters cannot be read or written now", status);
        end_turn(it);
    }
    return NULL;
}
