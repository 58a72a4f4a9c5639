/* The record of a durable consumer in the third stream: its options, and the name of its consumer on the server. Every
   change names the version that it replaces. A consumer without a record has the default options. */
#ifndef RECORD_H
#define RECORD_H

#include "engine.h"
#include "last.h"
#include "post.h"
#include "problem.h"

#include <crosstie/durable.h>

enum {
    SUFFIX_MOST = 20,       /* with its NUL */
    DEAD_LETTER_MOST = 132, /* likewise */
};

typedef struct durable_options {
    uint32_t max_deliveries;
    char dead_letter[DEAD_LETTER_MOST];
    uint64_t first_ms, most_ms, expires_ms;
    double factor, jitter;
} durable_options;

/* A consumer is being made, or is there unless it has expired; it is being forgotten. */
typedef enum { RECORD_NONE, RECORD_MAKING, RECORD_MADE, RECORD_FORGOTTEN } record_state;

typedef struct durable_record {
    uint64_t at;                /* its number in the third stream; 0: there is none */
    record_state state;
    char suffix[SUFFIX_MOST];   /* of the consumer's name on the server; empty until it is moved */
    bool has_previous;
    char previous[SUFFIX_MOST]; /* of the consumer that this one replaces, which may still be there */
    uint64_t start;             /* messages before this number of the stream were left out when it was moved */
    durable_options options;
} durable_record;

/* --- record.c --- */

/* A durable consumer as the functions of the engine name it. */
typedef struct durable_key {
    ctie_str topic, name;
    char base[CONSUMER_MOST]; /* names_consumer() */
} durable_key;
ctie_status durable_key_of(ctie_str topic, ctie_str name, durable_key *out);

/* Reads a record: RECORD_NONE if there is none. */
ctie_status record_read(engine *it, const char *base, durable_record *out, int64_t deadline);
/* Replaces the version `at`, and sets it. CTIE_E_CONFLICT: it is another one; CTIE_E_NOT_FOUND: there is no stream. */
ctie_status record_write(engine *it, const durable_key *key, durable_record *record, int64_t deadline);
/* Removes this version, unless there is a newer one. */
ctie_status record_remove(engine *it, const durable_record *record, int64_t deadline);
/* A status after a part of the change was made: CTIE_E_UNCERTAIN for no answer. */
ctie_status record_doubt(engine *it, ctie_status status);
/* The name of the consumer on the server. */
void record_consumer(const char *base, const char *suffix, char out[CONSUMER_NAME_MOST]);
/* Reads the text of a record, which is a stranger's. */
bool record_parse(const char *text, size_t size, durable_record *out);

/* --- durable_options.c --- */

durable_options durable_defaults(void);
/* Those of a declaration. CTIE_E_UNSUPPORTED names one that the server cannot have. */
ctie_status durable_options_read(engine *it, const ctie_durable_options *from, durable_options *out);
/* As they are listed; the text is borrowed. */
ctie_durable_options durable_options_show(const durable_options *from);
/* The first option that is another one, by its name; NULL if none is. */
const char *durable_options_differ(const durable_options *a, const durable_options *b);
json_t *durable_options_pack(const durable_options *from);
bool durable_options_parse(const json_t *from, durable_options *out);
/* Nanoseconds until a message that was rejected comes again, after so many deliveries. */
int64_t durable_pause(const durable_options *it, uint32_t deliveries);

/* --- durable_stream.c --- */

/* Makes the third stream, unless it is there. */
ctie_status durable_stream_have(engine *it, int64_t deadline);
/* After the server has lost the messages: removes what belongs to them. */
ctie_status durable_stream_check(engine *it, int64_t deadline);

/* --- durable_consumer.c: the consumer on the server --- */

typedef struct durable_start {
    const char *policy; /* of JetStream: `all`, `new`, `by_start_sequence`, `by_start_time` */
    uint64_t sequence;
    int64_t time;
} durable_start;

/* CTIE_E_NOT_FOUND: there is none; CTIE_E_CONFLICT: it is of another making; CTIE_PENDING: the stream was lost, and is
   being made again. `info` receives the server's answer; it may be NULL. */
ctie_status durable_look(engine *it, const durable_key *key, const char *consumer, int64_t deadline, json_t **info);
/* Makes it, or finds it as it would be made. CTIE_E_ALREADY: it is there, and begins elsewhere. */
ctie_status durable_make(engine *it, const durable_key *key, const char *consumer, const durable_start *from,
                         const durable_options *options, int64_t deadline, json_t **info);
/* Changes the time without a listener after which the server removes it. */
ctie_status durable_change(engine *it, const json_t *info, const durable_options *options, int64_t deadline);
ctie_status durable_delete(engine *it, const char *consumer, int64_t deadline);

/* --- declare.c --- */

/* Makes a durable consumer that is not there, with a record if it needs one: CTIE_PENDING if another member changes it. */
ctie_status durable_begin(engine *it, const durable_key *key, durable_record *record, const durable_options *options,
                          const durable_start *from, int64_t deadline);

/* --- forget.c --- */

/* Removes what a consumer has in the third stream, beside its record, of before a number there. */
ctie_status durable_purge(engine *it, const char *base, uint64_t before, int64_t deadline);
/* Removes everything of a consumer whose record says that it is forgotten. CTIE_PENDING: that is done. */
ctie_status forget_finish(engine *it, const durable_key *key, durable_record *record, int64_t deadline);

/* --- durable_changed.c --- */

/* The record of a consumer is another one: all bindings to it, of all members, look at it. */
void durable_changed(engine *it, const char *base);
/* Another member says so. */
void durable_look_again(engine *it, const char *base);

#endif
