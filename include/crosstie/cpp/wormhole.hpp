/**
 * @file wormhole.hpp
 * Messages between the processes of one user: sent under an identifier, received by listeners in every process.
 */
#ifndef CROSSTIE_CPP_WORMHOLE_HPP
#define CROSSTIE_CPP_WORMHOLE_HPP

#include <memory>

#include "duration.hpp"
#include "durable.hpp"
#include "engine.hpp"
#include "listener.hpp"
#include "transport.hpp"

CROSSTIE_BEGIN

/** Options of a wormhole; zero or less means the library's default. */
struct wormhole_options {
    std::string_view directory; /**< the group's; empty: the library's default */
    std::string_view name;      /**< the sender's */
    std::uint32_t flags = 0;    /**< CTIE_WORMHOLE_… */
    std::uint64_t map_size = 0;
    std::uint64_t max_map_size = 0;
    std::uint64_t max_value_size = 0;
    std::uint64_t max_queued = 0;
    std::uint64_t max_queued_size = 0;
    std::chrono::milliseconds timeout{0};
    std::unique_ptr<crosstie::transport> transport; /**< in place of a directory */
    log_function log;
    std::chrono::milliseconds retain{0}; /**< keeps messages also while no queue needs them, for this time */
    std::uint64_t retain_count = 0;
    std::uint64_t retain_size = 0;
    std::chrono::milliseconds expires{0}; /**< the time after which the group's messages expire */
    std::chrono::milliseconds delay{0};   /**< the time for which they wait before they are sent */
    std::unique_ptr<crosstie::engine> engine; /**< in place of a directory */
    const ctie_engine *c_engine = nullptr; /**< an engine in C (engine.h), in place of one in C++; not both */
    void *c_engine_data = nullptr;         /**< the user_data of its functions */

    // Only for a group with an address, `nats://host/group`: at most one log-in, and the server's options.
    std::string_view credentials;     /**< the path of a credentials file */
    std::string_view nkey_seed;       /**< the seed of a key, `SU…` */
    std::string_view token;           /**< a token */
    std::string_view user;            /**< the name of a user, with `password` */
    std::string_view password;        /**< its password */
    std::string_view tls_ca;          /**< the path of trusted certificates; empty: those of the system */
    std::string_view tls_certificate; /**< the path of this program's own certificate, with `tls_key` */
    std::string_view tls_key;         /**< the path of its key */
    std::chrono::milliseconds max_age{0}; /**< the time for which the server keeps a message */
    std::uint32_t replicas = 0;           /**< the copies that the servers of a cluster keep */

    wormhole_options(std::uint32_t bits = 0) : flags(bits) {}
};

/** Options of a message to send; a negative duration counts as zero. */
struct send_options {
    std::uint32_t flags = 0;                                            /**< CTIE_SEND_… */
    std::vector<std::pair<std::string_view, std::string_view>> headers; /**< names and texts */
    std::chrono::milliseconds expires{0};                               /**< the time after which it expires */
    std::chrono::milliseconds delay{0};                                 /**< the time before its delivery */
    std::int64_t not_before = 0;                                        /**< instead: nanoseconds since 1970-01-01 UTC */
    std::string_view token; /**< 16 bytes, or none: of two messages with the same token the second is not sent */

    send_options() = default;
    send_options(std::initializer_list<std::pair<std::string_view, std::string_view>> with) : headers(with) {}
};

/** The result of sending a message. */
struct sent {
    std::uint64_t sequence = 0;  /**< the message's number */
    std::uint32_t listeners = 0; /**< the number of processes that were woken */
};

/** One of several messages: a value under an identifier; an empty value is a signal. */
struct outgoing {
    std::string_view identifier;
    crosstie::value value;
};

namespace detail {

/** Options in their C form, which borrows the texts of the C++ one. */
class send_options_c {
public:
    explicit send_options_c(const send_options &of) {
        headers_.reserve(of.headers.size());
        for (const auto &[name, text] : of.headers) {
            ctie_header header;
            header.name = to_c(name);
            header.value = to_c(text);
            headers_.push_back(header);
        }
        raw_.flags = of.flags;
        raw_.headers = headers_.data();
        raw_.header_count = headers_.size();
        raw_.expires_ms = to_field<std::uint64_t>(of.expires);
        raw_.delay_ms = to_field<std::uint64_t>(of.delay);
        raw_.not_before = of.not_before;
        raw_.token = bytes_to_c(of.token);
    }

