/* Steps that another process plays: this program again, or CROSSTIE_OTHER_PLAYER, with the steps as JSON. */
#define _GNU_SOURCE /* program_invocation_name */
#include "player.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct child {
    pid_t pid;
    bool killed; /* it is expected to be */
} child;

static bool start(player *p, step *s, child *new) {
    ctie_value *json = NULL;
    ctie_str steps = {"", 0};
    expect_ok(p, "steps as JSON", ctie_value_to_json(ctie_value_get(s, CTIE_STR("steps")), 0, &json, NULL));
    expect_ok(p, "steps as text", ctie_value_get_string(json, &steps));
    /* Not /proc/self/exe, which under a checker is the checker. */
    char *other = getenv("CROSSTIE_OTHER_PLAYER"), *program = other == NULL ? program_invocation_name : other;
    char *arguments[] = {program, "--process", (char *)p->directory, (char *)steps.data, NULL};
    int problem = posix_spawn(&new->pid, program, NULL, NULL, arguments, environ);
    if (problem != 0) { failf(p, "no process could be started"); }
    ctie_value_release(json);
    return problem == 0;
}

static void finish(player *p, child *own) {
    int status = 0;
    while (waitpid(own->pid, &status, 0) < 0 && errno == EINTR) {}
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (own->killed ? !killed : !well) { failf(p, "the other process ended with %d", status); }
}

void step_process(player *p, step *s) {
    child *new = keep_memory(p, sizeof *new);
    new->killed = flag(s, "killed", false);
    if (!start(p, s, new)) { return; }
    if (has(s, "as")) {
        thing_add(p, PROCESS, text(p, s, "as", ""), new);
    } else {
        finish(p, new);
    }
}

void step_join(player *p, step *s) {
    child *own = thing_take(p, PROCESS, text(p, s, "process", ""));
    if (own != NULL) { finish(p, own); }
}

void processes_end(player *p) {
    for (child *own; (own = thing_next(p, PROCESS)) != NULL;) { finish(p, own); }
}

void step_die(player *p, step *s) {
    (void)p, (void)s;
    kill(getpid(), SIGKILL);
}
