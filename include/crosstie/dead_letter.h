/**
 * @file dead_letter.h
 * Dead letters: messages that a durable consumer failed to process too often.
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
 *
 * The errors and rules of wormhole.h hold for all functions here.
 *
 * A message that was rejected or lost ctie_durable_options.max_deliveries times becomes a dead letter of that durable
 * consumer, in the same step: it is not delivered any more. It stays queued for that consumer alone, with its number,
 * until it is retried or dropped, or destroyed or dropped for age as any queued message is. In the same step its value
 * (or signal) is sent under ctie_durable_options.dead_letter, as a new message from the original sender, for listeners
 * there. The new message has the original's headers, and those below as far as there is room; it does not expire.
 * Nothing is sent if that identifier would be over 128 bytes long, or for a CTIE_MESSAGE_DESTROYED. The dead letter is
 * independent of the new message.
 *
 * A durable consumer on a prefix does not get messages under its own dead-letter identifier, nor, if that is the
 * default one, under any other identifier that ends in `.dead`.
 * @{
 */

/**
 * The header with the reason of the last rejection, empty for none: ctie_message_header() of the new message.
 *
 * @since 0.1
 */
#define CTIE_HEADER_DEAD_REASON CTIE_STR("dead_reason")
/** The header with the name of the durable consumer. @since 0.1 */
#define CTIE_HEADER_DEAD_NAME CTIE_STR("dead_name")
/** The header with the number of deliveries to a listener, in digits. @since 0.1 */
#define CTIE_HEADER_DEAD_DELIVERIES CTIE_STR("dead_deliveries")
/** The header with the identifier of the original message. @since 0.1 */
#define CTIE_HEADER_DEAD_IDENTIFIER CTIE_STR("dead_identifier")
/** The header with the number of the original message, in digits. @since 0.1 */
#define CTIE_HEADER_DEAD_SEQUENCE CTIE_STR("dead_sequence")

/**
 * Lists dead letters of a durable consumer, in the order of their numbers. The list may show concurrent retries and
 * drops in part.
 *
 * @param identifier as the durable consumer was bound or declared.
 * @param name the durable consumer.
 * @param after only those with greater numbers: 0, or the last number of the previous list.
 * @param limit the largest number of dead letters to list, up to CTIE_VALUE_MAX_COUNT; 0 means 1,000.
 * @param out receives a list of maps, owned by the caller; NULL after a failure. Their keys are "sequence" (the
 *   message's number), "identifier" (the message's; empty if everything was destroyed), "kind" ("value",
 *   "signal" or "destroyed"), "size" (bytes of its encoded value), "time" (when it was sent), "sender" (a map of "pid"
 *   and "name"), "deliveries" (to listeners), "reason" (of its last rejection; empty if none was given), "dead" (when
 *   it became a dead letter) and "sent_as" (the number of the new message; 0 if none was sent). Times are nanoseconds
 *   since 1970-01-01 UTC.
 * @par Errors
 * CTIE_E_NOT_FOUND (no such durable consumer); CTIE_E_LIMIT (`limit`).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_dead_letters(const ctie_wormhole *wormhole, ctie_str identifier, ctie_str name,
                                                uint64_t after, size_t limit, ctie_value **out, ctie_error_out error);

/**
 * Reads a dead letter. It has a ctie_message_delivery_count() and a ctie_message_reason(), and cannot be acknowledged
 * or rejected. Where its value cannot be decoded its ctie_message_status() is CTIE_E_CORRUPT.
 *
 * @param identifier as the durable consumer was bound or declared.
 * @param name the durable consumer.
 * @param sequence the message's number.
 * @param out receives the message, owned by the caller: ctie_message_release(). NULL after a failure.
 * @par Errors
 * CTIE_E_NOT_FOUND (no such durable consumer, or dead letter).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_dead_letter(const ctie_wormhole *wormhole, ctie_str identifier, ctie_str name,
                                               uint64_t sequence, ctie_message **out, ctie_error_out error);

/**
 * Puts dead letters back into the queue of their durable consumer alone: they are delivered next, before all messages
 * that are not claimed yet, in the order of their numbers, and their delivery counts start again at 1.
 *
 * A large number is put back in several steps, between which other processes send and read. A message that becomes a
 * dead letter again meanwhile is not put back twice.
 *
 * @param identifier as the durable consumer was bound or declared.
 * @param name the durable consumer.
 * @param sequence the number of one dead letter; 0: all of them.
 * @param count receives the number of messages, also after a failure in the middle; may be NULL.
 * @return CTIE_OK, also when there are none.
 * @par Errors
 * CTIE_E_NOT_FOUND (no such durable consumer, or dead letter); CTIE_E_NO_SPACE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_retry(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name, uint64_t sequence,
                                         uint64_t *count, ctie_error_out error);

/**
 * Removes dead letters for good.
 *
 * @param identifier, name, sequence as for ctie_wormhole_retry().
 * @param count as for ctie_wormhole_retry().
 * @return as ctie_wormhole_retry().
 * @par Errors
 * Those of ctie_wormhole_retry().
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_drop(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name, uint64_t sequence,
                                        uint64_t *count, ctie_error_out error);

/** @} */

CTIE_END

#endif
