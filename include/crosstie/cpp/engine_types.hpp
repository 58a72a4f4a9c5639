/**
 * @file engine_types.hpp
 * The structs of an engine: messages, bindings, outcomes, members, durable consumers.
 */
#ifndef CROSSTIE_CPP_ENGINE_TYPES_HPP
#define CROSSTIE_CPP_ENGINE_TYPES_HPP

#include <utility>
#include <vector>

#include "durable.hpp"
#include "text.hpp"

CROSSTIE_BEGIN

/** A message, in both directions; ctie_engine_message describes its fields. Texts are borrowed. */
struct engine_message {
    std::int32_t kind = CTIE_MESSAGE_VALUE;
    std::uint32_t flags = 0; /**< CTIE_ENGINE_STORED or 0 */
    std::string_view identifier;
    std::string_view value; /**< MessagePack */
    std::vector<std::pair<std::string_view, std::string_view>> headers;
    std::uint64_t sequence = 0;
    std::int64_t time = 0;       /**< nanoseconds since 1970-01-01 UTC, as all times here */
    std::int64_t expires = 0;    /**< 0: never */
    std::int64_t not_before = 0; /**< 0: now */
    std::string_view sender_name;
    std::int32_t sender_pid = 0;
    std::uint32_t delivery_count = 0;
    std::uint64_t missed = 0;
    std::uint64_t claim = 0;
};

/** The binding of a listener; ctie_engine_binding describes its fields. */
struct engine_binding {
    std::string_view topic;
    std::string_view name;
    std::uint32_t delivery = CTIE_ENGINE_STATE;
    std::uint32_t flags = 0;
    std::uint32_t start = CTIE_ENGINE_FROM_NEXT;
    std::uint32_t max_unacknowledged = 0;
    std::uint64_t start_sequence = 0;
    std::int64_t start_time = 0;
    std::uint32_t credit = 0;
};

/** The outcome of a message of a durable consumer. */
struct engine_answer {
    std::uint64_t claim = 0;
    std::uint32_t outcome = CTIE_ENGINE_ACKNOWLEDGED;
    std::int64_t delay_ns = 0;
    std::string_view reason;
};

/** A wormhole that has the group open. */
struct engine_member {
    std::string_view name;
    std::int64_t since = 0;
    std::int32_t pid = 0;
    bool own = false; /**< the wormhole of this engine */
};

/** The connection to a server; ctie_engine_connection describes its fields. */
struct engine_connection {
    std::int32_t state = CTIE_CONNECTION_CONNECTED;
    std::int64_t since = 0;
    std::string_view server;
    std::string_view version;
    std::string_view reason;
};

/** A listener with messages of a durable consumer in hand. */
struct engine_holder {
    std::string_view name;
    std::int32_t pid = 0;
    std::uint32_t count = 0;
    std::int64_t since = 0;
};

/** A durable consumer; ctie_engine_durable describes its fields. */
struct engine_durable {
    std::string_view name;
    std::string_view identifier;
    std::uint64_t waiting = 0;
    std::uint64_t waiting_size = 0;
    std::int64_t oldest = 0;
    std::uint64_t retrying = 0;
    std::int64_t next_retry = 0;
    std::uint64_t deliveries = 0;
    std::uint64_t dead = 0;
    std::uint64_t missed = 0;
    std::uint64_t position = 0;
    std::int64_t listened = 0;
    std::vector<engine_holder> holders;
    const ctie_durable_options *options = nullptr; /**< as it was declared; nullptr: the defaults */
};

/** A dead letter; ctie_engine_dead_letter describes its fields. */
struct engine_dead_letter {
    engine_message message;
    std::uint64_t value_size = 0;
    std::int64_t dead = 0;
    std::uint64_t sent_as = 0;
    std::uint32_t deliveries = 0;
    std::string_view reason;
};

/** The result of sending messages. */
struct engine_sent {
    std::uint64_t first = 0;     /**< the number of the first message */
    std::uint32_t listeners = 0; /**< with CTIE_ENGINE_COUNTS_LISTENERS: the number of processes that listen */
};

/** The result of sending messages one after another. */
struct engine_sent_each {
    std::uint64_t first = 0;           /**< the number of the first message */
    std::size_t sent = 0;              /**< how many of the first messages have been sent */
    crosstie::status status = CTIE_OK; /**< of the next one */
};

/** The result of a delivery. */
struct engine_delivered {
    crosstie::status status = CTIE_OK; /**< as of `deliver` of ctie_engine_host */
    std::uint32_t credit = 0;          /**< the credit that comes back at once */
};

