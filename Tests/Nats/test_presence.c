/* The members of a group, in this process and in others, which are killed and stopped. */
#include "driver.h"
#include "../../engines/nats/presence.h"

#define ID "0123456789abcdef0123456789abcdef"

enum { LISTED_MOST = 64, MEMBERS_FAKED = 12000 };

typedef struct listed {
    int count, own;
    char names[LISTED_MOST][68];
    int32_t pids[LISTED_MOST];
} listed;

static bool take_member(const ctie_engine_member *member, void *context) {
    listed *to = context;
    CHECK(member->since > 0 && member->pid > 0);
    if (to->count == LISTED_MOST) { return false; }
    driver_copy(to->names[to->count], sizeof to->names[0], member->name);
    to->pids[to->count++] = member->pid;
    to->own += member->own == 1;
    return true;
}

static listed list(driver *it) {
    listed out = {0};
    CHECK_STATUS(ENGINE_OF_NATS.members(it->engine, take_member, &out, DRIVER_TIME_MS), CTIE_OK);
    CHECK(out.own == 1);
    return out;
}

static int has(const listed *in, const char *name) {
    int count = 0;
    for (int i = 0; i < in->count; i++) { count += strcmp(in->names[i], name) == 0; }
    return count;
}

static void wait_for_members(driver *it, int count) {
    int64_t deadline = deadline_after(DRIVER_WAIT_MS);
    while (list(it).count != count && deadline_left(deadline) > 0) { clock_pause(20); }
    CHECK(list(it).count == count);
}

static void they_know_each_other(driver_server *server) {
    driver all[5];
    const char *names[] = {"ada", "bob", "", ("d\xc3\xa9" "de"), "ada"};
    driver_open(&all[0], server, "known", names[0]);
    CHECK(list(&all[0]).count == 1);
    for (int i = 1; i < 5; i++) {
        int changes = all[0].members_changed;
        driver_open(&all[i], server, "known", names[i]);
        DRIVER_WAIT_FOR(&all[0], all[0].members_changed > changes);
    }
    driver other;
    driver_open(&other, server, "known.other", "stranger");
    for (int i = 0; i < 5; i++) {
        listed found = list(&all[i]);
        CHECK(found.count == 5);
        CHECK(has(&found, "ada") == 2 && has(&found, "bob") == 1 && has(&found, "") == 1);
        CHECK(has(&found, "d\xc3\xa9" "de") == 1 && has(&found, "stranger") == 0);
        for (int j = 0; j < found.count; j++) { CHECK(found.pids[j] == getpid()); }
    }
    int changes = all[0].members_changed;
    driver_close(&all[1]);
    DRIVER_WAIT_FOR(&all[0], all[0].members_changed > changes);
    listed found = list(&all[0]);
    CHECK(found.count == 4 && has(&found, "bob") == 0);
    for (int i = 0; i < 5; i++) {
        if (i != 1) { driver_close(&all[i]); }
    }
    driver_close(&other);
}

/* ---- Other processes --------------------------------------------------------------------------------- */

/* This program once more, as a member that stays until it is killed. */
static pid_t start_member(const driver_server *server, const char *group, const char *name) {
    char port[16];
    snprintf(port, sizeof port, "%d", server->port);
    pid_t pid = fork();
    if (pid != 0) { return pid; }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl("/proc/self/exe", "member", port, group, name, NULL);
    _exit(127);
}

_Noreturn static void be_member(char **arguments) {
    driver_server server = {.port = atoi(arguments[1])};
    driver it;
    driver_open(&it, &server, arguments[2], arguments[3]);
    for (;;) { pause(); }
}

