/* An engine that delivers garbage: each field of a message is checked as a stranger's bytes are. */
#include "engine_mute.h"

enum { WRONG = 26 };

/* One that is wrong in the field of a number; false at the end. */
static bool make_wrong(int number, ctie_engine_message *it) {
    static char long_id[200];
    memset(long_id, 'a', sizeof long_id);
    long_id[0] = 'q', long_id[1] = '.';
    switch (number) {
    case 0: it->kind = CTIE_MESSAGE_NONE; break;
    case 1: it->kind = CTIE_MESSAGE_JOINED; break;
    case 2: it->kind = CTIE_MESSAGE_LEFT; break;
    case 3: it->kind = 7; break;
    case 4: it->kind = -1; break;
    case 5: it->kind = INT32_MIN; break;
    case 6: it->flags = CTIE_ENGINE_STORED; break;
    case 7: it->flags = 1u << 31; break;
    case 8: it->identifier = (ctie_str){NULL, 5}; break;
    case 9: it->identifier = (ctie_str){"q.a", SIZE_MAX}; break;
    case 10: it->identifier = (ctie_str){"q.a", (size_t)1 << 40}; break;
    case 11: it->identifier = CTIE_STR("other.a"); break;
    case 12: it->identifier = CTIE_STR("q"); break;
    case 13: it->identifier = CTIE_STR("q."); break;
    case 14: it->identifier = CTIE_STR("q.*"); break;
    case 15: it->identifier = CTIE_STR("q.a b"); break;
    case 16: it->identifier = CTIE_STR("q.\xff"); break;
    case 17: it->identifier = CTIE_STR("q.a\0b"); break;
    case 18: it->identifier = (ctie_str){long_id, sizeof long_id}; break;
    case 19: it->identifier = (ctie_str){NULL, 0}; break;
    case 20: it->value = (ctie_bytes){NULL, 1}; break;
    case 21: it->value = (ctie_bytes){"\x01", SIZE_MAX}; break;
    case 22: it->value = (ctie_bytes){"\x01", (size_t)1 << 32}; break;
    case 23: it->kind = CTIE_MESSAGE_SIGNAL; break; /* with a value */
    case 24: it->sequence = 0; break;
    case 25: it->expires = -1; break;
    default: return false;
    }
    return true;
}

/* Nothing of these reaches a listener; each gives its credit back, and the log says so. */
static void wrong_messages_are_dropped(uint32_t flags) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = collect_from(wormhole, "q.*", "worker", flags);
    uint32_t credit = 0;
    forget_lines();
    for (int i = 0; i < WRONG; i++) {
        ctie_engine_message message = good(5);
        CHECK(make_wrong(i, &message));
        ctie_status status = give(&one, &message, 1, &credit);
        if (status != CTIE_E_CORRUPT || credit != 1) { fprintf(stderr, "wrong message %d\n", i); }
        CHECK(status == CTIE_E_CORRUPT && credit == 1);
    }
    AWAIT(has_line("the engine"));
    CHECK(it->count == 0);
    ctie_engine_message message = good(6);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    AWAIT(it->count == 1);
    CHECK(it->all[0].sequence == 6 && it->all[0].value == 1);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

/* Content that cannot be read is delivered as such, so that a queue gets past it. */
static void unreadable_content_is_delivered_as_such(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = collect_from(wormhole, "q.*", "", CTIE_LISTEN_QUEUE);
    static char long_name[80], long_text[5000];
    memset(long_name, 'n', sizeof long_name), memset(long_text, 't', sizeof long_text);
    ctie_header twice[] = {{CTIE_STR("a"), CTIE_STR("1")}, {CTIE_STR("a"), CTIE_STR("2")}};
    ctie_header without_name = {{NULL, 0}, CTIE_STR("1")}, not_text = {CTIE_STR("a"), CTIE_STR("\xff")};
    ctie_header null_name = {{NULL, 3}, CTIE_STR("1")}, too_long = {CTIE_STR("a"), {long_text, sizeof long_text}};
    ctie_header enormous = {CTIE_STR("a"), {"1", SIZE_MAX}};
    struct { const ctie_header *headers; size_t count; } wrong[] = {
        {twice, 2}, {&without_name, 1}, {&not_text, 1}, {&null_name, 1}, {&too_long, 1}, {&enormous, 1}, {NULL, 1},
        {twice, SIZE_MAX}, {twice, 33}, {(const ctie_header *)(const void *)((const char *)twice + 1), 1}};
    uint64_t sequence = 0;
    uint32_t credit = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ctie_engine_message message = good(++sequence);
        message.headers = wrong[i].headers, message.header_count = wrong[i].count;
        CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    }
    ctie_engine_message message = good(++sequence);
    message.sender_name = (ctie_str){long_name, sizeof long_name};
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    message = good(++sequence), message.sender_name = CTIE_STR("\xc3\x28");
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    message = good(++sequence), message.value = (ctie_bytes){"\xc1", 1};
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    message = good(++sequence), message.value = (ctie_bytes){NULL, 0};
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    message = good(++sequence), message.value = (ctie_bytes){"\x01\x01", 2};
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    message = good(++sequence);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    AWAIT(it->count == (int)sequence);
    for (int i = 0; i < it->count - 1; i++) { CHECK(it->all[i].status == CTIE_E_CORRUPT && it->all[i].value == -1); }
    CHECK(it->all[it->count - 1].status == CTIE_OK);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

