/* Messages of states and queues, in the order of numbers. */
#include "parts.h"

#include <string.h>

ctie_status hand_over(binding *it, const ctie_engine_message *message) {
    const ctie_engine_host *host = it->engine->host;
    uint32_t returned = 0;
    it->credit--;
    if (!host_enter(it->engine)) { return CTIE_E_CLOSED; }
    ctie_status status = host->deliver(host->context, it->number, message, 1, &returned);
    host_leave(it->engine);
    it->credit = returned < UINT32_MAX - it->credit ? it->credit + returned : UINT32_MAX;
    if (it->credit == 0) {
        it->was_stalled = true;
        if (it->stalled == 0) { it->stalled = clock_now(CLOCK_MONOTONIC); }
    }
    if (message->sequence > it->highest) { it->highest = message->sequence; }
    return status;
}

bool has_expired(const ctie_engine_message *message) {
    return message->expires != 0 && message->expires <= clock_now(CLOCK_REALTIME);
}

/* The consumer begins again behind the last message. */
void flow_restart(binding *it) {
    it->phase = IS_MADE_LATER;
    it->round++;
    pull_forget_all(it);
}

/* Delivers a CTIE_MESSAGE_MISSED, if there is something to report and credit for it. */
void flow_missed(binding *it) {
    if (it->credit == 0 || it->delivery == CTIE_ENGINE_STATE || (it->missed == 0 && !it->is_missed_unknown)) { return; }
    ctie_engine_message message = {.size = sizeof message, .kind = CTIE_MESSAGE_MISSED};
    message.sequence = it->missed_up_to > it->highest ? it->missed_up_to : it->highest + 1;
    message.missed = it->missed; /* 0: not known */
    it->is_missed_unknown = false;
    it->missed = 0;
    hand_over(it, &message);
}

static void miss(binding *it, uint64_t count, uint64_t up_to) {
    if (it->delivery != CTIE_ENGINE_QUEUE || count == 0) { return; }
    it->missed += count;
    it->missed_up_to = number_of(it->engine, up_to);
}

bool flow_has_everything(binding *it, everything *out) {
    if (it->is_dense || it->delivery == DELIVERED_TO_ALL || it->delivery == CTIE_ENGINE_DURABLE) { return false; }
    pthread_mutex_lock(&it->of->lock);
    *out = it->of->last_everything;
    pthread_mutex_unlock(&it->of->lock);
    return out->in_stream > it->last;
}

void flow_everything(binding *it, uint64_t before) {
    everything last;
    if (!flow_has_everything(it, &last) || last.in_stream >= before) { return; }
    flow_missed(it);
    if (it->credit == 0) { return; }
    ctie_engine_message message = {.size = sizeof message, .kind = CTIE_MESSAGE_DESTROYED};
    message.sequence = number_of(it->engine, last.in_stream);
    message.time = last.time, message.sender_pid = last.sender_pid;
    message.sender_name = ctie_str_from(last.sender_name);
    it->last = last.in_stream;
    hand_over(it, &message);
}

/* How many messages were lost before one: exactly, if the topic covers every number of the stream. Else at least those
   that were to come, and are not counted any more. */
static uint64_t lost_before(const binding *it, const place *at) {
    uint64_t gap = at->in_stream - it->last - 1;
    if (it->is_dense) { return gap; }
    if (!it->was_stalled || it->pending <= at->pending + 1) { return 0; }
    uint64_t lost = it->pending - at->pending - 1;
    return lost < gap ? lost : gap;
}

static bool is_skipped(binding *it, const ctie_engine_message *message, uint64_t in_stream) {
    if (in_stream <= it->skips_up_to && message->time < it->start_time) { return true; }
    it->skips_up_to = 0;
    return false;
}

/* Delivers a message after what was missed before it. Without credit the consumer has to bring it once more. */
static void deliver(binding *it, ctie_engine_message *message, uint64_t in_stream) {
    bool is_everything = message->kind == CTIE_MESSAGE_DESTROYED && message->identifier.size == 0;
    message->sequence = number_of(it->engine, in_stream);
    if (it->delivery == DELIVERED_TO_ALL) { /* no listener has it */
        if (is_everything) { everything_note(it->of, in_stream, message); }
    } else if (is_skipped(it, message, in_stream)) {
    } else if (has_expired(message)) {
        miss(it, 1, in_stream);
    } else {
        flow_missed(it);
        if (it->credit == 0) {
            it->last = in_stream - 1;
            flow_restart(it);
            return;
        }
        hand_over(it, message);
    }
    it->last = in_stream;
}

/* A destroying removes what a listener without credit has not got, and the server keeps no account of that. */
static void suspect(binding *it, const envelope *read, uint64_t in_stream) {
    bool is_destroying = read->message.kind == CTIE_MESSAGE_DESTROYED;
    bool may_be_lost = it->was_stalled && is_destroying && in_stream > it->last + 1;
    it->was_stalled = false;
    if (!may_be_lost || it->is_dense || it->missed > 0 || it->delivery != CTIE_ENGINE_QUEUE) { return; }
    it->is_missed_unknown = true;
    it->missed_up_to = number_of(it->engine, in_stream - 1);
}

void flow_take(binding *it, natsMsg *message, const place *at) {
    if (at->in_consumer != it->in_consumer + 1) { /* lost on the way */
        flow_restart(it);
        return;
    }
    it->in_consumer = at->in_consumer;
    if (at->in_stream <= it->last) { return; }
    flow_everything(it, at->in_stream);
    miss(it, lost_before(it, at), at->in_stream - 1);
    it->pending = at->pending;
    envelope read;
    const char *problem = NULL;
    if (envelope_read(&it->engine->names, natsMsg_GetSubject(message), message, &read, &problem)) {
        suspect(it, &read, at->in_stream);
        deliver(it, &read.message, at->in_stream);
        envelope_clear(&read);
    } else {
        complain(it->of, COMPLAINT_FOREIGN, problem);
        it->last = at->in_stream;
    }
    if (it->pending == 0 && it->phase == IS_FLOWING) { flow_missed(it); }
}
