/**
 * @file engine.h
 * Engines: a host's own message system behind a wormhole, such as a broker or a server, in place of a directory on this
 * machine.
 *
 * An engine has messages, queues and acknowledgements of its own, where a transport (transport.h) only keeps records.
 * The wormhole keeps its functions, threads, loops, names, values and checks; the engine stores and delivers.
 */
#ifndef CROSSTIE_ENGINE_H
#define CROSSTIE_ENGINE_H

#include "base.h"
#include "message.h"
#include "status.h"
#include "transport.h"

CTIE_BEGIN

/**
 * @defgroup engine Engines
 *
 * Every struct that the library and an engine hand each other begins with its size, which grows in later versions. An
 * array of them is walked with its `…_at()` function: the structs lie as far apart as their sender has them long.
 * @{
 */

/**
 * The abilities of a wormhole: bits of ctie_wormhole_abilities(). An engine sets those up to CTIE_ENGINE_SCHEDULES in
 * `open` where they are true of it; the library adds the others from the functions that the engine has.
 *
 * @since 0.1
 */
enum {
    CTIE_ENGINE_ATOMIC_BATCHES = 1,   /**< ctie_wormhole_send_many(): several messages are sent in one step */
    CTIE_ENGINE_COUNTS_LISTENERS = 2, /**< sending counts the processes that listen; otherwise it gives 0 */
    /** ctie_message_missed() is exact, unless a server has lost its messages; otherwise at least so many were missed,
        and 0 means that the number is not known. */
    CTIE_ENGINE_EXACT_MISSED = 4,
    CTIE_ENGINE_SURVIVES_POWER = 8, /**< a sent message survives a power failure */
    /** A message may have a token (ctie_send_options): it is sent once, however often it is given to the wormhole. */
    CTIE_ENGINE_TOKENS = 16,
    CTIE_ENGINE_SCHEDULES = 32,        /**< a message may wait for its time: delay_ms, not_before */
    CTIE_ENGINE_FORGETS = 64,          /**< ctie_wormhole_forget() */
    CTIE_ENGINE_LISTS_DURABLES = 128,  /**< ctie_wormhole_durables() */
    CTIE_ENGINE_SEEKS = 256,           /**< ctie_wormhole_seek() */
    CTIE_ENGINE_DECLARES = 512,        /**< ctie_wormhole_declare() */
    CTIE_ENGINE_LISTS_SCHEDULED = 1024, /**< ctie_wormhole_scheduled() */
    CTIE_ENGINE_CANCELS = 2048,        /**< ctie_wormhole_cancel_scheduled() */
    CTIE_ENGINE_DEAD_LETTERS = 4096,   /**< the functions of dead_letter.h */
    CTIE_ENGINE_JOINS_BUSES = 8192,    /**< ctie_bus_join(); of groups in a directory, too */
    CTIE_ENGINE_BATCHES = 16384, /**< ctie_wormhole_send_many() with CTIE_SEND_NOT_ATOMIC */
};

/* ---- Messages ------------------------------------------------------------------------------------ */

/** Bits of ctie_engine_message.flags. @since 0.1 */
enum {
    /** Delivered to a CTIE_ENGINE_STATE binding: it was stored before the binding. */
    CTIE_ENGINE_STORED = 1,
};