    send_options_c(const send_options_c &) = delete;
    send_options_c &operator=(const send_options_c &) = delete;

    const ctie_send_options &get() const noexcept { return raw_; }

private:
    std::vector<ctie_header> headers_;
    ctie_send_options raw_ = CTIE_SEND_OPTIONS_INIT;
};

} // namespace detail

/** A wormhole, borrowed. */
class wormhole_view : public detail::view<ctie_wormhole>,
                      public listening_of<wormhole_view>,
                      public durables_of<wormhole_view> {
public:
    using view::view;

    /**
     * Stores a value as the identifier's current message and wakes its listeners. With CTIE_SEND_SIGNAL in the options the
     * value is empty.
     */
    result<sent> try_send(std::string_view identifier, value what, const send_options &options = {}) const {
        const detail::send_options_c with(options);
        return changed([&](auto... out) {
            return ctie_wormhole_send(raw_, detail::to_c(identifier), what.detach(), &with.get(), out...);
        });
    }
    CROSSTIE_THROWING(sent, send, (std::string_view identifier, value what, const send_options &options = {}),
                      (identifier, std::move(what), options))

    /** Sends messages in one step, all or none, or with CTIE_SEND_NOT_ATOMIC one after another where that cannot be; delayed
        ones are scheduled. The options are those of each. Returns the number of the first. */
    result<std::uint64_t> try_send_many(std::vector<outgoing> messages, const send_options &options = {}) const {
        if (messages.size() > CTIE_WORMHOLE_MAX_MESSAGES) return error(CTIE_E_LIMIT, "too many messages");
        std::vector<ctie_outgoing> raw;
        raw.reserve(messages.size());
        for (outgoing &each : messages) {
            ctie_outgoing one;
            one.identifier = detail::to_c(each.identifier);
            one.value = each.value.detach();
            raw.push_back(one);
        }
        const detail::send_options_c with(options);
        detail::error_slot said;
        std::uint64_t sequence = 0;
        const ctie_status got =
            ctie_wormhole_send_many(raw_, raw.data(), raw.size(), &with.get(), &sequence, said.out());
        return detail::filled(got, sequence, said);
    }
    CROSSTIE_THROWING(std::uint64_t, send_many, (std::vector<outgoing> messages, const send_options &options = {}),
                      (std::move(messages), options))

    /** Sends a signal to the listeners of an identifier; the stored message stays. */
    result<sent> try_signal(std::string_view identifier) const {
        return changed([&](auto... out) { return ctie_wormhole_signal(raw_, detail::to_c(identifier), out...); });
    }
    CROSSTIE_THROWING(sent, signal, (std::string_view identifier), (identifier))

    /** Removes the current message of an identifier and all its queued messages. */
    result<sent> try_destroy(std::string_view identifier) const {
        return changed([&](auto... out) { return ctie_wormhole_destroy(raw_, detail::to_c(identifier), out...); });
    }
    CROSSTIE_THROWING(sent, destroy, (std::string_view identifier), (identifier))

    /** Removes every message of the group. */
    result<sent> try_destroy_all() const {
        return changed([&](auto... out) { return ctie_wormhole_destroy_all(raw_, out...); });
    }
    CROSSTIE_THROWING(sent, destroy_all, (), ())

    /** The current message of an identifier; CTIE_E_NOT_FOUND if there is none. */
    result<crosstie::message> try_message(std::string_view identifier) const {
        detail::error_slot said;
        ctie_message *raw = nullptr;
        const ctie_status got = ctie_wormhole_message(raw_, detail::to_c(identifier), &raw, said.out());
        if (got != CTIE_OK) return said.take(got);
        return crosstie::message::adopt(raw);
    }
    CROSSTIE_THROWING(crosstie::message, message, (std::string_view identifier), (identifier))

    /** Lists the identifiers that have a message, as strings. */
    result<value> try_identifiers(std::string_view identifier = "*") const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_wormhole_identifiers(raw_, detail::to_c(identifier), &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, identifiers, (std::string_view identifier = "*"), (identifier))

    /** Lists the present members of the group, as maps. */
    result<value> try_members() const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_wormhole_members(raw_, &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, members, (), ())

    /** The connection to the server of a group with an address, as a map; CTIE_E_UNSUPPORTED for any other group. */
    result<value> try_connection() const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_wormhole_connection(raw_, &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, connection, (), ())

    /** The abilities of the wormhole: CTIE_ENGINE_… or'ed together. */
    result<std::uint32_t> try_abilities() const {
        detail::error_slot said;
        std::uint32_t bits = 0;
        const ctie_status got = ctie_wormhole_abilities(raw_, &bits, said.out());
        return detail::filled(got, bits, said);
    }
    CROSSTIE_THROWING(std::uint32_t, abilities, (), ())

    /** Lists the scheduled messages, as maps. */
    result<value> try_scheduled(std::string_view identifier = "*") const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_wormhole_scheduled(raw_, detail::to_c(identifier), &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, scheduled, (std::string_view identifier = "*"), (identifier))

    /** Removes a scheduled message. */
    result<void> try_cancel_scheduled(std::uint64_t sequence) const {
        detail::error_slot said;
        return detail::done(ctie_wormhole_cancel_scheduled(raw_, sequence, said.out()), said);
    }
    CROSSTIE_THROWING(void, cancel_scheduled, (std::uint64_t sequence), (sequence))

private:
    /** Runs a C function that changes the store, with pointers for its results. */
    template <class Change>
    static result<sent> changed(Change &&change) {
        detail::error_slot said;
        sent out;
        const ctie_status got = change(&out.sequence, &out.listeners, said.out());
        return detail::filled(got, out, said);
    }
};

