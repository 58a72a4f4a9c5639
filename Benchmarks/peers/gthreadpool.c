/* GLib's GThreadPool with as many threads as there are cores. */
#include "../c/trips.h"

#include <glib.h>

typedef struct pool {
    GThreadPool *threads;
    GMutex lock;
    GCond finished;
    gint left; /* how many jobs of a batch are not done */
} pool;

static void finish_one(gpointer job, gpointer context) {
    pool *self = context;
    (void)job;
    if (!g_atomic_int_dec_and_test(&self->left)) return;
    g_mutex_lock(&self->lock);
    g_cond_signal(&self->finished);
    g_mutex_unlock(&self->lock);
}

static void run(void *context, int count) {
    pool *self = context;
    g_atomic_int_set(&self->left, count);
    for (int i = 0; i < count; i++) g_thread_pool_push(self->threads, self, NULL);
    g_mutex_lock(&self->lock);
    while (g_atomic_int_get(&self->left) != 0) g_cond_wait(&self->finished, &self->lock);
    g_mutex_unlock(&self->lock);
}

static void trip(void *context) { run(context, 1); }

int main(int argc, char **argv) {
    static pool self;
    require(argc == 2, "usage: gthreadpool one|two");
    self.threads = g_thread_pool_new(finish_one, &self, (gint)g_get_num_processors(), TRUE, NULL);
    require(self.threads != NULL, "no pool");
    measure_trips(argv[1], "GThreadPool", trip, &self);
    measure_jobs(argv[1], "GThreadPool", run, &self);
    g_thread_pool_free(self.threads, FALSE, TRUE);
    return 0;
}
