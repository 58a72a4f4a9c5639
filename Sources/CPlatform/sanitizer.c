// Replaces Swift's whole-variable access notes in a build for ThreadSanitizer: the fields of one record may belong to
// different threads, so these notes would report races that are none. Each single load and store is still checked.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
__attribute__((visibility("hidden"))) void cp_ignore_access(void *address, void *caller, void *tag) {
    (void)address, (void)caller, (void)tag;
}
#endif
#endif