static void numbers_of_a_queue_rise(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = collect_from(wormhole, "q.*", "", CTIE_LISTEN_QUEUE);
    uint32_t credit = 0;
    ctie_engine_message some[] = {good(5), good(5), good(6)};
    CHECK_STATUS(give(&one, some, 3, &credit), CTIE_OK);
    CHECK(credit == 1);
    ctie_engine_message message = good(4);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_E_CORRUPT);
    CHECK(credit == 1);
    message = good(8), message.kind = CTIE_MESSAGE_MISSED, message.value = (ctie_bytes){NULL, 0}, message.missed = 2;
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    CHECK(credit == 1);
    message = good(UINT64_MAX);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    AWAIT(it->count == 4);
    CHECK(it->all[0].sequence == 5 && it->all[1].sequence == 6 && it->all[2].missed == 2);
    CHECK(strcmp(it->all[2].id, "q.*") == 0 && it->all[3].sequence == UINT64_MAX);
    forget_lines();
    stop_collecting(it);
    CHECK_STATUS(pass_int(wormhole, "q.a", 1), CTIE_OK);
    AWAIT(has_line("2 messages more than once"));
    close_engine(wormhole, &one);
}

static void a_state_does_not_go_back(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = collect_from(wormhole, "q.*", "", 0);
    uint32_t credit = 0;
    ctie_engine_message a = good(7), b = good(3);
    a.flags = b.flags = CTIE_ENGINE_STORED;
    b.identifier = CTIE_STR("q.b");
    CHECK_STATUS(give(&one, &a, 1, &credit), CTIE_OK);
    CHECK_STATUS(give(&one, &a, 1, &credit), CTIE_OK); /* once more */
    CHECK_STATUS(give(&one, &b, 1, &credit), CTIE_OK);
    CHECK_STATUS(give(&one, &a, 1, &credit), CTIE_E_CORRUPT); /* before the last one */
    ctie_engine_message newer = good(6);
    CHECK_STATUS(give(&one, &newer, 1, &credit), CTIE_E_CORRUPT); /* older than a stored one */
    newer.sequence = 8;
    CHECK_STATUS(give(&one, &newer, 1, &credit), CTIE_OK);
    ctie_engine_message c = good(9);
    c.flags = CTIE_ENGINE_STORED, c.identifier = CTIE_STR("q.c");
    CHECK_STATUS(give(&one, &c, 1, &credit), CTIE_E_CORRUPT); /* the initial delivery is over */
    c.flags = 0;
    CHECK_STATUS(give(&one, &c, 1, &credit), CTIE_OK);
    c.kind = CTIE_MESSAGE_NONE, c.flags = CTIE_ENGINE_STORED, c.value = (ctie_bytes){NULL, 0}, c.sequence = 0;
    CHECK_STATUS(give(&one, &c, 1, &credit), CTIE_E_CORRUPT); /* of a prefix */
    c.kind = CTIE_MESSAGE_MISSED, c.flags = 0, c.sequence = 10, c.missed = 1;
    CHECK_STATUS(give(&one, &c, 1, &credit), CTIE_E_CORRUPT); /* not of a state */
    AWAIT(it->count > 0 && it->all[it->count - 1].sequence == 9);
    CHECK(it->count <= 4 && it->all[it->count - 2].sequence == 8);
    stop_collecting(it);
    it = collect_from(wormhole, "q.*", "", CTIE_LISTEN_NO_INITIAL_DELIVERY);
    CHECK_STATUS(give(&one, &a, 1, &credit), CTIE_E_CORRUPT);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

static void claims_of_a_durable_consumer_are_its_own(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = new_collector();
    uint32_t credit = 0;
    CHECK_STATUS(bind_collector(wormhole, "q.*", it, "worker", DURABLE | CTIE_LISTEN_MANUAL, 8), CTIE_OK);
    ctie_engine_message message = good(5);
    message.delivery_count = 0;
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_E_CORRUPT);
    message.delivery_count = 2;
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK); /* once more: it is in hand */
    CHECK(credit == 1);
    message.claim = 77;
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_E_CORRUPT); /* the same delivery of another claim */
    message.delivery_count = 3;
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK); /* delivered again, since it took too long */
    message = good(9), message.claim = 77;
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_E_CORRUPT); /* another message of the same claim */
    message = good(2);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK); /* redeliveries come in any order */
    AWAIT(it->count == 3);
    CHECK(it->all[0].delivery_count == 2 && it->all[1].delivery_count == 3 && it->all[2].sequence == 2);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

