/* A host's own engine: a wormhole over it does what one over a directory does. */
#include "engine_listening.h"

/* ---- Sending and reading ---------------------------------------------------------------------------- */

static void messages_are_sent_and_read(void) {
    engine_memory one = {0}, two = {0};
    ctie_wormhole *first = open_engine(&one, "read", "first"), *second = open_engine(&two, "read", "second");
    const ctie_header HEADERS[] = {{CTIE_STR("a"), CTIE_STR("1")}, {CTIE_STR("b"), CTIE_STR("")}};
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    ctie_message *message = NULL;
    uint64_t sequence = 0;
    uint32_t listeners = 9;
    options.headers = HEADERS, options.header_count = 2, options.expires_ms = 3600000;
    CHECK_STATUS(ctie_wormhole_send(first, CTIE_STR("x.y"), ctie_value_int(7), &options, &sequence, &listeners, NULL),
                 CTIE_OK);
    CHECK(sequence == 1 && listeners == 0);
    CHECK_STATUS(ctie_wormhole_message(second, CTIE_STR("x.y"), &message, NULL), CTIE_OK);
    CHECK(int_of(message) == 7 && ctie_message_sequence(message) == 1);
    CHECK(text_is(ctie_message_sender_name(message), "first") && ctie_message_sender_pid(message) == getpid());
    CHECK(text_is(ctie_message_header(message, CTIE_STR("a")), "1") && ctie_message_header_count(message) == 2);
    CHECK(ctie_message_expires(message) > ctie_message_time(message) && ctie_message_time(message) > 0);
    ctie_message_release(message);
    CHECK_STATUS(ctie_wormhole_signal(first, CTIE_STR("x.z"), &sequence, NULL, NULL), CTIE_OK);
    CHECK(sequence == 2);
    CHECK_STATUS(ctie_wormhole_message(second, CTIE_STR("x.z"), &message, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(pass_int(second, "x.a", 1), CTIE_OK);
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_identifiers(first, CTIE_STR("x.*"), &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == 2);
    ctie_value_release(list);
    CHECK_STATUS(ctie_wormhole_destroy(first, CTIE_STR("x.y"), &sequence, NULL, NULL), CTIE_OK);
    CHECK(sequence == 4);
    CHECK_STATUS(ctie_wormhole_message(second, CTIE_STR("x.y"), &message, NULL), CTIE_E_NOT_FOUND);
    close_engine(first, &one);
    close_engine(second, &two);
}

static void a_batch_is_one_step(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "batch", "a");
    ctie_outgoing messages[] = {{CTIE_STR("a"), ctie_value_int(1)}, {CTIE_STR("b"), NULL}, {CTIE_STR("a"), ctie_value_int(2)}};
    uint64_t sequence = 0;
    int before = one.sends;
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, messages, 3, NULL, &sequence, NULL), CTIE_OK);
    CHECK(sequence == 1 && one.sends == before + 1);
    CHECK(stored_int(wormhole, CTIE_STR("a")) == 2);
    close_engine(wormhole, &one);
}

static ctie_status send_with_token(ctie_wormhole *wormhole, const char *token, uint64_t *sequence) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.token = (ctie_bytes){token, CTIE_TRANSPORT_TOKEN_SIZE};
    return ctie_wormhole_send(wormhole, CTIE_STR("a"), ctie_value_int(1), &options, sequence, NULL, NULL);
}

/* A message whose answer is lost is sent once: the library repeats it with its token. */
static void lost_answers_are_found(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "lost", "a");
    collector *all = collect_from(wormhole, "*", "", CTIE_LISTEN_QUEUE);
    uint64_t first = 0, second = 0;
    one.failure = CTIE_E_UNCERTAIN;
    one.fails_after = 2;
    CHECK_STATUS(pass_int(wormhole, "a", 1), CTIE_OK);
    CHECK(one.sends == 2 && one.fails_after == 1);
    one.fails_after = 0;
    one.fails_before = 3;
    CHECK_STATUS(pass_int(wormhole, "a", 2), CTIE_OK);
    CHECK_STATUS(send_with_token(wormhole, "0123456789abcdef", &first), CTIE_OK);
    CHECK_STATUS(send_with_token(wormhole, "0123456789abcdef", &second), CTIE_OK);
    CHECK(first == 3 && second == 3);
    one.failure = CTIE_E_UNAVAILABLE;
    one.fails_before = 1;
    CHECK_STATUS(pass_int(wormhole, "a", 9), CTIE_E_UNAVAILABLE);
    AWAIT(all->count == 3);
    CHECK(all->all[0].value == 1 && all->all[1].value == 2 && all->all[2].value == 1);
    stop_collecting(all);
    close_engine(wormhole, &one);
}

