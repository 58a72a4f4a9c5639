/*
 * The lock of writers, as its header makes it: unlike every other test here, this one includes a header of the library's
 * inside, because no function of the library holds the lock for long. The kernel knows the owner of a robust mutex by its
 * thread id, and threads of two PID namespaces may have the same one.
 */
#define _GNU_SOURCE
#include "box.h"

#include "../../Sources/CPlatform/include/platform_robust.h"

static struct {
    pthread_mutex_t lock;
    _Atomic pid_t owner, waiter;
    atomic_bool isWaiting, shallUnlock;
} *shared;

static const uint64_t LONG = (uint64_t)60 * 1000000000;

static int own(void *unused) {
    (void)unused;
    CHECK(cp_robust_lock(&shared->lock, LONG) == 0);
    shared->owner = getpid();
    AWAIT(shared->shallUnlock);
    cp_robust_unlock(&shared->lock);
    return 0;
}

static int wait_for_it(void *unused) {
    (void)unused;
    shared->waiter = getpid();
    shared->isWaiting = true;
    int result = cp_robust_lock(&shared->lock, LONG);
    if (result == 0 || result == EOWNERDEAD) { cp_robust_unlock(&shared->lock); }
    return result;
}

static void begin(void) {
    memset(shared, 0, sizeof *shared);
    CHECK(cp_robust_init(&shared->lock) == 0);
}

/** Waits until the word says that a thread waits. */
static void await_waiter(void) { AWAIT((cp_robust_load(&shared->lock) & FUTEX_WAITERS) != 0); }

/* Both are process 1 of their namespace. */
static void a_killed_waiter_with_the_owners_id_frees_nothing(void) {
    begin();
    pid_t owner = start_boxed(own, NULL);
    AWAIT(shared->owner != 0);
    pid_t waiter = start_boxed(wait_for_it, NULL);
    await_waiter();
    CHECK(shared->owner == shared->waiter);
    kill(waiter, SIGKILL);
    CHECK(end_of_child(waiter) != 0);
    nap_ns(100000000); /* the box's process dies after the one that waits for it */
    CHECK(cp_robust_try(&shared->lock) == EBUSY);
    shared->shallUnlock = true;
    CHECK(end_of_child(owner) == 0);
    CHECK(cp_robust_try(&shared->lock) == 0);
    cp_robust_unlock(&shared->lock);
}

static void unlocking_wakes_each_waiter(void) {
    pid_t waiters[3];
    begin();
    pid_t owner = start_child(own, NULL);
    AWAIT(shared->owner != 0);
    for (int i = 0; i < 3; i++) { waiters[i] = start_child(wait_for_it, NULL); }
    await_waiter();
    shared->shallUnlock = true;
    CHECK(end_of_child(owner) == 0);
    for (int i = 0; i < 3; i++) { CHECK(end_of_child(waiters[i]) == 0); }
    CHECK(cp_robust_load(&shared->lock) == 0);
}

static void an_owners_death_is_reported_to_a_waiter(void) {
    begin();
    pid_t owner = start_child(own, NULL);
    AWAIT(shared->owner != 0);
    pid_t waiter = start_child(wait_for_it, NULL);
    await_waiter();
    kill(owner, SIGKILL);
    end_of_child(owner);
    CHECK(end_of_child(waiter) == EOWNERDEAD);
}

static void a_wait_ends_in_time(void) {
    begin();
    pid_t owner = start_child(own, NULL);
    AWAIT(shared->owner != 0);
    CHECK(cp_robust_lock(&shared->lock, 30000000) == ETIMEDOUT);
    CHECK(cp_robust_lock(&shared->lock, 0) == ETIMEDOUT);
    shared->shallUnlock = true;
    CHECK(end_of_child(owner) == 0);
    CHECK(cp_robust_lock(&shared->lock, UINT64_MAX) == 0);
    cp_robust_unlock(&shared->lock);
}

int main(void) {
    shared = share(sizeof *shared);
    unlocking_wakes_each_waiter();
    an_owners_death_is_reported_to_a_waiter();
    a_wait_ends_in_time();
    if (!has_boxes()) { return end_without_boxes(); }
    a_killed_waiter_with_the_owners_id_frees_nothing();
    return check_end();
}
