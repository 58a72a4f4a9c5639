/* Joined buses over a server: finding each other, frames in their order, and every end of a connection. */
#include "joining.h"
#include "../../engines/nats/joins.h"

static void they_find_each_other(driver_server *server) {
    enum { MEMBERS = 12 };
    static joined all[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        joined_open(&all[i], server, "find", "one");
        CHECK(all[i].open == i); /* when joining has returned */
    }
    for (int i = 0; i < MEMBERS; i++) { WAIT_FOR_PEERS(&all[i], MEMBERS - 1); }
    static joined other;
    joined_open(&other, server, "find.other", "stranger");
    CHECK(other.open == 0);
    joined_leave(&all[0]);
    for (int i = 1; i < MEMBERS; i++) { WAIT_FOR_PEERS(&all[i], MEMBERS - 2); }
    joined_join(&all[0]);
    for (int i = 1; i < MEMBERS; i++) { WAIT_FOR_PEERS(&all[i], MEMBERS - 1); }
    for (int i = 0; i < MEMBERS; i++) { joined_close(&all[i]); }
    joined_close(&other);
}

typedef struct begin_together {
    joined *it;
    const driver_server *server;
} begin_together;

static void *open_one(void *argument) {
    begin_together *of = argument;
    joined_open(of->it, of->server, "together", "one");
    return NULL;
}

static void they_find_each_other_if_they_begin_together(driver_server *server) {
    enum { MEMBERS = 6, ROUNDS = 10 };
    static joined all[MEMBERS];
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[MEMBERS];
        begin_together each[MEMBERS];
        for (int i = 0; i < MEMBERS; i++) {
            each[i] = (begin_together){&all[i], server};
            pthread_create(&threads[i], NULL, open_one, &each[i]);
        }
        for (int i = 0; i < MEMBERS; i++) { pthread_join(threads[i], NULL); }
        for (int i = 0; i < MEMBERS; i++) { WAIT_FOR_PEERS(&all[i], MEMBERS - 1); }
        for (int i = 0; i < MEMBERS; i++) { joined_close(&all[i]); }
    }
}

/* ---- Frames ------------------------------------------------------------------------------------------ */

static size_t size_of(uint32_t number) {
    static const size_t SIZES[] = {4, 5, 64, 1000, 32767, 32768, 32769, 65536, 200000};
    return number % 100 == 99 ? FRAME_LIMIT : SIZES[number % (sizeof SIZES / sizeof *SIZES)];
}

typedef struct sending {
    joined *from;
    uint32_t count;
} sending;

static void *send_all(void *argument) {
    sending *of = argument;
    for (uint32_t i = 0; i < of->count; i++) {
        CHECK_STATUS(send_number(of->from, last_peer(of->from), i, size_of(i), UINT64_MAX), CTIE_OK);
    }
    return NULL;
}

static void frames_arrive_in_order(driver_server *server) {
    static joined one, two;
    joined_open(&one, server, "order", "one");
    joined_open(&two, server, "order", "two");
    WAIT_FOR_PEERS(&one, 1);
    sending of[2] = {{&one, 1000}, {&two, 1000}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) { pthread_create(&threads[i], NULL, send_all, &of[i]); }
    for (int i = 0; i < 2; i++) { pthread_join(threads[i], NULL); }
    DRIVER_WAIT_FOR(&one.driver, one.ends[0].frames == 1000);
    DRIVER_WAIT_FOR(&two.driver, two.ends[0].frames == 1000);
    CHECK(one.ends[0].bytes == two.ends[0].bytes);
    CHECK(one.open == 1 && two.open == 1);
    joined_close(&one);
    joined_close(&two);
}