/* Messages that have reached the wormhole, but not their listener, are destroyed there. */
static void destroying_takes_what_the_wormhole_has(uint32_t flags) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = new_collector();
    uint32_t credit = 0;
    it->also = wait_in_first;
    CHECK_STATUS(bind_collector(wormhole, "q.*", it, "worker", flags, 8), CTIE_OK);
    ctie_engine_message some[] = {good(1), good(2), good(3), good(4), good(5)};
    some[3].identifier = CTIE_STR("q.b");
    some[4].kind = CTIE_MESSAGE_DESTROYED, some[4].value = (ctie_bytes){NULL, 0};
    CHECK_STATUS(give(&one, some, 1, &credit), CTIE_OK);
    latch_wait(&it->entered, 1);
    CHECK_STATUS(give(&one, some + 1, 4, &credit), CTIE_OK);
    /* Two were removed, and there is their notice; those of a durable consumer have no outcome yet. */
    CHECK(credit == ((flags & CTIE_LISTEN_DURABLE) != 0 ? 0 : 1));
    latch_add(&it->leave);
    AWAIT(it->count == 4);
    CHECK(it->all[1].value == 1 && strcmp(it->all[1].id, "q.b") == 0);
    CHECK(it->all[2].kind == CTIE_MESSAGE_MISSED && it->all[2].missed == 2);
    CHECK(it->all[3].kind == CTIE_MESSAGE_DESTROYED && strcmp(it->all[3].id, "q.a") == 0);
    stop_collecting(it);
    if ((flags & CTIE_LISTEN_DURABLE) != 0) {
        /* The two that were destroyed are done with; the others were left without an answer. */
        CHECK(one.outcomes[CTIE_ENGINE_ACKNOWLEDGED] == 2 && one.outcomes[CTIE_ENGINE_LEFT] == 3);
    }
    close_engine(wormhole, &one);
}

static uint32_t credit_so_far(engine_memory *it) {
    pthread_mutex_lock(&it->group->lock);
    uint32_t credit = it->bindings->credit;
    pthread_mutex_unlock(&it->group->lock);
    return credit;
}

/* Until the engine has the outcomes of destroyed messages, it does not get their credit: so it bounds them, too. */
static void credit_of_destroyed_messages_comes_with_their_outcome(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = new_collector();
    uint32_t credit = 0;
    it->also = wait_in_first;
    CHECK_STATUS(bind_collector(wormhole, "q.*", it, "worker", DURABLE | CTIE_LISTEN_MANUAL, 4), CTIE_OK);
    CHECK(credit_so_far(&one) == 4);
    ctie_engine_message some[] = {good(1), good(2), good(3), good(4), good(5)};
    some[3].kind = CTIE_MESSAGE_DESTROYED, some[3].value = (ctie_bytes){NULL, 0};
    CHECK_STATUS(give(&one, some, 1, &credit), CTIE_OK);
    latch_wait(&it->entered, 1);
    CHECK_STATUS(give(&one, some + 1, 3, &credit), CTIE_OK);
    CHECK(credit == 0);
    CHECK_STATUS(give(&one, some + 4, 1, &credit), CTIE_E_LIMIT);
    CHECK(credit == 0 && one.credits == 0 && one.resolved == 0);
    latch_add(&it->leave);
    AWAIT(it->count == 3);
    CHECK(it->all[1].missed == 2 && it->all[2].kind == CTIE_MESSAGE_DESTROYED);
    CHECK(one.outcomes[CTIE_ENGINE_ACKNOWLEDGED] == 2 && credit_so_far(&one) == 6);
    CHECK_STATUS(give(&one, some + 4, 1, &credit), CTIE_OK);
    AWAIT(it->count == 4);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

/* A CTIE_MESSAGE_DESTROYED that is delivered again removes only what was sent before it. */
static void destroying_again_spares_newer_messages(const char *id) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = new_collector();
    uint32_t credit = 0;
    it->also = wait_in_first;
    CHECK_STATUS(bind_collector(wormhole, "q.*", it, "worker", DURABLE | CTIE_LISTEN_MANUAL, 8), CTIE_OK);
    ctie_engine_message some[] = {good(1), good(9), good(3), good(5)};
    some[2].delivery_count = some[3].delivery_count = 2;
    some[3].kind = CTIE_MESSAGE_DESTROYED, some[3].value = (ctie_bytes){NULL, 0};
    some[3].identifier = ctie_str_from(id);
    CHECK_STATUS(give(&one, some, 1, &credit), CTIE_OK);
    latch_wait(&it->entered, 1);
    CHECK_STATUS(give(&one, some + 1, 3, &credit), CTIE_OK);
    latch_add(&it->leave);
    AWAIT(it->count == 4);
    CHECK(it->all[1].sequence == 9 && it->all[1].value == 1);
    CHECK(it->all[2].kind == CTIE_MESSAGE_MISSED && it->all[2].missed == 1 && it->all[2].sequence == 3);
    CHECK(it->all[3].kind == CTIE_MESSAGE_DESTROYED && it->all[3].delivery_count == 2);
    stop_collecting(it);
    CHECK(one.outcomes[CTIE_ENGINE_ACKNOWLEDGED] == 1 && one.outcomes[CTIE_ENGINE_LEFT] == 3);
    close_engine(wormhole, &one);
}

