/**
 * @file engine.hpp
 * A program's own engine: a message system behind a wormhole, in place of a directory of this machine.
 */
#ifndef CROSSTIE_CPP_ENGINE_HPP
#define CROSSTIE_CPP_ENGINE_HPP

#include <chrono>
#include <functional>
#include <memory>

#include "engine_types.hpp"
#include "status_of.hpp"

CROSSTIE_BEGIN

/** The wormhole, as its engine sees it: valid until the engine is destroyed. Any thread may call its functions. */
class engine_host {
public:
    explicit engine_host(const ctie_engine_host *raw) noexcept : raw_(raw) {}

    std::string_view name() const noexcept { return detail::from_c(raw_->name); }
    std::uint64_t max_value_size() const noexcept { return raw_->max_value_size; }
    std::int32_t pid() const noexcept { return raw_->pid; }

    /** Delivers a message to a binding, for one of its credit. */
    engine_delivered deliver(std::uint64_t binding, const engine_message &message) const {
        const detail::engine_message_c one(message);
        return delivered(binding, &one.get(), 1);
    }

    /** Delivers several messages together. */
    engine_delivered deliver(std::uint64_t binding, const std::vector<engine_message> &messages) const {
        std::vector<detail::engine_message_c> all;
        std::vector<ctie_engine_message> raw;
        all.reserve(messages.size());
        raw.reserve(messages.size());
        for (const engine_message &each : messages) {
            all.emplace_back(each);
            raw.push_back(all.back().get());
        }
        return delivered(binding, raw.data(), raw.size());
    }

    /** Says that a member has come or left. */
    void members_changed() const noexcept { raw_->members_changed(raw_->context); }

    /** Writes a line into the wormhole's log; `level` is CTIE_LOG_…. */
    void log(std::int32_t level, std::string_view text) const noexcept {
        raw_->log(raw_->context, level, detail::to_c(text));
    }

    /** Says why the engine's function on this thread is about to fail: the caller's error has this text. */
    void explain(std::string_view text) const noexcept { raw_->explain(raw_->context, detail::to_c(text)); }

    /** Says that the connection to the server has changed; the first time from within `open`. */
    void connection_changed(const engine_connection &now) const noexcept {
        ctie_engine_connection raw = {};
        raw.size = sizeof raw;
        raw.state = now.state;
        raw.since = now.since;
        raw.server = detail::to_c(now.server);
        raw.version = detail::to_c(now.version);
        raw.reason = detail::to_c(now.reason);
        raw_->connection_changed(raw_->context, &raw);
    }

    /** Says that a join has a new peer; no other connection of the join has its number. */
    void peer_connected(std::uint64_t join, std::uint64_t peer) const noexcept {
        raw_->peer_connected(raw_->context, join, peer);
    }

    /** Takes a frame of a peer, in their order. */
    void peer_frame(std::uint64_t join, std::uint64_t peer, std::string_view frame) const noexcept {
        raw_->peer_frame(raw_->context, join, peer, ctie_bytes{frame.data(), frame.size()});
    }

    /** Says that the connection to a peer has ended, and why. */
    void peer_disconnected(std::uint64_t join, std::uint64_t peer, std::string_view reason) const noexcept {
        raw_->peer_disconnected(raw_->context, join, peer, detail::to_c(reason));
    }

    /** Whether requests are in hand with a peer. */
    bool peer_has_requests(std::uint64_t join, std::uint64_t peer) const noexcept {
        return raw_->peer_has_requests(raw_->context, join, peer);
    }

private:
    engine_delivered delivered(std::uint64_t binding, const ctie_engine_message *first, std::size_t count) const noexcept {
        engine_delivered out;
        out.status = raw_->deliver(raw_->context, binding, first, count, &out.credit);
        return out;
    }

    const ctie_engine_host *raw_;
};

/** Receives what a function lists. Returns false to end the listing. */
template <class Item>
using engine_visitor = std::function<bool(const Item &)>;

/**
 * An engine. Its functions are called on any thread, several at a time; an exception reaches the wormhole's caller as a
 * status. `left` is what is left of that caller's time; no function may take longer. engine.h describes each function. The
 * wormhole destroys the engine when it is closed, as the last call.
 */
class engine {
public:
    virtual ~engine() = default;

