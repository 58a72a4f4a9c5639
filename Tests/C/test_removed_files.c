/* Files of a group that are removed while processes send and listen: one by one and all together. Nothing that was
   acknowledged is lost, and there is one group afterwards. */
#define _GNU_SOURCE
#include "check.h"
#include "box.h"
#include "removal.h"

#include <fcntl.h>

#define SENDERS 2
#define MOST 200000

/* The state that the processes of one scene share. */
struct scene {
    uint32_t flags; /* of the group */
    _Atomic bool is_over;
    /* Of each sender: how many of its messages were acknowledged. */
    _Atomic int acknowledged[SENDERS];
    _Atomic int queued[SENDERS], gaps, went_back;
    _Atomic int durable_count[SENDERS];
    _Atomic unsigned char durable[SENDERS][MOST];
    _Atomic int64_t state, greeting;
    _Atomic int failures, ready;
};
static struct scene *scene;

static ctie_wormhole *open_scene(void) {
    ctie_wormhole_options options = group_options(scene->flags);
    return open_group_with(&options);
}

/* ---- The processes ------------------------------------------------------------------------------- */

static int64_t job(int sender, int number) { return (int64_t)sender << 32 | number; }

static int send_jobs(void *argument) {
    int sender = (int)(intptr_t)argument;
    ctie_wormhole *wormhole = open_scene();
    uint64_t before = 0;
    for (int number = 0; !scene->is_over && number < MOST; number++) {
        uint64_t sequence = 0;
        ctie_value *value = ctie_value_int(job(sender, number));
        ctie_status status = ctie_wormhole_send(wormhole, CTIE_STR("jobs"), value, NULL, &sequence, NULL, NULL);
        if (status != CTIE_OK) {
            fprintf(stderr, "sending: %s\n", ctie_status_name(status));
            scene->failures++;
            break;
        }
        if (sequence <= before) scene->went_back++;
        before = sequence;
        scene->acknowledged[sender] = number + 1;
        if (sender == 0 && pass_int(wormhole, "state", number) != CTIE_OK) scene->failures++;
        nap_ns(500000);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return checks_failed != 0;
}

static _Atomic uint64_t received_last;

static void receive_queued(const ctie_message *message, void *unused) {
    (void)unused;
    int64_t value = int_of(message);
    int sender = (int)(value >> 32), number = (int)value;
    uint64_t sequence = ctie_message_sequence(message);
    if (sequence <= received_last) scene->went_back++;
    received_last = sequence;
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE || sender < 0 || sender >= SENDERS ||
        number != scene->queued[sender]) {
        scene->gaps++;
        return;
    }
    scene->queued[sender]++;
}

static void receive_durable(const ctie_message *message, void *unused) {
    (void)unused;
    int64_t value = int_of(message);
    int sender = (int)(value >> 32), number = (int)value;
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE || sender < 0 || sender >= SENDERS || number >= MOST) {
        scene->gaps++;
    } else if (scene->durable[sender][number]++ == 0) {
        scene->durable_count[sender]++;
    }
}

static void receive_state(const ctie_message *message, void *unused) {
    (void)unused;
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) return;
    int64_t value = int_of(message);
    if (value < scene->state) scene->went_back++;
    scene->state = value;
}

static void receive_greeting(const ctie_message *message, void *unused) {
    (void)unused;
    if (ctie_message_kind(message) == CTIE_MESSAGE_VALUE) scene->greeting = int_of(message);
}

static void bind(ctie_wormhole *wormhole, const char *identifier, ctie_receiver_fn fn, uint32_t flags,
                 const char *name) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = flags;
    options.name = ctie_str_from(name);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, ctie_str_from(identifier), CTIE_RECEIVER(fn, NULL), &options, NULL,
                                      NULL), CTIE_OK);
}

static int listen_for_all(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_scene();
    bind(wormhole, "jobs", receive_queued, CTIE_LISTEN_QUEUE, "");
    bind(wormhole, "state", receive_state, 0, "");
    bind(wormhole, "greeting", receive_greeting, 0, "");
    scene->ready++;
    while (!scene->is_over) nap_ns(1000000);
    AWAIT(scene->queued[0] >= scene->acknowledged[0] && scene->queued[1] >= scene->acknowledged[1]);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return checks_failed != 0;
}

static int work(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_scene();
    bind(wormhole, "jobs", receive_durable, CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE, "worker");
    scene->ready++;
    while (!scene->is_over) nap_ns(1000000);
    AWAIT(scene->durable_count[0] >= scene->acknowledged[0] && scene->durable_count[1] >= scene->acknowledged[1]);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return checks_failed != 0;
}

/* ---- The scene ----------------------------------------------------------------------------------- */

static void await_progress(void) {
    int before[SENDERS] = {scene->acknowledged[0], scene->acknowledged[1]};
    AWAIT(scene->failures > 0 ||
          (scene->acknowledged[0] >= before[0] + 20 && scene->acknowledged[1] >= before[1] + 20));
}

/*
 * A new process finds the messages of the others, and they get its messages: at once, unless the directory itself was
 * removed. Then nobody can know of the others, until they notice.
 */