/* Messages that expire together have their outcomes in one call. */
static void expired_messages_are_answered_together(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = new_collector();
    uint32_t credit = 0;
    it->also = wait_in_first;
    CHECK_STATUS(bind_collector(wormhole, "q.*", it, "worker", DURABLE | CTIE_LISTEN_MANUAL, 8), CTIE_OK);
    ctie_engine_message some[] = {good(1), good(2), good(3), good(4), good(5)};
    some[1].expires = some[2].expires = some[3].expires = 1;
    CHECK_STATUS(give(&one, some, 1, &credit), CTIE_OK);
    latch_wait(&it->entered, 1);
    CHECK_STATUS(give(&one, some + 1, 4, &credit), CTIE_OK);
    latch_add(&it->leave);
    AWAIT(it->count == 5);
    CHECK(it->all[1].missed == 1 && it->all[3].missed == 1 && it->all[4].sequence == 5);
    CHECK(one.outcomes[CTIE_ENGINE_ACKNOWLEDGED] == 3 && one.resolve_calls == 1);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

static engine_memory *given;

static void leave_more(const ctie_message *message, collector *self) {
    uint32_t credit = 0;
    ctie_engine_message more[] = {good(2), good(3)};
    (void)message;
    CHECK_STATUS(give(given, more, 2, &credit), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(self->listener), CTIE_PENDING);
}

/* The engine gets an outcome for each message, also for those that no listener has seen. */
static void every_claim_has_an_outcome(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = new_collector();
    uint32_t credit = 0;
    given = &one;
    it->also = leave_more;
    CHECK_STATUS(bind_collector(wormhole, "q.*", it, "worker", DURABLE | CTIE_LISTEN_MANUAL, 8), CTIE_OK);
    ctie_engine_message message = good(1);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_OK);
    AWAIT(it->destroyed == 1);
    CHECK(it->count == 1 && one.outcomes[CTIE_ENGINE_LEFT] == 1 && one.outcomes[CTIE_ENGINE_UNDELIVERED] == 2);
    free_collector(it);
    close_engine(wormhole, &one);
}

static void more_than_the_credit_is_refused(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = new_collector();
    uint32_t credit = 0;
    CHECK_STATUS(bind_collector(wormhole, "q.*", it, "worker", DURABLE | CTIE_LISTEN_MANUAL, 3), CTIE_OK);
    ctie_engine_message many[9];
    for (int i = 0; i < 9; i++) { many[i] = good((uint64_t)i + 1); }
    forget_lines();
    CHECK_STATUS(give(&one, many, 9, &credit), CTIE_E_LIMIT);
    CHECK(credit == 0);
    AWAIT(it->count == 3);
    CHECK_STATUS(give(&one, many + 5, 1, &credit), CTIE_E_LIMIT);
    AWAIT(has_line("credit"));
    nap_ns(5000000);
    CHECK(it->count == 3);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

static void arrays_are_checked(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *it = collect_from(wormhole, "q.*", "", CTIE_LISTEN_QUEUE);
    uint32_t credit = 0;
    uint64_t binding = one.last_binding;
    static const size_t SIZES[] = {0, 1, 8, sizeof(ctie_engine_message) - 8, sizeof(ctie_engine_message) + 4, 2048, SIZE_MAX};
    ctie_engine_message message = good(1);
    CHECK_STATUS(give(&one, NULL, 1, &credit), CTIE_E_INVALID);
    CHECK_STATUS(give(&one, &message, 0, &credit), CTIE_E_INVALID);
    CHECK_STATUS(give(&one, &message, 65537, &credit), CTIE_E_INVALID);
    CHECK_STATUS(give(&one, &message, SIZE_MAX, &credit), CTIE_E_INVALID);
    CHECK_STATUS(give(&one, (const ctie_engine_message *)(const void *)((const char *)&message + 1), 1, &credit),
                 CTIE_E_INVALID);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        message.size = SIZES[i];
        CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_E_INVALID);
    }
    ctie_engine_message two[2] = {good(1), good(2)};
    two[1].size += 8;
    CHECK_STATUS(give(&one, two, 2, &credit), CTIE_E_INVALID);
    struct { ctie_engine_message known; uint64_t more; } newer[2] = {{good(1), 0}, {good(2), 0}};
    newer[0].known.size = newer[1].known.size = sizeof newer[0];
    CHECK_STATUS(give(&one, &newer[0].known, 2, &credit), CTIE_OK);
    newer[0].known.sequence = 3, newer[0].more = 1;
    CHECK_STATUS(give(&one, &newer[0].known, 1, &credit), CTIE_E_ABI);
    AWAIT(it->count == 2);
    one.last_binding = binding + 1000;
    message = good(9);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_E_NOT_FOUND);
    CHECK(credit == 0);
    one.last_binding = binding;
    collector *later = collect_from(wormhole, "q.*", "", CTIE_LISTEN_QUEUE);
    one.last_binding = binding;
    stop_collecting(it);
    CHECK_STATUS(give(&one, &message, 1, &credit), CTIE_E_NOT_FOUND);
    CHECK(later->count == 0);
    stop_collecting(later);
    CHECK_STATUS(one.host->deliver(NULL, binding, &message, 1, NULL), CTIE_E_INVALID);
    close_engine(wormhole, &one);
}