/* ---- States ------------------------------------------------------------------------------------------- */

static void a_state_begins_with_what_is_stored(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "state", "a");
    CHECK_STATUS(pass_int(wormhole, "s.b", 1), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "s.a", 2), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "t", 3), CTIE_OK);
    collector *below = collect_from(wormhole, "s.*", "", 0), *exact = collect_from(wormhole, "t", "", 0);
    collector *none = collect_from(wormhole, "s.c", "", 0);
    collector *later = collect_from(wormhole, "s.*", "", CTIE_LISTEN_NO_INITIAL_DELIVERY);
    AWAIT(below->count == 2 && exact->count == 1 && none->count == 1);
    CHECK(strcmp(below->all[0].id, "s.a") == 0 && strcmp(below->all[1].id, "s.b") == 0);
    CHECK(exact->all[0].value == 3 && exact->all[0].sequence == 3);
    CHECK(none->all[0].kind == CTIE_MESSAGE_NONE && strcmp(none->all[0].id, "s.c") == 0);
    CHECK_STATUS(pass_int(wormhole, "s.c", 4), CTIE_OK);
    AWAIT(below->count == 3 && none->count == 2 && later->count == 1);
    CHECK(none->all[1].value == 4 && later->all[0].sequence == 4);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("s.d"), NULL, NULL, NULL), CTIE_OK);
    AWAIT(below->count == 4);
    CHECK(below->all[3].kind == CTIE_MESSAGE_SIGNAL);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    AWAIT(below->count == 5 && exact->count == 2);
    CHECK(below->all[4].kind == CTIE_MESSAGE_DESTROYED && strcmp(below->all[4].id, "s.*") == 0);
    CHECK(exact->all[1].kind == CTIE_MESSAGE_DESTROYED && strcmp(exact->all[1].id, "t") == 0);
    stop_collecting(below), stop_collecting(exact), stop_collecting(none), stop_collecting(later);
    close_engine(wormhole, &one);
}

static uint64_t position_of(engine_memory *it, uint32_t *credit) {
    pthread_mutex_lock(&it->group->lock);
    uint64_t position = it->bindings->position;
    *credit = it->bindings->credit;
    pthread_mutex_unlock(&it->group->lock);
    return position;
}

/* A listener that is slow gets the newest of each identifier, and what waits for it stays small. */
static void a_slow_state_skips(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "slow-state", "a");
    collector *slow = new_collector();
    slow->also = wait_in_first;
    CHECK_STATUS(bind_collector(wormhole, "*", slow, "", CTIE_LISTEN_NO_INITIAL_DELIVERY, 0), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "a", 0), CTIE_OK);
    latch_wait(&slow->entered, 1);
    for (int i = 1; i <= 2000; i++) { CHECK_STATUS(pass_int(wormhole, i % 2 == 0 ? "a" : "b", i), CTIE_OK); }
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("a"), NULL, NULL, NULL), CTIE_OK);
    uint32_t credit = 0;
    AWAIT(position_of(&one, &credit) == 2002);
    CHECK(credit > 0);
    latch_add(&slow->leave);
    AWAIT(slow->count > 0 && slow->all[slow->count - 1].kind == CTIE_MESSAGE_SIGNAL);
    CHECK(slow->count == 4);
    CHECK(slow->all[1].value == 1999 && slow->all[2].value == 2000);
    CHECK(one.refused == 0);
    stop_collecting(slow);
    close_engine(wormhole, &one);
}

