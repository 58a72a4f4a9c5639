/**
 * @file durable.h
 * Durable consumers: queues that the store keeps, with or without a listener.
 */
#ifndef CROSSTIE_DURABLE_H
#define CROSSTIE_DURABLE_H

#include "base.h"
#include "status.h"
#include "value.h"
#include "wormhole.h"

CTIE_BEGIN

/**
 * @defgroup durable Durable consumers
 *
 * What holds for all functions here: see wormhole.h.
 * @{
 */

/**
 * What happens to a message when a durable consumer that wants it is full. Of several names that want it the strictest
 * counts: it comes to all of them or to none. A batch is taken or refused as a whole; one that is more than a name
 * takes at all is CTIE_E_LIMIT. Destroying is never refused, nor does it wait.
 *
 * A durable consumer that refuses, or has its senders wait, loses no message that was sent: those that wait for it, are
 * in its listeners' hands or rest until their next try are not dropped for the group's max_queued and max_queued_size
 * either, and do not count there.
 *
 * @since 0.1
 */
enum {
    CTIE_FULL_DROP_OLDEST = 0, /**< the oldest ones go; the consumer's listener gets CTIE_MESSAGE_MISSED */
    CTIE_FULL_REFUSE = 1,      /**< the sender gets CTIE_E_FULL, and nothing has changed */
    /** The sender waits for room, with no lock held, for as long as timeout_ms of its wormhole; then it gets CTIE_E_FULL,
        and nothing has changed. One that sends inside the consumer's only listener waits for itself. */
    CTIE_FULL_WAIT = 2,
};

/** Bits of ctie_durable_options.flags. @since 0.1 */
enum {
    /** A new durable consumer begins with the oldest message that is still kept, and not with the next one. */
    CTIE_DURABLE_FROM_OLDEST = 1,
    /** Options that differ from those of an existing durable consumer replace them; otherwise that is CTIE_E_CONFLICT. */
    CTIE_DURABLE_CHANGE = 2,
};

/** Options of a durable consumer. Start from CTIE_DURABLE_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_durable_options {
    size_t size;    /**< sizeof(ctie_durable_options) */
    uint32_t flags; /**< CTIE_DURABLE_… or'ed together */
    /** A message that was handed out so often, and rejected or lost each time, is a dead letter (dead_letter.h). 0:
        never. */
    uint32_t max_deliveries;
    /** The identifier under which a dead letter is sent again, not the consumer's own; empty: the message's own, followed
        by `.dead`. */
    ctie_str dead_letter;
    uint64_t backoff_first_ms; /**< how long a rejected message rests at first: milliseconds, default 100 */
    uint64_t backoff_most_ms;  /**< and at most: milliseconds, default 60,000 */
    double backoff_factor;     /**< by which that grows with each delivery: 1 to 1,000, default 2 */
    double backoff_jitter;     /**< by which share of itself it is shortened at random at most: 0 to 1, default 0 */
    /** Messages that wait to be handed out for the first time, at most: what is in a listener's hands, or rests until its
        next try, does not count. 0: as many as the group keeps, max_queued. */
    uint64_t max_messages;
    uint64_t max_size;  /**< Bytes of their encoded values, at most. 0: as many as the group keeps, max_queued_size. */
    uint32_t when_full; /**< CTIE_FULL_…: what happens at these two limits, or at the group's where they are 0 */
    uint32_t reserved;  /**< 0 */
    /**
     * It is forgotten, with what is kept for it, after so many milliseconds by the clock of the day without a listener:
     * within two seconds while a process has the group open and listens or sends, otherwise when one opens it. Of a
     * listener that was killed the time counts from when that was noticed. 0: never.
     */
    uint64_t expires_ms;
} ctie_durable_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_DURABLE_OPTIONS_INIT {sizeof(ctie_durable_options), 0, 0, {NULL, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * Makes a durable consumer without listening to it: from now on it gets every message, signal and destroying of its
 * identifier. Any process may declare it, any number of times. A listener that binds a name which was not declared
 * makes the durable consumer with the defaults.
 *
 * @param identifier as for ctie_wormhole_listen().
 * @param name 1 to 128 bytes of UTF-8.
 * @return CTIE_OK, also when it exists with the same options.
 * @par Errors
 * CTIE_E_CONFLICT (it exists with others; the message says which); CTIE_E_INVALID (a number out of range);
 * CTIE_E_IDENTIFIER (identifier, dead_letter); CTIE_E_UTF8, CTIE_E_LIMIT (the name; over 256 durable consumers in the
 * group); CTIE_E_NO_SPACE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_declare(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name,
                                           const ctie_durable_options *options, ctie_error_out error);

/**
 * Lists the durable consumers of the group, and how far each is behind. The cost for one does not depend on how many
 * messages wait for it.
 *
 * @param out receives a list in the order of names, owned by the caller; NULL after a failure. Each is a map with
 *   times in nanoseconds since 1970-01-01 UTC, of "name" and "identifier" (strings: as they were declared or bound);
 *   "waiting" (messages to be handed out now) and "waiting_size" (bytes of the values of those that were never handed
 *   out); "oldest" (when the first of these was sent, by its sender's clock; null: there is none. Where many thousands
 *   that are not for this consumer lie before it: the time of one that is older); "retrying" (rejected ones that wait
 *   for their next try) and "next_retry" (when the first of them is due; null); "in_hand" (the listeners that have
 *   messages which are not answered: a list of maps of "pid", "name", "count" and "since", when the first of them was
 *   handed out); "deliveries" (how many times a message has been handed out), "dead" (dead letters), "missed"
 *   (messages that are gone, and for which no listener has had a CTIE_MESSAGE_MISSED yet); "position" (a sequence
 *   number: messages after it were never handed out); "listened" (when it last had a listener, as far as that has been
 *   noted); "damaged" (bool: what is kept for it cannot be read, and the numbers are 0); "options" (a map of
 *   "max_deliveries", "dead_letter", "backoff_first_ms", "backoff_most_ms", "backoff_factor", "backoff_jitter",
 *   "max_messages", "max_size", "when_full" ("drop", "refuse" or "wait") and "expires_ms").
 * @par Threads
 * It waits for no other process.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_durables(const ctie_wormhole *wormhole, ctie_value **out, ctie_error_out error);

/**
 * Moves a durable consumer: messages before the new place count as done, and those after it, as far as they are still
 * kept for any consumer, are handed out as if for the first time. Listeners go on from there.
 *
 * A message in hand that lies before the new place stays in hand; one that lies after it is handed out once more. One
 * that waits for its next try is done, or handed out again, by the same rule. Dead letters stay dead letters; one that
 * is retried or dropped later is so when the consumer comes to it once more. Skipped messages are not missed.
 *
 * @param identifier, name as they were declared or bound.
 * @param sequence the number of the first message to be handed out, or of one before it: 1 for the oldest that is
 *   kept, UINT64_MAX for the next one to come. 0: the time decides.
 * @param time the first message to be handed out is the first of those kept that was not sent before: nanoseconds
 *   since 1970-01-01 UTC, by the senders' clocks. 0 when there is a sequence.
 * @par Errors
 * CTIE_E_NOT_FOUND (no such durable consumer); CTIE_E_INVALID (both a sequence and a time, or neither; a time below
 * 0); CTIE_E_NO_SPACE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_seek(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name, uint64_t sequence,
                                        int64_t time, ctie_error_out error);

/** @} */

CTIE_END

#endif
