/* A host's transport that loses answers: each message is received once, and none whose send failed. */
#include "group.h"
#include "host_transport.h"

/* Each function of the transport copies all records, which takes ten times as long under a sanitizer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MOST = 1001 };
#else
enum { MOST = 10000 };
#endif

static ctie_wormhole *open_answering(host *it, const char *name, uint32_t timeout_ms) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    options.name = ctie_str_from(name);
    options.timeout_ms = timeout_ms;
    options.transport = &HOST_TRANSPORT;
    options.transport_data = it;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("hosted"), &options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

static void clear_records(void) {
    remove_directory();
    CHECK(mkdir(directory, 0700) == 0);
}

static host make_host(uint32_t random) {
    host made;
    host_init(&made, directory);
    made.random = random;
    return made;
}

/* ---- Listeners ----------------------------------------------------------------------------------- */

/* The number of times that a listener has received each number. */
struct tally {
    _Atomic int received[MOST];
    _Atomic int64_t newest;
    _Atomic int count, backwards, missed;
};

static void count(const ctie_message *message, void *user_data) {
    struct tally *tally = user_data;
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) {
        tally->missed += ctie_message_kind(message) == CTIE_MESSAGE_MISSED;
        return;
    }
    int64_t number = int_of(message);
    CHECK(number >= 0 && number < MOST);
    if (number < tally->newest) { tally->backwards++; }
    tally->newest = number;
    tally->received[number]++;
    tally->count++;
}

static struct tally *tally_of(ctie_wormhole *wormhole, uint32_t flags, const char *name) {
    struct tally *tally = calloc(1, sizeof *tally);
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = flags;
    options.name = ctie_str_from(name);
    tally->newest = -1;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("n"), CTIE_RECEIVER(count, tally), &options, NULL, NULL),
                 CTIE_OK);
    return tally;
}

/* ---- One answer of ten --------------------------------------------------------------------------- */

/* Each sent message was received once, and no other. */
static void check_all(const struct tally *tally, const bool *sent, int number, bool may_skip) {
    int wrong = 0;
    for (int i = 0; i < number; i++) {
        int times = tally->received[i];
        wrong += may_skip ? times > sent[i] : times != sent[i];
    }
    CHECK(wrong == 0 && tally->backwards == 0 && tally->missed == 0);
}

static void each_message_is_received_once(void) {
    static bool sent[MOST];
    int number = test_rounds(MOST), count = 0, refused = 0, last = -1;
    static image records;
    host mine = make_host(1), its = make_host(77);
    mine.memory = its.memory = &records;
    clear_records();
    ctie_wormhole *sender = open_answering(&mine, "sender", 20000), *receiver = open_answering(&its, "receiver", 20000);
    struct tally *state = tally_of(receiver, 0, ""), *queue = tally_of(receiver, CTIE_LISTEN_QUEUE, "");
    struct tally *durable = tally_of(receiver, CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE, "worker"), *own = tally_of(sender, CTIE_LISTEN_QUEUE, "");
    mine.fault = its.fault = HOST_LOSES_ANSWERS;
    for (int i = 0; i < number; i++) {
        ctie_status status = pass_int(sender, "n", i);
        sent[i] = status == CTIE_OK;
        /* A read before the commit failed. */
        if (status != CTIE_OK) { CHECK_STATUS(status, CTIE_E_UNAVAILABLE); }
        if (sent[i]) { last = i; }
        *(sent[i] ? &count : &refused) += 1;
    }
    CHECK(count > number / 10 && (refused > 0 || number < 50));
    mine.fault = HOST_WELL;
    AWAIT(queue->count >= count && durable->count >= count && own->count >= count && state->newest >= last);
    its.fault = HOST_WELL;
    CHECK(state->newest == last);
    CHECK_STATUS(ctie_wormhole_release(receiver), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
    check_all(state, sent, number, true);
    check_all(queue, sent, number, false);
    check_all(durable, sent, number, false);
    check_all(own, sent, number, false);
    free(state), free(queue), free(durable), free(own), free(records.bytes);
}

/* ---- An answer that cannot be found out ---------------------------------------------------------- */

static ctie_status send_once(ctie_wormhole *wormhole, int64_t number, const char *token, uint64_t *sequence) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.token = (ctie_bytes){token, token == NULL ? 0 : strlen(token)};
    return ctie_wormhole_send(wormhole, CTIE_STR("n"), ctie_value_int(number), &options, sequence, NULL, NULL);
}

