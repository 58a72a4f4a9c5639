/**
 * @file sending.h
 * Sending: a value, headers, a time after which no listener gets it, a time before which none does.
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

/** How a message is sent. Start from CTIE_SEND_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_send_options {
    size_t size;       /**< sizeof(ctie_send_options) */
    uint32_t flags;    /**< CTIE_SEND_… or'ed together */
    uint32_t reserved; /**< 0 */
    /** At most CTIE_MAX_HEADERS, of CTIE_MAX_HEADERS_SIZE bytes; copied. NULL with a count of 0. */
    const ctie_header *CTIE_NULLABLE headers;
    size_t header_count; /**< how many */
    /** Nobody hears it after so many milliseconds, counted from when it can be heard first. 0: as the group's options
        say, else for ever. What cannot be counted is for ever. */
    uint64_t expires_ms;
    /** Nobody hears it before so many milliseconds have passed: at most 100 years. 0: as the group's options say. */
    uint64_t delay_ms;
    /** Nobody hears it before this time: nanoseconds since 1970-01-01 UTC. 0: none. Not together with delay_ms. */
    int64_t not_before;
} ctie_send_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_SEND_OPTIONS_INIT {sizeof(ctie_send_options), 0, 0, NULL, 0, 0, 0, 0}

/**
 * Stores a value as the identifier's current message, queues it for the durable consumers that want it, and wakes its
 * listeners; or signals. Options add headers and times.
 *
 * **Expired**, a message is not there any more for anybody: not stored, not listed, and given to no listener. Nobody is
 * notified when that happens; a queue listener that had not come to it gets a CTIE_MESSAGE_MISSED. What a listener
 * has in hand stays in hand; rejected after its time it is gone.
 *
 * **Scheduled**, a message waits in the store until its time by the clock of this machine has come, over restarts, too.
 * Then a process that has the group open sends it, in the order of times: one with a listener at once, by a timer;
 * otherwise the next one that sends, reads or listens. It is sent like any other then, with the sender's name and
 * process and a number of its own, so that a later message may have a lower one. ctie_wormhole_destroy() leaves what is
 * scheduled alone; ctie_wormhole_destroy_all() removes it. When its durable consumer refuses it for want of room, or the
 * store is full, it is tried again each second, or less often where a great many are refused; those that are due after it
 * under the same identifier wait with it.
 *
 * @param value taken, also when this fails. It may hold anything but foreign objects that cannot be turned into values.
 *   NULL with CTIE_SEND_SIGNAL.
 * @param options borrowed; NULL for defaults.
 * @param sequence receives the message's number: the group's own count, never going back; of a scheduled message the
 *   number for ctie_wormhole_cancel_scheduled(), which no message has. May be NULL.
 * @param listeners receives how many living processes were woken because they listen to the identifier, the caller's
 *   included (rarely, one that listens to another identifier with the same hash is among them); 0 for a scheduled
 *   message. Costs a system call for each; may be NULL.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_INVALID (NULL value: a constructor of values failed; a short or misaligned struct, an unknown
 *   flag, flags or times that exclude each other, a time before 1970, a header twice, headers that are NULL or
 *   misaligned); CTIE_E_IDENTIFIER; CTIE_E_FOREIGN or CTIE_E_UTF8 (of a foreign value, or a header; the message says
 *   where); CTIE_E_LIMIT (the encoded value is over max_value_size, or more than a durable consumer takes that is not to
 *   drop any; a header, too many of them; a delay over 100 years); CTIE_E_FULL (a durable consumer that wants it
 *   is full and refuses more, or there was no room in time where its senders wait: durable.h; the message names it);
 *   CTIE_E_NO_SPACE (what is stored stays readable, and destroying makes room); CTIE_E_BUSY (there is room, but a
 *   process that was stopped as it read keeps it: the message names that one); CTIE_E_TIMEOUT (a stopped process holds
 *   the group); CTIE_E_CANCELLED (this thread's wait for room is not wanted: waiting.h); CTIE_E_ABI; CTIE_E_CORRUPT;
 *   CTIE_E_NO_MEMORY; CTIE_E_SYSTEM; CTIE_E_HANDLE; CTIE_E_FORKED. Nothing has changed after a failure.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_send(ctie_wormhole *wormhole, ctie_str identifier, ctie_value *value,
                                        const ctie_send_options *options, uint64_t *sequence, uint32_t *listeners,
                                        ctie_error_out error);

/**
 * The messages that wait for their time.
 *
 * @param identifier an identifier, one followed by `.*`, or `*` for all, as for a listener.
 * @param out receives a list of maps in the order of times, owned by the caller: ctie_value_release(). Their keys are
 *   "number" (for ctie_wormhole_cancel_scheduled()), "identifier", "kind" ("value" or "signal"), "not_before", "sent" and
 *   "expires" (nanoseconds since 1970-01-01 UTC; "expires" is null for never), "size" (bytes of the encoded value), "pid"
 *   and "name" (the sender's) and "headers" (a map). NULL after a failure.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`); CTIE_E_IDENTIFIER; CTIE_E_LIMIT (over CTIE_VALUE_MAX_COUNT);
 *   CTIE_E_CORRUPT; CTIE_E_BUSY (too many readers at once); CTIE_E_NO_MEMORY; CTIE_E_SYSTEM; CTIE_E_HANDLE;
 *   CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_scheduled(const ctie_wormhole *wormhole, ctie_str identifier, ctie_value **out,
                                             ctie_error_out error);

/**
 * Removes a message that waits for its time; nobody hears of it.
 *
 * @param sequence what ctie_wormhole_send() gave for it, from whatever process.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_NOT_FOUND (none of that number waits: it has been passed or cancelled); CTIE_E_NO_SPACE;
 *   CTIE_E_TIMEOUT; CTIE_E_CORRUPT; CTIE_E_NO_MEMORY; CTIE_E_SYSTEM; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_cancel_scheduled(ctie_wormhole *wormhole, uint64_t sequence, ctie_error_out error);

/** @} */

CTIE_END

#endif