namespace detail {

/** A message in its C form, which borrows the texts of the C++ one. */
class engine_message_c {
public:
    explicit engine_message_c(const engine_message &of) {
        headers_.reserve(of.headers.size());
        for (const auto &[name, text] : of.headers) {
            ctie_header header;
            header.name = to_c(name);
            header.value = to_c(text);
            headers_.push_back(header);
        }
        raw_.size = sizeof raw_;
        raw_.kind = of.kind;
        raw_.flags = of.flags;
        raw_.identifier = to_c(of.identifier);
        raw_.value = bytes_to_c(of.value);
        raw_.headers = headers_.empty() ? nullptr : headers_.data();
        raw_.header_count = headers_.size();
        raw_.sequence = of.sequence;
        raw_.time = of.time;
        raw_.expires = of.expires;
        raw_.not_before = of.not_before;
        raw_.sender_name = to_c(of.sender_name);
        raw_.sender_pid = of.sender_pid;
        raw_.delivery_count = of.delivery_count;
        raw_.missed = of.missed;
        raw_.claim = of.claim;
    }
    engine_message_c(engine_message_c &&) = default;
    engine_message_c &operator=(engine_message_c &&) = default;

    const ctie_engine_message &get() const noexcept { return raw_; }

private:
    ctie_engine_message raw_{};
    std::vector<ctie_header> headers_;
};

inline engine_message engine_from_c(const ctie_engine_message *raw) {
    engine_message made;
    made.kind = raw->kind;
    made.flags = raw->flags;
    made.identifier = from_c(raw->identifier);
    made.value = from_c(raw->value);
    made.headers.reserve(raw->header_count);
    for (std::size_t i = 0; i < raw->header_count; i++) {
        made.headers.emplace_back(from_c(raw->headers[i].name), from_c(raw->headers[i].value));
    }
    made.time = raw->time;
    made.expires = raw->expires;
    made.not_before = raw->not_before;
    made.sender_name = from_c(raw->sender_name);
    made.sender_pid = raw->sender_pid;
    return made;
}

inline engine_binding engine_from_c(const ctie_engine_binding *how) noexcept {
    engine_binding made;
    made.topic = from_c(how->topic);
    made.name = from_c(how->name);
    made.delivery = how->delivery;
    made.flags = how->flags;
    made.start = how->start;
    made.max_unacknowledged = how->max_unacknowledged;
    made.start_sequence = how->start_sequence;
    made.start_time = how->start_time;
    made.credit = how->credit;
    return made;
}

inline engine_answer engine_from_c(const ctie_engine_answer *answer) noexcept {
    return {answer->claim, answer->outcome, answer->delay_ns, from_c(answer->reason)};
}

/** Shows a durable consumer to a C function. */
inline bool engine_show(const engine_durable &of, ctie_engine_durable_fn visit, void *context) {
    std::vector<ctie_engine_holder> holders;
    holders.reserve(of.holders.size());
    for (const engine_holder &each : of.holders) {
        ctie_engine_holder holder{};
        holder.size = sizeof holder;
        holder.name = to_c(each.name);
        holder.pid = each.pid;
        holder.count = each.count;
        holder.since = each.since;
        holders.push_back(holder);
    }
    ctie_engine_durable durable{};
    durable.size = sizeof durable;
    durable.name = to_c(of.name);
    durable.identifier = to_c(of.identifier);
    durable.waiting = of.waiting;
    durable.waiting_size = of.waiting_size;
    durable.oldest = of.oldest;
    durable.retrying = of.retrying;
    durable.next_retry = of.next_retry;
    durable.deliveries = of.deliveries;
    durable.dead = of.dead;
    durable.missed = of.missed;
    durable.position = of.position;
    durable.listened = of.listened;
    durable.holders = holders.data();
    durable.holder_count = holders.size();
    durable.options = of.options;
    return visit(&durable, context);
}

/** The same for a dead letter. */
inline bool engine_show(const engine_dead_letter &of, ctie_engine_dead_letter_fn visit, void *context) {
    const engine_message_c message(of.message);
    ctie_engine_dead_letter letter{};
    letter.size = sizeof letter;
    letter.message = &message.get();
    letter.value_size = of.value_size;
    letter.dead = of.dead;
    letter.sent_as = of.sent_as;
    letter.deliveries = of.deliveries;
    letter.reason = to_c(of.reason);
    return visit(&letter, context);
}

} // namespace detail
CROSSTIE_END

#endif
