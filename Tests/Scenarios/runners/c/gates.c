/* Handlers that take long: they wait at a gate until a step opens it, or until their deadline has passed. */
#include "player.h"

#include <unistd.h>

typedef struct gate {
    int waiting;
    bool open;
} gate;

/* The gate of a name; made by the first user. */
static gate *gate_of(player *p, ctie_str name) {
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&making);
    gate *found = thing_look_up(p, GATE, name);
    if (found == NULL) {
        found = keep_memory(p, sizeof *found);
        thing_add(p, GATE, name, found);
    }
    pthread_mutex_unlock(&making);
    return found;
}

void wait_at(player *p, ctie_str name) {
    gate *own = gate_of(p, name);
    pthread_mutex_lock(&p->lock);
    own->waiting++;
    pthread_cond_broadcast(&p->changed);
    bool in_time = true;
    while (!own->open && !p->over && in_time) { wait_for_change(p, &in_time); }
    bool open = own->open || p->over;
    own->waiting--;
    pthread_mutex_unlock(&p->lock);
    if (!open) { failf(p, "nobody opened the gate"); }
}

ctie_status act_block(handler *h, ctie_request *request, step *action) {
    (void)request;
    wait_at(h->player, text(h->player, action, "gate", "gate"));
    return CTIE_OK;
}

/* Waits until this many handlers are at the gate. */
void step_blocked(player *p, step *s) {
    gate *own = gate_of(p, text(p, s, "gate", "gate"));
    pthread_mutex_lock(&p->lock);
    bool in_time = true;
    while (own->waiting < number(s, "count", 1) && in_time) { wait_for_change(p, &in_time); }
    int waiting = own->waiting;
    pthread_mutex_unlock(&p->lock);
    if (!in_time) { failf(p, "%d handlers are at the gate", waiting); }
}

void step_unblock(player *p, step *s) {
    gate *own = gate_of(p, text(p, s, "gate", "gate"));
    if (p->groups == IN_ENGINE) { engines_deliver(); }
    pthread_mutex_lock(&p->lock);
    own->open = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* For those that come after the last step, too. */
void gates_open(player *p) {
    pthread_mutex_lock(&p->lock);
    p->over = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

ctie_status act_outlast(handler *h, ctie_request *request, step *action) {
    (void)action;
    int64_t left = 1;
    for (int i = 0; i < WATCHDOG_SECONDS * 1000; i++) {
        expect_ok(h->player, "time_left", ctie_request_time_left(request, &left));
        if (left == 0) { return CTIE_OK; }
        usleep(1000);
    }
    failf(h->player, "the deadline did not pass");
    return CTIE_OK;
}
