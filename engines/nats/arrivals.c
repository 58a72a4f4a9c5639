/* Packets that come for a join, on a thread of libnats. */
#include "joins.h"

#include <string.h>

#define HAS_ENDED "its process has ended, or the network between has"

static bool is_address(const char *text) {
    return strlen(text) == ADDRESS - 1 && strspn(text, "0123456789abcdef") == ADDRESS - 1;
}

/* Another join says that it is here, or that it is here again. */
static void receive_announce(join *in, const char *from, const packet *what) {
    channel *known = channel_find(in, from);
    if (known != NULL && (known->session == what->session || known->session == 0)) {
        known->session = what->session;
        return;
    }
    if (known != NULL) { channel_close(in, known, "it has connected to the server again"); }
    channel_open(in, from, what->session);
}

/* Two members whose packets cross could each take the other's new channel for a reason to make another one, for ever. */
static bool may_connect_again(join *in) {
    int64_t now = clock_now(CLOCK_MONOTONIC);
    if (now < in->again_at) { return false; }
    in->again_at = now + AGAIN_MS * INT64_C(1000000);
    return true;
}

static void receive_connect(join *in, const char *from, const packet *what) {
    channel *known = channel_find(in, from);
    bool is_other = known != NULL && known->theirs != 0 && known->theirs != what->channel;
    bool is_later = known != NULL && known->session != 0 && known->session != what->session;
    if (is_other && !is_later && !may_connect_again(in)) {
        channel_break(in, known, "it has connected again and again");
        return;
    }
    if (is_other || is_later) {
        channel_close(in, known, "it has connected again");
        known = NULL;
    }
    if (known == NULL) { known = channel_open(in, from, what->session); }
    if (known == NULL) { return; }
    known->theirs = what->channel;
    known->session = what->session;
    if (what->known > in->announced) { in->announced = what->known; }
    pthread_cond_broadcast(&in->of->joins->changed);
}

static void receive_bye(join *in, channel *known, const packet *what) {
    if (known == NULL) { return; }
    bool is_ours = what->other == known->own, is_theirs = what->channel != 0 && what->channel == known->theirs;
    if (is_ours || is_theirs) { channel_close(in, known, "it has left, or has lost the connection"); }
}

/* The number of the last packet that the other end has sent. */
static void compare(join *in, channel *known, const packet *what, bool wants_answer) {
    if (what->sequence != known->received) {
        channel_break(in, known, "the network has lost a message of this peer");
        return;
    }
    packet answer = {.type = PACKET_HERE, .channel = known->own, .sequence = known->sent};
    if (wants_answer) { packet_send(in, known->address, &answer); }
}

/* Of a channel that this end does not have: perhaps it was lost here, and the other end does not know. */
static void receive_stray(join *in, const char *from, const packet *what) {
    channel_say_bye(in, from, 0, what->channel);
    if (in->announce_at == 0) {
        in->announce_at = in->announced_at + INT64_C(1000000000);
        pulse_wake(in->of->joins);
    }
}

static void receive_packet(join *in, const char *from, const packet *what) {
    channel *known = channel_find(in, from);
    if (known != NULL) { known->received_at = clock_now(CLOCK_MONOTONIC); }
    switch (what->type) {
    case PACKET_ANNOUNCE: receive_announce(in, from, what); return;
    case PACKET_CONNECT: receive_connect(in, from, what); return;
    case PACKET_BYE: receive_bye(in, known, what); return;
    case PACKET_MARK: return;
    case PACKET_PART: case PACKET_FRAME: case PACKET_ASK: case PACKET_HERE: break;
    }
    if (known == NULL || known->theirs != what->channel) {
        receive_stray(in, from, what);
    } else if (what->type == PACKET_PART || what->type == PACKET_FRAME) {
        frame_receive(in, known, what);
    } else {
        compare(in, known, what, what->type == PACKET_ASK);
    }
}

/* With the lock. */
static void receive(join *in, natsMsg *message) {
    packet what;
    const char *subject = natsMsg_GetSubject(message), *from = subject != NULL ? strrchr(subject, '.') : NULL;
    if (from == NULL) { return; }
    from++;
    if (strcmp(from, "all") == 0 && natsMsg_IsNoResponders(message)) {
        in->is_alone = true;
        pthread_cond_broadcast(&in->of->joins->changed);
        return;
    }
    if (!is_address(from)) { return; }
    bool is_own = strcmp(from, in->address) == 0;
    if (natsMsg_IsNoResponders(message)) {
        channel *dead = channel_find(in, from);
        if (dead != NULL) { channel_close(in, dead, HAS_ENDED); }
        return;
    }
    if (!packet_read(&what, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message))) {
        if (!in->has_garbage) { log_line(in->of, CTIE_LOG_WARNING, "a stranger writes to the joined buses of the group"); }
        in->has_garbage = true;
    } else if (!is_own) {
        receive_packet(in, from, &what);
    } else if (what.type == PACKET_MARK) {
        packets_go_on(in, what.place);
        pthread_cond_broadcast(&in->of->joins->changed);
    }
}

void join_receive(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
    join *in = closure;
    joins *all = in->of->joins;
    (void)connection, (void)subscription;
    pthread_mutex_lock(&all->lock);
    if (!in->is_over) { receive(in, message); }
    pthread_mutex_unlock(&all->lock);
    natsMsg_Destroy(message);
}
