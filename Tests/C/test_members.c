/* Members: listeners are notified when a process opens the group, and when it leaves or dies. */
#include "listening.h"

enum { NOTICES = 256 };

struct notice {
    int kind;
    int32_t pid;
    int64_t since;
    char name[65];
};

/* The messages that a listener to members got. */
struct watch {
    struct ear ear;
    struct notice notices[NOTICES];
};

static void note(const ctie_message *message, void *user_data) {
    struct watch *own = user_data;
    struct notice *notice = &own->notices[own->ear.calls % NOTICES];
    ctie_str name = ctie_message_sender_name(message);
    notice->kind = ctie_message_kind(message);
    notice->pid = ctie_message_sender_pid(message);
    notice->since = ctie_message_time(message);
    snprintf(notice->name, sizeof notice->name, "%.*s", (int)name.size, name.data);
    CHECK(ctie_message_sequence(message) == 0 && ctie_message_value(message) == NULL);
    CHECK(ctie_message_identifier(message).size == 0);
    own->ear.calls++;
}

static void watch_with(ctie_wormhole *wormhole, struct watch *own, const ctie_listen_options *options) {
    CHECK_STATUS(ctie_wormhole_listen_members(wormhole, CTIE_RECEIVER_OWNED(note, own, forget), options,
                                              &own->ear.listener, NULL), CTIE_OK);
}

static bool is(const struct notice *notice, int kind, const char *name) {
    return notice->kind == kind && strcmp(notice->name, name) == 0;
}

static ctie_wormhole *open_as(const char *name) {
    ctie_wormhole_options options = group_options(0);
    options.name = ctie_str_from(name);
    return open_group_with(&options);
}

static void present_members_come_first(void) {
    struct watch all = {0}, changes = {0};
    ctie_wormhole *one = open_as("one"), *two = open_as("two");
    watch_with(one, &all, NULL);
    AWAIT(all.ear.calls == 2);
    CHECK(is(&all.notices[0], CTIE_MESSAGE_JOINED, "one") && is(&all.notices[1], CTIE_MESSAGE_JOINED, "two"));
    CHECK(all.notices[0].pid == getpid() && all.notices[0].since > 0);
    CHECK(all.notices[0].since < all.notices[1].since);
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_NO_INITIAL_DELIVERY;
    watch_with(two, &changes, &options);
    ctie_wormhole *three = open_as("three");
    AWAIT(all.ear.calls == 3 && changes.ear.calls == 1);
    CHECK(is(&all.notices[2], CTIE_MESSAGE_JOINED, "three") && is(&changes.notices[0], CTIE_MESSAGE_JOINED, "three"));
    CHECK_STATUS(ctie_wormhole_release(three), CTIE_OK);
    AWAIT(all.ear.calls == 4 && changes.ear.calls == 2);
    CHECK(is(&all.notices[3], CTIE_MESSAGE_LEFT, "three") && is(&changes.notices[1], CTIE_MESSAGE_LEFT, "three"));
    CHECK_STATUS(ctie_wormhole_release(one), CTIE_OK);
    AWAIT(changes.ear.calls == 3);
    CHECK(is(&changes.notices[2], CTIE_MESSAGE_LEFT, "one") && all.ear.calls == 4);
    CHECK(changes.notices[2].since == all.notices[0].since);
    CHECK_STATUS(ctie_listener_release(changes.ear.listener), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(two), CTIE_OK);
    CHECK(all.ear.destroyed == 1 && changes.ear.destroyed == 1);
}

