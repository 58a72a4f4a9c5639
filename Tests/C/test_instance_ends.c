/*
 * Ends of the first instance: before it takes a URL, after it, by a stop, by a release; forks; and directories and
 * sockets that are not what they should be.
 */
#define _GNU_SOURCE
#include "instances.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static ctie_bus *bus;

static void *kill_soon(void *child) {
    nap_ns(20000000);
    kill_child((pid_t)(intptr_t)child);
    return NULL;
}

/* The URL waits for a first instance that never is ready, and comes back when that is killed. */
static void the_hander_follows_a_first_instance_that_dies(void) {
    pthread_t thread;
    pid_t child = start_first(false);
    ctie_instance *instance = claim(bus);
    ctie_value *answers = NULL;
    CHECK(!is_first(instance));
    pthread_create(&thread, NULL, kill_soon, (void *)(intptr_t)child);
    CHECK_STATUS(hand(instance, "app://items/0", -1, &answers), CTIE_PENDING);
    pthread_join(thread, NULL);
    CHECK(is_first(instance) && answer_status(answers, 0) == CTIE_PENDING && board->opened == 0);
    ctie_value_release(answers);
    CHECK_STATUS(ctie_instance_ready(instance, NULL), CTIE_OK);
    AWAIT(board->opened == 1);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
}

/* A URL that was taken is reported, and opened by nobody else; those behind it are not handed over. */
static void a_death_after_taking_is_reported(void) {
    pid_t child = start_first(true);
    ctie_instance *instance = claim(bus);
    ctie_str urls[] = {CTIE_STR("app://items/0"), CTIE_STR("app://die"), CTIE_STR("app://items/2")};
    ctie_value *answers = NULL;
    CHECK_STATUS(ctie_instance_hand(instance, (ctie_str_list){urls, 3}, NULL, -1, &answers, NULL), CTIE_E_PEER_GONE);
    CHECK(answer_status(answers, 0) == CTIE_OK && answer_status(answers, 1) == CTIE_E_PEER_GONE);
    CHECK(answer_status(answers, 2) == CTIE_E_PEER_GONE && board->opened == 2);
    CHECK(text_has(answer_message(answers, 1), "nobody opens it again"));
    CHECK(text_has(answer_message(answers, 2), "not handed over"));
    ctie_value_release(answers);
    CHECK(!is_first(instance));
    CHECK(end_of_child(child) == -SIGKILL);
    CHECK_STATUS(hand(instance, "app://items/2", -1, NULL), CTIE_PENDING);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
}

/* A stopped process cannot take the URL after its sender has given up. */
static void a_stopped_first_instance_is_a_timeout(void) {
    pid_t child = start_first(true);
    ctie_instance *instance = claim(bus);
    ctie_value *answers = NULL;
    int status = 0;
    kill(child, SIGSTOP);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    CHECK_STATUS(hand(instance, "app://items/0", 100, &answers), CTIE_E_TIMEOUT);
    CHECK(text_has(answer_message(answers, 0), "did not take the URL; it is not opened"));
    ctie_value_release(answers);
    kill(child, SIGCONT);
    CHECK_STATUS(hand(instance, "app://items/0", -1, NULL), CTIE_OK);
    CHECK(board->opened == 1 && board->wrong == 0);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    end_first(child);
}

static void a_handler_without_an_answer_is_a_timeout(void) {
    pid_t child = start_first(true);
    ctie_instance *instance = claim(bus);
    ctie_value *answers = NULL;
    CHECK_STATUS(hand(instance, "app://hang", SOON_MS, &answers), CTIE_E_TIMEOUT);
    CHECK(board->opened == 1);
    ctie_value_release(answers);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    kill_child(child);
}

static void *hand_and_be_first(void *instance) {
    CHECK_STATUS(hand(instance, "app://items/0", -1, NULL), CTIE_PENDING);
    return NULL;
}

/* Without a call of ready(), a release gives the URLs of others to the next first instance; so does closing the bus. */
static void a_release_makes_room(bool closes) {
    pthread_t thread;
    ctie_bus *other = make_bus();
    ctie_instance *first = claim(other), *second = claim(bus);
    CHECK(is_first(first) && !is_first(second));
    pthread_create(&thread, NULL, hand_and_be_first, second);
    nap_ns(10000000);
    if (closes) {
        CHECK_STATUS(ctie_bus_close(other), CTIE_OK);
        CHECK_STATUS(hand(first, "app://items/0", -1, NULL), CTIE_E_CLOSED);
        CHECK_STATUS(ctie_instance_release(first), CTIE_OK);
    } else {
        CHECK_STATUS(ctie_instance_release(first), CTIE_OK);
        CHECK_STATUS(ctie_bus_release(other), CTIE_OK);
    }
    pthread_join(thread, NULL);
    CHECK(is_first(second));
    CHECK_STATUS(ctie_instance_release(second), CTIE_OK);
}

