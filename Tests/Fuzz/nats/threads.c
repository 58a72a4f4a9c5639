/* The functions of threads, conditions and times that the engine calls. */
#include "simulated.h"
#include "tasks.h"

#include <errno.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>

enum { STACK = 256 << 10, YEAR_2026 = 1767225600 };

/* ---- Threads ------------------------------------------------------------------------------------- */

static void run_task(void) {
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
    task *self = &tasks[tasks_current];
    self->run(self->data);
    self->state = HAS_ENDED;
    tasks_wake(self);
    task_yield();
}

int sim_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data) {
    (void)attributes;
    tasks_free_ended();
    int index = task_find(IS_FREE);
    if (index < 0) { return EAGAIN; }
    task *it = &tasks[index];
    if (it->stack == NULL) {
        it->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        it->stack_size = STACK;
        if (it->stack == MAP_FAILED) { give_up("no stack"); }
    }
    ASAN_UNPOISON_MEMORY_REGION(it->stack, it->stack_size);
    getcontext(&it->context);
    it->context.uc_stack.ss_sp = it->stack, it->context.uc_stack.ss_size = it->stack_size;
    it->context.uc_link = NULL;
    makecontext(&it->context, run_task, 0);
    it->fake_stack = NULL;
    it->run = run, it->data = data, it->is_detached = false, it->state = IS_READY;
    *thread = (pthread_t)index;
    return 0;
}

int sim_join(pthread_t thread, void **result) {
    task *it = &tasks[thread];
    (void)result;
    if (it->state == IS_FREE || it->is_detached) { give_up("a thread is joined twice"); }
    while (it->state != HAS_ENDED) { task_wait(it, INT64_MAX); }
    it->state = IS_FREE;
    return 0;
}

int sim_detach(pthread_t thread) {
    tasks[thread].is_detached = true;
    return 0;
}

int sim_wait(pthread_cond_t *on, pthread_mutex_t *lock) {
    pthread_mutex_unlock(lock);
    task_wait(on, INT64_MAX);
    pthread_mutex_lock(lock);
    return 0;
}

int sim_wait_until(pthread_cond_t *on, pthread_mutex_t *lock, const struct timespec *until) {
    pthread_mutex_unlock(lock);
    bool is_late = task_wait(on, (int64_t)until->tv_sec * 1000000000 + until->tv_nsec);
    pthread_mutex_lock(lock);
    return is_late ? ETIMEDOUT : 0;
}

int sim_signal(pthread_cond_t *on) {
    tasks_wake(on);
    return 0;
}

/* ---- Time ---------------------------------------------------------------------------------------- */

int sim_clock(clockid_t clock, struct timespec *out) {
    int64_t shown = clock == CLOCK_REALTIME ? tasks_now + YEAR_2026 * (int64_t)1000000000 : tasks_now;
    *out = (struct timespec){shown / 1000000000, shown % 1000000000};
    return 0;
}

int sim_sleep(const struct timespec *how_long, struct timespec *left) {
    (void)left;
    task_wait(NULL, tasks_now + (int64_t)how_long->tv_sec * 1000000000 + how_long->tv_nsec);
    return 0;
}

static uint64_t random_state;

void random_begin(void) { random_state = 1; }

ssize_t sim_random(void *out, size_t size, unsigned flags) {
    (void)flags;
    for (size_t i = 0; i < size; i++) { ((uint8_t *)out)[i] = (uint8_t)(random_state++ * 37); }
    return (ssize_t)size;
}
