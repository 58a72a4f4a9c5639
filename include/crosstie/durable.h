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
 * The errors and rules of wormhole.h hold for all functions here.
 * @{
 */

/**
 * The policy for a message that a full durable consumer should get. If several durable consumers should get it, the
 * strictest policy counts: all of them get it or none. A batch is accepted or refused as a whole; one that exceeds a
 * consumer's whole limit is CTIE_E_LIMIT. Destroying is never refused and never waits.
 *
 * A durable consumer that refuses, or makes senders wait, loses no message that was sent. The group's max_queued and
 * max_queued_size do not apply to its messages: neither to waiting ones, nor to those in hand or delayed until their
 * redelivery.
 *
 * @since 0.1
 */
enum {
    CTIE_FULL_DROP_OLDEST = 0, /**< the oldest ones are dropped; the consumer's listener gets CTIE_MESSAGE_MISSED */
    CTIE_FULL_REFUSE = 1,      /**< the sender gets CTIE_E_FULL, and nothing has changed */
    /** The sender waits for room, with no lock held, for up to timeout_ms of its wormhole; then it gets CTIE_E_FULL,
        and nothing has changed. A sender inside the consumer's only listener waits in vain. */
    CTIE_FULL_WAIT = 2,
};

/** Bits of ctie_durable_options.flags. @since 0.1 */
enum {
    /** A new durable consumer begins with the oldest message that is still kept, instead of the next one. */
    CTIE_DURABLE_FROM_OLDEST = 1,
    /** Replaces the options of an existing durable consumer; without it different options are CTIE_E_CONFLICT. */
    CTIE_DURABLE_CHANGE = 2,
};

/** Options of a durable consumer. Start from CTIE_DURABLE_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_durable_options {
    size_t size;    /**< sizeof(ctie_durable_options) */
    uint32_t flags; /**< CTIE_DURABLE_… or'ed together */
    /** The number of deliveries after which a message that was rejected or lost each time is a dead letter
        (dead_letter.h). 0: no limit. */
    uint32_t max_deliveries;
    /** The identifier under which a dead letter's copy is sent, not the consumer's own; empty: the message's own,
        followed by `.dead`. */
    ctie_str dead_letter;
    uint64_t backoff_first_ms; /**< the delay before the first redelivery: milliseconds, default 100 */
    uint64_t backoff_most_ms;  /**< the longest delay: milliseconds, default 60,000 */
    double backoff_factor;     /**< the growth of the delay with each delivery: 1 to 1,000, default 2 */
    double backoff_jitter;     /**< the largest share by which a delay is shortened at random: 0 to 1, default 0 */
    /** The most messages that wait for their first delivery; messages in hand or delayed until their redelivery do not
        count. 0: as many as the group keeps, max_queued. */
    uint64_t max_messages;
    uint64_t max_size;  /**< the most bytes of their encoded values. 0: as many as the group keeps, max_queued_size */
    uint32_t when_full; /**< CTIE_FULL_…: the policy at these two limits, or at the group's where they are 0 */
    uint32_t reserved;  /**< 0 */
    /**
     * Milliseconds of the wall clock without a listener after which the durable consumer and the messages kept for it
     * are removed: within two seconds while a process has the group open and listens or sends, otherwise when a process
     * opens it. If a listener was killed, the time counts from the detection of its death. 0: never.
     */
    uint64_t expires_ms;
} ctie_durable_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_DURABLE_OPTIONS_INIT {sizeof(ctie_durable_options), 0, 0, {NULL, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * Makes a durable consumer without listening to it: from now on it gets every message, signal and notice of destruction
 * of its identifier. Any process may declare it, any number of times. Binding a listener to a durable consumer that was
 * not declared makes it with the defaults.
 *
 * @param identifier as for ctie_wormhole_listen().
 * @param name 1 to 128 bytes of UTF-8.
 * @return CTIE_OK, also when it exists with the same options.
 * @par Errors
 * CTIE_E_CONFLICT (it exists with other options; the message says which); CTIE_E_INVALID (a number out of range);
 * CTIE_E_IDENTIFIER (identifier, dead_letter); CTIE_E_UTF8, CTIE_E_LIMIT (the name; over 256 durable consumers in the
 * group); CTIE_E_NO_SPACE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_declare(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name,
                                           const ctie_durable_options *options, ctie_error_out error);

/**
 * Lists the durable consumers of the group with their backlogs. The cost per consumer does not depend on the number of
 * messages that wait for it.
 *
 * @param out receives a list in the order of names, owned by the caller; NULL after a failure. Each item is a map;
 *   times are nanoseconds since 1970-01-01 UTC. Its keys are "name" and "identifier" (strings, as declared or bound);
 *   "waiting" (messages to be delivered now) and "waiting_size" (bytes of the values of those that were never
 *   delivered); "oldest" (when the first of these was sent, by its sender's clock; null without one; if many thousands
 *   of messages for other consumers come before it, the time of an older one); "retrying" (rejected messages that wait
 *   for their redelivery) and "next_retry" (when the first of them is due, or null); "in_hand" (the listeners with
 *   messages in hand: a list of maps of "pid", "name", "count" and "since", when the first of them was delivered);
 *   "deliveries" (the number of deliveries so far), "dead" (dead letters), "missed" (lost messages that no
 *   CTIE_MESSAGE_MISSED has reported yet); "position" (a sequence number: later messages were never delivered);
 *   "listened" (when it last had a listener, as far as recorded); "damaged" (bool: its messages cannot be read, and the
 *   numbers are 0); "options" (a map of "max_deliveries", "dead_letter", "backoff_first_ms", "backoff_most_ms",
 *   "backoff_factor", "backoff_jitter", "max_messages", "max_size", "when_full" ("drop", "refuse" or "wait") and
 *   "expires_ms").
 * @par Threads
 * Any; it waits for no other process.
 * @par Errors
 * CTIE_E_LIMIT (over CTIE_VALUE_MAX_COUNT).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_durables(const ctie_wormhole *wormhole, ctie_value **out, ctie_error_out error);

/**
 * Moves a durable consumer to another position: messages before it count as acknowledged; messages after it that are
 * still kept for any consumer are delivered as if for the first time. Listeners continue from there.
 *
 * A message in hand before the new position stays in hand; one after it is delivered once more. A message that waits
 * for its redelivery is acknowledged, or delivered again, by the same rule. Dead letters stay dead letters; if one
 * after the position is retried or dropped later, this takes effect when the consumer reaches it again. Skipped messages
 * are not reported as missed.
 *
 * @param identifier, name as declared or bound.
 * @param sequence the number of the first message to deliver; if that message is not kept, delivery begins with the next
 *   kept one. 1: the oldest one; UINT64_MAX: the next one to be sent; 0: `time` decides.
 * @param time the first message to deliver is the first kept one that was not sent before this time: nanoseconds since
 *   1970-01-01 UTC, by the senders' clocks. 0 with a sequence.
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