static void release_inside(ctie_request *request, void *instance) {
    CHECK_STATUS(ctie_instance_release(instance), CTIE_PENDING);
    ctie_request_reply(request, ctie_value_int(5));
}

/* The URL whose handler ends the claim still has its answer. */
static void a_handler_may_end_the_claim(void) {
    ctie_bus *other = make_bus();
    ctie_instance *first = claim(other), *second = claim(bus);
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    ctie_value *answers = NULL;
    options.flags = CTIE_ROUTE_PUBLIC;
    CHECK_STATUS(ctie_route_add(other, CTIE_STR("app://quit"), CTIE_HANDLER(release_inside, first), &options, NULL,
                                NULL), CTIE_OK);
    CHECK_STATUS(ctie_instance_ready(first, NULL), CTIE_OK);
    CHECK_STATUS(hand(second, "app://quit", -1, &answers), CTIE_OK);
    CHECK(int_at(ctie_value_at(answers, 0), "value") == 5);
    ctie_value_release(answers);
    CHECK_STATUS(hand(second, "app://quit", -1, NULL), CTIE_PENDING);
    CHECK(is_first(second));
    CHECK_STATUS(ctie_instance_release(second), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(other), CTIE_OK);
}

static int use_after_fork(void *instance) {
    bool first = true;
    CHECK_STATUS(ctie_instance_is_first(instance, &first), CTIE_E_FORKED);
    CHECK_STATUS(hand(instance, NULL, -1, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_instance_ready(instance, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_E_FORKED);
    return 0;
}

static int fork_and_die(void *argument CTIE_UNUSED) {
    claim(make_bus());
    pid_t child = fork();
    if (child == 0) {
        board->go = 1;
        while (!board->shall_end) nap_ns(200000);
        _exit(0);
    }
    AWAIT(board->go == 1);
    return 0;
}

/* A child does not keep the claim of a parent that has died. */
static void forked_children_have_no_claim(void) {
    ctie_instance *instance = claim(bus);
    CHECK(in_child(use_after_fork, instance) == 0);
    CHECK(is_first(instance));
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    board->shall_end = board->go = 0;
    CHECK(in_child(fork_and_die, NULL) == 0);
    instance = claim(bus);
    CHECK(is_first(instance));
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    board->shall_end = 1;
}

/* ---- Directories and sockets ---------------------------------------------------------------------- */

static void path_of(char *out, size_t size, const char *name) {
    snprintf(out, size, "%s/.instances/" APPLICATION "%s", directory, name);
}

static void unsafe_directories_are_refused(void) {
    char path[128], lock[160], other[160];
    ctie_instance *instance = NULL;
    path_of(path, sizeof path, "");
    path_of(lock, sizeof lock, "/lock");
    CHECK(chmod(path, 0770) == 0);
    CHECK_STATUS(claim_status(bus, APPLICATION, &instance), CTIE_E_UNSAFE);
    CHECK(chmod(path, 0700) == 0);
    snprintf(other, sizeof other, "%s/elsewhere", directory);
    CHECK(rename(lock, other) == 0 && symlink(other, lock) == 0);
    CHECK_STATUS(claim_status(bus, APPLICATION, &instance), CTIE_E_UNSAFE);
    CHECK(unlink(lock) == 0);
    CHECK(mkfifo(lock, 0600) == 0);
    CHECK_STATUS(claim_status(bus, APPLICATION, &instance), CTIE_E_UNSAFE);
    CHECK(unlink(lock) == 0);
    ctie_instance_options options = CTIE_INSTANCE_OPTIONS_INIT;
    options.directory = CTIE_STR("relative");
    CHECK_STATUS(ctie_instance_claim(bus, CTIE_STR(APPLICATION), &options, &instance, NULL), CTIE_E_INVALID);
    options.directory = CTIE_STR("/nowhere/at/all");
    CHECK_STATUS(ctie_instance_claim(bus, CTIE_STR(APPLICATION), &options, &instance, NULL), CTIE_E_SYSTEM);
    options.directory = ctie_str_from(directory);
    options.dispatcher = CTIE_STR("none");
    CHECK_STATUS(ctie_instance_claim(bus, CTIE_STR(APPLICATION), &options, &instance, NULL), CTIE_E_NOT_FOUND);
}

static int in_the_usual_directory(void *argument) {
    ctie_bus *own = make_bus();
    ctie_instance *first = NULL, *second = NULL;
    if (argument != NULL) setenv("XDG_RUNTIME_DIR", argument, 1);
    else unsetenv("XDG_RUNTIME_DIR");
    setenv("TMPDIR", directory, 1);
    CHECK_STATUS(ctie_instance_claim(own, CTIE_STR(APPLICATION), NULL, &first, NULL), CTIE_OK);
    CHECK_STATUS(ctie_instance_claim(own, CTIE_STR(APPLICATION), NULL, &second, NULL), CTIE_OK);
    CHECK(is_first(first) && !is_first(second));
    CHECK_STATUS(ctie_bus_release(own), CTIE_OK);
    return 0;
}

static void no_runtime_directory_is_needed(void) {
    char path[128];
    CHECK(in_child(in_the_usual_directory, NULL) == 0);
    snprintf(path, sizeof path, "%s/crosstie-%d/.instances/" APPLICATION "/lock", directory, (int)geteuid());
    CHECK(access(path, F_OK) == 0);
    CHECK(in_child(in_the_usual_directory, directory) == 0);
    snprintf(path, sizeof path, "%s/crosstie/.instances/" APPLICATION "/lock", directory);
    CHECK(access(path, F_OK) == 0);
}

static int connect_raw(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    path_of(address.sun_path, sizeof address.sun_path, "/socket");
    int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    CHECK(connect(file, (struct sockaddr *)&address, sizeof address) == 0);
    return file;
}

/* A first instance that receives garbage ends that connection alone, and opens nothing. */
static void garbage_ends_its_connection(void) {
    static const char *const frames[] = {"", "\001", "\001x", "\001\x80", "\003\x80", "\006\x80", "\007\x80", "\377",
                                         "\001\xc0", "\001\x81\xa3url"};
    pid_t child = start_first(true);
    ctie_instance *instance = claim(bus);
    unsigned seed = 3;
    for (int i = 0; i < 300; i++) {
        char bytes[64], answer[256];
        const char *frame = frames[(size_t)i % (sizeof frames / sizeof *frames)];
        size_t size = strlen(frame);
        memcpy(bytes, frame, size);
        if (i >= 100) {
            size = 1 + (size_t)rand_r(&seed) % (sizeof bytes - 1);
            for (size_t at = 1; at < size; at++) bytes[at] = (char)rand_r(&seed);
            bytes[0] = (char)(rand_r(&seed) % 8);
        }
        int file = connect_raw();
        CHECK(send(file, bytes, size, MSG_NOSIGNAL) == (ssize_t)size);
        shutdown(file, SHUT_WR);
        while (recv(file, answer, sizeof answer, 0) > 0) continue;
        close(file);
    }
    CHECK(board->opened == 0);
    CHECK_STATUS(hand(instance, "app://items/0", -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    end_first(child);
}

static _Atomic int pretends;

/* A listener of another kind in the first instance's directory. */
static void *pretend(void *reply) {
    int listener = *(int *)reply;
    char bytes[4096];
    int file = accept(listener, NULL, NULL);
    while (recv(file, bytes, sizeof bytes, 0) <= 0) continue;
    static const char *const replies[] = {"\003\x80\003\x80", "nonsense", "\006\x80"};
    send(file, replies[pretends], 2, MSG_NOSIGNAL);
    close(file);
    return NULL;
}

static void a_listener_that_lies_is_reported(void) {
    char path[128];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    for (pretends = 0; pretends < 3; pretends++) {
        pthread_t thread;
        ctie_bus *other = make_bus();
        ctie_instance *first = claim(other), *instance = claim(bus);
        path_of(address.sun_path, sizeof address.sun_path, "/socket");
        path_of(path, sizeof path, "/socket");
        unlink(path);
        int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 4) == 0);
        pthread_create(&thread, NULL, pretend, &listener);
        CHECK_STATUS(hand(instance, "app://items/0", -1, NULL), pretends == 0 ? CTIE_E_PEER_GONE : CTIE_E_CORRUPT);
        pthread_join(thread, NULL);
        close(listener);
        CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
        CHECK_STATUS(ctie_instance_release(first), CTIE_OK);
        CHECK_STATUS(ctie_bus_release(other), CTIE_OK);
    }
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    bus = make_bus();
    add_routes(bus);
    int files = open_files(), threads = thread_count();
    the_hander_follows_a_first_instance_that_dies();
    a_death_after_taking_is_reported();
    a_stopped_first_instance_is_a_timeout();
    a_handler_without_an_answer_is_a_timeout();
    a_release_makes_room(false);
    a_release_makes_room(true);
    a_handler_may_end_the_claim();
    forked_children_have_no_claim();
    unsafe_directories_are_refused();
    no_runtime_directory_is_needed();
    garbage_ends_its_connection();
    a_listener_that_lies_is_reported();
    CHECK(open_files() == files && threads_end(threads));
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    remove_directory();
    return check_end();
}
