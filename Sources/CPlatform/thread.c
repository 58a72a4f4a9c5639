#define _GNU_SOURCE
#include "platform_thread.h"

#include <pthread.h>

__attribute__((visibility("hidden"), tls_model("initial-exec"))) _Thread_local void *cp_thread_slot_pointer;

#ifdef CP_RUNTIME_INSIDE
// Of libswiftCore.a: swift::threading_impl::linux::ulock_get_tid()::tid, 0 until it is first needed.
extern _Thread_local uint32_t runtime_thread_id
    __asm__("_ZZN5swift14threading_impl5linux13ulock_get_tidEvE3tid");
static void forget_thread_id(void) { runtime_thread_id = 0; }

// Swift's runtime locks by the system's thread number and caches it, so a forked child would go on with its parent's: the
// kernel then refuses the lock to every thread, and two threads that need the same type for the first time retry forever.
// The runtime may need the number when it is loaded, so this holds for hosts that fork before they use the library, too.
__attribute__((constructor)) static void forget_it_in_children(void) { pthread_atfork(NULL, NULL, forget_thread_id); }
#endif

int cp_usable_cores(void) {
    cpu_set_t set;
    // It fails on machines with more cores than the set has bits.
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > 65536 ? 65536 : (int)online;
}

bool cp_stack_bounds(uintptr_t *low, uintptr_t *high) {
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    bool is_known = pthread_attr_getstack(&attributes, &start, &size) == 0;
    pthread_attr_destroy(&attributes);
    if (!is_known) return false;
    *low = (uintptr_t)start;
    *high = (uintptr_t)start + size;
    return true;
}