static void await_reachable(host *it) {
    it->then_away = false;
    it->away = false;
}

/* Nothing can be read after the lost answer, until the caller's time has passed. */
static void the_caller_is_left_uncertain(enum host_loss loss, bool sends_between) {
    host mine = make_host(1), its = make_host(2);
    uint64_t first = 0, again = 0, last = 0;
    clear_records();
    ctie_wormhole *sender = open_answering(&mine, "sender", 300), *receiver = open_answering(&its, "receiver", 20000);
    struct tally *queue = tally_of(receiver, CTIE_LISTEN_QUEUE, "");
    CHECK_STATUS(send_once(sender, 0, NULL, &first), CTIE_OK);
    mine.then_away = true;
    mine.loses = loss;
    CHECK_STATUS(send_once(sender, 1, "0123456789abcdef", NULL), CTIE_E_UNCERTAIN);
    CHECK_STATUS(send_once(sender, 2, NULL, NULL), CTIE_E_UNAVAILABLE);
    await_reachable(&mine);
    if (sends_between) { CHECK_STATUS(send_once(sender, 3, NULL, NULL), CTIE_OK); }
    CHECK_STATUS(send_once(sender, 1, "0123456789abcdef", &again), CTIE_OK);
    CHECK_STATUS(send_once(sender, 1, "0123456789abcdef", &last), CTIE_OK);
    CHECK(again == last && again > first);
    CHECK_STATUS(send_once(sender, 4, "fedcba9876543210", &last), CTIE_OK);
    CHECK(last > again);
    AWAIT(queue->received[4] == 1);
    CHECK(queue->received[0] == 1 && queue->received[1] == 1 && queue->received[2] == 0 && queue->received[3] == sends_between);
    CHECK_STATUS(ctie_wormhole_release(receiver), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
    free(queue);
}

/* Without a token what is sent again is another message; the lost one is there if it was made. */
static void a_repeated_message_without_a_token_is_another(enum host_loss loss) {
    host mine = make_host(1);
    clear_records();
    ctie_wormhole *sender = open_answering(&mine, "sender", 300);
    struct tally *queue = tally_of(sender, CTIE_LISTEN_QUEUE, "");
    mine.then_away = true;
    mine.loses = loss;
    CHECK_STATUS(send_once(sender, 1, NULL, NULL), CTIE_E_UNCERTAIN);
    await_reachable(&mine);
    CHECK_STATUS(send_once(sender, 1, NULL, NULL), CTIE_OK);
    CHECK_STATUS(send_once(sender, 2, NULL, NULL), CTIE_OK);
    AWAIT(queue->received[2] == 1);
    CHECK(queue->received[1] == (loss == HOST_LOSES_ANSWER ? 2 : 1));
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
    free(queue);
}

/* Another member destroys the message meanwhile: it was sent all the same. */
static void tokens_outlive_destroying(void) {
    host mine = make_host(1), its = make_host(2);
    clear_records();
    ctie_wormhole *sender = open_answering(&mine, "sender", 300), *other = open_answering(&its, "other", 20000);
    mine.then_away = true;
    mine.loses = HOST_LOSES_ANSWER;
    CHECK_STATUS(send_once(sender, 1, "0123456789abcdef", NULL), CTIE_E_UNCERTAIN);
    CHECK(stored_int(other, CTIE_STR("n")) == 1);
    CHECK_STATUS(ctie_wormhole_destroy_all(other, NULL, NULL, NULL), CTIE_OK);
    await_reachable(&mine);
    CHECK_STATUS(send_once(sender, 1, "0123456789abcdef", NULL), CTIE_OK);
    CHECK(stored_int(other, CTIE_STR("n")) == -1);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
}

/* A worker's claim may be lost, too: its messages come all the same, each once. */
static void lost_claims_are_given_back(enum host_loss loss) {
    host mine = make_host(1), its = make_host(2);
    clear_records();
    ctie_wormhole *sender = open_answering(&mine, "sender", 20000), *worker = open_answering(&its, "worker", 200);
    struct tally *durable = tally_of(worker, CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE, "worker");
    its.then_away = true;
    its.loses = loss;
    int64_t first = its.commits;
    for (int i = 0; i < 5; i++) { CHECK_STATUS(pass_int(sender, "n", i), CTIE_OK); }
    AWAIT(its.commits > first && its.away);
    /* The worker looks in vain until its time has passed. */
    host_sleep(300);
    await_reachable(&its);
    AWAIT(durable->count >= 5);
    CHECK_STATUS(pass_int(sender, "n", 5), CTIE_OK);
    AWAIT(durable->received[5] == 1);
    for (int i = 0; i < 5; i++) { CHECK(durable->received[i] == 1); }
    CHECK_STATUS(ctie_wormhole_release(worker), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
    free(durable);
}

/* ---- Tokens of steps ----------------------------------------------------------------------------- */

static bool is_same(const host *it, int left, int right) {
    return memcmp(it->tokens[left], it->tokens[right], CTIE_TRANSPORT_TOKEN_SIZE) == 0;
}

static void steps_have_tokens(void) {
    host mine = make_host(1);
    clear_records();
    ctie_wormhole *sender = open_answering(&mine, "sender", 20000);
    CHECK_STATUS(pass_int(sender, "n", 0), CTIE_OK);
    CHECK_STATUS(pass_int(sender, "n", 1), CTIE_OK);
    CHECK(!is_same(&mine, 0, 1));
    int before = mine.commits;
    mine.loses = HOST_LOSES_REQUEST;
    CHECK_STATUS(pass_int(sender, "n", 2), CTIE_OK);
    CHECK(mine.commits == before + 2 && is_same(&mine, 0, 1) && !is_same(&mine, 1, 2));
    mine.loses = HOST_LOSES_ANSWER;
    CHECK_STATUS(pass_int(sender, "n", 3), CTIE_OK);
    /* It was found to be made, and is not made again. */
    CHECK(mine.commits == before + 3 && !is_same(&mine, 0, 1));
    CHECK(stored_int(sender, CTIE_STR("n")) == 3);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
}

static void tokens_have_sixteen_bytes(void) {
    host mine = make_host(1);
    clear_records();
    ctie_wormhole *sender = open_answering(&mine, "sender", 20000);
    CHECK_STATUS(send_once(sender, 1, "short", NULL), CTIE_E_INVALID);
    CHECK_STATUS(send_once(sender, 1, "0123456789abcdefg", NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
}

/* In a directory, where no answer is lost, the second message is the first one as well. */
static void tokens_hold_in_directories(uint64_t delay_ms) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    uint64_t first = 0, again = 0, other = 0;
    clear_records();
    ctie_wormhole *wormhole = open_group();
    options.token = (ctie_bytes){"0123456789abcdef", 16};
    options.delay_ms = delay_ms;
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("n"), ctie_value_int(1), &options, &first, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("n"), ctie_value_int(2), &options, &again, NULL, NULL), CTIE_OK);
    options.token = (ctie_bytes){"0123456789abcdeF", 16};
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("m"), ctie_value_int(3), &options, &other, NULL, NULL), CTIE_OK);
    CHECK(first == again && other > first);
    if (delay_ms == 0) { CHECK(stored_int(wormhole, CTIE_STR("n")) == 1 && stored_int(wormhole, CTIE_STR("m")) == 3); }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* A commit that the transport said to have failed is made after all: the next one is another step. */
