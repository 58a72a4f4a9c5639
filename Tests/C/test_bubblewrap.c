/*
 * A host and programs in bubblewrap's sandboxes, as Flatpak starts them, share a group: each has a PID namespace, a user
 * namespace and a /proc of its own, and nothing in common with others but the group's directory.
 *
 * Without arguments it is the host; with a directory and an identifier a program in a sandbox, which answers under that.
 */
#define _GNU_SOURCE
#include "group.h"

enum { SANDBOXES = 2 };

static char own_path[4096];

static void run_in_sandbox(char *const program[]) {
    static char *const sandbox[] = {"bwrap", "--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc",
                                    "--dev-bind", "/", "/", "--proc", "/proc", "--"};
    char *command[sizeof sandbox / sizeof *sandbox + 4] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < sizeof sandbox / sizeof *sandbox; i++) command[count++] = sandbox[i];
    while (*program != NULL) command[count++] = *program++;
    execvp(command[0], command);
    _exit(127);
}

static int answer_in_sandbox(void *identifier) {
    run_in_sandbox((char *const[]){own_path, directory, identifier, NULL});
    return 1;
}

static int do_nothing_in_sandbox(void *unused) {
    (void)unused;
    run_in_sandbox((char *const[]){"true", NULL});
    return 1;
}

/* Answers each question, and goes after the last one, 0. */
static int answer(char *group, const char *identifier) {
    struct ear ear = {0};
    snprintf(directory, sizeof directory, "%s", group);
    ctie_wormhole *wormhole = open_group();
    listen_to(wormhole, CTIE_STR("question"), "", &ear);
    for (int64_t answered = -1; answered != 0;) {
        AWAIT(ear.calls > 0 && ear.kind == CTIE_MESSAGE_VALUE && ear.value != answered);
        answered = ear.value;
        CHECK_STATUS(pass_int(wormhole, identifier, answered), CTIE_OK);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return checks_failed != 0;
}

static uint32_t ask(ctie_wormhole *wormhole, int64_t question) {
    uint32_t listeners = 0;
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("question"), ctie_value_int(question), NULL, NULL, &listeners, NULL),
                 CTIE_OK);
    return listeners;
}

static void sandboxes_and_their_host_are_one_group(void) {
    static char names[SANDBOXES][16];
    pid_t sandboxes[SANDBOXES];
    ctie_wormhole *wormhole = open_group();
    for (int i = 0; i < SANDBOXES; i++) {
        snprintf(names[i], sizeof names[i], "answer.%d", i);
        sandboxes[i] = start_child(answer_in_sandbox, names[i]);
    }
    AWAIT(ask(wormhole, 7) == SANDBOXES);
    for (int64_t question = 8; question >= 0; question = question == 20 ? 0 : question == 0 ? -1 : question + 1) {
        uint32_t listeners = ask(wormhole, question);
        CHECK(question == 0 || listeners == SANDBOXES); /* after the last one they go, maybe before they are counted */
        for (int i = 0; i < SANDBOXES; i++) AWAIT(stored_int(wormhole, ctie_str_from(names[i])) == question);
    }
    for (int i = 0; i < SANDBOXES; i++) CHECK(end_of_child(sandboxes[i]) == 0);
    CHECK(ask(wormhole, 1) == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(int count, char **arguments) {
    if (count == 3) return answer(arguments[1], arguments[2]);
    name_directory();
    CHECK(readlink("/proc/self/exe", own_path, sizeof own_path - 1) > 0);
    if (in_child(do_nothing_in_sandbox, NULL) != 0) {
        return check_skipped("bubblewrap is missing, or this kernel gives this user no namespaces");
    }
    sandboxes_and_their_host_are_one_group();
    return check_end();
}
