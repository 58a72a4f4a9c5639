/* The thread of a wormhole: it notes outcomes, delivers, and looks for members that have died. */
#define _GNU_SOURCE
#include "parts.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE_MS = 200, LOCK_MS = 1000 };

void wake(engine *it) {
    const uint64_t one = 1;
    ssize_t size = write(it->wake, &one, sizeof one);
    (void)size; /* if it is full, the thread is awake */
}

/* Notes what the listeners have answered. Says whether a message is to be delivered again. */
static bool note_outcomes(engine *it, outcome *first) {
    bool comes_again = false;
    while (first != NULL) {
        /* The file of a consumer is written once for all that follow one another. */
        char file[24];
        snprintf(file, sizeof file, "%s", first->file);
        bool is_there = durable_load(&it->files, file, &it->room) == CTIE_OK;
        for (outcome *next; first != NULL && strcmp(first->file, file) == 0; first = next) {
            next = first->next;
            if (is_there) durable_answer(&it->room, it->member, &first->answer);
            comes_again |= first->answer.outcome != CTIE_ENGINE_ACKNOWLEDGED;
            free(first);
        }
        if (is_there) durable_save(&it->files, file, &it->room);
    }
    return comes_again;
}

/* Takes back what bindings had that have ended. */
static bool take_back(engine *it, binding *ended) {
    bool comes_again = false;
    for (binding *next; ended != NULL; ended = next) {
        next = ended->next;
        bool is_there = ended->file[0] != 0 && durable_load(&it->files, ended->file, &it->room) == CTIE_OK;
        if (is_there && durable_end_binding(&it->room, it->member, ended->number)) {
            durable_save(&it->files, ended->file, &it->room);
            comes_again = true;
        }
        free(ended);
    }
    return comes_again;
}

static bool add_up(const ctie_engine_member *member, void *sum) {
    *(uint64_t *)sum += (uint64_t)member->since * 31 + (uint64_t)member->pid;
    return true;
}

static void look_for_members(engine *it) {
    uint64_t sum = 0;
    if (members_visit(&it->files, it->member, add_up, &sum) != CTIE_OK || sum == it->members_seen) return;
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
    pthread_mutex_lock(&it->small);
    outcome *outcomes = it->outcomes;
    binding *ended = it->ended;
    it->outcomes = NULL, it->outcomes_end = &it->outcomes, it->ended = NULL;
    pthread_mutex_unlock(&it->small);
    *has_changed = note_outcomes(it, outcomes);
    *has_changed |= take_back(it, ended);
    bool looks = now_ns() - it->looked >= PATIENCE_MS * (int64_t)1000000;
    if (looks) {
        it->looked = now_ns();
        look_for_members(it);
    }
    it->next = INT64_MAX;
    return deliver(it, last, looks, has_changed);
}

static void wait_for_work(engine *it) {
    struct pollfd files[2] = {{it->wake, POLLIN, 0}, {it->watch, POLLIN, 0}};
    char events[4096];
    /* A process that dies writes nothing, so it looks from time to time. */
    int64_t left = it->next == INT64_MAX ? PATIENCE_MS : (it->next - now_ns()) / 1000000 + 1;
    if (left > PATIENCE_MS) left = PATIENCE_MS;
    poll(files, 2, left < 0 ? 0 : (int)left);
    for (int i = 0; i < 2; i++) {
        if (files[i].revents & POLLIN) {
            ssize_t size = read(files[i].fd, events, sizeof events);
            (void)size;
        }
    }
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
        if (directory_lock(&it->files, &lock, LOCK_MS) != CTIE_OK) continue;
        pthread_mutex_lock(&it->work);
        has_more = work(it, lock.now.last, &has_changed) && !is_over;
        pthread_mutex_unlock(&it->work);
        directory_unlock(&lock, has_changed);
    }
    return NULL;
}