static void a_late_commit_is_no_other_one(void) {
    host mine = make_host(1);
    clear_records();
    ctie_wormhole *sender = open_answering(&mine, "sender", 20000);
    struct tally *queue = tally_of(sender, CTIE_LISTEN_QUEUE, "");
    mine.lost_answer = CTIE_E_SYSTEM;
    mine.loses = HOST_HOLDS;
    CHECK_STATUS(pass_int(sender, "n", 1), CTIE_E_SYSTEM);
    CHECK_STATUS(pass_int(sender, "n", 2), CTIE_OK);
    CHECK_STATUS(pass_int(sender, "n", 3), CTIE_OK);
    AWAIT(queue->received[3] == 1);
    CHECK(queue->received[1] == 1 && queue->received[2] == 1 && stored_int(sender, CTIE_STR("n")) == 3);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
    free(queue);
}

static void *send_one(void *wormhole) {
    CHECK_STATUS(pass_int(wormhole, "n", 1), CTIE_OK);
    return NULL;
}

/* The transport shows the commit later than it answers, with CONFLICT for each try to make it again. */
static void a_lagging_transport_makes_no_message_twice(void) {
    host mine = make_host(1);
    image records = {0}, before;
    pthread_t thread;
    mine.memory = &records;
    ctie_wormhole *sender = open_answering(&mine, "sender", 20000);
    struct tally *queue = tally_of(sender, CTIE_LISTEN_QUEUE, "");
    CHECK_STATUS(pass_int(sender, "n", 0), CTIE_OK);
    AWAIT(queue->received[0] == 1);
    before = read_image(&mine);
    mine.lagging = &before;
    int commits = mine.commits;
    mine.lost_answer = CTIE_E_CONFLICT;
    mine.loses = HOST_LOSES_ANSWER;
    CHECK(pthread_create(&thread, NULL, send_one, sender) == 0);
    AWAIT(mine.commits >= commits + 3);
    mine.lagging = NULL;
    pthread_join(thread, NULL);
    CHECK_STATUS(pass_int(sender, "n", 2), CTIE_OK);
    AWAIT(queue->received[2] == 1);
    CHECK(queue->received[1] == 1);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
    free(queue), free(before.bytes), free(records.bytes);
}