static void check_one_group(bool is_removed) {
    static int64_t greeting;
    static struct ear states, jobs;
    ctie_listen_options queue = CTIE_LISTEN_OPTIONS_INIT;
    queue.flags = CTIE_LISTEN_QUEUE;
    int64_t known = scene->acknowledged[0] - 1;
    ctie_wormhole *wormhole = open_scene();
    memset(&states, 0, sizeof states);
    memset(&jobs, 0, sizeof jobs);
    CHECK(is_removed || stored_int(wormhole, CTIE_STR("state")) >= known - 1);
    listen_to(wormhole, CTIE_STR("state"), "", &states);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("jobs"), CTIE_RECEIVER(receive, &jobs), &queue, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "greeting", ++greeting), CTIE_OK);
    AWAIT(scene->greeting == greeting);
    AWAIT(stored_int(wormhole, CTIE_STR("state")) >= known - 1);
    int received = jobs.calls;
    AWAIT(states.value >= known - 1 && jobs.calls > received);
    CHECK(is_removed || (states.went_back == 0 && jobs.went_back == 0));
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* While processes send and listen, `harm` is done to the directory. */
static void play(const char *what, void (*harm)(void), bool is_removed, bool is_boxed, uint32_t flags) {
    printf("%s\n", what);
    memset(scene, 0, sizeof *scene);
    scene->flags = flags;
    pid_t children[SENDERS + 3];
    children[SENDERS] = (is_boxed ? start_boxed : start_child)(listen_for_all, NULL);
    children[SENDERS + 1] = start_child(work, NULL);
    children[SENDERS + 2] = start_child(work, NULL);
    AWAIT(scene->ready == 3);
    for (int sender = 0; sender < SENDERS; sender++) {
        children[sender] = start_child(send_jobs, (void *)(intptr_t)sender);
    }
    await_progress();
    for (int round = 0; round < 2; round++) {
        harm();
        check_one_group(is_removed);
        AWAIT(has_files());
        await_progress();
        check_one_group(false);
    }
    scene->is_over = true;
    for (int index = 0; index < SENDERS + 3; index++) CHECK(end_of_child(children[index]) == 0);
    CHECK(scene->failures == 0 && scene->gaps == 0 && scene->went_back == 0);
    printf("  %d and %d sent, %d gaps, %d back\n", scene->acknowledged[0], scene->acknowledged[1], scene->gaps,
           scene->went_back);
    remove_directory();
}


/* ---- Those that die while they restore ----------------------------------------------------------- */

static int wait_by(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_scene();
    bind(wormhole, "nothing", receive_greeting, 0, "");
    while (!scene->is_over) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return checks_failed != 0;
}

/* Listening threads look at whole seconds: the waiting processes are killed about then. */
static void remove_and_kill(void) {
    static unsigned seed = 1;
    pid_t bystanders[4];
    for (size_t index = 0; index < 4; index++) bystanders[index] = start_child(wait_by, NULL);
    await_progress();
    unsigned files = 1 + rand_r(&seed) % 8;
    if (files == 8) remove_directory();
    for (unsigned index = 0; index < 3; index++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", directory, FILES[index]);
        if (files & 1u << index) unlink(path); /* it may be in the middle of being restored */
    }
    int64_t second = 1000000000;
    nap_ns(second - now_ns() % second);
    for (size_t index = 0; index < 4; index++) {
        nap_ns(rand_r(&seed) % 700000);
        kill_child(bystanders[index]);
    }
}

/* ---- A member that restores, loses its files, and dies ------------------------------------------- */

static int restore_and_wait(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_scene();
    scene->ready = 1;
    while (scene->ready == 1) nap_ns(1000000);
    while (!has_files()) {
        if (pass_int(wormhole, "state", 1) != CTIE_OK) scene->failures++;
        nap_ns(1000000);
    }
    scene->ready = 3;
    while (true) pause();
    return 0;
}

/* The file of the wakeups alone is left of those that it has made, and no living member has them open. The others must not wait for
 * it for ever, nor may those that open the group. */
static void a_member_dies_with_its_new_files(void) {
    memset(scene, 0, sizeof *scene);
    ctie_wormhole *wormhole = open_scene();
    CHECK_STATUS(pass_int(wormhole, "state", 0), CTIE_OK);
    pid_t child = start_child(restore_and_wait, NULL);
    AWAIT(scene->ready == 1);
    remove_all();
    scene->ready = 2;
    AWAIT(scene->ready == 3);
    remove_data();
    remove_lock();
    kill_child(child);
    AWAIT(pass_int(wormhole, "state", 2) == CTIE_OK);
    CHECK(has_files() && scene->failures == 0);
    ctie_wormhole *another = open_scene();
    CHECK_STATUS(pass_int(another, "state", 3), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(another), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(int count, char **arguments) {
    scene = share(sizeof *scene);
    name_directory();
    if (count < 2) a_member_dies_with_its_new_files();
    const struct { const char *what; void (*harm)(void); bool is_removed, is_boxed; uint32_t flags; } scenes[] = {
        {"wakeups", remove_wakeups, false, false, 0},
        {"data.mdb", remove_data, false, false, CTIE_WORMHOLE_SYSTEM},
        {"lock.mdb", remove_lock, false, true, 0},
        {"all", remove_all, false, false, CTIE_WORMHOLE_FAST},
        {"all of a box", remove_all, false, true, 0},
        {"rm -r", remove_directory, true, false, 0},
        {"rm -r in a box", remove_directory, true, true, CTIE_WORMHOLE_SYSTEM},
        {"kill", remove_and_kill, true, false, 0},
    };
    for (size_t index = 0; index < sizeof scenes / sizeof *scenes; index++) {
        if (scenes[index].is_boxed && !has_boxes()) {
            FIGURES("; without \"%s\", since this kernel gives this user no namespaces", scenes[index].what);
            continue;
        }
        if (count < 2 || strcmp(arguments[1], scenes[index].what) == 0) {
            play(scenes[index].what, scenes[index].harm, scenes[index].is_removed, scenes[index].is_boxed,
                 scenes[index].flags);
        }
    }
    return check_end();
}
