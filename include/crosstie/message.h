/**
 * @file message.h
 * Messages: listeners of a wormhole get them, and ctie_wormhole_message() reads them.
 */
#ifndef CROSSTIE_MESSAGE_H
#define CROSSTIE_MESSAGE_H

#include "base.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup message Messages
 *
 * Any thread may call these functions. Their results are borrowed and live as long as the message. For a NULL message
 * they return 0, empty text or NULL.
 * @{
 */

/**
 * A message under an identifier, or a notice about one, about a member or about a connection. Immutable and counted; a plain pointer, as a
 * value is.
 *
 * @since 0.1
 */
typedef struct ctie_message ctie_message;

/** Kinds of messages. @since 0.1 */
enum {
    CTIE_MESSAGE_NONE = 0,      /**< initial delivery: no message is stored; also the kind of a NULL pointer */
    CTIE_MESSAGE_VALUE = 1,     /**< a value was sent */
    CTIE_MESSAGE_SIGNAL = 2,    /**< a signal was sent; no value */
    CTIE_MESSAGE_DESTROYED = 3, /**< the stored message was removed, with those queued before */
    CTIE_MESSAGE_MISSED = 4,    /**< queue: ctie_message_missed() messages were dropped or destroyed before delivery */
    CTIE_MESSAGE_JOINED = 5,    /**< members: a member has opened the group */
    CTIE_MESSAGE_LEFT = 6,      /**< members: a member has closed it or died */
    CTIE_MESSAGE_CONNECTION = 7, /**< connection: its state has changed; the value is as of ctie_wormhole_connection() */
};

/** A named text beside the value. @since 0.1 */
typedef struct ctie_header {
    ctie_str name;  /**< 1 to 128 bytes of UTF-8; no other header of the message has it */
    ctie_str value; /**< UTF-8; may be empty */
} ctie_header;

/** The kind, CTIE_MESSAGE_…. @since 0.1 */
CTIE_API int32_t ctie_message_kind(const ctie_message *message);

/**
 * Whether the message could be read: CTIE_OK; CTIE_E_CORRUPT for a stored record that cannot be decoded;
 * CTIE_E_NO_MEMORY if there was no memory for its value. After an error it has no value. CTIE_E_INVALID for NULL.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_message_status(const ctie_message *message);

/** The identifier of the message; empty for members and for a connection. @since 0.1 */
CTIE_API ctie_str ctie_message_identifier(const ctie_message *message);

/** The value; NULL for every kind but CTIE_MESSAGE_VALUE and CTIE_MESSAGE_CONNECTION. @since 0.1 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_message_value(const ctie_message *message);

/** Its number in the group, from 1; 0 for CTIE_MESSAGE_NONE, members and a connection. @since 0.1 */
CTIE_API uint64_t ctie_message_sequence(const ctie_message *message);

/**
 * The time at which it was sent, the member joined, or the connection came into its state: nanoseconds since 1970-01-01 UTC by the sender's clock; 0 if
 * unknown.
 *
 * @since 0.1
 */
CTIE_API int64_t ctie_message_time(const ctie_message *message);

/** The process that sent it, or that joined or left; 0 if unknown. @since 0.1 */
CTIE_API int32_t ctie_message_sender_pid(const ctie_message *message);

/** The name of the wormhole that sent it, joined or left; empty if unknown. @since 0.1 */
CTIE_API ctie_str ctie_message_sender_name(const ctie_message *message);

/**
 * The number of messages that a CTIE_MESSAGE_MISSED reports; else 0. Together with the messages that the listener got,
 * these are all that were sent since it was bound.
 *
 * @since 0.1
 */
CTIE_API uint64_t ctie_message_missed(const ctie_message *message);

/**
 * The number of deliveries to listeners of its durable consumer, this one included: 1 the first time; 0 if it is not
 * from a durable consumer.
 *
 * @since 0.1
 */
CTIE_API uint32_t ctie_message_delivery_count(const ctie_message *message);

/**
 * The reason of its last rejection, for a message read by ctie_wormhole_dead_letter(); empty for all others.
 *
 * @since 0.1
 */
CTIE_API ctie_str ctie_message_reason(const ctie_message *message);

/** The time at which it expires: nanoseconds since 1970-01-01 UTC; 0: never (sending.h). @since 0.1 */
CTIE_API int64_t ctie_message_expires(const ctie_message *message);

/**
 * Returns the header of a name (sending.h). If it has none, the text is empty and its `data` NULL; `data` is not NULL
 * for an empty header.
 *
 * @param name such as CTIE_HEADER_CORRELATION.
 * @since 0.1
 */
CTIE_API ctie_str ctie_message_header(const ctie_message *message, ctie_str name);

/** The number of its headers. @since 0.1 */
CTIE_API size_t ctie_message_header_count(const ctie_message *message);

/**
 * The header at an index, in the order in which they were given.
 *
 * @param index from 0.
 * @param name, value receive the texts; may be NULL.
 * @return false if there is none; both stay unchanged then.
 * @since 0.1
 */
CTIE_API bool ctie_message_header_at(const ctie_message *message, size_t index, ctie_str *name, ctie_str *value);

/** Adds a reference and returns `message`; NULL gives NULL. @since 0.1 */
CTIE_API ctie_message *CTIE_NULLABLE ctie_message_retain(const ctie_message *message);

/** Gives up a reference; NULL is allowed. @since 0.1 */
CTIE_API void ctie_message_release(ctie_message *message);

/* ---- Acknowledging ------------------------------------------------------------------------------- */

/** The most bytes of a rejection's reason that are kept. @since 0.1 */
#define CTIE_MESSAGE_MAX_REASON ((size_t)1000)

/**
 * Acknowledges a queued message: it is not delivered to its durable consumer again. Without CTIE_LISTEN_MANUAL a
 * listener's return does that.
 *
 * The call does not wait: the acknowledgement is stored with others within milliseconds, and in any case before
 * ctie_listener_release() or ctie_wormhole_release() returns.
 *
 * @param message as a queue listener got it, or retained.
 * @par Errors
 * CTIE_E_ALREADY (acknowledged or rejected before, or its listener has been removed); CTIE_E_INVALID (NULL, or not from
 * a queue).
 * @since 0.1
 */
CTIE_API ctie_status ctie_message_acknowledge(const ctie_message *message);

/**
 * Rejects a message of a durable consumer: it is redelivered, to any listener that is free. Until then it is not in
 * hand and does not delay other messages. Inside a listener without CTIE_LISTEN_MANUAL, the return then does not
 * acknowledge the message. For a listener that is not durable the message counts as acknowledged.
 *
 * If the message has been delivered as often as the durable consumer's ctie_durable_options.max_deliveries allows, it
 * becomes a dead letter instead (dead_letter.h).
 *
 * @param delay_ms the delay in milliseconds; negative: as declared for the durable consumer, by default 100 ms after
 *   the first delivery, and twice as long after each further one, at most a minute.
 * @param reason kept with a dead letter: its first CTIE_MESSAGE_MAX_REASON bytes are copied, and invalid UTF-8 is
 *   replaced. May be empty.
 * @par Errors
 * Those of ctie_message_acknowledge(); CTIE_E_INVALID (a reason that is NULL with a size).
 * @since 0.1
 */
CTIE_API ctie_status ctie_message_reject(const ctie_message *message, int64_t delay_ms, ctie_str reason);

/** @} */

CTIE_END

#endif
