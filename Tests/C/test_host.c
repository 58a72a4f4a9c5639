/*
 * The host is untouched by load, use and close: signal actions and mask, umask, working directory, locale, environment,
 * limits, descriptors and threads are compared. The previous state is recorded in the preinit array, which runs before
 * the initializers of any shared object.
 */
#include "check.h"
#include "latch.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { SIGNALS = 64, DESCRIPTORS = 256, LIMITS = RLIMIT_NLIMITS };

typedef struct host {
    struct sigaction actions[SIGNALS + 1];
    sigset_t mask;
    mode_t umask;
    char directory[1024];
    char locale[1024];
    size_t environment_size;
    uint64_t environment_hash;
    struct rlimit limits[LIMITS];
    bool descriptors[DESCRIPTORS];
    int threads;
} host;

static host before;

static void note_environment(host *it, char **environment) {
    it->environment_hash = 14695981039346656037u;
    for (char **each = environment; *each != NULL; each++) {
        for (const char *c = *each; ; c++) {
            it->environment_hash = (it->environment_hash ^ (unsigned char)*c) * 1099511628211u;
            it->environment_size++;
            if (*c == 0) { break; }
        }
    }
}

static void note_descriptors(host *it) {
    for (int fd = 0; fd < DESCRIPTORS; fd++) {
        struct stat status;
        it->descriptors[fd] = fstat(fd, &status) == 0;
    }
}

static void note(host *it, char **environment) {
    for (int number = 1; number <= SIGNALS; number++) { sigaction(number, NULL, &it->actions[number]); }
    sigprocmask(SIG_SETMASK, NULL, &it->mask);
    it->umask = umask(0);
    umask(it->umask);
    if (getcwd(it->directory, sizeof it->directory) == NULL) { it->directory[0] = 0; }
    snprintf(it->locale, sizeof it->locale, "%s", setlocale(LC_ALL, NULL));
    note_environment(it, environment);
    for (int which = 0; which < LIMITS; which++) { getrlimit((__rlimit_resource_t)which, &it->limits[which]); }
    note_descriptors(it);
    it->threads = thread_count();
}

static void note_before_load(int count, char **arguments, char **environment) {
    (void)count, (void)arguments;
    note(&before, environment);
}

typedef void (*initialiser)(int count, char **arguments, char **environment);
__attribute__((section(".preinit_array"), used)) static const initialiser first_of_all = note_before_load;

static bool same_actions(const host *now) {
    for (int number = 1; number <= SIGNALS; number++) {
        const struct sigaction *left = &before.actions[number], *right = &now->actions[number];
        if (left->sa_handler != right->sa_handler || left->sa_flags != right->sa_flags) {
            fprintf(stderr, "the action of signal %d has changed\n", number);
            return false;
        }
    }
    return true;
}

static void expect_unchanged(void) {
    static host now;
    memset(&now, 0, sizeof now);
    note(&now, environ);
    CHECK(same_actions(&now));
    CHECK(memcmp(&before.mask, &now.mask, sizeof now.mask) == 0);
    CHECK(before.umask == now.umask);
    CHECK(strcmp(before.directory, now.directory) == 0);
    CHECK(strcmp(before.locale, now.locale) == 0);
    CHECK(before.environment_size == now.environment_size && before.environment_hash == now.environment_hash);
    CHECK(memcmp(before.limits, now.limits, sizeof now.limits) == 0);
    CHECK(memcmp(before.descriptors, now.descriptors, sizeof now.descriptors) == 0);
}

static void reply_later(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
    latch_add(user_data);
}

static void use_a_bus(void) {
    ctie_bus *bus = NULL;
    latch ran = LATCH_INIT;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a/:id"), CTIE_HANDLER(reply_later, &ran), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a/1"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
    for (int i = 0; i < 8; i++) {
        CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a/1"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL), NULL,
                                     NULL, NULL), CTIE_OK);
    }
    latch_wait(&ran, 9);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void receive(const ctie_message *message, void *user_data) {
    CHECK(ctie_message_kind(message) <= CTIE_MESSAGE_VALUE);
    latch_add(user_data);
}

static void use_a_wormhole(const char *directory) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    latch received = LATCH_INIT;
    char store[1024];
    snprintf(store, sizeof store, "%s/store", directory);
    options.directory = ctie_str_from(store);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("host"), &options, &wormhole, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("x"), CTIE_RECEIVER(receive, &received), NULL, NULL, NULL), CTIE_OK);
    latch_wait(&received, 1);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("x"), ctie_value_int(1), NULL, NULL, NULL, NULL), CTIE_OK);
    latch_wait(&received, 2);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void delete_store(const char *directory) {
    static const char *const FILES[] = {"/store/data.mdb", "/store/lock.mdb", "/store/wakeups", "/store/opening", "/store",
                                        ""};
    char path[1024];
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        snprintf(path, sizeof path, "%s%s", directory, FILES[i]);
        remove(path);
    }
}

int main(void) {
    char directory[] = "/tmp/crosstie-host-XXXXXX";
    CHECK(mkdtemp(directory) != NULL);
    expect_unchanged();
    for (int round = 0; round < 3; round++) {
        use_a_bus();
        use_a_wormhole(directory);
        CHECK(threads_end(before.threads));
    }
    expect_unchanged();
    delete_store(directory);
    return check_end();
}