/* ---- What it shows -------------------------------------------------------------------------------------- */

static ctie_engine_message shown;
static int shown_times;
static ctie_str shown_identifier;

static ctie_status show_current(void *user_data, ctie_str identifier, ctie_engine_message_fn visit, void *context,
                                int64_t timeout_ms) {
    (void)user_data, (void)identifier, (void)timeout_ms;
    for (int i = 0; i < shown_times && visit(&shown, context); i++) { continue; }
    return CTIE_OK;
}

static ctie_status show_identifier(void *user_data, ctie_str topic, ctie_engine_identifier_fn visit, void *context,
                                   int64_t timeout_ms) {
    (void)user_data, (void)topic, (void)timeout_ms;
    for (int i = 0; i < shown_times && visit(shown_identifier, context); i++) { continue; }
    return CTIE_OK;
}

static ctie_engine_member shown_member;

static ctie_status show_member(void *user_data, ctie_engine_member_fn visit, void *context, int64_t timeout_ms) {
    (void)user_data, (void)timeout_ms;
    visit(&shown_member, context);
    return CTIE_OK;
}

static ctie_engine_durable shown_durable;

static ctie_status show_durable(void *user_data, ctie_engine_durable_fn visit, void *context, int64_t timeout_ms) {
    (void)user_data, (void)timeout_ms;
    visit(&shown_durable, context);
    return CTIE_OK;
}

static ctie_engine_dead_letter shown_letter;
static uint64_t ended;

/* The same letter so often. */
static ctie_status show_letters(void *user_data, ctie_str topic, ctie_str name, uint64_t after, size_t limit,
                                uint32_t has_values, ctie_engine_dead_letter_fn visit, void *context,
                                int64_t timeout_ms) {
    (void)user_data, (void)topic, (void)name, (void)after, (void)limit, (void)has_values, (void)timeout_ms;
    for (int i = 0; i < shown_times && visit(&shown_letter, context); i++) { continue; }
    return CTIE_OK;
}

static ctie_status end_letters(void *user_data, ctie_str topic, ctie_str name, uint64_t sequence, uint32_t action,
                               uint64_t *count, int64_t timeout_ms) {
    (void)user_data, (void)topic, (void)name, (void)timeout_ms;
    ended = sequence * 10 + action;
    *count = 3;
    return sequence == 9 ? CTIE_E_UNCERTAIN : CTIE_OK;
}

static ctie_wormhole *open_showing(engine_memory *it) {
    ctie_engine engine = ENGINE_MEMORY;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    *it = (engine_memory){0};
    engine.current = show_current, engine.identifiers = show_identifier, engine.members = show_member;
    engine.durables = show_durable, engine.scheduled = show_current;
    engine.dead_letters = show_letters, engine.end_dead_letters = end_letters;
    options.engine = &engine, options.engine_data = it;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("shown"), &options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

static void its_messages_are_checked(ctie_wormhole *wormhole) {
    ctie_message *message = NULL;
    ctie_value *list = NULL;
    shown_times = 1;
    for (int i = 0; i < WRONG; i++) {
        shown = good(5);
        make_wrong(i, &shown);
        if (i == 6) { shown.flags = 1u << 30; } /* a current message is stored */
        CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("q.a"), &message, NULL), CTIE_E_CORRUPT);
    }
    shown = good(5), shown.value = (ctie_bytes){"\xc1", 1};
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("q.a"), &message, NULL), CTIE_E_CORRUPT);
    shown = good(5), shown.expires = 1;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("q.a"), &message, NULL), CTIE_E_NOT_FOUND);
    shown = good(5), shown.size = 3;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("q.a"), &message, NULL), CTIE_E_CORRUPT);
    CHECK_STATUS(ctie_wormhole_scheduled(wormhole, CTIE_STR("*"), &list, NULL), CTIE_E_CORRUPT);
    shown = good(5), shown_times = 2;
    CHECK(ctie_wormhole_message(wormhole, CTIE_STR("q.a"), &message, NULL) != CTIE_OK);
    CHECK_STATUS(ctie_wormhole_scheduled(wormhole, CTIE_STR("*"), &list, NULL), CTIE_E_CORRUPT); /* without a time */
}