/** A message, in both directions; all of it is borrowed by the function that gets it. @since 0.1 */
typedef struct ctie_engine_message {
    size_t size; /**< sizeof(ctie_engine_message) */
    /** Sent: CTIE_MESSAGE_VALUE, CTIE_MESSAGE_SIGNAL or CTIE_MESSAGE_DESTROYED. Delivered: also CTIE_MESSAGE_MISSED
        to a queue, and CTIE_MESSAGE_NONE to a state binding. */
    int32_t kind;
    uint32_t flags; /**< CTIE_ENGINE_STORED or 0 */
    /** The identifier. Empty: of a CTIE_MESSAGE_DESTROYED, everything is destroyed; of a CTIE_MESSAGE_MISSED it has no
        meaning. */
    ctie_str identifier;
    ctie_bytes value; /**< of a CTIE_MESSAGE_VALUE: MessagePack; else empty */
    const ctie_header *CTIE_NULLABLE headers; /**< its headers; NULL with a count of 0 */
    size_t header_count;                      /**< the number of headers */
    /** Delivered: its number in the group, from 1; 0 for CTIE_MESSAGE_NONE; for CTIE_MESSAGE_MISSED the highest number
        of a missed one. Sent: 0. */
    uint64_t sequence;
    int64_t time;       /**< when it was sent: nanoseconds since 1970-01-01 UTC; 0 if unknown */
    int64_t expires;    /**< when it expires, likewise; 0: never */
    int64_t not_before; /**< sent: the earliest time of its delivery, likewise; 0: now. Delivered: 0 */
    ctie_str sender_name;    /**< at most 64 bytes of UTF-8 */
    int32_t sender_pid;      /**< the process that sent it; 0 if unknown */
    uint32_t delivery_count; /**< to a CTIE_ENGINE_DURABLE binding: the number of its deliveries, from 1 */
    uint64_t missed;         /**< of a CTIE_MESSAGE_MISSED: the number of missed messages */
    uint64_t claim; /**< to a CTIE_ENGINE_DURABLE binding: the engine's own number, which `resolve` gives back */
} ctie_engine_message;

/** The message at an index of an array. @since 0.1 */
static inline const ctie_engine_message *CTIE_NONNULL
ctie_engine_message_at(const ctie_engine_message *first, size_t index) {
    return (const ctie_engine_message *)(const void *)((const char *)first + index * first->size);
}

/** Receives a message that is stored. Returns false to end the listing. @since 0.1 */
typedef bool (*ctie_engine_message_fn)(const ctie_engine_message *CTIE_NONNULL message, void *context);

/** Receives an identifier. Returns false to end the listing. @since 0.1 */
typedef bool (*ctie_engine_identifier_fn)(ctie_str identifier, void *context);

/** A wormhole that has the group open. @since 0.1 */
typedef struct ctie_engine_member {
    size_t size;   /**< sizeof(ctie_engine_member) */
    ctie_str name; /**< its name: at most 64 bytes of UTF-8 */
    int64_t since; /**< when it was opened: nanoseconds since 1970-01-01 UTC */
    int32_t pid;   /**< its process */
    uint32_t own;  /**< 1: it is the wormhole of this engine; else 0 */
} ctie_engine_member;

/** Receives a member. Returns false to end the listing. @since 0.1 */
typedef bool (*ctie_engine_member_fn)(const ctie_engine_member *CTIE_NONNULL member, void *context);

/** A listener with messages of a durable consumer in hand. @since 0.1 */
typedef struct ctie_engine_holder {
    size_t size;    /**< sizeof(ctie_engine_holder) */
    ctie_str name;  /**< the name of its wormhole */
    int32_t pid;    /**< its process */
    uint32_t count; /**< the number of these messages */
    int64_t since;  /**< when the first of them was delivered: nanoseconds since 1970-01-01 UTC */
} ctie_engine_holder;

struct ctie_durable_options;

/** A durable consumer; ctie_wormhole_durables() describes what it says. @since 0.1 */
typedef struct ctie_engine_durable {
    size_t size;           /**< sizeof(ctie_engine_durable) */
    ctie_str name;         /**< its name */
    ctie_str identifier;   /**< as it was declared or bound */
    uint64_t waiting;      /**< the messages to be delivered now */
    uint64_t waiting_size; /**< the bytes of the values of those that were never delivered */
    int64_t oldest;        /**< when the first of these was sent; 0 without one */
    uint64_t retrying;     /**< rejected messages that wait for their redelivery */
    int64_t next_retry;    /**< when the first of them is due; 0 without one */
    uint64_t deliveries;   /**< the number of deliveries so far */
    uint64_t dead;         /**< dead letters */
    uint64_t missed;       /**< lost messages that no listener has received a report of */
    uint64_t position;     /**< later messages were never delivered */
    int64_t listened;      /**< when it last had a listener; 0 if unknown */
    const ctie_engine_holder *CTIE_NULLABLE holders; /**< the listeners with messages in hand */
    size_t holder_count;                             /**< the number of holders */
    const struct ctie_durable_options *CTIE_NULLABLE options; /**< as it was declared; NULL: the defaults */
} ctie_engine_durable;

