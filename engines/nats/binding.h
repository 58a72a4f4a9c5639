/* Bindings: the listeners of this member, and their consumers on the server.
 *
 * libnats's thread delivers messages as they arrive: `deliver` of the host never waits, and credit bounds what the
 * server sends. Everything that may wait, or that sends, is done by one thread for each engine (feed.c). It makes
 * consumers, asks for messages, and sends what the other functions have put into the list of orders.
 *
 * Locks: a binding's own one, then that of `bindings`. None of them is held while libnats is called. */
#ifndef BINDING_H
#define BINDING_H

#include "known.h"
#include "record.h"

#include <stdatomic.h>

enum {
    TOPIC_MOST = 132,      /* with its NUL */
    DURABLE_NAME_MOST = 132,
    INBOX_MOST = 96,
    REPLY_MOST = 384,
    PULLS_MOST = 4,        /* requests for messages at a time */
    PULL_MOST = 1024,      /* messages of one */
    CLAIMS_MOST = 1024,    /* messages in hand: as many as the library asks for at most */
    NO_MESSAGE = 10037, NO_CONSUMER = 10014, NO_STREAM = 10059, /* err_code of JetStream */
    DELIVERED_TO_ALL = 99, /* a binding of the engine itself, to the destroyings of everything */
};

#define NS_PER_MS ((int64_t)1000000)
#define PULL_EXPIRES_MS ((int64_t)2000)
#define PULL_LOST_MS ((int64_t)2500)
#define ACK_WAIT_MS ((int64_t)2000)
#define PROGRESS_MS ((int64_t)700)
#define STALL_MS ((int64_t)2000)
#define MAKING_MS ((int64_t)2000)
#define LOOKING_MS ((int64_t)1000) /* at first */
#define LOOKING_MOST_MS ((int64_t)16000)
#define RETRY_MS ((int64_t)300)
#define MISSING_MS ((int64_t)15000)
#define CLOSING_MS ((int64_t)400)
#define EVERYTHING_MS ((int64_t)5) /* a destroying of everything lets messages that are on their way come first */

enum { WATCH_IS_NOT_THERE, WATCH_IS_MADE, WATCH_IS_THERE };

/* A binding without a consumer, with stored values left to deliver, with everything, or to a forgotten consumer. */
typedef enum { IS_MADE_LATER, HAS_STORED, IS_FLOWING, IS_FORGOTTEN } binding_phase;

/* A request for messages that the server still has. */
typedef struct pull {
    uint64_t id;
    uint32_t left;
    int64_t asked;
} pull;

/* A message of a durable consumer in hand. */
typedef struct claim {
    uint64_t claim;     /* 0: free */
    uint64_t in_stream; /* its number in the stream of all messages */
    uint64_t again_at;  /* of a dead letter that was retried: its number in the third stream; else 0 */
    uint32_t count;     /* of deliveries, as the server counts them */
    uint32_t unseen;    /* of these: as far as is known, to no listener */
    bool is_outlived;   /* it is of a consumer that was replaced */
    bool is_resolved;   /* a deed has it: deeds.h */
    int64_t since;      /* CLOCK_REALTIME */
    char *reply;        /* owned */
    natsMsg *waiting;   /* owned: it is to be handed out */
} claim;

/* The stream's creation time: engine.epoch. */
typedef struct epoch {
    char created[64];
} epoch;

/* The contents of the reply subject of a delivered message. */
typedef struct place {
    char consumer[CONSUMER_NAME_MOST];
    uint64_t deliveries, in_stream, in_consumer, pending;
} place;

/* The second consumer of a durable consumer: of its dead letters that were retried. */
typedef struct again {
    char consumer[CONSUMER_NAME_MOST]; /* empty: there is none */
    bool is_first;    /* a request for those that are there already: nothing else is asked for before its end */
    uint64_t request; /* the number of the request that the server has; 0: none */
    uint32_t left;    /* messages to come for it */
    int64_t asked;
    uint64_t last;
    int64_t pause;    /* no request before this time */
} again;

