/**
 * @file message.hpp
 * Messages, as listeners receive them and as a wormhole reads them.
 */
#ifndef CROSSTIE_CPP_MESSAGE_HPP
#define CROSSTIE_CPP_MESSAGE_HPP

#include <chrono>

#include "value_read.hpp"

CROSSTIE_BEGIN

/** The kind of a message. */
enum class message_kind : std::int32_t {
    none = CTIE_MESSAGE_NONE,
    value = CTIE_MESSAGE_VALUE,
    signal = CTIE_MESSAGE_SIGNAL,
    destroyed = CTIE_MESSAGE_DESTROYED,
    missed = CTIE_MESSAGE_MISSED,
    joined = CTIE_MESSAGE_JOINED,
    left = CTIE_MESSAGE_LEFT,
    connection = CTIE_MESSAGE_CONNECTION,
};

/** A message: immutable and counted, so that a copy is cheap and may be kept. Texts live as long as the message. */
class message {
public:
    message() noexcept = default;
    message(const message &other) noexcept : raw_(kept(other.raw_)) {}
    message(message &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    message &operator=(message other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~message() { ctie_message_release(raw_); }

    /** Takes a message over from C. */
    static message adopt(ctie_message *raw) noexcept {
        message taken;
        taken.raw_ = raw;
        return taken;
    }
    /** Adds a reference to a message that C has lent. */
    static message keep(const ctie_message *raw) noexcept { return adopt(kept(raw)); }
    ctie_message *get() const noexcept { return raw_; }
    explicit operator bool() const noexcept { return raw_ != nullptr; }

    message_kind kind() const noexcept { return static_cast<message_kind>(ctie_message_kind(raw_)); }
    /** CTIE_E_CORRUPT for a stored record that cannot be decoded. */
    crosstie::status status() const noexcept { return ctie_message_status(raw_); }
    std::string_view identifier() const noexcept { return detail::from_c(ctie_message_identifier(raw_)); }
    /** Empty for every kind but message_kind::value and message_kind::connection. */
    crosstie::value value() const noexcept { return crosstie::value::keep(ctie_message_value(raw_)); }
    std::uint64_t sequence() const noexcept { return ctie_message_sequence(raw_); }
    /** The time of sending: nanoseconds since 1970-01-01 UTC; 0 if unknown. */
    std::int64_t time() const noexcept { return ctie_message_time(raw_); }
    std::int32_t sender_pid() const noexcept { return ctie_message_sender_pid(raw_); }
    std::string_view sender_name() const noexcept { return detail::from_c(ctie_message_sender_name(raw_)); }
    /** The number of missed messages, for message_kind::missed. */
    std::uint64_t missed() const noexcept { return ctie_message_missed(raw_); }
    /** The number of its deliveries to listeners of its durable consumer. */
    std::uint32_t delivery_count() const noexcept { return ctie_message_delivery_count(raw_); }
    /** The reason of a dead letter's last rejection; empty for other messages. */
    std::string_view reason() const noexcept { return detail::from_c(ctie_message_reason(raw_)); }
    /** The time at which it expires: nanoseconds since 1970-01-01 UTC; 0: never. */
    std::int64_t expires() const noexcept { return ctie_message_expires(raw_); }

    /** The header of a name; nothing without one. */
    std::optional<std::string_view> header(std::string_view name) const noexcept {
        const ctie_str text = ctie_message_header(raw_, detail::to_c(name));
        if (text.data == nullptr) return std::nullopt;
        return detail::from_c(text);
    }
    /** All headers, in the order in which they were given. */
    std::vector<std::pair<std::string_view, std::string_view>> headers() const {
        std::vector<std::pair<std::string_view, std::string_view>> all;
        all.reserve(ctie_message_header_count(raw_));
        ctie_str name;
        ctie_str text;
        for (std::size_t i = 0; ctie_message_header_at(raw_, i, &name, &text); i++) {
            all.emplace_back(detail::from_c(name), detail::from_c(text));
        }
        return all;
    }

    /** Acknowledges the message: it is not delivered to its durable consumer again. */
    result<void> try_acknowledge() const { return detail::done(ctie_message_acknowledge(raw_)); }
    CROSSTIE_THROWING(void, acknowledge, (), ())

    /** Rejects the message: it is redelivered after the delay; negative: as declared for its durable consumer. */
    result<void> try_reject(std::string_view reason = {},
                            std::chrono::milliseconds delay = std::chrono::milliseconds(-1)) const {
        return detail::done(ctie_message_reject(raw_, delay.count(), detail::to_c(reason)));
    }
    CROSSTIE_THROWING(void, reject,
                      (std::string_view reason = {}, std::chrono::milliseconds delay = std::chrono::milliseconds(-1)),
                      (reason, delay))

private:
    static ctie_message *kept(const ctie_message *raw) noexcept { return ctie_message_retain(raw); }

    ctie_message *raw_ = nullptr;
};

CROSSTIE_END

#endif
