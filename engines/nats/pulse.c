/* The joins' thread. It writes the kept packets. And it finds peers that have died: nobody is on their subject, and the
   server says so. While requests are in hand with a peer, it is asked ten times a second; a silent one every two seconds.
   Each ask also finds out whether the last packets were lost. */
#include "joins.h"

enum { FAST_MS = 100, SLOW_MS = 2000 };

static bool has_requests(join *in, const channel *of) {
    bool has = false;
    if (!host_enter(in->of)) { return false; }
    has = in->of->host->peer_has_requests(in->of->host->context, in->number, of->number);
    host_leave(in->of);
    return has;
}

static void ask_peer(join *in, const channel *of) {
    packet what = {.type = PACKET_ASK, .channel = of->own, .sequence = of->sent};
    packet_send(in, of->address, &what);
}

/* Whether the channel needs a fast pulse. */
static bool look_at(join *in, channel *of, int64_t now) {
    bool is_busy = of->is_active && has_requests(in, of);
    of->is_active = is_busy;
    bool is_silent = now - of->received_at >= SLOW_MS * INT64_C(1000000);
    if (is_busy || is_silent) { ask_peer(in, of); }
    return is_busy;
}

/* The time of the next look; 0: none is needed. */
static int64_t look(joins *it) {
    bool is_fast = false, has_channels = false;
    int64_t now = clock_now(CLOCK_MONOTONIC), next = INT64_MAX;
    for (join *each = it->first; each != NULL; each = each->next) {
        if (each->announce_at != 0 && each->announce_at <= now) { join_announce(each); }
        if (each->announce_at != 0 && each->announce_at < next) { next = each->announce_at; }
        for (channel *of = each->channels; of != NULL; of = of->next) {
            has_channels = true;
            if (look_at(each, of, now)) { is_fast = true; }
        }
    }
    it->is_pulse_fast = is_fast;
    int64_t pause = (is_fast ? FAST_MS : SLOW_MS) * INT64_C(1000000);
    if (has_channels && now + pause < next) { next = now + pause; }
    return next == INT64_MAX ? 0 : next;
}

static void rest(joins *it, int64_t next) {
    struct timespec until = {next / 1000000000, next % 1000000000};
    while (!it->is_over && !it->is_pulse_awake) {
        if (next == 0) { pthread_cond_wait(&it->pulse_changed, &it->lock); }
        if (next != 0 && pthread_cond_timedwait(&it->pulse_changed, &it->lock, &until) != 0) { return; }
    }
}

static void *run(void *data) {
    joins *it = data;
    int64_t next = 0;
    pthread_mutex_lock(&it->lock);
    while (!it->is_over) {
        it->is_pulse_awake = false;
        if (packets_write(it)) { continue; }
        if (next == 0 || next <= clock_now(CLOCK_MONOTONIC) || it->has_new_times) {
            it->has_new_times = false;
            next = look(it);
        }
        rest(it, next);
    }
    pthread_mutex_unlock(&it->lock);
    return NULL;
}

void joins_wake(joins *it) {
    if (!it->has_pulse && !it->is_over) { it->has_pulse = pthread_create(&it->pulse, NULL, run, it) == 0; }
    it->is_pulse_awake = true;
    pthread_cond_signal(&it->pulse_changed);
}

void pulse_wake(joins *it) {
    it->has_new_times = true;
    joins_wake(it);
}

void pulse_watch(join *in, channel *of) {
    joins *all = in->of->joins;
    of->is_active = true;
    if (!all->is_pulse_fast || !all->has_pulse) {
        all->is_pulse_fast = true;
        pulse_wake(all);
    }
}

void pulse_end(joins *it) {
    pthread_mutex_lock(&it->lock);
    bool has_pulse = it->has_pulse;
    it->has_pulse = false;
    pthread_cond_signal(&it->pulse_changed);
    pthread_mutex_unlock(&it->lock);
    if (has_pulse) { pthread_join(it->pulse, NULL); }
}