static void messages_are_nothing_to_it(void) {
    struct watch own = {0};
    struct ear ear = {0};
    ctie_wormhole *wormhole = open_as("one");
    watch_with(wormhole, &own, NULL);
    listen_to(wormhole, CTIE_STR("a"), NULL, &ear);
    AWAIT(ear.calls == 1);
    for (int i = 1; i <= 100; i++) { CHECK_STATUS(pass_int(wormhole, "a", i), CTIE_OK); }
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    AWAIT(ear.kind == CTIE_MESSAGE_DESTROYED);
    CHECK(own.ear.calls == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void a_name_replaces(void) {
    struct watch first = {0}, second = {0};
    ctie_wormhole *wormhole = open_as("one");
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = CTIE_STR("n");
    watch_with(wormhole, &first, &options);
    AWAIT(first.ear.calls == 1);
    watch_with(wormhole, &second, &options);
    CHECK(first.ear.destroyed == 1);
    AWAIT(second.ear.calls == 1);
    options.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(ctie_wormhole_listen_members(wormhole, CTIE_RECEIVER(note, NULL), &options, NULL, NULL),
                 CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_listen_members(wormhole, CTIE_RECEIVER(NULL, NULL), NULL, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_remove_all_listeners(wormhole), CTIE_OK);
    CHECK(second.ear.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* ---- In a loop and on workers --------------------------------------------------------------------------- */

static void members_listener_executors(void) {
    struct watch looped = {0}, worked = {0};
    ctie_loop *loop = NULL;
    ctie_bus *bus = NULL;
    ctie_wormhole *wormhole = open_as("one");
    CHECK_STATUS(ctie_wormhole_loop(wormhole, &loop), CTIE_OK);
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    ctie_listen_options options = in_loop(loop);
    watch_with(wormhole, &looped, &options);
    options = on_workers(bus, NULL);
    watch_with(wormhole, &worked, &options);
    AWAIT(worked.ear.calls == 1);
    CHECK(looped.ear.calls == 0);
    DISPATCH_UNTIL(loop, looped.ear.calls == 1);
    ctie_wormhole *two = open_as("two");
    AWAIT(worked.ear.calls == 2);
    DISPATCH_UNTIL(loop, looped.ear.calls == 2);
    CHECK(is(&looped.notices[1], CTIE_MESSAGE_JOINED, "two") && is(&worked.notices[1], CTIE_MESSAGE_JOINED, "two"));
    CHECK_STATUS(ctie_wormhole_release(two), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Processes ------------------------------------------------------------------------------------------- */

static int stay(void *name) {
    ctie_wormhole *wormhole = open_as(name);
    for (;;) { pause(); }
    return wormhole == NULL;
}

static int come_and_go(void *name) {
    ctie_wormhole *wormhole = open_as(name);
    nap_ns(1000000);
    return ctie_wormhole_release(wormhole) == CTIE_OK ? 0 : 1;
}

/* The kinds of the notices about a process, in their order: 'J' and 'L'. */
static void story_of(const struct watch *own, pid_t pid, char *story, size_t size) {
    size_t used = 0;
    for (int i = 0; i < own->ear.calls && i < NOTICES && used + 1 < size; i++) {
        if (own->notices[i].pid == pid) { story[used++] = own->notices[i].kind == CTIE_MESSAGE_JOINED ? 'J' : 'L'; }
    }
    story[used] = 0;
}

static bool reports(const struct watch *own, pid_t pid, const char *expected) {
    char story[8];
    story_of(own, pid, story, sizeof story);
    return strcmp(story, expected) == 0;
}

/* A kill is reported like an orderly close; a watcher in another process would get the same. */
static void every_death_is_reported(void) {
    struct watch own = {0};
    pid_t killed[8];
    ctie_wormhole *wormhole = open_as("watcher");
    watch_with(wormhole, &own, NULL);
    for (int i = 0; i < 8; i++) {
        killed[i] = start_child(stay, "killed");
        AWAIT(reports(&own, killed[i], "J"));
    }
    for (int i = 0; i < 8; i++) { kill_child(killed[i]); }
    int64_t begin = now_ns();
    for (int i = 0; i < 8; i++) { AWAIT(reports(&own, killed[i], "JL")); }
    printf("told after %d ms\n", (int)((now_ns() - begin) / 1000000));
    pid_t leaver = start_child(come_and_go, "leaver");
    CHECK(end_of_child(leaver) == 0);
    AWAIT(reports(&own, leaver, "JL") || reports(&own, leaver, ""));
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(own.ear.calls <= NOTICES && is(&own.notices[0], CTIE_MESSAGE_JOINED, "watcher"));
}

/* ---- At rest --------------------------------------------------------------------------------------------- */

/* The number of times that the threads of this process have gone to sleep by themselves. */
static long sleeps(void) {
    long sum = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *each; tasks != NULL && (each = readdir(tasks)) != NULL;) {
        char path[300], line[256];
        if (each->d_name[0] == '.' || atoi(each->d_name) == getpid()) { continue; }
        snprintf(path, sizeof path, "/proc/self/task/%s/status", each->d_name);
        FILE *file = fopen(path, "r");
        long count = 0;
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) { sum += count; }
        }
        if (file != NULL) { fclose(file); }
    }
    if (tasks != NULL) { closedir(tasks); }
    return sum;
}

/* With a listener there is one thread, which wakes no more than once a second; without one there is none. */
static void idle_members_sleep(void) {
    struct watch own = {0};
    struct ear ear = {0};
    int before = thread_count();
    ctie_wormhole *wormhole = open_as("idle"), *other = open_as("other");
    CHECK(thread_count() == before);
    watch_with(wormhole, &own, NULL);
    listen_to(wormhole, CTIE_STR("a.*"), "", &ear);
    AWAIT(own.ear.calls == 2);
    CHECK(thread_count() == before + 1);
    nap_ns(1000000000);
    long begin = sleeps();
    int64_t start = now_ns();
    nap_ns(3000000000);
    long count = sleeps() - begin, seconds = (now_ns() - start) / 1000000000 + 1;
    printf("%ld wakes in %ld s\n", count, seconds);
    CHECK(count <= seconds + 1);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(threads_end(before));
}

int main(void) {
    name_directory();
    present_members_come_first();
    messages_are_nothing_to_it();
    a_name_replaces();
    members_listener_executors();
    every_death_is_reported();
    idle_members_sleep();
    remove_directory();
    return check_end();
}
