/**
 * @file transport.hpp
 * A program's own transport: storage for a wormhole's messages, in place of a directory of this machine.
 */
#ifndef CROSSTIE_CPP_TRANSPORT_HPP
#define CROSSTIE_CPP_TRANSPORT_HPP

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "status_of.hpp"

CROSSTIE_BEGIN

/** Receives a record of a scan. Returns false to end the scan. */
class record_visitor {
public:
    record_visitor(ctie_transport_visit_fn fn, void *context) noexcept : fn_(fn), context_(context) {}
    bool operator()(std::string_view key, std::string_view record) const noexcept {
        return fn_(detail::bytes_to_c(key), detail::bytes_to_c(record), context_);
    }

private:
    ctie_transport_visit_fn fn_;
    void *context_;
};

/** One change of a commit. */
struct transport_change {
    std::string_view key;                   /**< empty: removes every record */
    std::optional<std::string_view> record; /**< none: removes the key's record */
};

/** The 16 bytes that tell a step from every other one. */
using transport_token = std::string_view;

/**
 * A transport. Its functions are called on any thread, several at a time; an exception reaches the wormhole's caller as a
 * status. `left` is what is left of that caller's time; no function may take longer. transport.h describes each function.
 */
class transport {
public:
    virtual ~transport() = default;

    /** The number of the newest commit. */
    virtual result<std::uint64_t> version(std::chrono::milliseconds left) = 0;
    /** Calls `visit` with the records from a key on, in the order of keys or against it. */
    virtual result<void> scan(std::string_view from, bool backward, const record_visitor &visit,
                              std::chrono::milliseconds left) = 0;
    /**
     * Makes all changes in one step, and returns its number, `version` + 1; CTIE_E_CONFLICT if the newest commit is not
     * `version`, and CTIE_E_UNCERTAIN if it may have been made.
     */
    virtual result<std::uint64_t> commit(std::uint64_t version, transport_token token,
                                         const std::vector<transport_change> &changes,
                                         std::chrono::milliseconds left) = 0;

    /** The most bytes of a commit; 0: no limit. */
    virtual std::uint64_t max_commit_size() const noexcept { return 0; }
    /** Whether reads are cheap; otherwise the library reads some records in advance. */
    virtual bool is_replicated() const noexcept { return false; }
    /** Whether get() is implemented. */
    virtual bool can_get() const noexcept { return false; }
    /** Calls `visit` with the record of each key that has one. */
    virtual result<void> get(const std::vector<std::string_view> &, const record_visitor &, std::chrono::milliseconds) {
        return error(CTIE_E_INVALID);
    }

    /** Whether watch() is implemented; otherwise the wormhole polls the version. */
    virtual bool can_watch() const noexcept { return false; }
    /** Registers `notify` to be called with `context` after each commit; nullptr ends that. */
    virtual result<void> watch(ctie_transport_notify_fn, void *) { return error(CTIE_E_INVALID); }

    /** Whether join() and members() are implemented. */
    virtual bool has_members() const noexcept { return false; }
    /** Adds this wormhole to the members, and returns its number. */
    virtual result<std::uint64_t> join(std::string_view, std::chrono::milliseconds) { return error(CTIE_E_INVALID); }
    /** The numbers of the living members. */
    virtual result<std::vector<std::uint64_t>> members(std::chrono::milliseconds) { return error(CTIE_E_INVALID); }
};

namespace detail {

/** A transport in its C form. The object is its user_data; C destroys it. */
class transport_c {
public:
    explicit transport_c(const transport &of) noexcept {
        raw_.size = sizeof raw_;
        raw_.flags = of.is_replicated() ? CTIE_TRANSPORT_REPLICATED : 0;
        raw_.version = [](void *data, std::uint64_t *out, std::int64_t left) noexcept {
            return status_of([&] { return self(data).version(time(left)); },
                             [&](std::uint64_t number) { *out = number; });
        };
        raw_.scan = [](void *data, ctie_bytes from, bool backward, ctie_transport_visit_fn visit, void *context,
                       std::int64_t left) noexcept {
            return status_of([&] {
                return self(data).scan(from_c(from), backward, record_visitor(visit, context), time(left));
            });
        };
        raw_.commit = [](void *data, std::uint64_t version, const std::uint8_t *token,
                         const ctie_transport_change *changes, std::size_t count, std::uint64_t *out,
                         std::int64_t left) noexcept {
            const transport_token bytes(reinterpret_cast<const char *>(token), CTIE_TRANSPORT_TOKEN_SIZE);
            return status_of([&] { return self(data).commit(version, bytes, made(changes, count), time(left)); },
                             [&](std::uint64_t number) { *out = number; });
        };
        if (of.max_commit_size() != 0) {
            raw_.limits = [](void *data, ctie_transport_limits *out) noexcept -> ctie_status {
                out->max_commit_size = self(data).max_commit_size();
                return CTIE_OK;
            };
        }
        if (of.can_get()) {
            raw_.get = [](void *data, const ctie_bytes *keys, std::size_t count, ctie_transport_visit_fn visit,
                          void *context, std::int64_t left) noexcept {
                return status_of([&] {
                    std::vector<std::string_view> all;
                    all.reserve(count);
                    for (std::size_t i = 0; i < count; i++) all.push_back(from_c(keys[i]));
                    return self(data).get(all, record_visitor(visit, context), time(left));
                });
            };
        }
        if (of.can_watch()) {
            raw_.watch = [](void *data, ctie_transport_notify_fn notify, void *context) noexcept {
                return status_of([&] { return self(data).watch(notify, context); });
            };
        }
        if (of.has_members()) {
            raw_.join = [](void *data, ctie_str name, std::uint64_t *id, std::int64_t left) noexcept {
                return status_of([&] { return self(data).join(from_c(name), time(left)); },
                                 [&](std::uint64_t number) { *id = number; });
            };
            raw_.members = [](void *data, ctie_transport_member_fn visit, void *context, std::int64_t left) noexcept {
                return status_of([&] { return self(data).members(time(left)); },
                                 [&](const std::vector<std::uint64_t> &ids) {
                                     for (std::uint64_t id : ids) visit(id, context);
                                 });
            };
        }
        raw_.destroy = [](void *data) noexcept { delete &self(data); };
    }

    const ctie_transport *get() const noexcept { return &raw_; }

private:
    static transport &self(void *data) noexcept { return *static_cast<transport *>(data); }

    static std::chrono::milliseconds time(std::int64_t left) noexcept { return std::chrono::milliseconds(left); }

    static std::vector<transport_change> made(const ctie_transport_change *changes, std::size_t count) {
        std::vector<transport_change> all;
        all.reserve(count);
        for (std::size_t i = 0; i < count; i++) {
            const ctie_bytes record = changes[i].record;
            const bool removes = record.data == nullptr && record.size == 0;
            all.push_back({from_c(changes[i].key), removes ? std::nullopt :
                           std::optional<std::string_view>(from_c(record))});
        }
        return all;
    }

    ctie_transport raw_{};
};

} // namespace detail
CROSSTIE_END

#endif
