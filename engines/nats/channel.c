#include "joins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

channel *channel_find(join *in, const char *address) {
    for (channel *each = in->channels; each != NULL; each = each->next) {
        if (strcmp(each->address, address) == 0) { return each; }
    }
    return NULL;
}

channel *channel_numbered(join *in, uint64_t number) {
    for (channel *each = in->channels; each != NULL; each = each->next) {
        if (each->number == number) { return each; }
    }
    return NULL;
}

static void say_connect(join *in, const channel *of) {
    packet what = {.type = PACKET_CONNECT, .channel = of->own, .session = in->session, .known = (uint32_t)in->count};
    packet_send(in, of->address, &what);
}

channel *channel_open(join *in, const char *address, uint32_t session) {
    channel *made = in->count < PEERS_MOST ? calloc(1, sizeof *made) : NULL;
    if (made == NULL) {
        log_line(in->of, CTIE_LOG_WARNING, "no room for another joined bus of the group: %d at most", PEERS_MOST);
        return NULL;
    }
    snprintf(made->address, sizeof made->address, "%s", address);
    made->number = ++in->last_number;
    made->own = ++in->last_own;
    if (made->own == 0) { made->own = ++in->last_own; }
    made->session = session;
    made->received_at = clock_now(CLOCK_MONOTONIC);
    made->next = in->channels;
    in->channels = made;
    in->count++;
    say_connect(in, made);
    if (host_enter(in->of)) {
        in->of->host->peer_connected(in->of->host->context, in->number, made->number);
        host_leave(in->of);
    }
    pulse_watch(in, made);
    return made;
}

void channel_free(channel *of) {
    free(of->partial);
    free(of);
}

void channel_close(join *in, channel *of, const char *reason) {
    channel **at = &in->channels;
    while (*at != of) { at = &(*at)->next; }
    *at = of->next;
    in->count--;
    if (host_enter(in->of)) {
        in->of->host->peer_disconnected(in->of->host->context, in->number, of->number, ctie_str_from(reason));
        host_leave(in->of);
    }
    channel_free(of);
}

void channel_say_bye(join *in, const char *address, uint32_t own, uint32_t theirs) {
    packet what = {.type = PACKET_BYE, .channel = own, .other = theirs};
    packet_send(in, address, &what);
}

void channel_break(join *in, channel *of, const char *reason) {
    channel_say_bye(in, of->address, of->own, of->theirs);
    channel_close(in, of, reason);
    int64_t next = in->announced_at + AGAIN_MS * INT64_C(1000000), now = clock_now(CLOCK_MONOTONIC);
    in->announce_at = next > now ? next : now;
    pulse_wake(in->of->joins);
}

void channels_close(join *in, const char *reason) {
    while (in->channels != NULL) { channel_close(in, in->channels, reason); }
}