typedef struct binding {
    struct binding *next;
    struct bindings *of;
    engine *engine;
    uint64_t number;
    uint32_t delivery, flags, start, max_unacknowledged;
    uint64_t start_sequence;
    int64_t start_time;
    char topic[TOPIC_MOST], name[DURABLE_NAME_MOST], filter[SUBJECT_MOST], inbox[INBOX_MOST];
    char base[CONSUMER_MOST];  /* of a durable consumer: names_consumer() */
    bool is_dense;             /* the topic covers every number of the stream */
    natsSubscription *inbox_of_pulls;

    bool is_woken, is_bound;          /* with the lock of `bindings` */
    int64_t due;                      /* likewise: when the thread looks at it; CLOCK_MONOTONIC */

    pthread_mutex_t lock;      /* of what follows */
    atomic_int references;
    bool is_ended, is_closing; /* no more deliveries; the inbox is being closed */
    atomic_bool is_unsubscribed; /* the server has been asked to send nothing more */
    atomic_bool is_closed;     /* the inbox is */
    binding_phase phase;
    uint64_t round;            /* counts the reasons to make the consumer again */
    bool has_to_look;          /* the record of the durable consumer may be another one */
    bool has_notice;           /* another member says so */
    int64_t look_at;           /* not before this time; CLOCK_MONOTONIC */
    int64_t look_ms;           /* the time that a look may take: longer after one that did not suffice */
    int64_t missing_since;     /* likewise: the server does not know the durable consumer; 0: it does */
    durable_record record;     /* as it was found with the consumer */
    int64_t record_seen;       /* CLOCK_MONOTONIC: when its options were last read; 0: they may be others */
    bool is_first, is_lost;    /* never made; its server has lost the messages */
    char consumer[CONSUMER_NAME_MOST];
    consumer_id id;            /* of a durable consumer */
    uint32_t generation;
    epoch epoch;               /* that of the consumer */
    uint64_t last;             /* everything up to this number of the stream was delivered or left out */
    uint64_t in_consumer;      /* the consumer's own number of the last message */
    uint64_t pending;          /* so many messages were to come after it */
    uint64_t skips_up_to;      /* of CTIE_ENGINE_FROM_TIME: up to this number, messages before the time are left out */
    uint64_t missed, missed_up_to; /* numbers of the group */
    uint64_t highest;          /* the highest number that was delivered */
    bool is_missed_unknown;
    uint32_t credit, asked_for; /* messages that may be delivered; that the server may send */
    int64_t stalled;           /* since when there is no credit; 0: there is */
    bool was_stalled;          /* there was none after the last message */
    pull pulls[PULLS_MOST];
    uint32_t pull_count;
    uint64_t last_pull;
    int64_t pause;             /* no request before this time */
    stored_values stored;
    size_t stored_next, stored_shown;
    bool is_stored_again;      /* they are delivered as new messages */
    uint64_t *dead;            /* the numbers in the stream of messages that may be dead letters; sorted */
    size_t dead_count;
    again again;
    claim *claims;             /* CLAIMS_MOST of them, of a durable consumer */
    uint32_t claim_count, claim_next;
    uint64_t claim_serial;
    int64_t progress;          /* when the server last got to know that they are in hand */
} binding;

/* A message that the thread sends. */
typedef struct order {
    struct order *next;
    char *subject, *reply; /* owned; the reply may be NULL */
    size_t size;
    char body[];
} order;

typedef struct acks acks; /* acks.c */
typedef struct deeds deeds; /* deeds.c */

/* A destroying of everything. A consumer has one filter, so bindings to topics get it from a binding of the engine. */
typedef struct everything {
    uint64_t in_stream; /* 0: none */
    int64_t seen;       /* CLOCK_MONOTONIC */
    int64_t time;
    int32_t sender_pid;
    char sender_name[65];
} everything;

struct bindings {
    engine *engine;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    binding *first;
    int watch;              /* WATCH_… for destroyings of everything */
    everything last_everything;
    order *orders, **orders_end;
    acks *acks;
    deeds *deeds;
    pthread_t thread;
    bool has_thread, is_over;
    uint32_t live;          /* bindings that are not freed yet */
    atomic_uint complaints; /* bits of the problems that the log has */
};

#endif
