/**
 * @file message.h
 * What listeners of a wormhole are told, and what ctie_wormhole_message() reads.
 */
#ifndef CROSSTIE_MESSAGE_H
#define CROSSTIE_MESSAGE_H

#include "base.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup message Messages
 * @{
 */

/**
 * What stands under an identifier, or what became of it. Immutable and counted, a plain pointer as a
 * value is.
 *
 * @since 0.1
 */
typedef struct ctie_message ctie_message;

/** What a message tells. @since 0.1 */
enum {
    CTIE_MESSAGE_NONE = 0,      /**< initial delivery: nothing is stored; also the kind of a NULL pointer */
    CTIE_MESSAGE_VALUE = 1,     /**< a value was passed */
    CTIE_MESSAGE_SIGNAL = 2,    /**< the listeners were signalled; no value */
    CTIE_MESSAGE_DESTROYED = 3, /**< the message was removed, and what was queued before it */
    CTIE_MESSAGE_MISSED = 4,    /**< queue: ctie_message_missed() messages are gone, unheard: dropped or destroyed */
    CTIE_MESSAGE_JOINED = 5,    /**< presence: somebody has the group open */
    CTIE_MESSAGE_LEFT = 6,      /**< presence: somebody has it open no more */
};

/* Asking. Threads: any. What is borrowed lives as long as the message. */

/** The kind, CTIE_MESSAGE_…. @since 0.1 */
CTIE_API int32_t ctie_message_kind(const ctie_message *message);

/**
 * Whether the message could be read: CTIE_OK; CTIE_E_CORRUPT for a stored record that cannot be decoded, or
 * CTIE_E_NO_MEMORY where there was no memory for its value. It has no value then. CTIE_E_INVALID for NULL.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_message_status(const ctie_message *message);

/** The identifier it was passed under, borrowed; empty for NULL and for presence. @since 0.1 */
CTIE_API ctie_str ctie_message_identifier(const ctie_message *message);

/** The value, borrowed; NULL for every kind but CTIE_MESSAGE_VALUE. @since 0.1 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_message_value(const ctie_message *message);

/** Its number in the group, from 1; 0 for CTIE_MESSAGE_NONE and for presence. @since 0.1 */
CTIE_API uint64_t ctie_message_sequence(const ctie_message *message);

/**
 * When it was passed, or the member joined: nanoseconds since 1970-01-01 UTC by the sender's clock; 0 if
 * unknown.
 *
 * @since 0.1
 */
CTIE_API int64_t ctie_message_time(const ctie_message *message);

/** The process that passed it, or that joined or left; 0 if unknown. @since 0.1 */
CTIE_API int32_t ctie_message_sender_pid(const ctie_message *message);

/** The name of the wormhole that passed it, joined or left, borrowed; empty if unknown. @since 0.1 */
CTIE_API ctie_str ctie_message_sender_name(const ctie_message *message);

/**
 * How many messages a CTIE_MESSAGE_MISSED stands for; else 0. With what the listener has heard they make up all that
 * was sent since it was bound.
 *
 * @since 0.1
 */
CTIE_API uint64_t ctie_message_missed(const ctie_message *message);

/**
 * How often it has been handed to a listener of its durable consumer, this time included: 1 the first time; 0
 * when it is not from a durable consumer.
 *
 * @since 0.1
 */
CTIE_API uint32_t ctie_message_delivery_count(const ctie_message *message);

/**
 * Why it was rejected the last time, of what ctie_wormhole_dead_letter() has read; borrowed, empty for all others.
 *
 * @since 0.1
 */
CTIE_API ctie_str ctie_message_reason(const ctie_message *message);

/**
 * When it expires, so that nobody hears it afterwards: nanoseconds since 1970-01-01 UTC; 0: never (sending.h).
 *
 * @since 0.1
 */
CTIE_API int64_t ctie_message_expires(const ctie_message *message);

/**
 * The text that it was sent with under a name, borrowed: sending.h. Empty, with NULL for `data`, when it has none of that
 * name; `data` is not NULL for one that is empty.
 *
 * @param name for one, CTIE_HEADER_CORRELATION.
 * @since 0.1
 */
CTIE_API ctie_str ctie_message_header(const ctie_message *message, ctie_str name);

/** How many headers it has. @since 0.1 */
CTIE_API size_t ctie_message_header_count(const ctie_message *message);

/**
 * The header of an index, in the order in which they were given; both borrowed.
 *
 * @param index from 0. @param name, value receive the texts; may be NULL.
 * @return false when there is none; both stay as they are then.
 * @since 0.1
 */
CTIE_API bool ctie_message_header_at(const ctie_message *message, size_t index, ctie_str *name, ctie_str *value);

/** Adds a reference and returns `message`; NULL gives NULL. @since 0.1 */
CTIE_API ctie_message *CTIE_NULLABLE ctie_message_retain(const ctie_message *message);

/** Gives up a reference; NULL is fine. @since 0.1 */
CTIE_API void ctie_message_release(ctie_message *message);

/* ---- Acknowledging ------------------------------------------------------------------------------- */

/** Bytes of a reason to reject a message that are kept. @since 0.1 */
#define CTIE_MESSAGE_MAX_REASON ((size_t)1000)

/**
 * Says that a queued message has been dealt with: it is not delivered to its durable consumer again. Without
 * CTIE_LISTEN_MANUAL a listener's returning does that.
 *
 * @param message as a queue listener was given it, or retained.
 * Threads: any, also inside a listener. It does not wait: what is acknowledged is stored with others
 *   within milliseconds, and in any case before ctie_listener_release() or ctie_wormhole_release() returns.
 * @return CTIE_OK; CTIE_E_ALREADY (acknowledged or rejected before, or its listener is gone);
 *   CTIE_E_INVALID (NULL, or not from a queue).
 * @since 0.1
 */
CTIE_API ctie_status ctie_message_acknowledge(const ctie_message *message);

/**
 * Says that a message of a durable consumer could not be dealt with: it is delivered again, to whichever
 * process is free. Until then it waits in nobody's hands, as any number of others may, and holds up none of
 * the rest. Inside a listener without CTIE_LISTEN_MANUAL it keeps the return from acknowledging. A
 * listener that is not durable hears nothing again; its message counts as acknowledged.
 *
 * Where the name was declared with ctie_durable_options.max_deliveries, and the message has been delivered that often, it is
 * not delivered again but becomes a dead letter (dead_letter.h).
 *
 * @param delay_ms not before so many milliseconds have passed; negative: as the name was declared, by default 100 ms
 *   after the first delivery, and twice as long after each further one, at most a minute.
 * @param reason why, kept with a dead letter; copied, of which the first CTIE_MESSAGE_MAX_REASON bytes count, and what is
 *   no UTF-8 is replaced. May be empty.
 * Threads: as ctie_message_acknowledge().
 * @return as ctie_message_acknowledge(); CTIE_E_INVALID also for a reason that is NULL and has a size.
 * @since 0.1
 */
CTIE_API ctie_status ctie_message_reject(const ctie_message *message, int64_t delay_ms, ctie_str reason);

/** @} */

CTIE_END

#endif