/* ---- Queues ------------------------------------------------------------------------------------------- */

/* Every message, in order, through a small window: the engine never has to give more than its credit. */
static void a_queue_gets_everything(bool returns_by_credit) {
    engine_memory one = {0}, two = {0};
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *listening = NULL, *sending = open_engine(&two, "queue", "b");
    one.returns_by_credit = returns_by_credit;
    options.engine = &ENGINE_MEMORY, options.engine_data = &one;
    options.max_value_size = 8 << 20; /* which leaves room for four */
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("queue"), &options, &listening, NULL), CTIE_OK);
    collector *all = collect_from(listening, "q.*", "", CTIE_LISTEN_QUEUE);
    for (int i = 0; i < 1000; i++) { CHECK_STATUS(pass_int(sending, i % 3 == 0 ? "q.a" : "q.b", i), CTIE_OK); }
    AWAIT(all->count == 1000);
    for (int i = 0; i < 1000; i++) { CHECK(all->all[i].value == i && all->all[i].delivery_count == 0); }
    CHECK(one.refused == 0 && one.credits > 100);
    collector *again = new_collector();
    CHECK_STATUS(bind_collector(listening, "q.a", again, "", CTIE_LISTEN_QUEUE | CTIE_LISTEN_FROM_OLDEST, 0), CTIE_OK);
    AWAIT(again->count == 334);
    CHECK(again->all[1].value == 3);
    stop_collecting(all), stop_collecting(again);
    close_engine(listening, &one), close_engine(sending, &two);
    em_free_groups();
}

/* A wormhole does not take more than it may have while its listener is busy, however much the engine has. */
static void a_slow_queue_stays_small(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "slow-queue", "a");
    collector *slow = new_collector();
    uint32_t credit = 1;
    slow->also = wait_in_first;
    CHECK_STATUS(bind_collector(wormhole, "q", slow, "", CTIE_LISTEN_QUEUE, 0), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "q", 0), CTIE_OK);
    latch_wait(&slow->entered, 1);
    for (int i = 1; i <= 2000; i++) { CHECK_STATUS(pass_int(wormhole, "q", i), CTIE_OK); }
    AWAIT(position_of(&one, &credit) > 0 && credit == 0);
    nap_ns(20000000);
    CHECK(position_of(&one, &credit) <= 2 * 32 + 1 && credit == 0); /* 32 MiB of the largest values, twice */
    latch_add(&slow->leave);
    AWAIT(slow->count == 2001);
    CHECK(slow->all[2000].value == 2000);
    stop_collecting(slow);
    close_engine(wormhole, &one);
}

/* A message that is destroyed while a listener is busy is not given to it, wherever it waits. */
static void destroying_takes_what_waits(uint32_t flags) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, flags == DURABLE ? "destroy-durable" : "destroy", "a");
    collector *slow = new_collector();
    slow->also = wait_in_first;
    CHECK_STATUS(bind_collector(wormhole, "q.*", slow, "worker", flags, 0), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "q.a", 0), CTIE_OK);
    latch_wait(&slow->entered, 1);
    for (int i = 1; i <= 600; i++) { CHECK_STATUS(pass_int(wormhole, "q.a", i), CTIE_OK); }
    CHECK_STATUS(pass_int(wormhole, "q.b", 601), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("q.a"), NULL, NULL, NULL), CTIE_OK);
    latch_add(&slow->leave);
    AWAIT(slow->count > 0 && slow->all[slow->count - 1].kind == CTIE_MESSAGE_DESTROYED);
    uint64_t missed = 0;
    int values = 0;
    for (int i = 1; i < slow->count; i++) { missed += slow->all[i].missed, values += slow->all[i].value > 0; }
    /* Those that the wormhole has already may be beyond the engine's reach when it destroys. */
    CHECK(values >= 1 && missed + (uint64_t)values == 601);
    stop_collecting(slow);
    close_engine(wormhole, &one);
}

/* ---- Durable consumers ---------------------------------------------------------------------------------- */

