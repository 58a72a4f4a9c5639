// The thread slot's pointer, and the fences of the asymmetric read side.
#ifndef CPLATFORM_THREAD_H
#define CPLATFORM_THREAD_H

#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// This thread's slot, or NULL before its first use of the library and in a forked child.
extern __attribute__((visibility("hidden"), tls_model("initial-exec"))) _Thread_local void *cp_thread_slot_pointer;

static inline void *cp_thread_slot(void) { return cp_thread_slot_pointer; }
static inline void cp_set_thread_slot(void *slot) { cp_thread_slot_pointer = slot; }

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
