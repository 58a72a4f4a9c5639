/* The names of a group on the server: streams, subjects, consumers. */
#ifndef NAMES_H
#define NAMES_H

#include <crosstie.h>

enum {
    STREAM_MOST = 160,   /* with its NUL */
    SUBJECT_MOST = 320,  /* likewise */
    CONSUMER_MOST = 64,  /* likewise */
    CONSUMER_NAME_MOST = 96, /* likewise: with a suffix */
    LETTER_MOST = 400,   /* likewise: the subject of a dead letter */
};

/* The kinds of subjects: `ctie.<group>.m.<kind>.<identifier>`. The streams have the one subject `ctie.<group>.m.>`,
   since a consumer's filter must lie within one of its stream's subjects: `ctie.<group>.*.<identifier>` would not. */
enum { SUBJECT_VALUE = 'v', SUBJECT_SIGNAL = 's', SUBJECT_DESTROYED = 'd', SUBJECT_ANY = '*' };

typedef struct group_names {
    char group[STREAM_MOST];  /* its dots are '+', which no identifier has */
    char stream[STREAM_MOST]; /* all messages */
    char now[STREAM_MOST];    /* the last ones of each subject */
    char messages[SUBJECT_MOST];   /* `ctie.<group>.m.>`: all that the streams store */
    char everything[SUBJECT_MOST]; /* `ctie.<group>.m.x`: a destroying of everything */
    char presence[SUBJECT_MOST];   /* `ctie.<group>.p` */
    char joins[SUBJECT_MOST];      /* `ctie.<group>.j` */
    char durable[STREAM_MOST];     /* the stream of what durable consumers have beside their messages */
} group_names;

/* The library has checked the group's name: 1 to 128 bytes of its grammar. */
void names_of_group(group_names *out, ctie_str group);

/* The subject of a message's kind (CTIE_MESSAGE_…) and identifier; of a destroying without one, `everything`. */
void names_subject(const group_names *names, int32_t kind, ctie_str identifier, char out[SUBJECT_MOST]);

/* The filter of a topic (an identifier, `prefix.*` or `*`) and a kind of subjects (SUBJECT_…). A topic `chat.*` covers
   what the library's topics cover, see include/crosstie/wormhole.h and listener.h. */
void names_filter(const group_names *names, char kind, ctie_str topic, char out[SUBJECT_MOST]);

/* Reads a subject of the group: the kind (CTIE_MESSAGE_…) and the identifier, which is borrowed from `subject`.
   False for foreign ones, also if the identifier breaks the grammar. */
bool names_read(const group_names *names, const char *subject, int32_t *kind, ctie_str *identifier);

/* Whether a text is an identifier: wormhole.h. */
bool names_is_identifier(const char *text);

/* The name on the server of a durable consumer: base32 of the SHA-256 of name, NUL and topic. False
   without memory. */
bool names_consumer(ctie_str topic, ctie_str name, char out[CONSUMER_MOST]);

/* --- names_durable.c: subjects of the third stream, below `ctie.<group>.q.<consumer>` --- */

/* `.o`: the options of a durable consumer. */
void names_options(const group_names *names, const char *consumer, char out[LETTER_MOST]);
/* `.l.<number>.<identifier>`: a dead letter, by its number in the stream of all messages. Without an identifier: of a
   destroying of everything. */
void names_letter(const group_names *names, const char *consumer, uint64_t in_stream, ctie_str identifier,
                  char out[LETTER_MOST]);
/* A filter for dead letters: those of a consumer, or of all for NULL. */
void names_letters(const group_names *names, const char *consumer, char out[LETTER_MOST]);
/* The same for an identifier, of all consumers. */
void names_letters_of(const group_names *names, ctie_str identifier, char out[LETTER_MOST]);
/* `.p.<number>`, and `.p.<number>.a` of a dead letter that was retried: how often the message was delivered to nobody. */
void names_pardon(const group_names *names, const char *consumer, uint64_t in_stream, bool is_again,
                  char out[LETTER_MOST]);
/* A filter for them of a consumer. */
void names_pardons(const group_names *names, const char *consumer, char out[LETTER_MOST]);

/* Reads the subject of a pardon, which is that of its filter. */
bool names_read_pardon(const char *subject, uint64_t *in_stream, bool *is_again);

/* Reads the subject of a dead letter. The identifier is borrowed from it, and empty for a destroying of everything. */
bool names_read_letter(const group_names *names, const char *subject, char consumer[CONSUMER_MOST], uint64_t *in_stream,
                       ctie_str *identifier);

#endif
