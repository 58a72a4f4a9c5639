// The thread slot's pointer, and the fences of the asymmetric read side.
#ifndef CPLATFORM_THREAD_H
#define CPLATFORM_THREAD_H

#include <linux/membarrier.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// This thread's slot, or NULL before its first use of the library and in a forked child.
extern __attribute__((visibility("hidden"), tls_model("initial-exec"))) _Thread_local void *cp_thread_slot_pointer;

static inline void *cp_thread_slot(void) { return cp_thread_slot_pointer; }
static inline void cp_set_thread_slot(void *slot) { cp_thread_slot_pointer = slot; }

#ifndef __USE_GNU
// glibc declares it only under _GNU_SOURCE, which is the including file's to set.
extern int sched_getcpu(void);
#endif
/// The core that runs this thread, at this moment; -1 if unknown.
static inline int cp_core(void) { return sched_getcpu(); }
/// The number of cores that the system lets the calling thread use, at least 1: fewer than the machine has under taskset
/// and in some containers.
__attribute__((visibility("hidden"))) int cp_usable_cores(void);
static inline void cp_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/// The approximate current end of the calling function's stack.
static inline uintptr_t cp_stack_pointer(void) {
#if defined(__x86_64__)
    uintptr_t pointer;
    __asm__ __volatile__("mov %%rsp, %0" : "=r"(pointer));
    return pointer;
#elif defined(__aarch64__)
    uintptr_t pointer;
    __asm__ __volatile__("mov %0, sp" : "=r"(pointer));
    return pointer;
#else
    return (uintptr_t)__builtin_frame_address(0);
#endif
}
/// The calling thread's stack, from its lowest byte to past its highest. False if the system does not report it.
__attribute__((visibility("hidden"))) bool cp_stack_bounds(uintptr_t *low, uintptr_t *high);
/// Names the calling thread for debuggers and `ps`; at most 15 bytes count.
static inline void cp_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// Keeps the compiler from moving memory accesses across. The processor's part is the writer's membarrier.
static inline void cp_compiler_fence(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

/// Asks the kernel for the expedited barrier. False where it is refused.
static inline bool cp_membarrier_register(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/// A full fence on every running thread of this process. False where it is refused.
static inline bool cp_membarrier(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

#endif
