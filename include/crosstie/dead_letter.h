/**
 * @file dead_letter.h
 * Dead letters: messages that a durable consumer was given too often in vain.
 */
#ifndef CROSSTIE_DEAD_LETTER_H
#define CROSSTIE_DEAD_LETTER_H

#include "base.h"
#include "durable.h"
#include "message.h"
#include "status.h"
#include "value.h"
#include "wormhole.h"

CTIE_BEGIN

/**
 * @defgroup dead_letter Dead letters
 * @{
 */

/*
 * A message that was rejected or lost ctie_durable_options.max_deliveries times becomes a dead letter of that name, in the
 * same step: nobody is given it any more. It stays queued for the name alone, with its number, until somebody retries or
 * drops it, or it is destroyed or dropped for age as any queued message is. In that step, too, its value (or signal) is
 * passed under ctie_durable_options.dead_letter, as a new message whose sender is the original one, so that whoever listens
 * there hears of it. It has the original's headers, and those below as far as there is room; it does not expire. Nothing is
 * passed on where that identifier would be over 128 bytes long, or for a message that says that something was destroyed.
 * What becomes of the message that was passed on makes no difference to the dead letter.
 *
 * A durable consumer on a prefix is not given what stands under its own identifier of dead letters; nor, where that is the
 * default, under any other that ends in `.dead`.
 */

/** Headers of what is passed on (ctie_message_header()): why it was rejected the last time, empty for no reason. @since 0.1 */
#define CTIE_HEADER_DEAD_REASON CTIE_STR("dead_reason")
/** Whose dead letter it is. @since 0.1 */
#define CTIE_HEADER_DEAD_NAME CTIE_STR("dead_name")
/** How often it was given to a listener, in digits. @since 0.1 */
#define CTIE_HEADER_DEAD_DELIVERIES CTIE_STR("dead_deliveries")
/** What it was passed under. @since 0.1 */
#define CTIE_HEADER_DEAD_IDENTIFIER CTIE_STR("dead_identifier")
/** Its number there, in digits. @since 0.1 */
#define CTIE_HEADER_DEAD_SEQUENCE CTIE_STR("dead_sequence")

/**
 * Lists dead letters of a durable consumer, in the order of their numbers. What is retried or dropped meanwhile may show.
 *
 * @param identifier as the name was bound or declared. @param name the durable consumer.
 * @param after only those of greater numbers: 0, or the last one's of the list before.
 * @param limit how many at most; 0: 1,000. At most CTIE_VALUE_MAX_COUNT.
 * @param out receives a list of maps, owned by the caller: ctie_value_release(). Their keys are "sequence" (the message's
 *   number), "identifier" (it was passed under; empty for the destroying of everything), "kind" ("value", "signal" or
 *   "destroyed"), "size" (bytes of its encoded value), "time" (when it was passed), "sender" (a map of "pid" and "name"),
 *   "deliveries" (how often it was given to a listener), "reason" (of its last rejection; empty if none was given), "dead"
 *   (when it became a dead letter) and "passed" (the number under which it was passed on; 0 if it was not). Times are
 *   nanoseconds since 1970-01-01 UTC. NULL after a failure.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_NOT_FOUND (no such durable consumer); CTIE_E_INVALID (no `out`); CTIE_E_LIMIT (`limit`);
 *   CTIE_E_CORRUPT; CTIE_E_BUSY (too many readers at once); CTIE_E_NO_MEMORY; CTIE_E_SYSTEM; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_dead_letters(const ctie_wormhole *wormhole, ctie_str identifier, ctie_str name,
                                                uint64_t after, size_t limit, ctie_value **out, ctie_error_out error);

/**
 * Reads a dead letter. Its ctie_message_delivery_count() tells how often it was given to a listener, and ctie_message_reason()
 * why it was rejected. It cannot be acknowledged or rejected.
 *
 * @param identifier as the name was bound or declared. @param name the durable consumer.
 * @param sequence the message's number.
 * @param out receives the message, owned by the caller: ctie_message_release(). NULL after a failure.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return as ctie_wormhole_dead_letters(); CTIE_E_NOT_FOUND also where there is no such dead letter. A value that cannot be
 *   decoded is ctie_message_status() CTIE_E_CORRUPT.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_dead_letter(const ctie_wormhole *wormhole, ctie_str identifier, ctie_str name,
                                               uint64_t sequence, ctie_message **out, ctie_error_out error);

/**
 * Puts dead letters back where they were, for this durable consumer alone: they are given out next, before all that has not been
 * claimed yet, in the order of their numbers, and their deliveries are counted anew.
 *
 * All of a name are put back in steps, between which others pass and read; none that dies meanwhile is put back twice.
 *
 * @param identifier as the name was bound or declared. @param name the durable consumer.
 * @param sequence the number of one; 0: all.
 * @param count receives how many it were, also after a failure in the middle; may be NULL.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK (also when all are none); CTIE_E_NOT_FOUND (no such durable consumer, or dead letter); CTIE_E_NO_SPACE;
 *   CTIE_E_BUSY; CTIE_E_TIMEOUT; CTIE_E_CORRUPT; CTIE_E_NO_MEMORY; CTIE_E_SYSTEM; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_retry(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name, uint64_t sequence,
                                         uint64_t *count, ctie_error_out error);

/**
 * Removes dead letters, for good: the durable consumer has done with them.
 *
 * Parameters, threads and statuses as for ctie_wormhole_retry().
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_drop(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name, uint64_t sequence,
                                        uint64_t *count, ctie_error_out error);

/** @} */

CTIE_END

#endif
