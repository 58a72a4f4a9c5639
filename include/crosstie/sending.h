/**
 * @file sending.h
 * Sending: values, headers, and the times before and after which a message is not delivered.
 */
#ifndef CROSSTIE_SENDING_H
#define CROSSTIE_SENDING_H

#include "base.h"
#include "message.h"
#include "status.h"
#include "value.h"
#include "wormhole.h"

CTIE_BEGIN

/**
 * @defgroup sending Sending
 *
 * The errors and rules of wormhole.h hold for all functions here.
 * @{
 */

/** The most headers of a message. @since 0.1 */
#define CTIE_MAX_HEADERS ((size_t)32)
/** The most bytes of the names and values of a message's headers together. @since 0.1 */
#define CTIE_MAX_HEADERS_SIZE ((size_t)4096)

/** The usual header that relates a reply to its request. @since 0.1 */
#define CTIE_HEADER_CORRELATION CTIE_STR("correlation")
/** The usual header for the identifier of the reply. @since 0.1 */
#define CTIE_HEADER_REPLY_TO CTIE_STR("reply_to")
/** The usual header for a message's position in a trace, in the form of the W3C's Trace Context. @since 0.1 */
#define CTIE_HEADER_TRACEPARENT CTIE_STR("traceparent")

/** Bits of ctie_send_options.flags. @since 0.1 */
enum {
    /** The message is a signal: the value is NULL, and the stored message stays. */
    CTIE_SEND_SIGNAL = 1,
    /** The message is sent now, even if the group has a delay. Not together with delay_ms or not_before. */
    CTIE_SEND_NOW = 2,
    /** The message never expires, even if the group has an expiry time. Not together with expires_ms. */
    CTIE_SEND_LASTING = 4,
    /** ctie_wormhole_send_many(): where several messages cannot be sent in one step, they are sent one after another. A
        wormhole with CTIE_ENGINE_ATOMIC_BATCHES sends them in one step all the same. */
    CTIE_SEND_NOT_ATOMIC = 8,
};

/** Options of a message, or of each of several. Start from CTIE_SEND_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_send_options {
    size_t size;       /**< sizeof(ctie_send_options) */
    uint32_t flags;    /**< CTIE_SEND_… or'ed together */
    uint32_t reserved; /**< 0 */
    /** At most CTIE_MAX_HEADERS, of CTIE_MAX_HEADERS_SIZE bytes; copied. NULL with a count of 0. */
    const ctie_header *CTIE_NULLABLE headers;
    size_t header_count; /**< the number of headers */
    /** Milliseconds until it expires, counted from its earliest delivery. 0: as in the group's options, else never. A
        time beyond the range of the clock means never. */
    uint64_t expires_ms;
    /** Milliseconds before it is delivered: at most 100 years. 0: as in the group's options. */
    uint64_t delay_ms;
    /** The earliest time of its delivery: nanoseconds since 1970-01-01 UTC. 0: none. Not together with delay_ms. */
    int64_t not_before;
    /** 16 bytes that tell this message from every other one, or none: of two messages with the same token that a wormhole
        sends, the second is not sent, and gets the number of the first. So a message can be sent again after
        CTIE_E_UNCERTAIN. Several messages that are sent together have one token together. The wormhole remembers its last
        64 tokens. Copied. */
    ctie_bytes token;
} ctie_send_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_SEND_OPTIONS_INIT {sizeof(ctie_send_options), 0, 0, NULL, 0, 0, 0, 0, {NULL, 0}}

