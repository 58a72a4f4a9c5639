/* For tests in C of the engine over a nats-server: a server of the test's own, and a host without a wormhole. It keeps
   what is delivered, and waits for it with a generous limit. Include it first. */
#ifndef DRIVER_H
#define DRIVER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "../../engines/nats/engine.h"
#include "../C/check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/** As CHECK_STATUS of check.h, without the library's names of statuses. */
#undef CHECK_STATUS
#define CHECK_STATUS(call, expected) \
    do { \
        ctie_status got_ = (call); \
        check_that(got_ == (expected), #call " == " #expected, __FILE__, __LINE__); \
        if (got_ != (expected)) { fprintf(stderr, "    it is %d: %s\n", (int)got_, driver_words); } \
    } while (0)

enum { DRIVER_TIME_MS = 20000, DRIVER_WAIT_MS = 60000 };

/** The last text of an error on this thread. */
static __thread char driver_words[1024];

static inline void driver_give_up(const char *why) {
    fprintf(stderr, "%s\n", why);
    abort();
}

/* ---- The server ------------------------------------------------------------------------------------ */

typedef struct driver_server {
    char directory[64]; /* JetStream's files and the log */
    char config[128];   /* the path of a configuration, or empty */
    int port;
    pid_t pid;          /* 0: it does not run */
} driver_server;

static inline int driver_free_port(void) {
    enum { FIRST = 10240, LAST = 32767 }; /* below those that the system gives to clients: none of these takes it */
    for (int i = 0; i < 1000; i++) {
        uint16_t random = 0;
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (getrandom(&random, sizeof random, 0) != sizeof random) { break; }
        int port = FIRST + random % (LAST - FIRST + 1);
        address.sin_port = htons((uint16_t)port);
        bool is_free = probe >= 0 && bind(probe, (struct sockaddr *)&address, sizeof address) == 0;
        if (probe >= 0) { close(probe); }
        if (is_free) { return port; }
    }
    driver_give_up("no free port");
    return 0;
}

static inline bool driver_answers(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    address.sin_port = htons((uint16_t)port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_there = connect(made, (struct sockaddr *)&address, sizeof address) == 0;
    close(made);
    return is_there;
}

static inline void driver_exec(const driver_server *it) {
    char port[16], log[96];
    snprintf(port, sizeof port, "%d", it->port);
    snprintf(log, sizeof log, "%s/log", it->directory);
    const char *name = getenv("CTIE_NATS_SERVER");
    if (name == NULL) { name = "nats-server"; }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(null, 1), dup2(null, 2);
    const char *option = it->config[0] != 0 ? "-c" : NULL; /* or the end */
    execlp(name, name, "-js", "-sd", it->directory, "-a", "127.0.0.1", "-p", port, "-l", log, option, it->config, NULL);
    _exit(127);
}

/** Starts the server, also again: on the same port, with the same files. Waits until it answers. */
static inline void driver_start(driver_server *it) {
    it->pid = fork();
    if (it->pid == 0) { driver_exec(it); }
    int64_t deadline = deadline_after(DRIVER_WAIT_MS);
    while (!driver_answers(it->port)) {
        if (waitpid(it->pid, NULL, WNOHANG) != 0) { driver_give_up("the nats-server has ended"); }
        if (deadline_left(deadline) == 0) { driver_give_up("the nats-server does not answer"); }
        clock_pause(5);
    }
}

/** A server on a port of its own, with files of its own. */
static inline void driver_serve(driver_server *it) {
    memset(it, 0, sizeof *it);
    strcpy(it->directory, "/tmp/ctie-nats-XXXXXX");
    if (mkdtemp(it->directory) == NULL) { driver_give_up("no temporary directory"); }
    it->port = driver_free_port();
    driver_start(it);
}

/** Ends the server as a crash does, and keeps its files. */
static inline void driver_kill(driver_server *it) {
    if (it->pid == 0) { return; }
    kill(it->pid, SIGKILL);
    waitpid(it->pid, NULL, 0);
    it->pid = 0;
}

/** Stops the server, which then answers nothing, and has it go on. */
static inline void driver_stop(const driver_server *it) {
    kill(it->pid, SIGSTOP);
    waitpid(it->pid, NULL, WUNTRACED);
}

static inline void driver_continue(const driver_server *it) { kill(it->pid, SIGCONT); }

static inline int driver_remove_file(const char *path, const struct stat *of, int type, struct FTW *at) {
    (void)of, (void)type, (void)at;
    return remove(path);
}

static inline void driver_remove_files(const driver_server *it) {
    nftw(it->directory, driver_remove_file, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void driver_end(driver_server *it) {
    driver_kill(it);
    driver_remove_files(it);
}

/* ---- The host -------------------------------------------------------------------------------------- */

/** A message that was delivered. */
typedef struct delivered {
    uint64_t binding, sequence, missed, claim;
    int32_t kind, sender_pid;
    uint32_t flags, delivery_count;
    int64_t time, expires;
    size_t header_count, size;
    char identifier[132], sender[68], header[132]; /* the last: the first header's value */
    uint8_t *value;                                /* `size` bytes, and a NUL */
} delivered;

typedef struct driver {
    ctie_engine_host host;
    void *engine;
    uint32_t abilities;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    delivered *items;
    size_t count, room;
    bool keeps_credit;      /* credit does not come back at once */
    int members_changed, log_lines, connections, losses;
    int32_t state;          /* of the connection; -1 before the first one */
    char last_log[1024], reason[512];
    char hosts[64];
    ctie_engine_server server;
} driver;

static inline void driver_copy(char *out, size_t room, ctie_str text) {
    size_t size = text.size < room ? text.size : room - 1;
    if (size > 0) { memcpy(out, text.data, size); }
    out[size] = 0;
}

static inline void driver_keep(driver *it, uint64_t binding, const ctie_engine_message *from) {
    if (it->count == it->room) {
        it->room = it->room * 2 + 64;
        it->items = realloc(it->items, it->room * sizeof *it->items);
    }
    delivered *to = &it->items[it->count++];
    memset(to, 0, sizeof *to);
    to->binding = binding, to->sequence = from->sequence, to->missed = from->missed, to->claim = from->claim;
    to->kind = from->kind, to->flags = from->flags, to->delivery_count = from->delivery_count;
    to->sender_pid = from->sender_pid, to->time = from->time, to->expires = from->expires;
    to->header_count = from->header_count, to->size = from->value.size;
    driver_copy(to->identifier, sizeof to->identifier, from->identifier);
    driver_copy(to->sender, sizeof to->sender, from->sender_name);
    if (from->header_count > 0) { driver_copy(to->header, sizeof to->header, from->headers[0].value); }
    to->value = calloc(1, from->value.size + 1);
    if (from->value.size > 0) { memcpy(to->value, from->value.data, from->value.size); }
}

static inline ctie_status driver_deliver(void *context, uint64_t binding, const ctie_engine_message *messages,
                                         size_t count, uint32_t *credit) {
    driver *it = context;
    pthread_mutex_lock(&it->lock);
    for (size_t i = 0; i < count; i++) { driver_keep(it, binding, ctie_engine_message_at(messages, i)); }
    if (credit != NULL) { *credit = it->keeps_credit ? 0 : (uint32_t)count; }
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    return CTIE_OK;
}

static inline void driver_members_changed(void *context) {
    driver *it = context;
    pthread_mutex_lock(&it->lock);
    it->members_changed++;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
}

static inline void driver_log(void *context, int32_t level, ctie_str text) {
    driver *it = context;
    pthread_mutex_lock(&it->lock);
    it->log_lines++;
    driver_copy(it->last_log, sizeof it->last_log, text);
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    if (getenv("CTIE_DRIVER_LOG") != NULL) { fprintf(stderr, "log %d: %.*s\n", (int)level, (int)text.size, text.data); }
}

static inline void driver_explain(void *context, ctie_str text) {
    (void)context;
    driver_copy(driver_words, sizeof driver_words, text);
}

static inline void driver_connection_changed(void *context, const ctie_engine_connection *now) {
    driver *it = context;
    pthread_mutex_lock(&it->lock);
    it->state = now->state;
    it->connections += now->state == CTIE_CONNECTION_CONNECTED;
    it->losses += now->state == CTIE_CONNECTION_RECONNECTING;
    driver_copy(it->reason, sizeof it->reason, now->reason);
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
}

/* ---- A member ---------------------------------------------------------------------------------------- */

/** Sets a member up; `server` of it may then be changed before driver_open_with(). */
static inline void driver_init(driver *it, const driver_server *server, const char *name) {
    memset(it, 0, sizeof *it);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&it->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&it->lock, NULL);
    it->state = -1;
    it->host = (ctie_engine_host){
        .size = sizeof it->host, .context = it, .name = ctie_str_from(name), .max_value_size = 65536, .pid = getpid(),
        .deliver = driver_deliver, .members_changed = driver_members_changed, .log = driver_log,
        .explain = driver_explain, .connection_changed = driver_connection_changed};
    snprintf(it->hosts, sizeof it->hosts, "127.0.0.1:%d", server->port);
    it->server.size = sizeof it->server;
    it->server.hosts = ctie_str_from(it->hosts);
}

static inline ctie_status driver_open_with(driver *it, const char *group, int64_t timeout_ms) {
    ctie_status status = engine_new(&it->server, &it->engine);
    if (status != CTIE_OK) { return status; }
    return ENGINE_OF_NATS.open(it->engine, ctie_str_from(group), &it->host, &it->abilities, timeout_ms);
}

/** Opens a group, or ends the test. */
static inline void driver_open(driver *it, const driver_server *server, const char *group, const char *name) {
    driver_init(it, server, name);
    if (driver_open_with(it, group, DRIVER_TIME_MS) != CTIE_OK) { driver_give_up(driver_words); }
}

static inline void driver_forget(driver *it) {
    pthread_mutex_lock(&it->lock);
    for (size_t i = 0; i < it->count; i++) { free(it->items[i].value); }
    it->count = 0;
    pthread_mutex_unlock(&it->lock);
}

static inline void driver_close(driver *it) {
    if (it->engine != NULL) { ENGINE_OF_NATS.close(it->engine); }
    it->engine = NULL;
    driver_forget(it);
    free(it->items);
    pthread_cond_destroy(&it->changed);
    pthread_mutex_destroy(&it->lock);
}

/* ---- Waiting ------------------------------------------------------------------------------------------ */

/** Waits, with the lock, until `is_so` holds. A minute without it ends the test. */
#define DRIVER_WAIT_FOR(it, is_so) \
    do { \
        int64_t end_ = deadline_after(DRIVER_WAIT_MS); \
        struct timespec until_ = {end_ / 1000000000, end_ % 1000000000}; \
        pthread_mutex_lock(&(it)->lock); \
        while (!(is_so)) { \
            if (pthread_cond_timedwait(&(it)->changed, &(it)->lock, &until_) != 0) { \
                fprintf(stderr, "%s:%d: hung: %s\n", __FILE__, __LINE__, #is_so); \
                abort(); \
            } \
        } \
        pthread_mutex_unlock(&(it)->lock); \
    } while (0)

/** Waits for so many deliveries in all. */
static inline void driver_wait(driver *it, size_t count) { DRIVER_WAIT_FOR(it, it->count >= count); }

/* ---- Sending and reading ------------------------------------------------------------------------------ */

static inline ctie_engine_message driver_message(int32_t kind, const char *identifier, const char *value) {
    ctie_engine_message it;
    memset(&it, 0, sizeof it);
    it.size = sizeof it, it.kind = kind, it.identifier = ctie_str_from(identifier);
    if (value != NULL) { it.value = (ctie_bytes){(const uint8_t *)value, strlen(value)}; }
    it.time = clock_now(CLOCK_REALTIME);
    it.sender_name = CTIE_STR("driver"), it.sender_pid = getpid();
    return it;
}

/** Sends a message; gives its number, or 0. */
static inline uint64_t driver_send(driver *it, int32_t kind, const char *identifier, const char *value) {
    ctie_engine_message message = driver_message(kind, identifier, value);
    uint64_t number = 0;
    uint32_t listeners = 7;
    CHECK_STATUS(ENGINE_OF_NATS.send(it->engine, &message, 1, NULL, &number, &listeners, DRIVER_TIME_MS), CTIE_OK);
    CHECK(listeners == 0);
    return number;
}

static inline uint64_t driver_value(driver *it, const char *identifier, const char *value) {
    return driver_send(it, CTIE_MESSAGE_VALUE, identifier, value);
}

/** The current message of an identifier. */
typedef struct driver_current {
    int count;
    char value[256];
    size_t size;
    uint64_t sequence;
} driver_current;

static inline bool driver_take_current(const ctie_engine_message *message, void *context) {
    driver_current *it = context;
    it->count++;
    it->sequence = message->sequence, it->size = message->value.size;
    size_t size = message->value.size < sizeof it->value ? message->value.size : sizeof it->value - 1;
    if (size > 0) { memcpy(it->value, message->value.data, size); }
    it->value[size] = 0;
    return true;
}

static inline driver_current driver_read(driver *it, const char *identifier) {
    driver_current out = {0};
    ctie_str wanted = ctie_str_from(identifier);
    CHECK_STATUS(ENGINE_OF_NATS.current(it->engine, wanted, driver_take_current, &out, DRIVER_TIME_MS), CTIE_OK);
    return out;
}

static inline bool driver_is(driver *it, const char *identifier, const char *value) {
    driver_current found = driver_read(it, identifier);
    return value == NULL ? found.count == 0 : found.count == 1 && strcmp(found.value, value) == 0;
}

/* ---- Binding ------------------------------------------------------------------------------------------ */

static inline ctie_engine_binding driver_binding(const char *topic, uint32_t delivery, const char *name) {
    ctie_engine_binding how;
    memset(&how, 0, sizeof how);
    how.size = sizeof how, how.topic = ctie_str_from(topic), how.name = ctie_str_from(name), how.delivery = delivery;
    how.credit = 64;
    if (delivery == CTIE_ENGINE_DURABLE) { how.max_unacknowledged = 64; }
    return how;
}

static inline void driver_bind(driver *it, uint64_t number, const char *topic, uint32_t delivery, const char *name) {
    ctie_engine_binding how = driver_binding(topic, delivery, name);
    CHECK_STATUS(ENGINE_OF_NATS.bind(it->engine, number, &how, DRIVER_TIME_MS), CTIE_OK);
}

#endif