/* Its receiver ends the connection, and both have a new one. */
static void a_frame_may_be_too_large(driver_server *server) {
    static joined one, two;
    joined_open(&one, server, "large", "one");
    joined_open(&two, server, "large", "two");
    WAIT_FOR_PEERS(&one, 1);
    CHECK_STATUS(send_number(&one, last_peer(&one), 0, FRAME_LIMIT + 1, UINT64_MAX), CTIE_OK);
    DRIVER_WAIT_FOR(&one.driver, one.count == 2 && one.open == 1);
    DRIVER_WAIT_FOR(&two.driver, two.count == 2 && two.open == 1);
    CHECK(two.ends[0].frames == 0);
    CHECK_STATUS(send_number(&one, one.ends[0].peer, 0, 8, UINT64_MAX), CTIE_E_PEER_GONE);
    CHECK_STATUS(send_number(&one, last_peer(&one), 0, 8, UINT64_MAX), CTIE_OK);
    DRIVER_WAIT_FOR(&two.driver, two.ends[1].frames == 1);
    joined_close(&one);
    joined_close(&two);
}

static void what_was_sent_comes_before_the_end(driver_server *server) {
    static joined one, two;
    joined_open(&two, server, "rest", "two");
    for (int round = 0; round < 10; round++) {
        joined_open(&one, server, "rest", "one");
        DRIVER_WAIT_FOR(&two.driver, two.count == round + 1 && two.open == 1);
        for (uint32_t i = 0; i < 50; i++) {
            CHECK_STATUS(send_number(&one, last_peer(&one), i, 100000, UINT64_MAX), CTIE_OK);
        }
        joined_close(&one);
        WAIT_FOR_PEERS(&two, 0);
        CHECK(two.ends[round].frames == 50);
    }
    joined_close(&two);
}

/* The first channel, once both ends know each other's number. */
static channel known_on_both_sides(const join *of) {
    channel out = {0};
    for (int64_t end = deadline_after(DRIVER_WAIT_MS); out.theirs == 0 && deadline_left(end) > 0; clock_pause(1)) {
        pthread_mutex_lock(&of->of->joins->lock);
        if (of->channels != NULL) { out = *of->channels; }
        pthread_mutex_unlock(&of->of->joins->lock);
    }
    return out;
}

static void a_side_may_disconnect(driver_server *server) {
    static joined one, two;
    joined_open(&one, server, "cut", "one");
    joined_open(&two, server, "cut", "two");
    engine *of = one.driver.engine;
    known_on_both_sides(of->joins->first); /* else the other one's first packet, which is on its way, connects again */
    ENGINE_OF_NATS.disconnect(of, one.join, last_peer(&one));
    WAIT_FOR_PEERS(&one, 0);
    WAIT_FOR_PEERS(&two, 0);
    ENGINE_OF_NATS.disconnect(one.driver.engine, one.join, 12345);
    ENGINE_OF_NATS.disconnect(one.driver.engine, 12345, 1);
    CHECK_STATUS(send_number(&two, 12345, 0, 8, 0), CTIE_E_PEER_GONE);
    CHECK_STATUS(ENGINE_OF_NATS.leave(two.driver.engine, 12345, DRIVER_TIME_MS), CTIE_OK);
    joined_close(&one);
    joined_close(&two);
}

/* ---- Ends -------------------------------------------------------------------------------------------- */

/* This program once more, as a member that stays until it is killed. */
static pid_t start_member(const driver_server *server, const char *group) {
    char port[16];
    snprintf(port, sizeof port, "%d", server->port);
    pid_t pid = fork();
    if (pid != 0) { return pid; }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl("/proc/self/exe", "member", port, group, NULL);
    _exit(127);
}

_Noreturn static void be_member(char **arguments) {
    static joined it;
    driver_server server = {.port = atoi(arguments[1])};
    joined_open(&it, &server, arguments[2], "other");
    for (;;) { pause(); }
}

static void a_death_is_seen(driver_server *server, bool has_requests) {
    static joined one;
    joined_open(&one, server, "death", "one");
    one.has_requests = has_requests;
    for (int round = 0; round < 3; round++) {
        pid_t pid = start_member(server, "death");
        WAIT_FOR_PEERS(&one, 1);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        WAIT_FOR_PEERS(&one, 0);
        CHECK(strstr(one.ends[round].reason, "process") != NULL);
    }
    joined_close(&one);
}