/** An owned wormhole: a process's connection to a group. */
class wormhole : public detail::owner<wormhole_view, ctie_wormhole, ctie_wormhole_release> {
public:
    using owner::owner;

    static result<wormhole> try_open(std::string_view group, wormhole_options options = {}) {
        const bool has_two = options.engine != nullptr && options.c_engine != nullptr;
        if (options.log.is_lost() || has_two) {
            if (options.c_engine != nullptr && options.c_engine->close != nullptr) {
                options.c_engine->close(options.c_engine_data);
            }
            return error(has_two ? CTIE_E_INVALID : CTIE_E_NO_MEMORY);
        }
        ctie_wormhole_options raw = CTIE_WORMHOLE_OPTIONS_INIT;
        raw.directory = detail::to_c(options.directory);
        raw.name = detail::to_c(options.name);
        raw.map_size = options.map_size;
        raw.max_value_size = options.max_value_size;
        raw.timeout_ms = detail::to_field<std::uint32_t>(options.timeout);
        raw.flags = options.flags;
        raw.max_map_size = options.max_map_size;
        raw.max_queued = options.max_queued;
        raw.max_queued_size = options.max_queued_size;
        raw.retain_ms = detail::to_field<std::uint64_t>(options.retain);
        raw.retain_count = options.retain_count;
        raw.retain_size = options.retain_size;
        raw.expires_ms = detail::to_field<std::uint64_t>(options.expires);
        raw.delay_ms = detail::to_field<std::uint64_t>(options.delay);
        raw.engine = options.c_engine;
        raw.engine_data = options.c_engine_data;
        raw.credentials = detail::to_c(options.credentials);
        raw.nkey_seed = detail::to_c(options.nkey_seed);
        raw.token = detail::to_c(options.token);
        raw.user = detail::to_c(options.user);
        raw.password = detail::to_c(options.password);
        raw.tls_ca = detail::to_c(options.tls_ca);
        raw.tls_certificate = detail::to_c(options.tls_certificate);
        raw.tls_key = detail::to_c(options.tls_key);
        raw.max_age_ms = detail::to_field<std::uint64_t>(options.max_age);
        raw.replicas = options.replicas;
        std::optional<detail::engine_c> engine;
        if (options.engine != nullptr) {
            engine.emplace(*options.engine);
            raw.engine = engine->get();
            raw.engine_data = options.engine.release();
        }
        std::optional<detail::transport_c> transport;
        if (options.transport != nullptr) {
            transport.emplace(*options.transport);
            raw.transport = transport->get();
            raw.transport_data = options.transport.release();
        }
        raw.log = CTIE_LOGGER_OWNED(options.log.fn(), options.log.data(), options.log.take());
        detail::error_slot said;
        ctie_wormhole *out = nullptr;
        const ctie_status got = ctie_wormhole_open(detail::to_c(group), &raw, &out, said.out());
        if (got != CTIE_OK) return said.take(got);
        return wormhole(out);
    }
    CROSSTIE_THROWING_STATIC(wormhole, open, (std::string_view group, wormhole_options options = {}),
                             (group, std::move(options)))
};

CROSSTIE_END

#endif
