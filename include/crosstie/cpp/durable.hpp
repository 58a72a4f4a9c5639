/**
 * @file durable.hpp
 * Durable consumers of a wormhole, and their dead letters.
 */
#ifndef CROSSTIE_CPP_DURABLE_HPP
#define CROSSTIE_CPP_DURABLE_HPP

#include "duration.hpp"
#include "message.hpp"

CROSSTIE_BEGIN

/** Options of a durable consumer; zero or less means the library's default. */
struct durable_options {
    std::uint32_t flags = 0;          /**< CTIE_DURABLE_… */
    std::uint32_t max_deliveries = 0; /**< deliveries after which a message is a dead letter; 0: no limit */
    std::string_view dead_letter;     /**< the identifier that dead letters are sent under */
    std::chrono::milliseconds backoff_first{0};
    std::chrono::milliseconds backoff_most{0};
    double backoff_factor = 0;
    double backoff_jitter = 0;
    std::uint64_t max_messages = 0;
    std::uint64_t max_size = 0;
    std::uint32_t when_full = CTIE_FULL_DROP_OLDEST; /**< CTIE_FULL_… */
    std::chrono::milliseconds expires{0};            /**< the time without a listener after which it is removed; 0: never */
};

template <class Wormhole>
class durables_of {
public:
    /** Makes a durable consumer without listening to it. */
    result<void> try_declare(std::string_view identifier, std::string_view name,
                             const durable_options &options = {}) const {
        ctie_durable_options raw = CTIE_DURABLE_OPTIONS_INIT;
        raw.flags = options.flags;
        raw.max_deliveries = options.max_deliveries;
        raw.dead_letter = detail::to_c(options.dead_letter);
        raw.backoff_first_ms = detail::to_field<std::uint64_t>(options.backoff_first);
        raw.backoff_most_ms = detail::to_field<std::uint64_t>(options.backoff_most);
        raw.backoff_factor = options.backoff_factor;
        raw.backoff_jitter = options.backoff_jitter;
        raw.max_messages = options.max_messages;
        raw.max_size = options.max_size;
        raw.when_full = options.when_full;
        raw.expires_ms = detail::to_field<std::uint64_t>(options.expires);
        detail::error_slot said;
        return detail::done(ctie_wormhole_declare(wormhole(), detail::to_c(identifier), detail::to_c(name), &raw,
                                                  said.out()), said);
    }
    CROSSTIE_THROWING(void, declare,
                      (std::string_view identifier, std::string_view name, const durable_options &options = {}),
                      (identifier, name, options))

    /** Removes a durable consumer, with the messages that are kept for it alone. */
    result<void> try_forget(std::string_view identifier, std::string_view name) const {
        detail::error_slot said;
        return detail::done(ctie_wormhole_forget(wormhole(), detail::to_c(identifier), detail::to_c(name), said.out()),
                            said);
    }
    CROSSTIE_THROWING(void, forget, (std::string_view identifier, std::string_view name), (identifier, name))

    /** Lists the durable consumers with their backlogs, as maps. */
    result<value> try_durables() const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_wormhole_durables(wormhole(), &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, durables, (), ())

    /** Moves a durable consumer to the message of a number; UINT64_MAX for the next message to be sent. */
    result<void> try_seek(std::string_view identifier, std::string_view name, std::uint64_t sequence) const {
        return sought(identifier, name, sequence, 0);
    }
    CROSSTIE_THROWING(void, seek, (std::string_view identifier, std::string_view name, std::uint64_t sequence),
                      (identifier, name, sequence))

    /** Moves a durable consumer to the first message from a time on: nanoseconds since 1970-01-01 UTC. */
    result<void> try_seek_time(std::string_view identifier, std::string_view name, std::int64_t time) const {
        return sought(identifier, name, 0, time);
    }
    CROSSTIE_THROWING(void, seek_time, (std::string_view identifier, std::string_view name, std::int64_t time),
                      (identifier, name, time))

    /** Lists dead letters with greater numbers than `after`, at most `limit`; 0 means 1,000. */
    result<value> try_dead_letters(std::string_view identifier, std::string_view name, std::uint64_t after = 0,
                                   std::size_t limit = 0) const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_wormhole_dead_letters(wormhole(), detail::to_c(identifier), detail::to_c(name),
                                                              after, limit, &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, dead_letters,
                      (std::string_view identifier, std::string_view name, std::uint64_t after = 0,
                       std::size_t limit = 0),
                      (identifier, name, after, limit))

    result<message> try_dead_letter(std::string_view identifier, std::string_view name, std::uint64_t sequence) const {
        detail::error_slot said;
        ctie_message *raw = nullptr;
        const ctie_status got = ctie_wormhole_dead_letter(wormhole(), detail::to_c(identifier), detail::to_c(name),
                                                             sequence, &raw, said.out());
        if (got != CTIE_OK) return said.take(got);
        return message::adopt(raw);
    }
    CROSSTIE_THROWING(message, dead_letter,
                      (std::string_view identifier, std::string_view name, std::uint64_t sequence),
                      (identifier, name, sequence))

    /** Puts a dead letter back into the queue, or with 0 all of them. Returns their number. */
    result<std::uint64_t> try_retry(std::string_view identifier, std::string_view name,
                                    std::uint64_t sequence = 0) const {
        return dead(ctie_wormhole_retry, identifier, name, sequence);
    }
    CROSSTIE_THROWING(std::uint64_t, retry,
                      (std::string_view identifier, std::string_view name, std::uint64_t sequence = 0),
                      (identifier, name, sequence))

    /** Removes a dead letter, or with 0 all of them. Returns their number. */
    result<std::uint64_t> try_drop(std::string_view identifier, std::string_view name,
                                   std::uint64_t sequence = 0) const {
        return dead(ctie_wormhole_drop, identifier, name, sequence);
    }
    CROSSTIE_THROWING(std::uint64_t, drop,
                      (std::string_view identifier, std::string_view name, std::uint64_t sequence = 0),
                      (identifier, name, sequence))

private:
    /** Applies a C function to dead letters. Returns their number. */
    template <class Change>
    result<std::uint64_t> dead(Change change, std::string_view identifier, std::string_view name,
                               std::uint64_t sequence) const {
        detail::error_slot said;
        std::uint64_t count = 0;
        const ctie_status got = change(wormhole(), detail::to_c(identifier), detail::to_c(name), sequence, &count,
                                          said.out());
        return detail::filled(got, count, said);
    }

    result<void> sought(std::string_view identifier, std::string_view name, std::uint64_t sequence,
                        std::int64_t time) const {
        detail::error_slot said;
        return detail::done(ctie_wormhole_seek(wormhole(), detail::to_c(identifier), detail::to_c(name), sequence, time,
                                               said.out()), said);
    }

    ctie_wormhole *wormhole() const noexcept { return static_cast<const Wormhole *>(this)->get(); }
};

CROSSTIE_END

#endif
