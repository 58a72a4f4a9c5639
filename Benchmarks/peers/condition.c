/* One worker, a buffer, a mutex and condition variables: a hand-written queue. */
#include "../c/trips.h"

#include <pthread.h>

enum { ROOM = 32768 };

typedef struct job {
    void (*fn)(void *data);
    void *data;
} job;

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t filled, finished;
    size_t head, tail; /* where it is put and taken */
    size_t left;       /* how many jobs of a batch are not done */
    job buffer[ROOM];
} pool;

static void *work(void *data) {
    pool *self = data;
    for (;;) {
        pthread_mutex_lock(&self->lock);
        while (self->head == self->tail) pthread_cond_wait(&self->filled, &self->lock);
        job next = self->buffer[self->tail++ % ROOM];
        pthread_mutex_unlock(&self->lock);
        next.fn(next.data);
    }
    return NULL;
}

static void submit(pool *self, void (*fn)(void *data), void *data) {
    pthread_mutex_lock(&self->lock);
    int was_empty = self->head == self->tail;
    self->buffer[self->head++ % ROOM] = (job){fn, data};
    pthread_mutex_unlock(&self->lock);
    if (was_empty) pthread_cond_signal(&self->filled);
}

static void finish_one(void *data) {
    pool *self = data;
    if (__atomic_sub_fetch(&self->left, 1, __ATOMIC_ACQ_REL) != 0) return;
    pthread_mutex_lock(&self->lock);
    pthread_cond_signal(&self->finished);
    pthread_mutex_unlock(&self->lock);
}

static void run(void *context, int count) {
    pool *self = context;
    __atomic_store_n(&self->left, (size_t)count, __ATOMIC_RELEASE);
    for (int i = 0; i < count; i++) submit(self, finish_one, self);
    pthread_mutex_lock(&self->lock);
    while (__atomic_load_n(&self->left, __ATOMIC_ACQUIRE) != 0) pthread_cond_wait(&self->finished, &self->lock);
    pthread_mutex_unlock(&self->lock);
}

static void trip(void *context) { run(context, 1); }

int main(int argc, char **argv) {
    static pool self = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .filled = PTHREAD_COND_INITIALIZER,
                        .finished = PTHREAD_COND_INITIALIZER};
    pthread_t thread;
    require(argc == 2, "usage: condition one|two");
    require(pthread_create(&thread, NULL, work, &self) == 0, "no thread");
    measure_trips(argv[1], "mutex and condition", trip, &self);
    measure_jobs(argv[1], "mutex and condition", run, &self);
    return 0; /* the worker ends with the process */
}