static void reject_first(const ctie_message *message, collector *self) {
    if (ctie_message_delivery_count(message) > 1) { return; }
    CHECK_STATUS(ctie_message_reject(message, *(int *)self->data, CTIE_STR("not yet")), CTIE_OK);
}

static void a_rejected_message_comes_again(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "reject", "a");
    collector *it = new_collector();
    int delay_ms = 30;
    it->also = reject_first, it->data = &delay_ms;
    CHECK_STATUS(bind_collector(wormhole, "job", it, "worker", DURABLE, 0), CTIE_OK);
    int64_t begin = em_now();
    CHECK_STATUS(pass_int(wormhole, "job", 1), CTIE_OK);
    AWAIT(it->count == 2);
    CHECK(em_now() - begin >= delay_ms * INT64_C(1000000)); /* by the engine's clock */
    CHECK(it->all[0].delivery_count == 1 && it->all[1].delivery_count == 2 && it->all[1].sequence == 1);
    AWAIT(one.resolved == 2);
    stop_collecting(it);
    /* It is kept without a listener, and has not been acknowledged in vain. */
    CHECK_STATUS(pass_int(wormhole, "job", 2), CTIE_OK);
    collector *next = collect_from(wormhole, "job", "worker", DURABLE);
    AWAIT(next->count == 1);
    CHECK(next->all[0].value == 2 && next->all[0].delivery_count == 1);
    stop_collecting(next);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("job"), CTIE_STR("worker"), NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("job"), CTIE_STR("worker"), NULL), CTIE_E_NOT_FOUND);
    close_engine(wormhole, &one);
}

/* Two members share the messages of a name: each is done once. */
static void two_members_share(void) {
    enum { JOBS = 1000 };
    engine_memory engines[3] = {{0}, {0}, {0}};
    ctie_wormhole *wormholes[3];
    collector *workers[2];
    static int done[JOBS];
    memset(done, 0, sizeof done);
    for (int i = 0; i < 3; i++) { wormholes[i] = open_engine(&engines[i], "share", i == 0 ? "sender" : "worker"); }
    for (int i = 0; i < 2; i++) { workers[i] = collect_from(wormholes[i + 1], "job", "worker", DURABLE); }
    for (int i = 0; i < JOBS; i++) { CHECK_STATUS(pass_int(wormholes[0], "job", i), CTIE_OK); }
    AWAIT(workers[0]->count + workers[1]->count == JOBS);
    for (int w = 0; w < 2; w++) {
        for (int i = 0; i < workers[w]->count; i++) { done[workers[w]->all[i].value]++; }
    }
    for (int i = 0; i < JOBS; i++) { CHECK(done[i] == 1); }
    AWAIT(engines[1].resolved + engines[2].resolved == JOBS);
    stop_collecting(workers[0]), stop_collecting(workers[1]);
    for (int i = 0; i < 3; i++) { close_engine(wormholes[i], &engines[i]); }
}

/* A worker that goes with messages in hand leaves them to others: those that it has seen count as delivered. */
static void a_worker_leaves_what_it_has(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "leave", "a");
    collector *first = new_collector();
    CHECK_STATUS(bind_collector(wormhole, "job", first, "worker", DURABLE | CTIE_LISTEN_MANUAL, 2), CTIE_OK);
    for (int i = 0; i < 4; i++) { CHECK_STATUS(pass_int(wormhole, "job", i), CTIE_OK); }
    AWAIT(first->count == 2);
    nap_ns(20000000);
    CHECK(first->count == 2);
    stop_collecting(first);
    CHECK(one.resolved == 2);
    collector *second = collect_from(wormhole, "job", "worker", DURABLE);
    AWAIT(second->count == 4);
    for (int i = 0; i < 4; i++) { CHECK(second->all[i].value == i && second->all[i].delivery_count == (i < 2 ? 2u : 1u)); }
    stop_collecting(second);
    close_engine(wormhole, &one);
}

static ctie_message *kept[8];
static _Atomic int kept_count;

static void keep(const ctie_message *message, collector *self) {
    (void)self;
    kept[kept_count] = ctie_message_retain(message);
    kept_count++;
}

