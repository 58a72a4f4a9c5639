/**
 * @file join.hpp
 * Joined buses: requests between the processes of one user.
 */
#ifndef CROSSTIE_CPP_JOIN_HPP
#define CROSSTIE_CPP_JOIN_HPP

#include "bus.hpp"
#include "wormhole.hpp"

CROSSTIE_BEGIN

/** Decides whether a process may become a peer: a callable with a `const value &`, a map, that returns a bool. */
class admit_function : public detail::callback<ctie_admit_fn> {
public:
    admit_function(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<admit_function, F, const value &> = 0>
    admit_function(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static bool run(const ctie_value *raw, void *data) noexcept {
        bool admitted = false;
        detail::guarded_alone([&] { admitted = (*static_cast<F *>(data))(value::keep(raw)); });
        return admitted;
    }
};

/** A callback for peers that join, leave, or change their exports: a callable with a ctie_peer_event and a `const value &`. */
class peer_function : public detail::callback<ctie_peer_listener_fn> {
public:
    peer_function(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<peer_function, F, ctie_peer_event, const value &> = 0>
    peer_function(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static void run(ctie_peer_event event, const ctie_value *raw, void *data) noexcept {
        detail::guarded_alone([&] { (*static_cast<F *>(data))(event, value::keep(raw)); });
    }
};

/** Options of joining; zero or an empty text means the library's default. */
struct join_options {
    std::string_view name;                 /**< for peers and people; empty: the wormhole's */
    std::vector<std::string_view> exports; /**< names that peers may use: components, component.action, event:name, URLs */
    std::vector<std::string_view> imports; /**< names that this bus may use in peers; "*" for all */
    std::string_view dispatcher;           /**< runs the requests of peers */
    std::uint32_t flags = 0;               /**< CTIE_JOIN_… */
    std::uint32_t max_calls = 0;
    std::uint64_t max_frame_size = 0;
    admit_function admit;
};

/** A bus's membership in a group, borrowed. */
class join_view : public detail::view<ctie_join> {
public:
    using view::view;

    /** Lists the peers, as maps. */
    result<value> try_peers() const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_join_peers(raw_, &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, peers, (), ())

    /** Replaces the exported names, for calls that arrive from now on. */
    result<void> try_set_exports(const std::vector<std::string_view> &exports) const {
        detail::error_slot said;
        const detail::text_array names(exports);
        return detail::done(ctie_join_set_exports(raw_, names.list(), said.out()), said);
    }
    CROSSTIE_THROWING(void, set_exports, (const std::vector<std::string_view> &exports), (exports))

    /** Sets the callback for peers that join, leave, or change their exports; an empty one removes it. */
    result<void> try_set_listener(peer_function listener) const {
        if (listener.is_lost()) return error(CTIE_E_NO_MEMORY);
        detail::error_slot said;
        return detail::done(ctie_join_set_listener(raw_,
                                                   CTIE_PEER_LISTENER_OWNED(listener.fn(), listener.data(), listener.take()),
                                                   said.out()),
                            said);
    }
    CROSSTIE_THROWING(void, set_listener, (peer_function listener), (std::move(listener)))
};

/** An owned membership: its end leaves the group. */
class join : public detail::owner<join_view, ctie_join, ctie_join_release> {
public:
    using owner::owner;

    static result<join> try_open(bus_view bus, wormhole_view wormhole, join_options options) {
        if (options.admit.is_lost()) return error(CTIE_E_NO_MEMORY);
        const detail::text_array exports(options.exports), imports(options.imports);
        ctie_join_options raw = CTIE_JOIN_OPTIONS_INIT;
        raw.name = detail::to_c(options.name);
        raw.exports = exports.list();
        raw.imports = imports.list();
        raw.dispatcher = detail::to_c(options.dispatcher);
        raw.flags = options.flags;
        raw.max_calls = options.max_calls;
        raw.max_frame_size = options.max_frame_size;
        raw.admit = CTIE_ADMIT_OWNED(options.admit.fn(), options.admit.data(), options.admit.take());
        detail::error_slot said;
        ctie_join *out = nullptr;
        const ctie_status got = ctie_bus_join(bus.get(), wormhole.get(), &raw, &out, said.out());
        if (got != CTIE_OK) return said.take(got);
        return join(out);
    }
    CROSSTIE_THROWING_STATIC(join, open, (bus_view bus, wormhole_view wormhole, join_options options),
                             (bus, wormhole, std::move(options)))

    /** Refuses a temporary wormhole, whose end in the same statement would end the membership. */
    static result<join> try_open(bus_view bus, wormhole &&temporary, join_options options) = delete;
    static join open(bus_view bus, wormhole &&temporary, join_options options) = delete;
};

CROSSTIE_END

#endif
