/* A connection to the server that is made again when it breaks, with a deadline for each command. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include <crosstie.h>
#include <hiredis/hiredis.h>
#include <pthread.h>

enum { NAME_MOST = 160 };

typedef struct connection {
    char socket[NAME_MOST];
    pthread_mutex_t lock; /* one command at a time */
    redisContext *context; /* NULL: not connected */
} connection;

/* A command's words; they are borrowed. */
typedef struct words {
    const char **data;
    size_t *sizes;
    size_t count, room;
} words;

/* Of the monotonic clock, which nobody sets. */
int64_t now_ms(void);
int64_t deadline_in(int64_t timeout_ms);

/* False if the path is too long for a socket, or without memory. */
bool connection_init(connection *it, const char *socket);
void connection_end(connection *it);
/*
 * Sends a command and waits for its reply, at most so long. CTIE_E_UNAVAILABLE, CTIE_E_NO_MEMORY: it was not sent.
 * CTIE_E_UNCERTAIN: the answer is lost. A reply that is an error is CTIE_E_UNAVAILABLE, CTIE_E_NO_SPACE, CTIE_E_DENIED
 * or CTIE_E_SYSTEM. After CTIE_OK the caller frees the reply.
 */
ctie_status connection_call(connection *it, const words *command, redisReply **out, int64_t timeout_ms);

/* Room for so many words; false without memory. */
bool words_init(words *it, size_t room);
void words_add(words *it, const void *data, size_t size);
void words_add_text(words *it, const char *text);
void words_free(words *it);

#endif
