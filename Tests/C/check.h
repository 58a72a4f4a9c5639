/* The smallest test harness: count, say where, go on. */
#ifndef CHECK_H
#define CHECK_H

#include <crosstie.h>
#include <stdio.h>
#ifdef __cplusplus
#include <atomic>
using std::atomic_int;
#else
#include <stdatomic.h>
#endif

/* Clang names its sanitizers as features, GCC by these macros. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif

static atomic_int checks_passed;
static atomic_int checks_failed;

static void check_that(bool holds, const char *what, const char *file, int line) {
    if (holds) {
        checks_passed++;
    } else {
        checks_failed++;
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    }
}

/** Notes whether `condition` holds. */
#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)

/** Notes whether `call` answers `expected`. */
#define CHECK_STATUS(call, expected) \
    do { \
        ctie_status got_ = (call); \
        check_that(got_ == (expected), #call " == " #expected, __FILE__, __LINE__); \
        if (got_ != (expected)) fprintf(stderr, "    it is %s\n", ctie_status_name(got_)); \
    } while (0)

/** True when `text` is exactly `expected`. */
static inline bool text_is(ctie_str text, const char *expected) {
    size_t size = strlen(expected);
    return text.size == size && (size == 0 || memcmp(text.data, expected, size) == 0);
}

/** The options of a request without a deadline: on a machine that has much else to do none fails for that. */
static inline const ctie_request_options *without_end(void) {
    static __thread ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1;
    return &options;
}

static char check_figures[512];

/** Adds figures, formatted as by printf, to the line that check_end() prints. */
#define FIGURES(...) \
    do { \
        size_t used_ = strlen(check_figures); \
        snprintf(check_figures + used_, sizeof check_figures - used_, __VA_ARGS__); \
    } while (0)

/** Prints the count, and the figures if there are any; the exit status of the test program. */
static inline int check_end(void) {
    printf("%d checks passed%s\n", (int)checks_passed, check_figures);
    return checks_failed == 0 ? 0 : 1;
}

/** Instead of check_end(), where the system lacks what the rest of the test needs: says what, and gives exit status 77. */
static inline int check_skipped(const char *why) {
    printf("%s\n", why);
    return checks_failed == 0 ? 77 : 1;
}

#endif