/* Nothing is asked before: the frame itself finds that nobody is there. */
static void a_frame_finds_a_death(driver_server *server) {
    static joined one;
    joined_open(&one, server, "found", "one");
    pid_t pid = start_member(server, "found");
    WAIT_FOR_PEERS(&one, 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    ctie_status status = send_number(&one, last_peer(&one), 0, 8, UINT64_MAX);
    CHECK(status == CTIE_OK || status == CTIE_E_PEER_GONE);
    WAIT_FOR_PEERS(&one, 0);
    joined_close(&one);
}

static void a_stopped_peer_stays(driver_server *server) {
    static joined one;
    joined_open(&one, server, "stopped", "one");
    one.has_requests = true;
    pid_t pid = start_member(server, "stopped");
    WAIT_FOR_PEERS(&one, 1);
    kill(pid, SIGSTOP);
    waitpid(pid, NULL, WUNTRACED);
    clock_pause(500); /* some of the questions are not answered */
    CHECK(one.open == 1 && one.count == 1);
    kill(pid, SIGCONT);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    WAIT_FOR_PEERS(&one, 0);
    joined_close(&one);
}

static void a_server_is_killed(driver_server *server) {
    static joined one, two;
    joined_open(&one, server, "restart", "one");
    joined_open(&two, server, "restart", "two");
    WAIT_FOR_PEERS(&one, 1);
    for (int round = 1; round <= 3; round++) {
        driver_kill(server);
        WAIT_FOR_PEERS(&one, 0);
        WAIT_FOR_PEERS(&two, 0);
        driver_start(server);
        WAIT_FOR_PEERS(&one, 1);
        WAIT_FOR_PEERS(&two, 1);
        CHECK(strstr(one.ends[round - 1].reason, "server") != NULL);
        uint64_t peer = last_peer(&one);
        end *of = &two.ends[two.count - 1];
        for (uint32_t i = 0; i < 10; i++) { CHECK_STATUS(send_number(&one, peer, i, 40000, UINT64_MAX), CTIE_OK); }
        DRIVER_WAIT_FOR(&two.driver, of->frames == 10);
    }
    joined_close(&one);
    joined_close(&two);
}

/* The frames are kept until there are too many, nobody waits, and all that was accepted arrives. */
static void a_server_reads_nothing(driver_server *server) {
    static joined one, two;
    joined_open(&one, server, "deaf", "one");
    joined_open(&two, server, "deaf", "two");
    WAIT_FOR_PEERS(&one, 1);
    driver_stop(server);
    uint32_t count = 0;
    ctie_status status;
    while ((status = send_number(&one, last_peer(&one), count, 10000, 1 << 20)) == CTIE_OK) { count++; }
    CHECK_STATUS(status, CTIE_E_BUSY);
    CHECK(count >= 100 && count < 3000); /* the system keeps some megabytes of them */
    driver_continue(server);
    DRIVER_WAIT_FOR(&two.driver, two.ends[0].frames == count || two.open == 0 || two.count > 1);
    /* The server may have been away for so long that the connections to it were lost. */
    CHECK(two.ends[0].frames == count || two.ends[0].reason[0] != 0);
    joined_close(&one);
    joined_close(&two);
}

/* ---- Strangers --------------------------------------------------------------------------------------- */

typedef struct stranger {
    natsConnection *connection;
    const join *at;      /* to which it writes */
    char from[ADDRESS];
} stranger;

static void write_bytes(stranger *it, const char *bytes, size_t size) {
    char subject[JOIN_SUBJECT];
    snprintf(subject, sizeof subject, "%s.%s.%s", it->at->of->names.joins, it->at->address, it->from);
    CHECK(natsConnection_Publish(it->connection, subject, bytes, (int)size) == NATS_OK);
}

static void write_packet(stranger *it, packet what) {
    char bytes[PACKET_HEAD + 12 + 64];
    size_t size = packet_write(&what, bytes);
    if (what.size > 0) { memcpy(bytes + size, what.data, what.size); }
    write_bytes(it, bytes, size + what.size);
}

/* Packets that any client of the server may publish here, as if it were the peer. */
static void write_all(stranger *it, const channel *known) {
    static const char *const GARBAGE[] = {"", "x", "A", "CCCCCCCCCCCC", "FFFFFFFFF", "Q12345678", "B1234567890123"};
    for (size_t i = 0; i < sizeof GARBAGE / sizeof *GARBAGE; i++) { write_bytes(it, GARBAGE[i], strlen(GARBAGE[i])); }
    write_packet(it, (packet){.type = PACKET_MARK, .place = UINT64_MAX});
    stranger mirror = *it;
    memcpy(mirror.from, it->at->address, sizeof mirror.from);
    write_packet(&mirror, (packet){.type = PACKET_MARK, .place = UINT64_MAX});
    write_packet(&mirror, (packet){.type = PACKET_ANNOUNCE, .session = 9});
    write_packet(it, (packet){.type = PACKET_HERE, .channel = 99, .sequence = 7});
    write_packet(it, (packet){.type = PACKET_BYE, .channel = 98, .other = 97});
    write_packet(it, (packet){.type = PACKET_FRAME, .channel = 99, .sequence = 1, .data = "abcd", .size = 4});
    /* One that lies ahead: something seems to be lost, and both make a new channel. */
    write_packet(it, (packet){.type = PACKET_FRAME, .channel = known->theirs, .sequence = known->received + 5, .data = "abcd",
                              .size = 4});
}

static void strangers_are_not_believed(driver_server *server) {
    static joined one, two;
    stranger it = {0};
    char address[64];
    joined_open(&one, server, "strange", "one");
    joined_open(&two, server, "strange", "two");
    WAIT_FOR_PEERS(&one, 1);
    snprintf(address, sizeof address, "nats://127.0.0.1:%d", server->port);
    CHECK(natsConnection_ConnectTo(&it.connection, address) == NATS_OK);
    it.at = ((engine *)one.driver.engine)->joins->first;
    for (int round = 0; round < 5; round++) {
        int before = one.count;
        channel known = known_on_both_sides(it.at);
        snprintf(it.from, sizeof it.from, "%s", known.address);
        write_all(&it, &known);
        DRIVER_WAIT_FOR(&one.driver, one.count > before && one.open == 1);
        DRIVER_WAIT_FOR(&two.driver, two.count == one.count && two.open == 1);
    }
    snprintf(it.from, sizeof it.from, "%s", "0123456789abcdef0123456789abcdef");
    channel known = known_on_both_sides(it.at);
    write_all(&it, &known);
    write_packet(&it, (packet){.type = PACKET_CONNECT, .channel = 5, .session = 1, .known = 100000});
    DRIVER_WAIT_FOR(&one.driver, one.count > 6); /* a peer, which then does not answer */
    natsConnection_Destroy(it.connection);
    DRIVER_WAIT_FOR(&one.driver, one.open == 1);
    CHECK_STATUS(send_number(&one, it.at->channels->number, 0, 8, UINT64_MAX), CTIE_OK);
    DRIVER_WAIT_FOR(&two.driver, two.ends[two.count - 1].frames == 1);
    joined_close(&one);
    joined_close(&two);
}

/* Leaving does not wait for a server that is not there, nor for long if it reads nothing. */
static void leaving_ends(driver_server *server) {
    static joined one, two;
    joined_open(&one, server, "leaving", "one");
    joined_open(&two, server, "leaving", "two");
    driver_stop(server);
    joined_leave(&one);
    driver_continue(server);
    WAIT_FOR_PEERS(&two, 0);
    driver_kill(server);
    joined_leave(&two);
    driver_start(server);
    driver_close(&one.driver);
    driver_close(&two.driver);
    CHECK(one.wrong == 0 && two.wrong == 0);
}

int main(int count, char **arguments) {
    driver_server server;
    if (count == 3) { be_member(arguments); }
    driver_serve(&server);
    they_find_each_other(&server);
    they_find_each_other_if_they_begin_together(&server);
    frames_arrive_in_order(&server);
    a_frame_may_be_too_large(&server);
    what_was_sent_comes_before_the_end(&server);
    a_side_may_disconnect(&server);
    a_death_is_seen(&server, true);
    a_death_is_seen(&server, false);
    a_frame_finds_a_death(&server);
    a_stopped_peer_stays(&server);
    strangers_are_not_believed(&server);
    a_server_is_killed(&server);
    a_server_reads_nothing(&server);
    leaving_ends(&server);
    driver_end(&server);
    return check_end();
}