/* ---- Members that are taken for dead --------------------------------------------------------------- */

enum { FIRST_MEMBER = 1 };

/* The members that the transport knows, in the bits of their numbers. */
static _Atomic uint64_t living;

static ctie_status join_living(void *user_data, ctie_str name, uint64_t *id, int64_t timeout_ms) {
    (void)name, (void)timeout_ms;
    *id = ((host *)user_data)->member;
    living |= (uint64_t)1 << *id;
    return CTIE_OK;
}

static ctie_status show_living(void *user_data, ctie_transport_member_fn visit, void *context, int64_t timeout_ms) {
    ctie_status status = host_begin(user_data, timeout_ms);
    for (uint64_t id = 1; status == CTIE_OK && id < 64; id++) {
        if ((living >> id & 1) != 0) { visit(id, context); }
    }
    return status;
}

static host make_member(uint64_t number) {
    host made = make_host(1);
    made.member = number;
    return made;
}

static ctie_wormhole *open_member(host *it, const char *name, uint32_t timeout_ms) {
    ctie_transport transport = HOST_TRANSPORT;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    transport.join = join_living;
    transport.members = show_living;
    options.name = ctie_str_from(name);
    options.timeout_ms = timeout_ms;
    options.transport = &transport;
    options.transport_data = it;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("hosted"), &options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

/* The number of records whose keys begin with a byte. */
static int count_records(host *it, uint8_t kind) {
    int lock = host_lock(it), found = 0;
    image now = read_image(it);
    host_unlock(it, lock);
    for (size_t at = 0; at < now.size; at = entry_at(&now, at).end) {
        found += *(const uint8_t *)entry_at(&now, at).key.data == kind;
    }
    free(now.bytes);
    return found;
}

/* Another member has removed the record that would tell whether the message was sent: nobody can say it any more. */
static void a_removed_token_leaves_the_caller_uncertain(void) {
    host mine = make_member(FIRST_MEMBER), its = make_member(FIRST_MEMBER + 1);
    clear_records();
    living = 0;
    ctie_wormhole *sender = open_member(&mine, "sender", 300), *other = open_member(&its, "other", 20000);
    struct tally *queue = tally_of(other, CTIE_LISTEN_QUEUE, "");
    mine.then_away = true;
    mine.loses = HOST_LOSES_ANSWER;
    CHECK_STATUS(send_once(sender, 1, "0123456789abcdef", NULL), CTIE_E_UNCERTAIN);
    CHECK(count_records(&its, 0x01) == 2);
    living &= ~((uint64_t)1 << FIRST_MEMBER);
    AWAIT(count_records(&its, 0x01) == 1);
    await_reachable(&mine);
    CHECK_STATUS(send_once(sender, 1, "0123456789abcdef", NULL), CTIE_E_UNCERTAIN);
    CHECK_STATUS(send_once(sender, 1, "0123456789abcdef", NULL), CTIE_E_UNCERTAIN);
    CHECK_STATUS(send_once(sender, 2, "fedcba9876543210", NULL), CTIE_OK);
    AWAIT(queue->received[2] == 1);
    CHECK(queue->received[1] == 1);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
    CHECK(count_records(&its, 0x01) == 1);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    CHECK(count_records(&its, 0x01) == 0);
    free(queue);
}

static _Atomic int slow_from;

static void slow_down(host *it) {
    if (it->commits >= slow_from) { it->nap_ms = 100; }
}

static void *release(void *wormhole) {
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return NULL;
}

/* The answer to leaving is lost, and another member takes the place before it is made again: that one stays. */
static void leaving_twice_removes_nobody_else(void) {
    host mine = make_member(FIRST_MEMBER), its = make_member(FIRST_MEMBER + 1), third = make_member(FIRST_MEMBER + 2);
    ctie_value *members = NULL;
    pthread_t thread;
    clear_records();
    living = 0;
    ctie_wormhole *leaver = open_member(&mine, "leaver", 20000), *watcher = open_member(&third, "watcher", 20000);
    mine.loses = HOST_LOSES_ANSWER;
    slow_from = mine.commits + 1;
    mine.meanwhile = slow_down;
    int commits = mine.commits;
    CHECK(pthread_create(&thread, NULL, release, leaver) == 0);
    AWAIT(mine.commits > commits);
    ctie_wormhole *next = open_member(&its, "next", 20000);
    pthread_join(thread, NULL);
    CHECK_STATUS(ctie_wormhole_members(watcher, &members, NULL), CTIE_OK);
    CHECK(ctie_value_count(members) == 2);
    ctie_value_release(members);
    CHECK_STATUS(ctie_wormhole_release(next), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(watcher), CTIE_OK);
}

/* ---- Two threads ----------------------------------------------------------------------------------- */

static void *send_with_tokens(void *wormhole) {
    for (int i = 0; i < 50; i++) {
        char token[17];
        snprintf(token, sizeof token, "%016d", i);
        CHECK_STATUS(send_once(wormhole, i, token, NULL), CTIE_OK);
    }
    return NULL;
}

/* Threads send the same messages on one wormhole. */
static void threads_share_tokens(bool in_directory) {
    for (int round = 0; round < test_rounds(20); round++) {
        host mine = make_host(1);
        pthread_t threads[4];
        clear_records();
        ctie_wormhole *sender = in_directory ? open_group() : open_answering(&mine, "sender", 20000);
        struct tally *queue = tally_of(sender, CTIE_LISTEN_QUEUE, "");
        for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, send_with_tokens, sender) == 0);
        for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
        CHECK_STATUS(send_once(sender, 50, NULL, NULL), CTIE_OK);
        AWAIT(queue->received[50] == 1);
        CHECK(queue->count == 51);
        CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
        free(queue);
    }
}