static void end_member(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Nobody asks, but a listener to members looks when members have changed: within two seconds. */
static void a_death_is_seen(driver_server *server) {
    driver one;
    driver_open(&one, server, "deaths", "one");
    CHECK(list(&one).count == 1); /* from now on the engine looks */
    pid_t first = start_member(server, "deaths", "first"), second = start_member(server, "deaths", "second");
    wait_for_members(&one, 3);
    int changes = one.members_changed;
    end_member(first);
    DRIVER_WAIT_FOR(&one, one.members_changed > changes);
    listed found = list(&one);
    CHECK(found.count == 2 && has(&found, "first") == 0 && has(&found, "second") == 1);
    end_member(second);
    CHECK(list(&one).count == 1); /* at once */
    driver_close(&one);
}

static void a_stopped_member_is_there(driver_server *server) {
    driver one;
    driver_open(&one, server, "stopped", "one");
    pid_t pid = start_member(server, "stopped", "other");
    wait_for_members(&one, 2);
    kill(pid, SIGSTOP);
    for (int i = 0; i < 3; i++) { CHECK(list(&one).count == 2); }
    kill(pid, SIGCONT);
    CHECK(list(&one).count == 2);
    kill(pid, SIGSTOP);
    end_member(pid);
    CHECK(list(&one).count == 1);
    driver_close(&one);
}

/* After a restart of the server its members connect again, one after the other: none of them has left. */
static void a_server_that_is_killed(driver_server *server) {
    driver one, two;
    driver_open(&one, server, "restart", "one");
    driver_open(&two, server, "restart", "two");
    wait_for_members(&one, 2);
    for (int i = 0; i < 3; i++) {
        driver_kill(server);
        DRIVER_WAIT_FOR(&one, one.state == CTIE_CONNECTION_RECONNECTING);
        listed none = {0};
        CHECK_STATUS(ENGINE_OF_NATS.members(one.engine, take_member, &none, 100), CTIE_E_UNAVAILABLE);
        driver_start(server);
        CHECK(list(&one).count == 2);
        CHECK(list(&two).count == 2);
    }
    driver_close(&two);
    wait_for_members(&one, 1);
    driver_close(&one);
}

/* ---- Strangers --------------------------------------------------------------------------------------- */

static void say(driver *it, const char *subject, const char *reply, const char *text, size_t size) {
    engine *of = it->engine;
    CHECK(natsConnection_PublishRequest(of->connection, subject, reply, text, (int)size) == NATS_OK);
    CHECK(natsConnection_FlushTimeout(of->connection, DRIVER_WAIT_MS) == NATS_OK);
}

/* The stranger's messages come first, so that their effect is there when the next one has been answered. */
static void await_answer(driver *it) {
    engine *of = it->engine;
    char subject[SUBJECT_MOST + 40];
    natsMsg *request = NULL, *answer = NULL;
    snprintf(subject, sizeof subject, "ctie.strangers.p.%s", of->self.member);
    natsMsg_Create(&request, subject, NULL, NULL, 0);
    CHECK_STATUS(ask(of, request, deadline_after(DRIVER_TIME_MS), &answer), CTIE_OK);
    CHECK(answer != NULL && strstr(natsMsg_GetData(answer), "\"name\":\"one\"") != NULL);
    natsMsg_Destroy(answer);
}

static void strangers(driver_server *server) {
    driver one, stranger;
    driver_open(&one, server, "strangers", "one");
    driver_open(&stranger, server, "others", "stranger");
    const char *subject = "ctie.strangers.p";
    static const char *const TEXTS[] = {
        "", "{", "[]", "null", "{}", "{\"type\":\"hello\"}", "\xff\xfe",
        "{\"type\":\"hello\",\"member\":\"x\",\"name\":\"n\",\"pid\":1,\"since\":1}",
        "{\"type\":\"hello\",\"member\":\"" ID "\",\"name\":\"n\",\"pid\":0,\"since\":1}",
        "{\"type\":\"hello\",\"member\":\"" ID "\",\"name\":7,\"pid\":1,\"since\":1}",
        "{\"type\":\"hello\",\"member\":\"" ID "\",\"name\":\"n\",\"pid\":1,\"since\":-1}",
        "{\"type\":\"hello\",\"member\":\"" ID "\",\"name\":\"n\",\"pid\":99999999999,\"since\":1}",
        "{\"type\":\"a type that is too long\",\"member\":\"" ID "\",\"name\":\"n\",\"pid\":1,"
        "\"since\":1}"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        say(&stranger, subject, "_INBOX.nobody", TEXTS[i], strlen(TEXTS[i]));
    }
    char large[8192], name[256];
    memset(large, '[', sizeof large);
    say(&stranger, subject, "_INBOX.nobody", large, sizeof large);
    memset(name, 'n', 65);
    name[65] = 0;
    snprintf(large, sizeof large,
             "{\"type\":\"hello\",\"member\":\"" ID "\",\"name\":\"%s\",\"pid\":1,\"since\":1}", name);
    say(&stranger, subject, "_INBOX.nobody", large, strlen(large));
    await_answer(&one);
    listed found = list(&one);
    CHECK(found.count == 1);
    CHECK(one.log_lines == 1); /* once for the kind */

    /* A reply subject that is not an inbox gets nothing: here it would delete the group. */
    say(&stranger, subject, "$JS.API.STREAM.DELETE.CTIE_strangers", "", 0);
    say(&stranger, subject, "ctie.strangers.m.v.fake", "", 0);
    await_answer(&one);
    CHECK(driver_value(&one, "a", "x") == 1);
    CHECK(driver_is(&one, "a", "x") && driver_is(&one, "fake", NULL));

    /* A crowd is bounded, and nobody of it answers. */
    for (int i = 0; i < MEMBERS_FAKED; i++) {
        int size = snprintf(large, sizeof large,
                            "{\"type\":\"hello\",\"member\":\"%032x\",\"name\":\"fake\",\"pid\":1,\"since\":1}", i);
        engine *of = stranger.engine;
        natsConnection_Publish(of->connection, subject, large, size);
    }
    say(&stranger, subject, "_INBOX.nobody", "", 0);
    await_answer(&one);
    engine *of = one.engine;
    pthread_mutex_lock(&of->presence->lock);
    CHECK(of->presence->count <= MEMBERS_MOST);
    pthread_mutex_unlock(&of->presence->lock);
    wait_for_members(&one, 1);
    driver_close(&one);
    driver_close(&stranger);
}

int main(int count, char **arguments) {
    if (count == 4) { be_member(arguments); }
    driver_server server;
    driver_serve(&server);
    they_know_each_other(&server);
    a_death_is_seen(&server);
    a_stopped_member_is_there(&server);
    a_server_that_is_killed(&server);
    strangers(&server);
    driver_end(&server);
    nats_Close();
    return check_end();
}