static void answers_come_from_any_thread(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "manual", "a");
    collector *it = new_collector();
    it->also = keep;
    kept_count = 0;
    CHECK_STATUS(bind_collector(wormhole, "job", it, "worker", DURABLE | CTIE_LISTEN_MANUAL, 1), CTIE_OK);
    for (int i = 0; i < 3; i++) { CHECK_STATUS(pass_int(wormhole, "job", i), CTIE_OK); }
    for (int i = 0; i < 3; i++) {
        AWAIT(kept_count == i + 1);
        nap_ns(5000000);
        CHECK(kept_count == i + 1);
        CHECK_STATUS(ctie_message_acknowledge(kept[i]), CTIE_OK);
        CHECK_STATUS(ctie_message_acknowledge(kept[i]), CTIE_E_ALREADY);
    }
    AWAIT(one.resolved == 3);
    stop_collecting(it);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(ctie_message_acknowledge(kept[i]), CTIE_E_ALREADY);
        ctie_message_release(kept[i]);
    }
    close_engine(wormhole, &one);
}

static void durables_are_declared_listed_and_moved(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "durables", "a");
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    ctie_value *list = NULL;
    options.backoff_first_ms = 7;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("job"), CTIE_STR("b"), &options, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("job"), CTIE_STR("a"), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("job"), CTIE_STR("b"), NULL, NULL), CTIE_E_CONFLICT);
    options.max_deliveries = 3;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("job"), CTIE_STR("c"), &options, NULL), CTIE_E_UNSUPPORTED);
    for (int i = 0; i < 3; i++) { CHECK_STATUS(pass_int(wormhole, "job", i), CTIE_OK); }
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == 2);
    ctie_str name = {NULL, 0};
    ctie_value_get_string(ctie_value_get(ctie_value_at(list, 0), CTIE_STR("name")), &name);
    CHECK(text_is(name, "a") && int_at(ctie_value_at(list, 1), "waiting") == 3);
    CHECK(int_at(ctie_value_get(ctie_value_at(list, 1), CTIE_STR("options")), "backoff_first_ms") == 7);
    ctie_value_release(list);
    CHECK_STATUS(ctie_wormhole_seek(wormhole, CTIE_STR("job"), CTIE_STR("a"), 3, 0, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_seek(wormhole, CTIE_STR("job"), CTIE_STR("z"), 3, 0, NULL), CTIE_E_NOT_FOUND);
    collector *it = collect_from(wormhole, "job", "a", DURABLE);
    AWAIT(it->count == 1);
    CHECK(it->all[0].sequence == 3);
    AWAIT(one.resolved == 1);
    /* Back to messages that it had: they come as if for the first time. */
    CHECK_STATUS(ctie_wormhole_seek(wormhole, CTIE_STR("job"), CTIE_STR("a"), 1, 0, NULL), CTIE_OK);
    AWAIT(it->count == 4);
    CHECK(it->all[1].sequence == 1 && it->all[1].delivery_count == 1 && one.refused == 0);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

/* ---- A server that loses its messages ---------------------------------------------------------------------- */

/* Listeners stay bound: states get the remaining values, and all others a message that they may have missed some. */
static void a_server_loses_its_messages(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "lossy", "a");
    for (int i = 1; i <= 5; i++) { CHECK_STATUS(pass_int(wormhole, i < 3 ? "s.a" : "s.b", i), CTIE_OK); }
    collector *states = collect_from(wormhole, "s.*", "", 0), *exact = collect_from(wormhole, "s.a", "", 0);
    collector *queue = collect_from(wormhole, "s.*", "", CTIE_LISTEN_QUEUE), *none = collect_from(wormhole, "t", "", 0);
    collector *worker = new_collector();
    kept_count = 0;
    worker->also = keep;
    CHECK_STATUS(bind_collector(wormhole, "s.a", worker, "worker", DURABLE | CTIE_LISTEN_MANUAL, 2), CTIE_OK);
    AWAIT(states->count == 2 && exact->count == 1);
    CHECK_STATUS(pass_int(wormhole, "s.a", 6), CTIE_OK);
    AWAIT(states->count == 3 && exact->count == 2 && queue->count == 1 && none->count == 1 && kept_count == 1);
    /* Its oldest three are left, with the numbers 7 to 9; the loss itself has the number 10. */
    em_lose(one.group, 3);
    AWAIT(states->count == 5 && exact->count == 3 && queue->count == 2 && worker->count == 2);
    CHECK(states->all[3].value == 2 && states->all[3].sequence == 8);
    CHECK(states->all[4].value == 3 && states->all[4].sequence == 9);
    CHECK(exact->all[2].value == 2 && exact->all[2].sequence == 8);
    for (int i = 0; i < 2; i++) {
        const received *lost = &(i == 0 ? queue : worker)->all[1];
        CHECK(lost->kind == CTIE_MESSAGE_MISSED && lost->missed == 0 && lost->sequence == 10);
    }
    /* The messages in hand have outcomes, of which the engine knows nothing any more. */
    AWAIT(kept_count == 2);
    for (int i = 0; i < 2; i++) { CHECK_STATUS(ctie_message_acknowledge(kept[i]), CTIE_OK); }
    AWAIT(one.resolved == 1);
    CHECK_STATUS(pass_int(wormhole, "s.a", 7), CTIE_OK);
    AWAIT(states->count == 6 && exact->count == 4 && queue->count == 3 && worker->count == 3 && kept_count == 3);
    CHECK(queue->all[2].value == 7 && queue->all[2].sequence == 11 && states->all[5].sequence == 11);
    CHECK(worker->all[2].value == 7 && worker->all[2].delivery_count == 1);
    CHECK(one.refused == 0 && none->count == 1);
    /* Numbers that do not rise are refused, as ever. */
    ctie_engine_message message = em_notice(CTIE_MESSAGE_MISSED, "", 4, 0);
    uint64_t binding = 0;
    pthread_mutex_lock(&one.group->lock);
    for (em_binding *each = one.bindings; each != NULL; each = each->next) {
        if (each->delivery == CTIE_ENGINE_QUEUE) { binding = each->number; }
    }
    CHECK_STATUS(one.host->deliver(one.host->context, binding, &message, 1, NULL), CTIE_E_CORRUPT);
    pthread_mutex_unlock(&one.group->lock);
    for (int i = 0; i < 3; i++) { ctie_message_release(kept[i]); }
    stop_collecting(states), stop_collecting(exact), stop_collecting(queue), stop_collecting(none);
    stop_collecting(worker);
    close_engine(wormhole, &one);
}