/** Receives a durable consumer. Returns false to end the listing. @since 0.1 */
typedef bool (*ctie_engine_durable_fn)(const ctie_engine_durable *CTIE_NONNULL durable, void *context);

/** A dead letter of a durable consumer; ctie_wormhole_dead_letters() describes what it says. @since 0.1 */
typedef struct ctie_engine_dead_letter {
    size_t size; /**< sizeof(ctie_engine_dead_letter) */
    /** The message, with its number. In a listing without values it has neither value nor headers. Its identifier is empty
        if everything was destroyed. */
    const ctie_engine_message *CTIE_NONNULL message;
    uint64_t value_size; /**< bytes of its value */
    int64_t dead;        /**< when it became a dead letter: nanoseconds since 1970-01-01 UTC */
    uint64_t sent_as;    /**< the number of its copy under the identifier of dead letters; 0: none was sent */
    uint32_t deliveries; /**< to listeners */
    uint32_t reserved;   /**< 0 */
    ctie_str reason;     /**< of its last rejection: at most CTIE_MESSAGE_MAX_REASON bytes of UTF-8 */
} ctie_engine_dead_letter;

/** Receives a dead letter. Returns false to end the listing. @since 0.1 */
typedef bool (*ctie_engine_dead_letter_fn)(const ctie_engine_dead_letter *CTIE_NONNULL letter, void *context);

/** The end of dead letters. @since 0.1 */
enum {
    CTIE_ENGINE_RETRY = 0, /**< they are put back, as ctie_wormhole_retry() does */
    CTIE_ENGINE_DROP = 1,  /**< they are removed, as ctie_wormhole_drop() does */
};

/* ---- Bindings ------------------------------------------------------------------------------------ */

/** Kinds of delivery. @since 0.1 */
enum {
    /** The newest message of each identifier; the engine may leave out older ones. */
    CTIE_ENGINE_STATE = 0,
    /** Every message from the start on, once each, in the order of numbers. */
    CTIE_ENGINE_QUEUE = 1,
    /** Every message, shared with all bindings of the name and topic, in any process, until it is acknowledged. */
    CTIE_ENGINE_DURABLE = 2,
};

/** The position at which a queue begins; a durable consumer only when the binding makes it. @since 0.1 */
enum {
    CTIE_ENGINE_FROM_NEXT = 0,     /**< with the next message */
    CTIE_ENGINE_FROM_OLDEST = 1,   /**< with the oldest one that is kept */
    CTIE_ENGINE_FROM_SEQUENCE = 2, /**< with this number, or the first one after it that is kept */
    CTIE_ENGINE_FROM_TIME = 3,     /**< with the first one that was not sent before this time */
};

/** Bits of ctie_engine_binding.flags. @since 0.1 */
enum {
    CTIE_ENGINE_NO_INITIAL_DELIVERY = 1, /**< CTIE_ENGINE_STATE: only messages newer than the binding */
};

/** The binding of a listener. @since 0.1 */
typedef struct ctie_engine_binding {
    size_t size;       /**< sizeof(ctie_engine_binding) */
    ctie_str topic;    /**< an identifier or a prefix, as ctie_wormhole_listen() has them */
    ctie_str name;     /**< CTIE_ENGINE_DURABLE: its name, 1 to 128 bytes of UTF-8; else empty */
    uint32_t delivery; /**< CTIE_ENGINE_STATE, CTIE_ENGINE_QUEUE or CTIE_ENGINE_DURABLE */
    uint32_t flags;    /**< CTIE_ENGINE_NO_INITIAL_DELIVERY or 0 */
    uint32_t start;    /**< CTIE_ENGINE_FROM_… */
    uint32_t max_unacknowledged; /**< CTIE_ENGINE_DURABLE: the most messages that the listener has in hand; else 0 */
    uint64_t start_sequence;     /**< of CTIE_ENGINE_FROM_SEQUENCE */
    int64_t start_time;          /**< of CTIE_ENGINE_FROM_TIME: nanoseconds since 1970-01-01 UTC */
    uint32_t credit;             /**< so many messages may be delivered before `credit` is called: at least 1 */
    uint32_t reserved;           /**< 0 */
} ctie_engine_binding;