/* A wormhole knows its own tokens only. */
static void wormholes_have_their_own_tokens(void) {
    clear_records();
    ctie_wormhole *one = open_group(), *two = open_group();
    uint64_t first = 0, second = 0;
    CHECK_STATUS(send_once(one, 1, "0123456789abcdef", &first), CTIE_OK);
    CHECK_STATUS(send_once(two, 2, "0123456789abcdef", &second), CTIE_OK);
    CHECK(second > first && stored_int(one, CTIE_STR("n")) == 2);
    CHECK_STATUS(ctie_wormhole_release(one), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(two), CTIE_OK);
}

/* Only the newest tokens are remembered. */
static void old_tokens_are_forgotten(void) {
    char token[17];
    uint64_t first = 0, again = 0;
    clear_records();
    ctie_wormhole *wormhole = open_group();
    for (int i = 0; i < 65; i++) {
        snprintf(token, sizeof token, "%016d", i);
        CHECK_STATUS(send_once(wormhole, i, token, i == 1 ? &first : NULL), CTIE_OK);
    }
    CHECK_STATUS(send_once(wormhole, 1, "0000000000000001", &again), CTIE_OK);
    CHECK(again == first);
    CHECK_STATUS(send_once(wormhole, 0, "0000000000000000", &again), CTIE_OK);
    CHECK(again > first && stored_int(wormhole, CTIE_STR("n")) == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    steps_have_tokens();
    tokens_have_sixteen_bytes();
    tokens_hold_in_directories(0);
    tokens_hold_in_directories(3600000);
    for (enum host_loss loss = HOST_LOSES_ANSWER; loss <= HOST_LOSES_REQUEST; loss++) {
        the_caller_is_left_uncertain(loss, false);
        the_caller_is_left_uncertain(loss, true);
        a_repeated_message_without_a_token_is_another(loss);
        lost_claims_are_given_back(loss);
    }
    tokens_outlive_destroying();
    a_late_commit_is_no_other_one();
    a_lagging_transport_makes_no_message_twice();
    a_removed_token_leaves_the_caller_uncertain();
    leaving_twice_removes_nobody_else();
    threads_share_tokens(false);
    threads_share_tokens(true);
    wormholes_have_their_own_tokens();
    old_tokens_are_forgotten();
    each_message_is_received_once();
    remove_directory();
    return check_end();
}
