/**
 * @file listener.hpp
 * Listeners of a wormhole: callables that receive the messages of an identifier.
 */
#ifndef CROSSTIE_CPP_LISTENER_HPP
#define CROSSTIE_CPP_LISTENER_HPP

#include "callback.hpp"
#include "handle.hpp"
#include "loop.hpp"
#include "message.hpp"

CROSSTIE_BEGIN

/**
 * A callable with a `const message &`. An exception rejects a message of a durable consumer, with what() as the
 * reason, so that it is redelivered; for any other message the exception goes to on_stray_exception().
 */
class listener_function : public detail::callback<ctie_receiver_fn> {
public:
    listener_function(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<listener_function, F, const message &> = 0>
    listener_function(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static void run(const ctie_message *raw, void *data) noexcept {
        const message received = message::keep(raw);
        detail::guarded([&] { (*static_cast<F *>(data))(received); },
                        [raw](ctie_status, std::int32_t, const char *what, const error *) {
                            if (!is_rejected(raw, what)) detail::log_stray(what);
                        });
    }

    /** Rejects a durable consumer's message; only those have a delivery count, and are redelivered. */
    static bool is_rejected(const ctie_message *raw, const char *reason) noexcept {
        return ctie_message_delivery_count(raw) > 0 && ctie_message_reject(raw, -1, ctie_str_from(reason)) == CTIE_OK;
    }
};

/** Options of a listener. */
struct listen_options {
    std::string_view name;                /**< binding a name again replaces its listener */
    std::uint32_t flags = 0;              /**< CTIE_LISTEN_… */
    std::uint32_t max_unacknowledged = 0; /**< queue: the most messages delivered and not acknowledged */
    ctie_loop *loop = nullptr;            /**< the loop whose dispatching thread calls the listener */
    ctie_bus *bus = nullptr;              /**< the bus whose workers call the listener */
    std::string_view dispatcher;          /**< a dispatcher of that bus; empty: its default one */
    std::uint64_t from_sequence = 0;      /**< queue: the number of the first message */
    std::int64_t from_time = 0;           /**< queue: the time of the first message, instead of its number */

    listen_options(std::uint32_t bits = 0, std::string_view called = {}) : name(called), flags(bits) {}
};

/** An owned listener: it is removed when its owner is destroyed, unless keep() has given it to the wormhole. */
class [[nodiscard]] listener : public detail::binding<ctie_listener, ctie_listener_release> {
public:
    using binding::binding;
};

template <class Wormhole>
class listening_of {
public:
    /** Binds a listener to an identifier, to one followed by `.*`, or to `*`. */
    result<listener> try_listen(std::string_view identifier, listener_function fn,
                                const listen_options &options = {}) const {
        if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
        const ctie_listen_options raw = raw_options(options);
        detail::error_slot said;
        ctie_listener *out = nullptr;
        const ctie_status got = ctie_wormhole_listen(wormhole(), detail::to_c(identifier),
                                                        CTIE_RECEIVER_OWNED(fn.fn(), fn.data(), fn.take()), &raw, &out,
                                                        said.out());
        if (got < 0) return said.take(got);
        return listener(out);
    }
    CROSSTIE_THROWING(listener, listen,
                      (std::string_view identifier, listener_function fn, const listen_options &options = {}),
                      (identifier, std::move(fn), options))

    /** Binds a listener to the members of the group. */
    result<listener> try_listen_members(listener_function fn, const listen_options &options = {}) const {
        if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
        const ctie_listen_options raw = raw_options(options);
        detail::error_slot said;
        ctie_listener *out = nullptr;
        const ctie_status got = ctie_wormhole_listen_members(wormhole(),
                                                                CTIE_RECEIVER_OWNED(fn.fn(), fn.data(), fn.take()),
                                                                &raw, &out, said.out());
        if (got < 0) return said.take(got);
        return listener(out);
    }
    CROSSTIE_THROWING(listener, listen_members, (listener_function fn, const listen_options &options = {}),
                      (std::move(fn), options))

    /** Binds a listener to the connection to the group's server. */
    result<listener> try_listen_connection(listener_function fn, const listen_options &options = {}) const {
        if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
        const ctie_listen_options raw = raw_options(options);
        detail::error_slot said;
        ctie_listener *out = nullptr;
        const ctie_status got = ctie_wormhole_listen_connection(wormhole(),
                                                                CTIE_RECEIVER_OWNED(fn.fn(), fn.data(), fn.take()),
                                                                &raw, &out, said.out());
        if (got < 0) return said.take(got);
        return listener(out);
    }
    CROSSTIE_THROWING(listener, listen_connection, (listener_function fn, const listen_options &options = {}),
                      (std::move(fn), options))

    result<bool> try_remove_listener(std::string_view identifier, std::string_view name) const {
        detail::error_slot said;
        return detail::ended(ctie_wormhole_remove_listener(wormhole(), detail::to_c(identifier), detail::to_c(name),
                                                           said.out()),
                             said);
    }
    CROSSTIE_THROWING(bool, remove_listener, (std::string_view identifier, std::string_view name), (identifier, name))

    result<bool> try_remove_listeners(std::string_view identifier) const {
        detail::error_slot said;
        return detail::ended(ctie_wormhole_remove_listeners(wormhole(), detail::to_c(identifier), said.out()), said);
    }
    CROSSTIE_THROWING(bool, remove_listeners, (std::string_view identifier), (identifier))

    result<bool> try_remove_all_listeners() const {
        return detail::ended(ctie_wormhole_remove_all_listeners(wormhole()));
    }
    CROSSTIE_THROWING(bool, remove_all_listeners, (), ())

    /** Lists the listeners as maps, in the order of binding. */
    result<value> try_listeners() const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_wormhole_listeners(wormhole(), &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, listeners, (), ())

    /** The wormhole's own loop, borrowed. */
    result<loop_view> try_loop() const {
        ctie_loop *raw = nullptr;
        const ctie_status got = ctie_wormhole_loop(wormhole(), &raw);
        return detail::filled(got, loop_view(raw));
    }
    CROSSTIE_THROWING(loop_view, loop, (), ())

private:
    static ctie_listen_options raw_options(const listen_options &options) noexcept {
        ctie_listen_options raw = CTIE_LISTEN_OPTIONS_INIT;
        raw.name = detail::to_c(options.name);
        raw.flags = options.flags;
        raw.max_unacknowledged = options.max_unacknowledged;
        raw.loop = options.loop;
        raw.bus = options.bus;
        raw.dispatcher = detail::to_c(options.dispatcher);
        raw.from_sequence = options.from_sequence;
        raw.from_time = options.from_time;
        return raw;
    }

    ctie_wormhole *wormhole() const noexcept { return static_cast<const Wormhole *>(this)->get(); }
};

CROSSTIE_END

#endif
