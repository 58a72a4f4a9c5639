/* Messages of an engine that expire while the wormhole has them, and no listener yet. */
#include "engine_mute.h"

static ctie_engine_message expiring(uint64_t sequence, int64_t expires) {
    ctie_engine_message it = good(sequence);
    it.expires = expires;
    return it;
}

/* A time that comes soon; a message with it may be delivered late, which makes no difference. */
static int64_t soon(void) { return em_now() + 2000000; }

/* A queue gets a notice in the position of the message, and a durable consumer's engine an acknowledgement. */
static void expired_messages_are_missed(uint32_t flags) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *slow = new_collector();
    uint32_t credit = 0;
    int64_t expires = soon();
    const int64_t hour = INT64_C(3600000000000);
    ctie_engine_message some[] = {good(1), expiring(2, expires), good(3), expiring(4, expires + hour)};
    slow->also = wait_in_first;
    CHECK_STATUS(bind_collector(wormhole, "q.*", slow, "worker", flags, 8), CTIE_OK);
    CHECK_STATUS(give(&one, some, 1, &credit), CTIE_OK);
    latch_wait(&slow->entered, 1);
    CHECK_STATUS(give(&one, some + 1, 3, &credit), CTIE_OK);
    CHECK(credit == 0); /* none was refused: the wormhole has them */
    AWAIT(em_now() > expires);
    latch_add(&slow->leave);
    AWAIT(slow->count == 4);
    CHECK(slow->all[1].kind == CTIE_MESSAGE_MISSED && slow->all[1].missed == 1 && slow->all[1].sequence == 2);
    CHECK(slow->all[2].kind == CTIE_MESSAGE_VALUE && slow->all[2].sequence == 3);
    CHECK(slow->all[3].kind == CTIE_MESSAGE_VALUE && slow->all[3].sequence == 4);
    stop_collecting(slow);
    if ((flags & CTIE_LISTEN_DURABLE) != 0) {
        CHECK(one.outcomes[CTIE_ENGINE_ACKNOWLEDGED] == 1 && one.outcomes[CTIE_ENGINE_LEFT] == 3);
    }
    close_engine(wormhole, &one);
}

/* A state gets nothing for an expired message; but its first one does not lack. */
static void an_expired_state_is_none(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *slow = new_collector(); /* the wormhole's thread is busy with it */
    uint32_t credit = 0;
    ctie_engine_message first = good(1), stored = expiring(1, soon()), newer = expiring(3, soon()), newest = good(4);
    slow->also = wait_in_first;
    stored.flags = CTIE_ENGINE_STORED;
    CHECK_STATUS(bind_collector(wormhole, "q.*", slow, "", CTIE_LISTEN_QUEUE, 0), CTIE_OK);
    CHECK_STATUS(give(&one, &first, 1, &credit), CTIE_OK);
    latch_wait(&slow->entered, 1);
    collector *it = collect_from(wormhole, "q.a", "", 0), *below = collect_from(wormhole, "q.*", "", 0);
    CHECK_STATUS(give(&one, &stored, 1, &credit), CTIE_OK);
    CHECK_STATUS(give(&one, &newer, 1, &credit), CTIE_OK);
    one.last_binding--; /* the exact one */
    CHECK_STATUS(give(&one, &stored, 1, &credit), CTIE_OK);
    AWAIT(em_now() > stored.expires && em_now() > newer.expires);
    latch_add(&slow->leave);
    AWAIT(it->count == 1);
    CHECK(it->all[0].kind == CTIE_MESSAGE_NONE && strcmp(it->all[0].id, "q.a") == 0);
    CHECK_STATUS(give(&one, &newest, 1, &credit), CTIE_OK);
    one.last_binding++;
    CHECK_STATUS(give(&one, &newest, 1, &credit), CTIE_OK);
    AWAIT(it->count == 2 && below->count == 1);
    CHECK(it->all[1].sequence == 4 && below->all[0].sequence == 4);
    stop_collecting(slow), stop_collecting(it), stop_collecting(below);
    close_engine(wormhole, &one);
}

int main(void) {
    expired_messages_are_missed(CTIE_LISTEN_QUEUE);
    expired_messages_are_missed(DURABLE | CTIE_LISTEN_MANUAL);
    an_expired_state_is_none();
    em_free_groups();
    return check_end();
}
