#define _GNU_SOURCE
#include "platform_thread.h"

#include <pthread.h>

__attribute__((visibility("hidden"), tls_model("initial-exec"))) _Thread_local void *cp_thread_slot_pointer;

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
