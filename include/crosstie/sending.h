/**
 * @file sending.h
 * Sending: a value, headers, and the times before and after which a message is not delivered.
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
 * What holds for all functions here: see wormhole.h.
 * @{
 */

/** Pairs that a message may have. @since 0.1 */
#define CTIE_MAX_HEADERS ((size_t)32)
/** Bytes that names and values of a message's headers have together, at most. @since 0.1 */
#define CTIE_MAX_HEADERS_SIZE ((size_t)4096)

/** The usual name for what ties an answer to its question. @since 0.1 */
#define CTIE_HEADER_CORRELATION CTIE_STR("correlation")
/** The usual name for the identifier under which an answer is expected. @since 0.1 */
#define CTIE_HEADER_REPLY_TO CTIE_STR("reply_to")
/** The usual name for where a message belongs in a trace, in the form of the W3C's Trace Context. @since 0.1 */
#define CTIE_HEADER_TRACEPARENT CTIE_STR("traceparent")

/** A text beside the value, under a name. @since 0.1 */
typedef struct ctie_header {
    ctie_str name;  /**< 1 to 128 bytes of UTF-8; no other header of the message has it */
    ctie_str value; /**< UTF-8; may be empty */
} ctie_header;

/** Bits of ctie_send_options.flags. @since 0.1 */
enum {
    /** The message is a signal: the value is NULL, and the stored message stays. */
    CTIE_SEND_SIGNAL = 1,
    /** It goes now, although the group has a delay. Not together with delay_ms or not_before. */
    CTIE_SEND_NOW = 2,
    /** It never expires, although the group says when. Not together with expires_ms. */
    CTIE_SEND_LASTING = 4,
};

/** Options of a message. Start from CTIE_SEND_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_send_options {
    size_t size;       /**< sizeof(ctie_send_options) */
    uint32_t flags;    /**< CTIE_SEND_… or'ed together */
    uint32_t reserved; /**< 0 */
    /** At most CTIE_MAX_HEADERS, of CTIE_MAX_HEADERS_SIZE bytes; copied. NULL with a count of 0. */
    const ctie_header *CTIE_NULLABLE headers;
    size_t header_count; /**< how many */
    /** It expires after so many milliseconds, counted from when it can be delivered first. 0: as the group's options
        say, else never. What cannot be counted is never. */
    uint64_t expires_ms;
    /** It is not delivered before so many milliseconds have passed: at most 100 years. 0: as the group's options say. */
    uint64_t delay_ms;
    /** It is not delivered before this time: nanoseconds since 1970-01-01 UTC. 0: none. Not together with delay_ms. */
    int64_t not_before;
} ctie_send_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_SEND_OPTIONS_INIT {sizeof(ctie_send_options), 0, 0, NULL, 0, 0, 0, 0}

/**
 * Stores a value as the identifier's current message, queues it for the durable consumers that want it, and wakes its
 * listeners. With CTIE_SEND_SIGNAL it sends a signal, and the stored message stays.
 *
 * *Expired*, a message is not stored, not listed, and not delivered any more. No listener is called when that happens;
 * a queue listener that had not had it gets a CTIE_MESSAGE_MISSED. What a listener has in hand stays in hand; rejected
 * after its time it is gone.
 *
 * *Scheduled*, a message waits in the store, over restarts too, until its time by the clock of this machine has come.
 * Then a process that has the group open sends it, in the order of times: one with a listener at once, by a timer;
 * otherwise the next one that sends, reads or listens. It is then sent like any other, with the sender's name and
 * process and a number of its own, so that a later message may have a lower one. ctie_wormhole_destroy() leaves
 * scheduled messages alone; ctie_wormhole_destroy_all() removes them. When its durable consumer refuses it for want of
 * room, or the store is full, it is tried again each second, or less often where a great many are refused; those that
 * are due after it under the same identifier wait with it.
 *
 * @param value taken, also on failure. It may hold anything but foreign objects that cannot be turned into values.
 *   NULL with CTIE_SEND_SIGNAL.
 * @param sequence receives the message's number: the group's own count, never going back; of a scheduled message the
 *   number for ctie_wormhole_cancel_scheduled(), which no message has. May be NULL.
 * @param listeners receives how many living processes were woken because they listen to the identifier, the caller's
 *   included (rarely, one that listens to another identifier with the same hash is among them); 0 for a scheduled
 *   message. Costs a system call for each; may be NULL.
 * @par Errors
 * CTIE_E_INVALID (NULL value: a constructor of values failed; flags or times that exclude each other, a time before
 * 1970, a header twice, headers that are NULL or misaligned); CTIE_E_IDENTIFIER; CTIE_E_FOREIGN, CTIE_E_UTF8 (of a
 * foreign value, or a header; the message says where); CTIE_E_LIMIT (the encoded value is over max_value_size, or over
 * the limit of a durable consumer that drops nothing; a header, too many of them; a delay over 100 years); CTIE_E_FULL
 * (a durable consumer that wants it is full: durable.h; the message names it); CTIE_E_NO_SPACE (what is stored stays
 * readable, and destroying makes room); CTIE_E_BUSY (there is room, but a process that was stopped as it read keeps
 * it: the message names that one); CTIE_E_CANCELLED (this thread's wait for room is not wanted: waiting.h).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_send(ctie_wormhole *wormhole, ctie_str identifier, ctie_value *value,
                                        const ctie_send_options *options, uint64_t *sequence, uint32_t *listeners,
                                        ctie_error_out error);

/**
 * Lists the messages that wait for their time.
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
 * Removes a message that waits for its time; it is never sent.
 *
 * @param sequence what ctie_wormhole_send() gave for it, in whatever process.
 * @par Errors
 * CTIE_E_NOT_FOUND (none of that number waits: it has been sent or cancelled); CTIE_E_NO_SPACE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_cancel_scheduled(ctie_wormhole *wormhole, uint64_t sequence, ctie_error_out error);

/** @} */

CTIE_END

#endif