static void its_identifiers_are_checked(ctie_wormhole *wormhole) {
    ctie_value *list = NULL;
    static const char *const IDS[] = {"other", "q", "q.", "", "q.*", "q.a b"};
    shown_times = 1;
    for (size_t i = 0; i < sizeof IDS / sizeof *IDS; i++) {
        shown_identifier = ctie_str_from(IDS[i]);
        CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("q.*"), &list, NULL), CTIE_E_CORRUPT);
    }
    shown_identifier = (ctie_str){NULL, 3};
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("*"), &list, NULL), CTIE_E_CORRUPT);
    shown_identifier = CTIE_STR("q.a"), shown_times = 5; /* more than once is once */
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("*"), &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == 1);
    ctie_value_release(list);
}

static void its_members_are_checked(ctie_wormhole *wormhole) {
    ctie_value *list = NULL;
    shown_member = (ctie_engine_member){sizeof shown_member, CTIE_STR("\xff"), 1, 1, 0};
    CHECK_STATUS(ctie_wormhole_members(wormhole, &list, NULL), CTIE_E_CORRUPT);
    shown_member = (ctie_engine_member){sizeof shown_member, CTIE_STR("a"), 1, 1, 2};
    CHECK_STATUS(ctie_wormhole_members(wormhole, &list, NULL), CTIE_E_CORRUPT);
    shown_member = (ctie_engine_member){1, CTIE_STR("a"), 1, 1, 0};
    CHECK_STATUS(ctie_wormhole_members(wormhole, &list, NULL), CTIE_E_CORRUPT);
}


static void its_durable_consumers_are_checked(ctie_wormhole *wormhole) {
    ctie_value *list = NULL;
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    memset(&shown_durable, 0, sizeof shown_durable);
    shown_durable.size = sizeof shown_durable, shown_durable.identifier = CTIE_STR("a");
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_E_CORRUPT); /* no name */
    shown_durable.name = CTIE_STR("a"), shown_durable.identifier = CTIE_STR("a b");
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_E_CORRUPT);
    shown_durable.identifier = CTIE_STR("a"), shown_durable.holder_count = 1;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_E_CORRUPT); /* NULL */
    ctie_engine_holder holder = {sizeof holder - 8, CTIE_STR("a"), 1, 1, 1};
    shown_durable.holders = &holder;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_E_CORRUPT);
    shown_durable.holder_count = SIZE_MAX;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_E_CORRUPT);
    shown_durable.holder_count = 0, shown_durable.options = &options;
    options.backoff_factor = 0.5;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_E_CORRUPT);
    options.backoff_factor = 2, options.when_full = 9;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_E_CORRUPT);
    options.when_full = 0, options.size = 7;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_E_CORRUPT);
    options.size = sizeof options, shown_durable.size = sizeof shown_durable + 4;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_E_CORRUPT);
    shown_durable.size = sizeof shown_durable;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK); /* so the sizes were wrong */
    ctie_value_release(list);
}

static ctie_status list_letters(ctie_wormhole *wormhole, uint64_t after, size_t limit) {
    ctie_value *list = NULL;
    ctie_str id = CTIE_STR("q.*"), name = CTIE_STR("worker");
    ctie_status status = ctie_wormhole_dead_letters(wormhole, id, name, after, limit, &list, NULL);
    if (status == CTIE_OK) { CHECK(ctie_value_count(list) == (size_t)shown_times); }
    ctie_value_release(list);
    return status;
}

static void its_dead_letters_are_checked(ctie_wormhole *wormhole) {
    static char long_reason[CTIE_MESSAGE_MAX_REASON + 1];
    memset(long_reason, 'r', sizeof long_reason);
    ctie_engine_message message = good(5);
    message.claim = 0, message.delivery_count = 0;
    shown_letter = (ctie_engine_dead_letter){.size = sizeof shown_letter, .message = &message, .deliveries = 2};
    shown_times = 1;
    CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_OK); /* so what follows is wrong */
    CHECK_STATUS(list_letters(wormhole, 5, 0), CTIE_E_CORRUPT); /* not after it */
    shown_times = 2;
    CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_E_CORRUPT); /* out of order */
    shown_times = 1;
    for (int i = 0; i < WRONG; i++) {
        message = good(5);
        CHECK(make_wrong(i, &message));
        bool is_of_all = i == 19; /* without an identifier; a value has one */
        CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_E_CORRUPT);
        message.kind = CTIE_MESSAGE_DESTROYED, message.value = (ctie_bytes){NULL, 0};
        if (is_of_all) { CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_OK); }
    }
    message = good(5);
    shown_letter.reason = (ctie_str){long_reason, sizeof long_reason};
    CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_E_CORRUPT);
    shown_letter.reason = CTIE_STR("\xff");
    CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_E_CORRUPT);
    shown_letter.reason = (ctie_str){NULL, 4};
    CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_E_CORRUPT);
    shown_letter.reason = CTIE_STR("why"), shown_letter.size -= 8;
    CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_E_CORRUPT);
    shown_letter.size += 8, message.size -= 8;
    CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_E_CORRUPT);
    shown_letter.message = NULL;
    CHECK_STATUS(list_letters(wormhole, 0, 0), CTIE_E_CORRUPT);
    message.size += 8, shown_letter.message = &message;
    ctie_message *found = NULL;
    ctie_str id = CTIE_STR("q.*"), name = CTIE_STR("worker");
    CHECK_STATUS(ctie_wormhole_dead_letter(wormhole, id, name, 4, &found, NULL), CTIE_E_NOT_FOUND); /* it shows 5 */
    CHECK_STATUS(ctie_wormhole_dead_letter(wormhole, id, name, 5, &found, NULL), CTIE_OK);
    CHECK(ctie_message_delivery_count(found) == 2);
    ctie_message_release(found);
    uint64_t count = 0;
    CHECK_STATUS(ctie_wormhole_retry(wormhole, id, name, 0, &count, NULL), CTIE_OK);
    CHECK(ended == CTIE_ENGINE_RETRY && count == 3);
    CHECK_STATUS(ctie_wormhole_drop(wormhole, id, name, 7, &count, NULL), CTIE_OK);
    CHECK(ended == 70 + CTIE_ENGINE_DROP);
    count = 0;
    CHECK_STATUS(ctie_wormhole_drop(wormhole, id, name, 9, &count, NULL), CTIE_E_UNCERTAIN);
    CHECK(count == 3); /* also after a failure */
}

