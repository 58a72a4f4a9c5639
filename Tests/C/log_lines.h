/* The log of a wormhole, for tests that wait for a line of it. */
#ifndef LOG_LINES_H
#define LOG_LINES_H

#include <crosstie.h>

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { LOG_LINES = 64, LOG_LINE = 512 };

/** The newest lines. Several threads write, while the test reads. */
static struct {
    pthread_mutex_t lock;
    size_t count;
    char text[LOG_LINES][LOG_LINE];
} log_lines = {.lock = PTHREAD_MUTEX_INITIALIZER};

/** The logger: notes a line, cut where it is too long. */
static inline void note_line(int32_t level, ctie_str text, void *user_data) {
    (void)level, (void)user_data;
    pthread_mutex_lock(&log_lines.lock);
    char *line = log_lines.text[log_lines.count++ % LOG_LINES];
    size_t size = text.size < LOG_LINE - 1 ? text.size : LOG_LINE - 1;
    memcpy(line, text.data, size), line[size] = 0;
    pthread_mutex_unlock(&log_lines.lock);
}

static inline void forget_lines(void) {
    pthread_mutex_lock(&log_lines.lock);
    log_lines.count = 0;
    pthread_mutex_unlock(&log_lines.lock);
}

/** Whether one of the newest lines contains a text: for AWAIT, since another thread writes them. */
static inline bool has_line(const char *part) {
    bool is_found = false;
    pthread_mutex_lock(&log_lines.lock);
    size_t kept = log_lines.count < LOG_LINES ? log_lines.count : LOG_LINES;
    for (size_t i = 0; i < kept; i++) { is_found |= strstr(log_lines.text[i], part) != NULL; }
    pthread_mutex_unlock(&log_lines.lock);
    return is_found;
}

#endif