/* ---- Times ------------------------------------------------------------------------------------------------ */

static void messages_wait_for_their_time(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "times", "a");
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    ctie_value *list = NULL;
    uint64_t number = 0, cancelled = 0;
    collector *it = collect_from(wormhole, "*", "", CTIE_LISTEN_QUEUE);
    options.delay_ms = 3600000;
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("b"), ctie_value_int(1), &options, &cancelled, NULL, NULL), CTIE_OK);
    options.delay_ms = 40;
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("a"), ctie_value_int(2), &options, &number, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_scheduled(wormhole, CTIE_STR("*"), &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) >= 1);
    CHECK(int_at(ctie_value_at(list, ctie_value_count(list) - 1), "number") == (int64_t)cancelled);
    ctie_value_release(list);
    AWAIT(it->count == 1);
    CHECK(it->all[0].value == 2);
    CHECK_STATUS(ctie_wormhole_cancel_scheduled(wormhole, cancelled, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_cancel_scheduled(wormhole, cancelled, NULL), CTIE_E_NOT_FOUND);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

/* A message that expires before its listener gets it is missed, whether the engine or the wormhole has it then. */
static void messages_expire_on_their_way(uint32_t flags) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, flags == DURABLE ? "expire-durable" : "expire", "a");
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    collector *slow = new_collector();
    slow->also = wait_in_first;
    CHECK_STATUS(bind_collector(wormhole, "q", slow, "worker", flags, 0), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "q", 0), CTIE_OK);
    latch_wait(&slow->entered, 1);
    options.expires_ms = 20;
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("q"), ctie_value_int(1), &options, NULL, NULL, NULL), CTIE_OK);
    int64_t sent = em_now();
    CHECK_STATUS(pass_int(wormhole, "q", 2), CTIE_OK);
    AWAIT(em_now() > sent + (int64_t)options.expires_ms * 1000000);
    latch_add(&slow->leave);
    AWAIT(slow->count == 3);
    CHECK(slow->all[1].kind == CTIE_MESSAGE_MISSED && slow->all[1].missed == 1);
    CHECK(slow->all[2].value == 2);
    stop_collecting(slow);
    close_engine(wormhole, &one);
}

