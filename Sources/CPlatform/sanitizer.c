// What a build for ThreadSanitizer puts in the place of Swift's notes of whole variables that are accessed: of a
// record's fields some are one thread's and some another's, so they are no races. Each load and store is looked at all
// the same.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
__attribute__((visibility("hidden"))) void cp_ignore_access(void *address, void *caller, void *tag) {
    (void)address, (void)caller, (void)tag;
}
#endif
#endif
