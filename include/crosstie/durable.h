/**
 * @file durable.h
 * Durable names: queues that are kept in the store, whether anybody listens or not.
 */
#ifndef CROSSTIE_DURABLE_H
#define CROSSTIE_DURABLE_H

#include "base.h"
#include "status.h"
#include "wormhole.h"

CTIE_BEGIN

/** What happens to a message when a durable name that wants it is full. @since 0.1 */
enum {
    CTIE_FULL_DROP_OLDEST = 0, /**< the oldest ones go; the name's listener gets CTIE_MESSAGE_MISSED */
    CTIE_FULL_REFUSE = 1,      /**< the sender gets CTIE_E_FULL, and nothing has changed */
    CTIE_FULL_WAIT = 2,        /**< the sender waits for room until its timeout, then gets CTIE_E_FULL */
};

/** Bits of ctie_durable_options.flags. @since 0.1 */
enum {
    /** A new name begins with the oldest message that is still kept, and not with the next one. */
    CTIE_DURABLE_FROM_OLDEST = 1,
    /** Options that differ from those of a name that is there replace them; without it that is CTIE_E_CONFLICT. */
    CTIE_DURABLE_CHANGE = 2,
};

/** What a durable name is declared with. Start from CTIE_DURABLE_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_durable_options {
    size_t size;    /**< sizeof(ctie_durable_options) */
    uint32_t flags; /**< CTIE_DURABLE_… or'ed together */
    /** A message that was handed out so often, and rejected or lost each time, is a dead letter (dead_letter.h). 0:
        never. */
    uint32_t max_deliveries;
    /** Under which identifier a dead letter is passed on, not the name's own; empty: the message's own, followed by
        `.dead`. */
    ctie_str dead_letter;
    uint64_t backoff_first_ms; /**< how long a rejected message rests at first: milliseconds, default 100 */
    uint64_t backoff_most_ms;  /**< and at most: milliseconds, default 60,000 */
    double backoff_factor;     /**< by which that grows with each delivery: 1 to 1,000, default 2 */
    double backoff_jitter;     /**< by which share of itself it is shortened at random at most: 0 to 1, default 0 */
    /** Messages that wait to be handed out for the first time, at most. 0: as many as the group keeps. */
    uint64_t max_messages;
    uint64_t max_size;  /**< Bytes of their values, at most. 0: as many as the group keeps. */
    uint32_t when_full; /**< CTIE_FULL_…: what happens at these two limits, or at the group's where they are 0 */
    uint32_t reserved;  /**< 0 */
    /** The name is forgotten when nobody has listened to it for so many milliseconds. 0: never. */
    uint64_t expires_ms;
} ctie_durable_options;

#define CTIE_DURABLE_OPTIONS_INIT {sizeof(ctie_durable_options), 0, 0, {NULL, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * Makes a durable name without listening to it: from now on it gets every message, signal and destroying of its
 * identifier. Any process may do it, any number of times.
 *
 * A listener that binds a name which nobody has declared makes it with the defaults.
 *
 * @param identifier as for ctie_wormhole_listen().
 * @param name 1 to 128 bytes of UTF-8.
 * @param options borrowed; NULL for defaults.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK (also when it was there with the same options); CTIE_E_CONFLICT (it was there with others; the message
 *   says which); CTIE_E_INVALID (a short or misaligned struct, an unknown flag, a number out of range); CTIE_E_ABI;
 *   CTIE_E_IDENTIFIER (identifier, dead_letter); CTIE_E_UTF8 or CTIE_E_LIMIT (the name; over 256 durable names in the
 *   group); CTIE_E_NO_SPACE; CTIE_E_BUSY; CTIE_E_TIMEOUT; CTIE_E_CORRUPT; CTIE_E_NO_MEMORY; CTIE_E_SYSTEM; CTIE_E_HANDLE;
 *   CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_declare(ctie_wormhole *CTIE_NULLABLE wormhole, ctie_str identifier, ctie_str name,
                                           const ctie_durable_options *CTIE_NULLABLE options,
                                           ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

CTIE_END

#endif