/* ---- Members ------------------------------------------------------------------------------------------------ */

static void members_come_and_go(void) {
    engine_memory one = {0}, two = {0};
    ctie_wormhole *first = open_engine(&one, "members", "first");
    collector *it = new_collector();
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_listen_members(first, CTIE_RECEIVER_OWNED(collect, it, collector_end), NULL, &it->listener, NULL),
                 CTIE_OK);
    AWAIT(it->count == 1);
    ctie_wormhole *second = open_engine(&two, "members", "second");
    AWAIT(it->count == 2);
    CHECK_STATUS(ctie_wormhole_members(second, &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == 2);
    ctie_value_release(list);
    close_engine(second, &two);
    AWAIT(it->count == 3);
    CHECK(it->all[0].kind == CTIE_MESSAGE_JOINED && it->all[2].kind == CTIE_MESSAGE_LEFT);
    stop_collecting(it);
    close_engine(first, &one);
}

/* ---- Ends ------------------------------------------------------------------------------------------------------ */

static void release_self(const ctie_message *message, collector *self) {
    (void)message;
    CHECK_STATUS(ctie_listener_release(self->listener), CTIE_PENDING);
}

static void close_all(const ctie_message *message, collector *self) {
    (void)message;
    if (self->count == 1) { CHECK_STATUS(ctie_wormhole_release(self->data), CTIE_PENDING); }
}

static void listeners_end_themselves(void) {
    engine_memory one = {0}, two = {0};
    ctie_wormhole *wormhole = open_engine(&one, "ends", "a"), *other = open_engine(&two, "ends", "b");
    collector *removed = new_collector(), *closing = new_collector();
    removed->also = release_self;
    closing->also = close_all, closing->data = wormhole;
    CHECK_STATUS(bind_collector(wormhole, "a", removed, "worker", DURABLE, 0), CTIE_OK);
    CHECK_STATUS(pass_int(other, "a", 1), CTIE_OK);
    AWAIT(removed->destroyed == 1);
    CHECK(removed->count == 1 && one.unbound == 1);
    CHECK_STATUS(bind_collector(wormhole, "b", closing, "", CTIE_LISTEN_QUEUE, 0), CTIE_OK);
    for (int i = 0; i < 10; i++) { CHECK_STATUS(pass_int(other, "b", i), CTIE_OK); }
    AWAIT(closing->destroyed == 1 && one.closed == 1);
    CHECK(closing->count == 1);
    free_collector(removed), free_collector(closing);
    close_engine(other, &two);
}

/* Closing, while other threads send and the engine delivers, is in order. */
static void *send_much(void *user_data) {
    for (int i = 0; i < 20000; i++) {
        ctie_status status = pass_int(user_data, "a", i);
        if (status == CTIE_E_HANDLE || status == CTIE_E_CLOSED) { break; }
        CHECK(status == CTIE_OK);
    }
    return NULL;
}