    /** Opens a group, before any other function. Returns its abilities up to CTIE_ENGINE_SCHEDULES, or'ed together. */
    virtual result<std::uint32_t> open(std::string_view group, const engine_host &host,
                                       std::chrono::milliseconds left) = 0;
    /** Sends messages, all or none. `token` has 16 bytes, or none. */
    virtual result<engine_sent> send(const std::vector<engine_message> &messages, std::string_view token,
                                     std::chrono::milliseconds left) = 0;
    /** Calls `visit` with the value that is an identifier's current message, if there is one. */
    virtual result<void> current(std::string_view identifier, const engine_visitor<engine_message> &visit,
                                 std::chrono::milliseconds left) = 0;
    /** Calls `visit` with each identifier under a topic that has a current message. */
    virtual result<void> identifiers(std::string_view topic, const engine_visitor<std::string_view> &visit,
                                     std::chrono::milliseconds left) = 0;
    /** Begins to deliver messages under a number. */
    virtual result<void> bind(std::uint64_t binding, const engine_binding &how, std::chrono::milliseconds left) = 0;
    /** Lets so many more messages be delivered. May not wait; its exceptions go to on_stray_exception(). */
    virtual void credit(std::uint64_t binding, std::uint32_t count) = 0;
    /** Takes the outcomes of delivered messages; likewise. */
    virtual void resolve(std::uint64_t binding, const std::vector<engine_answer> &answers) = 0;
    /** Ends a binding: nothing is delivered to it after this has returned. */
    virtual result<void> unbind(std::uint64_t binding, std::chrono::milliseconds left) = 0;
    /** Calls `visit` with each living member. */
    virtual result<void> members(const engine_visitor<engine_member> &visit, std::chrono::milliseconds left) = 0;

    /** CTIE_ENGINE_BATCHES, and abilities from CTIE_ENGINE_FORGETS on, or'ed together: those of the functions below that are
        implemented. */
    virtual std::uint32_t functions() const noexcept { return 0; }
    /** Removes a durable consumer. */
    virtual result<void> forget(std::string_view, std::string_view, std::chrono::milliseconds) { return lacking(); }
    /** Calls `visit` with each durable consumer. */
    virtual result<void> durables(const engine_visitor<engine_durable> &, std::chrono::milliseconds) { return lacking(); }
    /** Moves a durable consumer of a topic and name: `start` is CTIE_ENGINE_FROM_…, with its number or time. */
    virtual result<void> seek(std::string_view, std::string_view, std::uint32_t, std::uint64_t, std::int64_t,
                              std::chrono::milliseconds) { return lacking(); }
    /** Makes a durable consumer of a topic and name. The options are complete. */
    virtual result<void> declare(std::string_view, std::string_view, const ctie_durable_options &,
                                 std::chrono::milliseconds) { return lacking(); }
    /** Calls `visit` with each message under a topic that waits for its time. */
    virtual result<void> scheduled(std::string_view, const engine_visitor<engine_message> &, std::chrono::milliseconds) {
        return lacking();
    }
    /** Removes a message that waits for its time. */
    virtual result<void> cancel(std::uint64_t, std::chrono::milliseconds) { return lacking(); }
    /** Sends messages one after another, of an engine without CTIE_ENGINE_ATOMIC_BATCHES. `token` has 16 bytes, or none. */
    virtual result<engine_sent_each> send_each(const std::vector<engine_message> &, std::string_view,
                                               std::chrono::milliseconds) { return lacking(); }

    /** Joins a bus to the group under a number; a frame that arrives has at most so many bytes. This function and the
        three that follow belong to CTIE_ENGINE_JOINS_BUSES. */
    virtual result<void> join(std::uint64_t, std::uint64_t, std::chrono::milliseconds) { return lacking(); }
    /** Sends a frame to a peer of a join, without waiting. The last argument: the most bytes that may be kept already. */
    virtual result<void> send_frame(std::uint64_t, std::uint64_t, std::string_view, std::uint64_t) { return lacking(); }
    /** Ends the connection to a peer of a join. May not wait; its exceptions go to on_stray_exception(). */
    virtual void disconnect(std::uint64_t, std::uint64_t) {}
    /** Ends a join and its connections. */
    virtual result<void> leave(std::uint64_t, std::chrono::milliseconds) { return lacking(); }
    /** Calls `visit` with dead letters of a topic and name after a number, at most so many, with their values or not. */
    virtual result<void> dead_letters(std::string_view, std::string_view, std::uint64_t, std::size_t, bool,
                                      const engine_visitor<engine_dead_letter> &, std::chrono::milliseconds) {
        return lacking();
    }
    /** Puts dead letters back or removes them: `action` is CTIE_ENGINE_RETRY or CTIE_ENGINE_DROP. Counts them. */
    virtual result<void> end_dead_letters(std::string_view, std::string_view, std::uint64_t, std::uint32_t,
                                          std::uint64_t &, std::chrono::milliseconds) {
        return lacking();
    }

private:
    static error lacking() { return error(CTIE_E_UNSUPPORTED); }
};

CROSSTIE_END

#include "engine_c.hpp"

#endif
