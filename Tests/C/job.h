/* Jobs with a number, some of them large enough for extents of the store. */
#ifndef JOB_H
#define JOB_H

#include "group.h"

enum { LARGE_JOB = 101, LARGE_SIZE = 64 << 10 };

static inline bool is_large_job(int64_t number) { return number % LARGE_JOB == LARGE_JOB - 1; }

static inline size_t job_size(int64_t number) { return LARGE_SIZE + (size_t)(number * 7919 % 20000); }

/** The number; of a large job, a list of the number and of bytes that follow from it. */
static inline ctie_value *job_value(int64_t number) {
    static _Thread_local char bytes[LARGE_SIZE + 20000];
    if (!is_large_job(number)) return ctie_value_int(number);
    memset(bytes, (int)(number % 251), job_size(number));
    ctie_value *const items[] = {ctie_value_int(number), ctie_value_bytes((ctie_str){bytes, job_size(number)})};
    return ctie_value_list(items, 2);
}

static inline bool has_bytes_of(const ctie_value *value, int64_t number) {
    ctie_str bytes = {NULL, 0};
    if (ctie_value_get_bytes(value, &bytes) != CTIE_OK || bytes.size != job_size(number)) return false;
    for (size_t i = 0; i < bytes.size; i++) {
        if ((unsigned char)bytes.data[i] != number % 251) return false;
    }
    return true;
}

/** The number of a message's job; -1 if it is none, or not whole. */
static inline int64_t job_of(const ctie_message *message) {
    const ctie_value *value = ctie_message_value(message);
    bool is_list = ctie_value_kind(value) == CTIE_KIND_LIST;
    int64_t number = -1;
    ctie_value_get_int(is_list ? ctie_value_at(value, 0) : value, &number);
    bool is_whole = is_list == is_large_job(number) && (!is_list || has_bytes_of(ctie_value_at(value, 1), number));
    return number >= 0 && is_whole ? number : -1;
}

#endif