/** Outcomes of a message of a durable consumer. @since 0.1 */
enum {
    CTIE_ENGINE_ACKNOWLEDGED = 0, /**< it is done with */
    CTIE_ENGINE_REJECTED = 1,     /**< it is to be delivered again, to any binding, after the delay */
    /** It was delivered, and its listener was removed before it answered: it is to be delivered again at once. */
    CTIE_ENGINE_LEFT = 2,
    /** No listener has seen it: likewise, and this delivery does not count. */
    CTIE_ENGINE_UNDELIVERED = 3,
};

/** The outcome of a message. @since 0.1 */
typedef struct ctie_engine_answer {
    size_t size;       /**< sizeof(ctie_engine_answer) */
    uint64_t claim;    /**< of its ctie_engine_message */
    uint32_t outcome;  /**< CTIE_ENGINE_ACKNOWLEDGED, … */
    uint32_t reserved; /**< 0 */
    int64_t delay_ns;  /**< CTIE_ENGINE_REJECTED: nanoseconds; negative: as the durable consumer was declared */
    ctie_str reason;   /**< CTIE_ENGINE_REJECTED: at most CTIE_MESSAGE_MAX_REASON bytes of UTF-8 */
} ctie_engine_answer;

/** The answer at an index of an array. @since 0.1 */
static inline const ctie_engine_answer *CTIE_NONNULL
ctie_engine_answer_at(const ctie_engine_answer *first, size_t index) {
    return (const ctie_engine_answer *)(const void *)((const char *)first + index * first->size);
}

/* ---- The connection to a server -------------------------------------------------------------------- */

/** States of a connection. @since 0.1 */
enum {
    CTIE_CONNECTION_CONNECTED = 0,    /**< the server answers */
    CTIE_CONNECTION_RECONNECTING = 1, /**< it does not; the engine tries again by itself */
    CTIE_CONNECTION_CLOSED = 2,       /**< for good: the server refused the log-in */
};

/** The connection of an engine to its server. @since 0.1 */
typedef struct ctie_engine_connection {
    size_t size;      /**< sizeof(ctie_engine_connection) */
    int32_t state;    /**< CTIE_CONNECTION_… */
    uint32_t reserved; /**< 0 */
    int64_t since;    /**< when it came into this state: nanoseconds since 1970-01-01 UTC */
    ctie_str server;  /**< the server's name or address, without secrets; empty if unknown */
    ctie_str version; /**< the server's version; empty if unknown */
    ctie_str reason;  /**< why it is not connected; else empty */
} ctie_engine_connection;

/* ---- What the library gives the engine ------------------------------------------------------------ */

/**
 * The wormhole, as its engine sees it. `open` gets it, and it stays valid until `close` has returned. Any thread may
 * call its functions in between, several at once, also inside a function of the engine and with locks of the engine
 * held: they never wait and never call the engine.
 *
 * @since 0.1
 */
