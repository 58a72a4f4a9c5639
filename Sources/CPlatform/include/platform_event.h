// Event counters, whose header is not in Swift's module of glibc.
#ifndef CPLATFORM_EVENT_H
#define CPLATFORM_EVENT_H

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// A descriptor that is not readable yet, or -1 and errno.
static inline int cp_event_make(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/// Makes it readable.
static inline void cp_event_set(int event) {
    uint64_t one = 1;
    ssize_t ignored = write(event, &one, sizeof one);
    (void)ignored;
}

/// Makes it readable no more.
static inline void cp_event_clear(int event) {
    uint64_t count;
    ssize_t ignored = read(event, &count, sizeof count);
    (void)ignored;
}

#endif
