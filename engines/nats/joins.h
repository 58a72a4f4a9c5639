/* Joined buses. Each join of a member has an address of its own, and a channel to each other join of the group. Packets to
   it are on `ctie.<group>.j.<its address>.<the sender's address>`, announcements on `ctie.<group>.j.all.<the sender's
   address>`. The subject for answers to a packet is the one on which its receiver writes back: if nobody is there, the
   server says so on it. */
#ifndef JOINS_H
#define JOINS_H

#include "engine.h"

enum {
    ADDRESS = 33,            /* with its NUL */
    PEERS_MOST = 1024,       /* of a join */
    AGAIN_MS = 1000,         /* a channel that was lost soon after it was made is not made again at once: two members that
                                cannot understand each other would go on for ever */
    PACKET_MOST = 32 << 10,  /* bytes of a frame in one packet */
    PACKET_HEAD = 9,
    JOIN_SUBJECT = SUBJECT_MOST + 2 * ADDRESS,
};

/* The content of a packet: its type, then two numbers of 32 bits in little-endian, then more. */
typedef enum packet_type {
    PACKET_ANNOUNCE = 'A', /* to all: format, session */
    PACKET_CONNECT = 'C',  /* the first one of a channel: format, session, the number of peers that the sender knows */
    PACKET_PART = 'P',     /* a frame that goes on with the next packet */
    PACKET_FRAME = 'F',    /* a frame, or its end */
    PACKET_ASK = 'Q',      /* is the other end there, and has it everything? */
    PACKET_HERE = 'H',     /* it is */
    PACKET_BYE = 'B',      /* the sender has no channel with that of `other` */
    PACKET_MARK = 'M',     /* to the sender itself: the place in the outbox up to which the server has read */
} packet_type;

typedef struct packet {
    packet_type type;
    uint32_t channel;  /* the sender's number of it; 0 without one */
    uint32_t sequence; /* of a PART or FRAME: its number, from 1; of an ASK or HERE: of the last one sent */
    uint32_t format, session, known, other;
    uint64_t place;
    const char *data;  /* of a PART or FRAME */
    size_t size;
} packet;

/* A channel to another join. It lasts until a packet is lost, or one of both ends. */
typedef struct channel {
    struct channel *next;
    uint64_t number;         /* for the host */
    char address[ADDRESS];   /* of the other end */
    uint32_t own, theirs;    /* the two ends' numbers of it; `theirs` 0 until it is known */
    uint32_t session;        /* of the other end; 0 until it is known */
    uint32_t sent, received; /* packets with numbers */
    bool is_active;          /* frames went since the pulse looked */
    int64_t received_at;     /* when anything came, by CLOCK_MONOTONIC */
    char *partial;           /* the begin of a frame; owned */
    size_t partial_size;
} channel;

typedef struct kept_packet kept_packet; /* keep.c */

typedef struct join {
    struct join *next;
    engine *of;
    uint64_t number;
    uint64_t max_frame_size;
    char address[ADDRESS];
    natsSubscription *subscriptions[2];
    /* With the lock of all joins: */
    int users;               /* of this memory: the list, and each subscription */
    bool is_over;
    uint32_t session;        /* counts the connections to the server */
    channel *channels;
    size_t count;
    uint64_t last_number;
    uint32_t last_own;
    bool is_alone;           /* when it came, there was nobody else */
    size_t announced;        /* the most peers that another one knows, this one among them */
    int64_t announce_at;     /* when it says again that it is here; 0: not */
    int64_t announced_at;
    int64_t again_at;        /* before this time a peer that connects again is not answered at once */
    kept_packet *kept, **kept_end;
    uint64_t kept_size;
    uint64_t unmarked;       /* bytes since the last mark */
    bool is_writing;         /* the joins' thread writes a packet that was kept */
    bool has_mark;           /* one is on its way */
    bool has_garbage;        /* the log says so already */
} join;

struct joins {
    engine *of;
    pthread_mutex_t lock;    /* held while the host is called and libnats is given a packet, neither of which waits */
    pthread_cond_t changed;  /* CLOCK_MONOTONIC */
    join *first;
    bool is_over;
    pthread_t pulse;         /* pulse.c */
    pthread_cond_t pulse_changed; /* CLOCK_MONOTONIC */
    bool has_pulse, is_pulse_fast, is_pulse_awake, has_new_times;
};

/* --- packet.c --- */

/* Writes a packet but for its data, and returns its size: at most PACKET_HEAD + 12. */
size_t packet_write(const packet *it, char *out);
/* False: it is a stranger's. */
bool packet_read(packet *out, const char *data, size_t size);

/* --- keep.c: packets on their way. With the lock. --- */

/* Sends a packet, or keeps it until the server reads. */
void packet_send(join *from, const char *to, const packet *what);
/* The server has read everything up to a place. */
void packets_go_on(join *of, uint64_t place);
/* Writes a kept packet, on the joins' thread; the lock is released meanwhile. False: there is none. */
bool packets_write(joins *it);
/* Waits until the server has read everything. */
void packets_flush(join *of, int64_t deadline);
/* Forgets what was kept. */
void packets_clear(join *of);

/* --- channel.c. With the lock. --- */

channel *channel_find(join *in, const char *address);
channel *channel_numbered(join *in, uint64_t number);
/* Makes a channel, says so to the other end and the host. NULL without room. */
channel *channel_open(join *in, const char *address, uint32_t session);
/* Ends a channel, and says why to the host. */
void channel_close(join *in, channel *of, const char *reason);
/* The same after a loss, which the other end is sent word of: both may make another one. */
void channel_break(join *in, channel *of, const char *reason);
/* Says goodbye to the other end. */
void channel_say_bye(join *in, const char *address, uint32_t own, uint32_t theirs);
void channels_close(join *in, const char *reason);
void channel_free(channel *of);

/* --- frames.c. With the lock. --- */

void frame_send(join *in, channel *to, ctie_bytes frame);
/* A packet of a frame has come. */
void frame_receive(join *in, channel *from, const packet *what);

/* --- arrivals.c: the handler of a join's subscriptions --- */

void join_receive(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure);

/* --- pulse.c: the joins' thread, from the first peer on: it writes kept packets, and finds peers that have died --- */

/* Looks after a channel from now on. With the lock. */
void pulse_watch(join *in, channel *of);
/* Has the thread look at the times again; wakes it for kept packets. With the lock. */
void pulse_wake(joins *it);
void joins_wake(joins *it);
void pulse_end(joins *it);

/* --- joins.c, join.c --- */

/* Gives up a use of its memory. Without the lock. */
void join_release(join *it);

/* Says to all that a join is here. With the lock. */
void join_announce(join *it);
/* Takes a join from the list; its subscriptions may still call, and find that it is over. NULL: it is not there. With the
   lock. */
join *join_take_out(joins *all, uint64_t number);
/* Ends its subscriptions. Without the lock. */
void join_end(join *it);

#endif
