#define _GNU_SOURCE
#include "platform_thread.h"

#include <pthread.h>

__attribute__((visibility("hidden"), tls_model("initial-exec"))) _Thread_local void *cp_thread_slot_pointer;

#ifdef CP_RUNTIME_INSIDE
// Of libswiftCore.a: swift::threading_impl::linux::ulock_get_tid()::tid, 0 until it is first needed.
extern _Thread_local uint32_t runtime_thread_id
    __asm__("_ZZN5swift14threading_impl5linux13ulock_get_tidEvE3tid");
void cp_forget_thread_id(void) { runtime_thread_id = 0; }
#else
void cp_forget_thread_id(void) {}
#endif

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
