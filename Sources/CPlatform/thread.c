#include "platform_thread.h"

__attribute__((visibility("hidden"), tls_model("initial-exec"))) _Thread_local void *cp_thread_slot_pointer;