typedef struct ctie_engine_host {
    size_t size;             /**< sizeof(ctie_engine_host) */
    void *context;           /**< the first argument of its functions */
    ctie_str name;           /**< the name of this member */
    uint64_t max_value_size; /**< the most bytes of a value that this member sends */
    int32_t pid;             /**< this process */
    uint32_t reserved;       /**< 0 */
    /**
     * Delivers messages to a binding, each for one of its credit; also while `bind` is running. Nothing is delivered
     * after `unbind` has returned.
     *
     * The messages are checked as bytes of a stranger are. One whose kind, flags, size, number, claim, or identifier is
     * wrong or out of order is dropped, and the log says so; one whose value, headers or sender's name cannot be read
     * is delivered, as CTIE_E_CORRUPT of ctie_message_status().
     *
     * An engine whose server has lost its messages goes on with numbers above the highest one that it has delivered;
     * `bind` says what its bindings get.
     *
     * @param messages `count` of them, 1 to 65,536.
     * @param credit receives the credit that comes back at once: of messages that were dropped, repeated, or replaced
     *   by newer ones that their listener has not got yet. NULL: that comes with a later call of `credit`. The credit
     *   of a message that `resolve` answers always comes with `credit`, after its outcome.
     * @return CTIE_OK; CTIE_E_CORRUPT (at least one was dropped); CTIE_E_LIMIT (more than the credit: the rest was not
     *   looked at); CTIE_E_NOT_FOUND (no such binding); CTIE_E_INVALID (messages that are NULL or misaligned, or of an
     *   impossible size or count); CTIE_E_ABI (of a newer header than the library); CTIE_E_FORKED.
     */
    ctie_status (*CTIE_NONNULL deliver)(void *context, uint64_t binding, const ctie_engine_message *messages,
                                        size_t count, uint32_t *CTIE_NULLABLE credit);
    /** Says that a member has come or left: listeners to members look. */
    void (*CTIE_NONNULL members_changed)(void *context);
    /** Writes a line into the wormhole's log. `level` is CTIE_LOG_…; the text is cut after 1,000 bytes. */
    void (*CTIE_NONNULL log)(void *context, int32_t level, ctie_str text);
    /** Says why the function of the engine that runs on this thread is about to fail. The caller's error has this text
        after the status's own; the text is cut after 1,000 bytes. The last one before the function returns counts. */
    void (*CTIE_NONNULL explain)(void *context, ctie_str text);
    /** Says that the connection to the server has changed: ctie_wormhole_connection() returns this. The first one comes
        from within `open`. */
    void (*CTIE_NONNULL connection_changed)(void *context, const ctie_engine_connection *CTIE_NONNULL now);
    /** Says that a join has a new peer. `peer` is the engine's number for this connection: no other connection of the join
        has it, also later. Its frames follow, and may begin with the next call. */
    void (*CTIE_NONNULL peer_connected)(void *context, uint64_t join, uint64_t peer);
    /** Takes a frame of a peer, which is copied. The frames of a peer come in the order in which its engine got them, one
        at a time, and none is missing: otherwise the engine ends the connection first. */
    void (*CTIE_NONNULL peer_frame)(void *context, uint64_t join, uint64_t peer, ctie_bytes frame);
    /** Says that the connection to a peer has ended, once, and why in words; the text is cut after 1,000 bytes. */
    void (*CTIE_NONNULL peer_disconnected)(void *context, uint64_t join, uint64_t peer, ctie_str reason);
    /** Whether requests are in hand with a peer, in either direction. While they are, an engine should know of the peer's
        end within a fraction of a second. */
    bool (*CTIE_NONNULL peer_has_requests)(void *context, uint64_t join, uint64_t peer);
} ctie_engine_host;

/* ---- What the engine does --------------------------------------------------------------------------- */

/**
 * The functions of an engine. Each is called with `user_data` as its first argument, on any thread, several at a time;
 * its arguments are borrowed until it returns. Those after `close` may be NULL: then the functions of a wormhole that
 * need them return CTIE_E_UNSUPPORTED. Each wormhole has its own engine.
 *
 * @par Time
 * `timeout_ms` is what is left of the time of the caller of the wormhole, in milliseconds: at least 1. No function may
 * take longer. Functions without it may not wait. The library calls nothing but those, `unbind`, `leave` and `close` when no
 * time is left.
 *
 * @par Statuses
 * A function returns CTIE_OK or an error. The caller of the wormhole gets the error unchanged; a positive or unknown
 * status becomes CTIE_E_SYSTEM. CTIE_E_UNAVAILABLE: it cannot be reached, and nothing was done. CTIE_E_UNCERTAIN: it
 * may have been done. CTIE_E_UNSUPPORTED: it cannot do that. After any other error nothing was done.
 *
 * The results of a function are checked. Impossible ones, such as a struct of a wrong size in a listing, are
 * CTIE_E_CORRUPT for the caller; a struct of a newer header that sets unknown fields is CTIE_E_ABI, and a listing with
 * more than CTIE_VALUE_MAX_COUNT items CTIE_E_LIMIT. If `send` returns CTIE_OK and a `first` of 0, that is
 * CTIE_E_UNCERTAIN.
 *
 * @par Locks
 * No lock of the library is held while a function of the engine runs. Inside it, every function on a wormhole with an
 * engine or a transport returns CTIE_E_DEADLOCK and does nothing. No function may wait for another thread to use the
 * wormhole. In a child process after a fork, no function is called.
 *
 * @since 0.1
 */