static void its_listings_are_checked(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_showing(&one);
    its_messages_are_checked(wormhole);
    its_identifiers_are_checked(wormhole);
    its_members_are_checked(wormhole);
    its_durable_consumers_are_checked(wormhole);
    its_dead_letters_are_checked(wormhole);
    close_engine(wormhole, &one);
}

/* ---- Noise ------------------------------------------------------------------------------------------------ */

enum { NOISY_THREADS = 3, BINDINGS = 4, LAST = 20 };
enum { PREFIX_STATE, STATE, QUEUE, WORKER }; /* the listeners, in the order of their bindings */

static _Atomic uint64_t next_number; /* of a noisy message */
static _Atomic uint64_t first_good;  /* the number of the first message after the noise */

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

/* Most numbers rise, as those of an engine do: otherwise all messages after the highest one would be dropped. */
static uint64_t noisy_number(uint32_t *random) {
    uint64_t next = next_number++;
    switch (next_random(random) % 16) {
    case 0: return next_random(random) % (next + 1);
    case 1: return next + next_random(random) % 8;
    default: return next;
    }
}

static ctie_engine_message noisy(uint32_t *random, const uint8_t *noise, size_t size) {
    ctie_engine_message message = good(noisy_number(random));
    uint32_t bits = next_random(random) & next_random(random); /* one field of four is noise */
    if (bits & 1) { message.kind = (int32_t)(next_random(random) % 9); }
    if (bits & 2) { message.value = (ctie_bytes){noise, next_random(random) % size}; }
    if (bits & 4) { message.identifier = (ctie_str){(const char *)noise, next_random(random) % 140}; }
    if (bits & 8) { message.sender_name = (ctie_str){(const char *)noise, next_random(random) % 80}; }
    if (bits & 16) { message.claim = next_random(random) % 8; }
    if (bits & 32) { message.delivery_count = next_random(random) % 4; }
    if (bits & 64) { message.flags = next_random(random) % 3; }
    if (bits & 128) { message.expires = (int64_t)next_random(random) - 1000; }
    if (bits & 256) { message.identifier = (ctie_str){NULL, 0}; }
    return message;
}

typedef struct noise_maker {
    engine_memory *engine;
    uint32_t random;
} noise_maker;

/* Bytes without meaning, in each field and together, to all bindings. Most messages come whether there is credit or not,
   and some wait for it, so that each listener gets some. */
static void *deliver_noise(void *user_data) {
    noise_maker *own = user_data;
    const ctie_engine_host *host = own->engine->host;
    uint8_t noise[256];
    for (int i = 0; i < test_rounds(20000); i++) {
        for (size_t n = 0; n < sizeof noise; n++) { noise[n] = (uint8_t)next_random(&own->random); }
        ctie_engine_message message = noisy(&own->random, noise, sizeof noise);
        uint32_t credit = 0, bits = next_random(&own->random);
        uint64_t binding = 1 + bits % BINDINGS;
        uint32_t *out = bits & 512 ? NULL : &credit;
        ctie_status status = host->deliver(host->context, binding, &message, 1, out);
        if (i % 8 == 0 && status == CTIE_E_LIMIT) {
            AWAIT(host->deliver(host->context, binding, &message, 1, out) != CTIE_E_LIMIT);
        }
        if (i % 64 == 0) { host->members_changed(host->context); }
        if (i % 64 == 1) { host->log(host->context, (int32_t)bits, (ctie_str){(char *)noise, sizeof noise}); }
    }
    return NULL;
}