/**
 * Stores a value as the identifier's current message, queues it for the identifier's durable consumers, and wakes its
 * listeners. With CTIE_SEND_SIGNAL it sends a signal, and the stored message stays.
 *
 * An *expired* message is no longer stored, listed or delivered. No listener is called when a message expires; a queue
 * listener that has not got it gets a CTIE_MESSAGE_MISSED. A message in hand stays in hand; if it is rejected after its
 * expiry, it is not redelivered.
 *
 * A *scheduled* message waits in the store, also across restarts, until its time by this machine's clock. Then a process
 * that has the group open sends it, in the order of times. If a process has a listener, its timer sends the message at once;
 * otherwise the next process that sends, reads or listens does. The message is sent like any other, with the sender's name
 * and process. It gets its number only then, so a message sent after it was scheduled may have a lower one.
 * ctie_wormhole_destroy() does not touch scheduled messages; ctie_wormhole_destroy_all() removes them. If a full
 * durable consumer refuses it, or the store is full, sending is retried each second, or less often if very many are
 * refused; later ones under the same identifier wait for it.
 *
 * @param value taken, also on failure. It may hold anything but foreign objects that cannot be converted. NULL with
 *   CTIE_SEND_SIGNAL.
 * @param sequence receives the message's number in the group; numbers only grow. For a scheduled message it receives the
 *   number for ctie_wormhole_cancel_scheduled(), which is not a message's. May be NULL.
 * @param listeners receives the number of living processes that were woken because they listen to the identifier,
 *   including the caller's; a hash collision may rarely add a process that listens to another identifier. 0 for a
 *   scheduled message, and for one that its token shows to be sent already. Costs a system call for each process; may be NULL.
 * @par Errors
 * CTIE_E_INVALID (NULL value: a constructor of values failed; flags or times that exclude each other, a time before
 * 1970, a header twice, headers that are NULL or misaligned, a token of another size); CTIE_E_IDENTIFIER; CTIE_E_FOREIGN, CTIE_E_UTF8 (of a
 * foreign value, or a header; the error says where); CTIE_E_LIMIT (the encoded value is over max_value_size, or over
 * the limit of a durable consumer that drops nothing; a header, too many of them; a delay over 100 years); CTIE_E_FULL
 * (a durable consumer of the identifier is full: durable.h; the error names it); CTIE_E_NO_SPACE (stored messages stay
 * readable, and destroying some makes room); CTIE_E_BUSY (a stopped reader holds the free space; the error names its
 * process); CTIE_E_CANCELLED (this thread's wait function ended the wait for room: waiting.h).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_send(ctie_wormhole *wormhole, ctie_str identifier, ctie_value *value,
                                        const ctie_send_options *options, uint64_t *sequence, uint32_t *listeners,
                                        ctie_error_out error);

/** One of several messages. @since 0.1 */
typedef struct ctie_outgoing {
    ctie_str identifier;             /**< its identifier */
    ctie_value *CTIE_NULLABLE value; /**< NULL: a signal */
} ctie_outgoing;

/** The most messages of ctie_wormhole_send_many(). @since 0.1 */
#define CTIE_WORMHOLE_MAX_MESSAGES ((size_t)65536)

/**
 * Sends messages in one step, all or none: several times as fast as one by one, and no reader sees a part of them.
 * Their numbers are consecutive. If they are delayed (`options`, or the group's options), all are scheduled in one step
 * instead; at their time they are sent in this order, and readers may see a part of them.
 *
 * @par Without one step
 * A wormhole without CTIE_ENGINE_ATOMIC_BATCHES, such as one over a nats-server, returns CTIE_E_UNSUPPORTED for more than
 * one message, unless `options` have CTIE_SEND_NOT_ATOMIC. With it the messages are sent one after another in this order,
 * without waiting for the answer to each. Their numbers rise, and those of other senders may be between them. If one
 * fails, those before it have been sent, and the error's location names it: `messages[3]`. Some of those after it may have
 * been sent as well, unless the failure was known before they were. The same call with the same token sends what is
 * missing, and nothing twice. After CTIE_E_UNCERTAIN the location names the first message that may or may not be stored.
 *
 * @param messages in their order; their values are taken, also on failure. A NULL value is a signal.
 * @param count 1 to CTIE_WORMHOLE_MAX_MESSAGES; above it `messages` is not read and no value is taken.
 * @param options of each of them; not CTIE_SEND_SIGNAL.
 * @param sequence receives the number of the first one; may be NULL.
 * @param error its location names the message (`messages[3]`, `messages[3].value.name`).
 * @par Errors
 * Those of ctie_wormhole_send(); CTIE_E_INVALID (no messages, or they are NULL or misaligned; CTIE_SEND_SIGNAL);
 * CTIE_E_LIMIT (too many); CTIE_E_UNSUPPORTED (they cannot be sent in one step).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_send_many(ctie_wormhole *wormhole, const ctie_outgoing *messages, size_t count,
                                             const ctie_send_options *options, uint64_t *sequence, ctie_error_out error);

/**
 * Lists the scheduled messages.
 *
 * @param identifier an identifier, one followed by `.*`, or `*` for all, as for a listener.
 * @param out receives a list of maps in the order of times, owned by the caller. Their keys are "number" (for
 *   ctie_wormhole_cancel_scheduled()), "identifier", "kind" ("value" or "signal"), "not_before", "sent" and "expires"
 *   (nanoseconds since 1970-01-01 UTC; "expires" is null for never), "size" (bytes of the encoded value), "pid" and
 *   "name" (the sender's) and "headers" (a map). NULL after a failure.
 * @par Errors
 * CTIE_E_IDENTIFIER; CTIE_E_LIMIT (over CTIE_VALUE_MAX_COUNT).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_scheduled(const ctie_wormhole *wormhole, ctie_str identifier, ctie_value **out,
                                             ctie_error_out error);

/**
 * Removes a scheduled message; it is never sent.
 *
 * @param sequence the number that ctie_wormhole_send() gave for it, in any process.
 * @par Errors
 * CTIE_E_NOT_FOUND (no scheduled message has that number: it has been sent or cancelled); CTIE_E_NO_SPACE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_cancel_scheduled(ctie_wormhole *wormhole, uint64_t sequence, ctie_error_out error);

/** @} */

CTIE_END

#endif
