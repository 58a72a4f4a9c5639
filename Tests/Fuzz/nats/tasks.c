/* Threads as coroutines. One runs at a time, and others run only while it waits: a lock that it holds then is one that
   it holds while it waits, which hangs here as it would there. */
#include "inboxes.h"
#include "simulated.h"
#include "tasks.h"

#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_S = 3600 };

task tasks[TASKS_MOST];
int tasks_current;
int64_t tasks_now;
static int64_t began;

void give_up(const char *why) {
    fprintf(stderr, "ERROR: %s\n", why);
    abort();
}

/* ---- Changing ------------------------------------------------------------------------------------ */

static void find_own_stack(void) {
    pthread_attr_t attributes;
    void *bottom = NULL;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &bottom, &tasks[0].stack_size);
    pthread_attr_destroy(&attributes);
    tasks[0].stack = bottom;
}

static void change_to(int next) {
    task *from = &tasks[tasks_current], *to = &tasks[next];
    bool ends = from->state == HAS_ENDED;
    tasks_current = next;
    __sanitizer_start_switch_fiber(ends ? NULL : &from->fake_stack, to->stack, to->stack_size);
    swapcontext(&from->context, &to->context);
    __sanitizer_finish_switch_fiber(tasks[tasks_current].fake_stack, NULL, NULL);
}

void tasks_wake(const void *on) {
    for (int i = 0; i < TASKS_MOST; i++) {
        task *each = &tasks[i];
        if (each->state == WAITS && each->on == on) { each->state = IS_READY, each->is_late = false; }
    }
}

int task_find(task_state state) {
    for (int i = 1; i <= TASKS_MOST; i++) {
        int at = (tasks_current + i) % TASKS_MOST;
        if (tasks[at].state == state) { return at; }
    }
    return -1;
}

/* The next time that somebody waits for. */
static void advance(void) {
    int64_t next = INT64_MAX;
    for (int i = 0; i < TASKS_MOST; i++) {
        if (tasks[i].state == WAITS && tasks[i].until < next) { next = tasks[i].until; }
    }
    if (next == INT64_MAX) { give_up("every thread waits for another one"); }
    if (next > tasks_now) { tasks_now = next; }
    if (tasks_now - began > LONGEST_S * (int64_t)1000000000) { give_up("this takes hours"); }
    for (int i = 0; i < TASKS_MOST; i++) {
        task *each = &tasks[i];
        if (each->state == WAITS && each->until <= tasks_now) { each->state = IS_READY, each->is_late = true; }
    }
}

/* The next one that has work; then what is on its way; then one that waits for both to end; then time passes. */
void task_yield(void) {
    for (;;) {
        int next = task_find(IS_READY);
        if (next < 0 && inboxes_turn()) { continue; }
        if (next < 0) { next = task_find(IS_IDLE); }
        if (next >= 0) {
            tasks[next].state = tasks[next].state == IS_IDLE ? IS_READY : tasks[next].state;
            if (next != tasks_current) { change_to(next); }
            return;
        }
        advance();
    }
}

/* Waits; true if it was until the time. */
bool task_wait(const void *on, int64_t until) {
    task *self = &tasks[tasks_current];
    self->state = WAITS, self->on = on, self->until = until, self->is_late = false;
    task_yield();
    return self->is_late;
}

/* ---- The program's own thread -------------------------------------------------------------------- */

void tasks_begin(void) {
    if (tasks[0].stack == NULL) { find_own_stack(); }
    tasks_now = began = (int64_t)1000000000;
    random_begin();
    tasks_current = 0;
    tasks[0].state = IS_READY;
}

void tasks_run(void) {
    tasks[tasks_current].state = IS_IDLE;
    task_yield();
}

void tasks_pass(int64_t ms) {
    task_wait(NULL, tasks_now + ms * 1000000);
    tasks_run();
}

/* A detached one that has ended is freed by another: it still runs on its stack. */
void tasks_free_ended(void) {
    for (int i = 1; i < TASKS_MOST; i++) {
        if (i != tasks_current && tasks[i].state == HAS_ENDED && tasks[i].is_detached) { tasks[i].state = IS_FREE; }
    }
}

static bool has_others(void) {
    tasks_free_ended();
    for (int i = 1; i < TASKS_MOST; i++) {
        if (tasks[i].state != IS_FREE) { return true; }
    }
    return false;
}

void tasks_end(void) {
    tasks_run();
    for (int seconds = 0; has_others(); seconds++) {
        if (seconds > 60) { give_up("a thread does not end"); }
        tasks_pass(1000);
    }
}