typedef struct ctie_engine {
    size_t size; /**< sizeof(ctie_engine) */
    /** Opens a group, as a new member of the name in `host`; called once, before any other function but `close`.
        `abilities` receives bits up to CTIE_ENGINE_SCHEDULES; the library sets it to 0 before. */
    ctie_status (*CTIE_NULLABLE open)(void *user_data, ctie_str group, const ctie_engine_host *CTIE_NONNULL host,
                                      uint32_t *CTIE_NONNULL abilities, int64_t timeout_ms);
    /**
     * Sends messages in their order, all or none; more than one only with CTIE_ENGINE_ATOMIC_BATCHES. A value becomes
     * its identifier's current message; a CTIE_MESSAGE_DESTROYED removes the current message and those queued before
     * it. One whose not_before is in the future waits until then, only with CTIE_ENGINE_SCHEDULES.
     *
     * `token` is NULL, or with CTIE_ENGINE_TOKENS CTIE_TRANSPORT_TOKEN_SIZE bytes, new for each send and the same when
     * the library or the host repeats it: after CTIE_E_UNCERTAIN the library does, until the caller's time is over. An
     * engine that has sent those of a token answers CTIE_OK with their numbers, and sends nothing. It remembers at
     * least the last 64 of each member.
     *
     * `first` receives the number of the first message, from 1; the numbers follow one another, and each is higher than
     * those of all messages that were sent before. For messages that wait it receives their number for `cancel`.
     * `listeners` receives, with CTIE_ENGINE_COUNTS_LISTENERS, the number of processes that listen.
     */
    ctie_status (*CTIE_NULLABLE send)(void *user_data, const ctie_engine_message *CTIE_NONNULL messages, size_t count,
                                      const uint8_t *CTIE_NULLABLE token, uint64_t *CTIE_NONNULL first,
                                      uint32_t *CTIE_NONNULL listeners, int64_t timeout_ms);
    /** Calls `visit` on this thread with the value that is an identifier's current message, if there is one. A
        member that has sent a message finds it, or a newer one. */
    ctie_status (*CTIE_NULLABLE current)(void *user_data, ctie_str identifier,
                                         ctie_engine_message_fn CTIE_NONNULL visit, void *context, int64_t timeout_ms);
    /** Calls `visit` on this thread with each identifier that a topic covers and that has a current message, in any
        order. */
    ctie_status (*CTIE_NULLABLE identifiers)(void *user_data, ctie_str topic,
                                             ctie_engine_identifier_fn CTIE_NONNULL visit, void *context,
                                             int64_t timeout_ms);
    /**
     * Begins to deliver messages under a number that no binding of this engine has had. Messages that are sent after
     * this has returned are delivered. After CTIE_E_UNCERTAIN the library calls `unbind`.
     *
     * CTIE_ENGINE_STATE: first the values that are stored, with CTIE_ENGINE_STORED, in the order of identifiers as
     * memcmp() compares them; for an identifier without one a CTIE_MESSAGE_NONE with CTIE_ENGINE_STORED. Then newer
     * messages without it, in the order of numbers, whose numbers are all higher than those of the stored ones. The
     * engine may leave out a value or CTIE_MESSAGE_DESTROYED before a newer one of its identifier, and a signal before
     * a newer signal.
     *
     * CTIE_ENGINE_QUEUE: all messages in the order of numbers. In place of messages that were lost or destroyed before
     * their delivery a CTIE_MESSAGE_MISSED.
     *
     * CTIE_ENGINE_DURABLE: likewise, but those that are delivered again come in any order. A message in hand may be
     * delivered again to the same binding, with another claim and a higher delivery_count.
     *
     * A message that has expired is not delivered; a queue gets a CTIE_MESSAGE_MISSED instead. The library does the
     * same with one that expires before its listener gets it.
     *
     * After its server has lost its messages, an engine goes on by itself: a state binding gets the stored values
     * again, without CTIE_ENGINE_STORED; a queue and a durable consumer get a CTIE_MESSAGE_MISSED whose missed is 0,
     * not known. The numbers of all of these, and of later messages, are above the highest one delivered before.
     */
    ctie_status (*CTIE_NULLABLE bind)(void *user_data, uint64_t binding, const ctie_engine_binding *CTIE_NONNULL how,
                                      int64_t timeout_ms);
    /** Lets so many more messages be delivered to a binding. */
    void (*CTIE_NULLABLE credit)(void *user_data, uint64_t binding, uint32_t count);
    /** Takes the outcomes of delivered messages of a CTIE_ENGINE_DURABLE binding: each claim once. */
    void (*CTIE_NULLABLE resolve)(void *user_data, uint64_t binding, const ctie_engine_answer *CTIE_NONNULL answers,
                                 size_t count);
    /** Ends a binding, and delivers nothing to it after this has returned, whatever it answers. Messages whose
        outcome has not been given are CTIE_ENGINE_UNDELIVERED. A durable consumer stays. */
    ctie_status (*CTIE_NULLABLE unbind)(void *user_data, uint64_t binding, int64_t timeout_ms);
    /** Calls `visit` on this thread with each living member, this one included, in any order. */
    ctie_status (*CTIE_NULLABLE members)(void *user_data, ctie_engine_member_fn CTIE_NONNULL visit, void *context,
                                         int64_t timeout_ms);
    /** Leaves the group and releases `user_data`. This is the last call, when all bindings have ended. The library
        makes it also if the wormhole could not be opened, unless the options have a size that no header gives them. */
    void (*CTIE_NULLABLE close)(void *user_data);

    /** Removes a durable consumer; its bindings get no more messages. CTIE_E_NOT_FOUND if there is none. */
    ctie_status (*CTIE_NULLABLE forget)(void *user_data, ctie_str topic, ctie_str name, int64_t timeout_ms);
    /** Calls `visit` on this thread with each durable consumer, in any order. */
    ctie_status (*CTIE_NULLABLE durables)(void *user_data, ctie_engine_durable_fn CTIE_NONNULL visit, void *context,
                                          int64_t timeout_ms);
    /** Moves a durable consumer, as ctie_wormhole_seek() does: `start` is CTIE_ENGINE_FROM_NEXT, _OLDEST, _SEQUENCE or
        _TIME. CTIE_E_NOT_FOUND if there is none. */
    ctie_status (*CTIE_NULLABLE seek)(void *user_data, ctie_str topic, ctie_str name, uint32_t start, uint64_t sequence,
                                      int64_t time, int64_t timeout_ms);
    /** Makes a durable consumer, as ctie_wormhole_declare() does. The options are complete and checked: times of 0 are
        replaced by their defaults. CTIE_E_CONFLICT if there is one with other options and CTIE_DURABLE_CHANGE is not
        set; CTIE_E_UNSUPPORTED for options that the engine does not have. */
    ctie_status (*CTIE_NULLABLE declare)(void *user_data, ctie_str topic, ctie_str name,
                                         const struct ctie_durable_options *CTIE_NONNULL options, int64_t timeout_ms);
    /** Calls `visit` on this thread with each message under a topic that waits for its time, in any order. Its sequence
        is the number for `cancel`. */
    ctie_status (*CTIE_NULLABLE scheduled)(void *user_data, ctie_str topic, ctie_engine_message_fn CTIE_NONNULL visit,
                                           void *context, int64_t timeout_ms);
    /** Removes a message that waits for its time; CTIE_E_NOT_FOUND if there is none of that number. */
    ctie_status (*CTIE_NULLABLE cancel)(void *user_data, uint64_t number, int64_t timeout_ms);
    /**
     * Sends messages one after another in their order, of an engine without CTIE_ENGINE_ATOMIC_BATCHES: `send` is then
     * called with one. It need not wait for each before it sends the next. After a failure that it knows of, it sends
     * none of those that follow.
     *
     * `sent` receives how many of the first messages have been sent; the library sets it to 0 before. The status is that
     * of the next one: after an error it may be that later ones have been sent as well. `token` is as for `send`: an
     * engine sends no message again that it has sent with the token, and sends those that are missing. It remembers
     * which ones as long as it remembers the token.
     *
     * `first` receives the number of the first message; the numbers rise.
     */
    ctie_status (*CTIE_NULLABLE send_each)(void *user_data, const ctie_engine_message *CTIE_NONNULL messages,
                                           size_t count, const uint8_t *CTIE_NULLABLE token,
                                           uint64_t *CTIE_NONNULL first, size_t *CTIE_NONNULL sent, int64_t timeout_ms);

    /**
     * Joins a bus to the group, under a number that no join of this engine has had. The engine connects it to each other
     * join of the group, in any process, and to those that come later: both ends get `peer_connected`, then the frames that
     * the other end sends, and at the end `peer_disconnected`. A connection that has lost a frame ends; the engine may then
     * make a new one, with a new number. It ends with its peer's process, too, and when the server is not connected.
     *
     * `max_frame_size` is the most bytes of a frame that arrives: a peer with a larger one is disconnected.
     */
    ctie_status (*CTIE_NULLABLE join)(void *user_data, uint64_t join, uint64_t max_frame_size, int64_t timeout_ms);
    /** Sends a frame to a peer of a join, after those before. It does not wait: a frame that cannot be sent at once is
        kept. CTIE_E_BUSY if over `max_waiting` bytes are kept already; CTIE_E_PEER_GONE without this peer. */
    ctie_status (*CTIE_NULLABLE send_frame)(void *user_data, uint64_t join, uint64_t peer, ctie_bytes frame,
                                            uint64_t max_waiting);
    /** Ends the connection to a peer, after the frames that were sent. It may not wait. `peer_disconnected` follows, also
        from within. */
    void (*CTIE_NULLABLE disconnect)(void *user_data, uint64_t join, uint64_t peer);
    /** Ends a join and its connections, after the frames that were sent. Nothing comes for it after this has returned,
        whatever it answers. The library calls it before `close`. */
    ctie_status (*CTIE_NULLABLE leave)(void *user_data, uint64_t join, int64_t timeout_ms);

    /** Calls `visit` on this thread with dead letters of a durable consumer after a number, at most `limit` of them, in
        the order of their numbers; with their values if `has_values` is 1. The dead letters that follow from earlier calls
        of `resolve` are among them. CTIE_E_NOT_FOUND if there is no such durable consumer. */
    ctie_status (*CTIE_NULLABLE dead_letters)(void *user_data, ctie_str topic, ctie_str name, uint64_t after,
                                              size_t limit, uint32_t has_values,
                                              ctie_engine_dead_letter_fn CTIE_NONNULL visit, void *context,
                                              int64_t timeout_ms);
    /** Puts dead letters back or removes them: that of a number, or all of them for 0. `action` is CTIE_ENGINE_RETRY or
        CTIE_ENGINE_DROP. `count` receives how many they were, also after an error. CTIE_E_NOT_FOUND if there is no such
        durable consumer, or no dead letter of that number. */
    ctie_status (*CTIE_NULLABLE end_dead_letters)(void *user_data, ctie_str topic, ctie_str name, uint64_t sequence,
                                                  uint32_t action, uint64_t *CTIE_NONNULL count, int64_t timeout_ms);
} ctie_engine;

/** @} */

CTIE_END

#endif