static void closing_while_it_delivers(void) {
    for (int round = 0; round < test_rounds(30); round++) {
        engine_memory one = {0}, two = {0};
        ctie_wormhole *wormhole = open_engine(&one, "closing", "a"), *sender = open_engine(&two, "closing", "b");
        collector *all[3] = {collect_from(wormhole, "a", "", 0), collect_from(wormhole, "*", "", CTIE_LISTEN_QUEUE),
                          collect_from(wormhole, "a", "worker", DURABLE)};
        pthread_t threads[2];
        CHECK(pthread_create(&threads[0], NULL, send_much, wormhole) == 0);
        CHECK(pthread_create(&threads[1], NULL, send_much, sender) == 0);
        AWAIT(all[1]->count > 10);
        close_engine(wormhole, &one);
        int counts[3] = {all[0]->count, all[1]->count, all[2]->count};
        CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
        for (int i = 0; i < 2; i++) { pthread_join(threads[i], NULL); }
        for (int i = 0; i < 3; i++) {
            CHECK(all[i]->destroyed == 1 && all[i]->count == counts[i]);
            free_collector(all[i]);
        }
        em_free_groups();
    }
}

struct forked {
    ctie_wormhole *wormhole;
    engine_memory *engine;
};

static int use_in_child(void *argument) {
    struct forked *own = argument;
    ctie_value *list = NULL;
    CHECK_STATUS(pass_int(own->wormhole, "a", 1), CTIE_E_FORKED);
    CHECK_STATUS(ctie_wormhole_members(own->wormhole, &list, NULL), CTIE_E_FORKED);
    /* Nor does a thread of the engine, such as one that it has in the child, too. */
    const ctie_engine_host *host = own->engine->host;
    ctie_engine_message message = em_notice(CTIE_MESSAGE_SIGNAL, "a", 77, 0);
    uint32_t credit = 9;
    CHECK_STATUS(host->deliver(host->context, own->engine->last_binding, &message, 1, &credit), CTIE_E_FORKED);
    CHECK(credit == 0);
    CHECK_STATUS(host->deliver(host->context, own->engine->last_binding, &message, 1, NULL), CTIE_E_FORKED);
    CHECK_STATUS(host->deliver(host->context, 1000, NULL, 0, NULL), CTIE_E_FORKED);
    return ctie_wormhole_release(own->wormhole) != CTIE_E_FORKED;
}

static void a_child_does_not_use_it(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "fork", "a");
    collector *it = collect_from(wormhole, "a", "", CTIE_LISTEN_QUEUE);
    CHECK(in_child(use_in_child, &(struct forked){wormhole, &one}) == 0);
    CHECK_STATUS(pass_int(wormhole, "a", 2), CTIE_OK);
    AWAIT(it->count == 1);
    CHECK(it->all[0].value == 2);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

/* A listener that runs on workers or in a loop is credited as one on the wormhole's thread. */
static void listeners_run_on_workers(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "workers", "a");
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    collector *it = new_collector();
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = DURABLE, options.name = CTIE_STR("worker"), options.bus = bus;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("job"), CTIE_RECEIVER_OWNED(collect, it, collector_end), &options,
                                      &it->listener, NULL), CTIE_OK);
    for (int i = 0; i < 500; i++) { CHECK_STATUS(pass_int(wormhole, "job", i), CTIE_OK); }
    AWAIT(it->count == 500 && one.resolved == 500);
    for (int i = 0; i < 500; i++) { CHECK(it->all[i].value == i); }
    stop_collecting(it);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    close_engine(wormhole, &one);
}

int main(void) {
    messages_are_sent_and_read();
    a_batch_is_one_step();
    lost_answers_are_found();
    a_state_begins_with_what_is_stored();
    a_slow_state_skips();
    a_queue_gets_everything(false);
    a_queue_gets_everything(true);
    a_slow_queue_stays_small();
    destroying_takes_what_waits(CTIE_LISTEN_QUEUE);
    destroying_takes_what_waits(DURABLE);
    a_rejected_message_comes_again();
    two_members_share();
    a_worker_leaves_what_it_has();
    answers_come_from_any_thread();
    durables_are_declared_listed_and_moved();
    a_server_loses_its_messages();
    messages_wait_for_their_time();
    messages_expire_on_their_way(CTIE_LISTEN_QUEUE);
    messages_expire_on_their_way(DURABLE);
    members_come_and_go();
    listeners_end_themselves();
    closing_while_it_delivers();
    a_child_does_not_use_it();
    listeners_run_on_workers();
    em_free_groups();
    return check_end();
}
