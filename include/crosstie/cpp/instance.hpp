/**
 * @file instance.hpp
 * The single instance of an application.
 */
#ifndef CROSSTIE_CPP_INSTANCE_HPP
#define CROSSTIE_CPP_INSTANCE_HPP

#include <chrono>
#include <vector>

#include "bus.hpp"

CROSSTIE_BEGIN

/** Options of a claim; an empty text means the library's default. */
struct instance_options {
    std::string_view directory;  /**< an absolute path below which the processes of the application meet */
    std::string_view dispatcher; /**< opens the URLs of other processes */
    std::uint32_t flags = 0;     /**< CTIE_INSTANCE_… */
};

/** A process's claim on an application, borrowed. */
class instance_view : public detail::view<ctie_instance> {
public:
    using view::view;

    /** Whether this process is the first instance; hand() can make it the first. False for an empty view. */
    bool is_first() const noexcept {
        bool first = false;
        (void)ctie_instance_is_first(raw_, &first);
        return first;
    }

    /** The state of the application's name on the session bus: CTIE_OK, CTIE_PENDING, or why this process has none. */
    ctie_status dbus_status() const noexcept { return ctie_instance_dbus_status(raw_, nullptr); }

    /**
     * Hands URLs to the first instance, one after the other, and waits until it has opened them. Returns the answers, a list
     * of maps. If this process is the first, the answers have the status CTIE_PENDING, and the URLs wait for ready(). The
     * first URL that was not opened gives the error.
     *
     * @param activation a map; null for the activation that the desktop gave to this process.
     * @param timeout 0: CTIE_INSTANCE_TIMEOUT_MS; negative: no limit.
     */
    result<value> try_hand(const std::vector<std::string_view> &urls = {}, const value &activation = nullptr,
                           std::chrono::milliseconds timeout = {}) const {
        detail::error_slot said;
        const detail::text_array list(urls);
        ctie_value *raw = nullptr;
        const ctie_value *given = activation.is_null() ? nullptr : activation.get();
        const ctie_status got = ctie_instance_hand(raw_, list.list(), given, timeout.count(), &raw, said.out());
        if (got >= 0) return value::adopt(raw);
        ctie_value_release(raw);
        return said.take(got);
    }
    CROSSTIE_THROWING(value, hand,
                      (const std::vector<std::string_view> &urls = {}, const value &activation = nullptr,
                       std::chrono::milliseconds timeout = {}),
                      (urls, activation, timeout))

    /** Opens the URLs that this process has handed to itself, and from now on those that others hand over, on workers. */
    result<void> try_ready() const {
        detail::error_slot said;
        return detail::done(ctie_instance_ready(raw_, said.out()), said);
    }
    CROSSTIE_THROWING(void, ready, (), ())
};

/** An owned claim: after its end another process can be the first. */
class instance : public detail::owner<instance_view, ctie_instance, ctie_instance_release> {
public:
    using owner::owner;

    static result<instance> try_claim(bus_view bus, std::string_view application, const instance_options &options = {}) {
        ctie_instance_options raw = CTIE_INSTANCE_OPTIONS_INIT;
        raw.directory = detail::to_c(options.directory);
        raw.dispatcher = detail::to_c(options.dispatcher);
        raw.flags = options.flags;
        detail::error_slot said;
        ctie_instance *out = nullptr;
        const ctie_status got = ctie_instance_claim(bus.get(), detail::to_c(application), &raw, &out, said.out());
        if (got != CTIE_OK) return said.take(got);
        return instance(out);
    }
    CROSSTIE_THROWING_STATIC(instance, claim,
                             (bus_view bus, std::string_view application, const instance_options &options = {}),
                             (bus, application, options))
};

CROSSTIE_END

#endif
