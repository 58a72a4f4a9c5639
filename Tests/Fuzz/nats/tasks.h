/* Simulated threads and their time. */
#ifndef TASKS_H
#define TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* Begins an input: no time has passed, and there is no thread but this one. */
void tasks_begin(void);
/* Has all threads run until each waits for a time or for another one, and nothing is on its way any more. */
void tasks_run(void);
/* Likewise, and lets so much time pass. */
void tasks_pass(int64_t ms);
/* Lets time pass until every thread has ended; one that does not ends the program. */
void tasks_end(void);

/* Ends the program as a crash does. */
void give_up(const char *why) __attribute__((noreturn));

/* --- for threads.c --- */

enum { TASKS_MOST = 48 };

typedef enum { IS_FREE, IS_READY, WAITS, IS_IDLE, HAS_ENDED } task_state;

typedef struct task {
    ucontext_t context;
    char *stack;
    size_t stack_size;
    void *fake_stack; /* AddressSanitizer's */
    task_state state;
    const void *on;   /* a condition or a task; NULL: only for a time */
    int64_t until;    /* INT64_MAX: for ever */
    bool is_late, is_detached;
    void *(*run)(void *);
    void *data;
} task;

extern task tasks[TASKS_MOST]; /* the first is the program's own thread */
extern int tasks_current;
extern int64_t tasks_now; /* nanoseconds */

/* The next task in a state; -1 if there is none. */
int task_find(task_state state);
/* Lets others run until this task is ready. */
void task_yield(void);
/* Waits; true if it was until the time. */
bool task_wait(const void *on, int64_t until);
void tasks_wake(const void *on);
/* Frees the detached tasks that have ended: they cannot do that themselves. */
void tasks_free_ended(void);
void random_begin(void);

#endif