/* The messages of a listener, checked as they come: there are more than a collector keeps. */
typedef struct reception {
    _Atomic uint64_t newest;
    _Atomic int values, went_back, unknown;
    _Atomic int good; /* of the messages after the noise, those in their order */
} reception;

static void note_order(const ctie_message *message, collector *self) {
    reception *own = self->data;
    int32_t kind = ctie_message_kind(message);
    uint64_t sequence = ctie_message_sequence(message);
    own->unknown += kind < CTIE_MESSAGE_NONE || kind > CTIE_MESSAGE_MISSED;
    own->values += kind == CTIE_MESSAGE_VALUE;
    own->good += kind == CTIE_MESSAGE_VALUE && sequence == first_good + (uint64_t)own->good;
    /* A notice has the number of the last message that it replaces, and may come after later ones. */
    if (kind == CTIE_MESSAGE_NONE || kind == CTIE_MESSAGE_MISSED) { return; }
    own->went_back += sequence <= own->newest;
    own->newest = sequence;
}

static void make_noise(engine_memory *engine, uint32_t seed) {
    pthread_t threads[NOISY_THREADS];
    noise_maker makers[NOISY_THREADS];
    next_number = 1;
    first_good = UINT64_MAX;
    for (uint32_t i = 0; i < NOISY_THREADS; i++) {
        makers[i] = (noise_maker){engine, seed * NOISY_THREADS + i};
        CHECK(pthread_create(&threads[i], NULL, deliver_noise, &makers[i]) == 0);
    }
    for (int i = 0; i < NOISY_THREADS; i++) { pthread_join(threads[i], NULL); }
}

/* Each binding still works: some messages that are all right, with numbers above those of all noise. */
static void deliver_good(engine_memory *engine, reception *noted) {
    const ctie_engine_host *host = engine->host;
    first_good = next_number + 8;
    for (uint64_t binding = 1; binding <= BINDINGS; binding++) {
        for (uint64_t i = 0; i < LAST; i++) {
            ctie_engine_message message = good(first_good + i);
            AWAIT(host->deliver(host->context, binding, &message, 1, NULL) == CTIE_OK);
        }
    }
    AWAIT(noted[QUEUE].good == LAST && noted[WORKER].good == LAST);
    AWAIT(noted[PREFIX_STATE].newest == first_good + LAST - 1 && noted[STATE].newest == first_good + LAST - 1);
}

static void noise_does_no_harm(uint32_t seed) {
    static const struct { const char *topic, *name; } LISTENERS[BINDINGS] = {
        {"q.*", ""}, {"q.a", ""}, {"*", ""}, {"q.*", "worker"}};
    const uint32_t flags[BINDINGS] = {0, 0, CTIE_LISTEN_QUEUE, DURABLE};
    engine_memory one;
    ctie_wormhole *wormhole = open_mute(&one);
    collector *all[BINDINGS];
    reception noted[BINDINGS] = {0};
    int failed_before = checks_failed;
    for (int i = 0; i < BINDINGS; i++) {
        all[i] = new_collector();
        all[i]->also = note_order, all[i]->data = &noted[i];
        CHECK_STATUS(bind_collector(wormhole, LISTENERS[i].topic, all[i], LISTENERS[i].name, flags[i], 0), CTIE_OK);
    }
    make_noise(&one, seed);
    CHECK(one.last_binding == BINDINGS);
    deliver_good(&one, noted);
    for (int i = 0; i < BINDINGS; i++) {
        CHECK(noted[i].unknown == 0);
        stop_collecting(all[i]);
    }
    /* Some of the noise is all right, and comes in its order. */
    CHECK(noted[QUEUE].values > LAST && noted[WORKER].values > LAST);
    CHECK(noted[STATE].went_back == 0 && noted[QUEUE].went_back == 0);
    close_engine(wormhole, &one);
    if (checks_failed > failed_before) { fprintf(stderr, "    with the seed %u\n", (unsigned)seed); }
}

int main(void) {
    wrong_messages_are_dropped(CTIE_LISTEN_QUEUE);
    wrong_messages_are_dropped(DURABLE);
    unreadable_content_is_delivered_as_such();
    numbers_of_a_queue_rise();
    a_state_does_not_go_back();
    claims_of_a_durable_consumer_are_its_own();
    destroying_takes_what_the_wormhole_has(CTIE_LISTEN_QUEUE);
    destroying_takes_what_the_wormhole_has(DURABLE | CTIE_LISTEN_MANUAL);
    credit_of_destroyed_messages_comes_with_their_outcome();
    destroying_again_spares_newer_messages("q.a");
    destroying_again_spares_newer_messages("");
    expired_messages_are_answered_together();
    every_claim_has_an_outcome();
    more_than_the_credit_is_refused();
    arrays_are_checked();
    its_listings_are_checked();
    for (uint32_t seed = 1; seed <= 3; seed++) { noise_does_no_harm(seed); }
    em_free_groups();
    return check_end();
}
