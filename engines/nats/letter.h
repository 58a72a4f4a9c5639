/* Dead letters in the third stream: copies of their messages, with headers of their own. Ctie-State is `dying`, `dead`,
   `again` or `done`. Ctie-Kind is `value`, `signal` or `destroyed`. Ctie-Deliveries counts those to a listener, and
   Ctie-Size the bytes of the value. Ctie-Died is in nanoseconds since 1970. Ctie-Sent-As is the number of the copy that was
   sent, in the stream of all messages; 0: none. Ctie-Passed is the suffix of the name of the consumer that is behind the
   message. Ctie-Reason is percent-encoded.

   A subject keeps one version, so that each change takes the place of the one that it names. The copy of a letter in the
   state `dying` is not sent yet. One in the state `again` was retried, and its durable consumer gets it by a second consumer
   on the server. One in the state `done` was retried and processed, and the first consumer is not behind it yet. */
#ifndef LETTER_H
#define LETTER_H

#include "record.h"

typedef enum { LETTER_NONE, LETTER_DYING, LETTER_DEAD, LETTER_AGAIN, LETTER_DONE } letter_state;

typedef struct letter {
    natsMsg *message;        /* owned; without a body if only its headers were asked for */
    char base[CONSUMER_MOST];
    uint64_t in_stream;      /* the message's number in the stream of all messages */
    uint64_t at;             /* its own number in the third stream */
    letter_state state;
    int32_t kind;
    char identifier[DEAD_LETTER_MOST]; /* empty: everything was destroyed */
    uint32_t deliveries;
    int64_t died;
    uint64_t sent_as;
    uint64_t size;
    char passed[SUFFIX_MOST];
    const char *reason;      /* borrowed from the message; as it is encoded */
} letter;

/* --- letter.c --- */

/* Reads a letter, which is a stranger's; takes the message. Subject and number may be those of its headers. */
bool letter_read(const group_names *names, natsMsg *message, uint64_t at, letter *out);
void letter_clear(letter *it);
/* The message of NATS that stores a letter; NULL without memory. `from` has the message's content: the original, or an
   earlier version. */
natsMsg *letter_pack(const group_names *names, const letter *it, natsMsg *from);
/* The subject that the letter's message had: names_read() reads it. */
void letter_subject(const group_names *names, const letter *it, char out[SUBJECT_MOST]);
/* The subject of a message, also of one that the server was asked for by its number. */
const char *message_subject(natsMsg *message);

/* --- fetch.c --- */

/* A message by its number. CTIE_E_NOT_FOUND: there is none. */
ctie_status fetch(engine *it, const char *stream, uint64_t at, int64_t deadline, natsMsg **out);
/* The request of one try; NULL without memory. */
natsMsg *fetch_request(const char *stream, uint64_t at);
/* The number of the last message of a subject, which may be a filter; 0: there is none. */
ctie_status fetch_last(engine *it, const char *stream, const char *subject, int64_t deadline, uint64_t *at);
/* A letter by the number of its message and its identifier: LETTER_NONE if there is none. */
ctie_status letter_find(engine *it, const char *base, uint64_t in_stream, ctie_str identifier, int64_t deadline,
                        letter *out);
/* Stores a version of a letter in place of `it->at`, with the content of `from`, and sets `at`; without the
   reason if the server does not take it with one. CTIE_E_CONFLICT: another one is the last, or it was removed. */
ctie_status letter_write(engine *it, letter *what, natsMsg *from, int64_t deadline);
/* Removes this version. */
ctie_status letter_remove(engine *it, uint64_t at, int64_t deadline);

/* --- pardon.c: deliveries that do not count, as no listener has seen the message --- */

typedef struct pardon {
    const char *base;
    uint64_t in_stream;
    bool is_again;                   /* of a letter that was retried */
    char life[24];                   /* the consumer, or the version of the letter */
    uint32_t delivery;               /* of pardons_add(): its number in this life */
} pardon;
ctie_status pardons_count(engine *it, const pardon *of, int64_t deadline, uint32_t *out);
ctie_status pardons_add(engine *it, const pardon *of, int64_t deadline);

/* Removes those that no message needs any more: of the first consumer up to a number, and of letters that are not there. */
void pardons_tidy(engine *it, const char *base, uint64_t done, const uint64_t *letters, size_t letter_count,
                  int64_t deadline);

/* --- die.c --- */

/* A message that failed too often. */
typedef struct death {
    engine *it;
    const durable_key *key;
    const durable_record *record;
    uint64_t in_stream, again_at;
    uint32_t deliveries;
    const char *reason;      /* UTF-8 */
    int64_t deadline;
} death;

/* Makes it a dead letter. CTIE_OK: it is one, or the message was destroyed. It may be repeated. */
ctie_status die(const death *what);

/* --- letters.c --- */

typedef struct letters {
    letter *items; /* owned; in the order of the messages' numbers */
    size_t count, room;
} letters;

/* The letters of a filter, without their values. */
ctie_status letters_collect(engine *it, const char *filter, int64_t deadline, letters *out);
/* The same for that of one message. */
ctie_status letters_collect_one(engine *it, const char *base, uint64_t in_stream, int64_t deadline, letters *out);
void letters_clear(letters *it);
/* The numbers of the messages of which a consumer has letters: an array that its user frees. */
ctie_status letters_numbers(engine *it, const char *base, int64_t deadline, uint64_t **out, size_t *count);
/* Removes the letters of messages that were destroyed: of an identifier, or of all, before a number. */
ctie_status letters_destroy(engine *it, ctie_str identifier, uint64_t before, int64_t deadline);

/* --- letters_list.c --- */

/* Begins a function on dead letters: waits for those that this member has caused, and looks for their durable consumer.
   CTIE_E_NOT_FOUND. */
ctie_status letters_begin(engine *it, ctie_str topic, ctie_str name, int64_t deadline, durable_key *key);

#endif
