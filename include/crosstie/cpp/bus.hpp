/**
 * @file bus.hpp
 * The bus: routes, rules, components, providers and interceptors, and the requests to them.
 */
#ifndef CROSSTIE_CPP_BUS_HPP
#define CROSSTIE_CPP_BUS_HPP

#include "component.hpp"
#include "handoff.hpp"
#include "performer.hpp"
#include "provider.hpp"
#include "routes.hpp"
#include "rules.hpp"

CROSSTIE_BEGIN

/** Options of a new bus. Fields that are not set have the library's defaults. */
struct bus_options {
    std::string_view name;           /**< for the log and for people */
    std::string_view default_scheme; /**< of patterns and URLs that begin with '/' */
    std::uint32_t max_workers = 0;
    std::uint32_t max_queued = 0;
    std::uint32_t flags = 0; /**< CTIE_BUS_… */
    match mode = match::standard;

    bus_options(std::string_view called = {}, std::uint32_t bits = 0) : name(called), flags(bits) {}
};

/** Options of an interceptor. */
struct interceptor_options {
    std::int32_t order = 0;      /**< lower ones see a request first */
    std::uint32_t kinds = 0;     /**< CTIE_INTERCEPT_…; 0 for all */
    std::string_view dispatcher; /**< the dispatcher whose requests it sees; empty for all */
    const ctie_runtime *runtime = nullptr;

    interceptor_options(std::int32_t position = 0) : order(position) {}
};

/** Options of a bus's system opener. */
struct system_opener_options {
    std::uint32_t flags = 0;               /**< CTIE_SYSTEM_OPENER_REMOTE, CTIE_SYSTEM_OPENER_OFF */
    std::vector<std::string_view> schemes; /**< schemes that it opens besides http and https */
    std::string_view program;              /**< the program to start; empty for "xdg-open" */
    const ctie_runtime *runtime = nullptr;

    system_opener_options(std::uint32_t bits = 0) : flags(bits) {}
};

/** Options of a dispatcher; zero is the library's default. */
struct dispatcher_options {
    std::uint32_t max_workers = 0;
    std::uint32_t max_queued = 0;

    dispatcher_options(std::uint32_t workers = 0, std::uint32_t queued = 0)
        : max_workers(workers), max_queued(queued) {}
};

/** A bus, borrowed: the result of request::bus(). */
class bus_view : public detail::view<ctie_bus>,
                 public routes_of<bus_view>,
                 public rules_of<bus_view>,
                 public components_of<bus_view>,
                 public performer_of<bus_view>,
                 public handoff_of<bus_view>,
                 public providers_of<bus_view> {
public:
    using view::view;

    /** The name of the bus, which lives until the bus closes. */
    result<std::string_view> try_name() const {
        ctie_str name;
        const ctie_status got = ctie_bus_name(raw_, &name);
        if (got != CTIE_OK) return error(got);
        return detail::from_c(name);
    }
    CROSSTIE_THROWING(std::string_view, name, (), ())

    /** Closes the bus, whatever the number of its owners. Returns true when it has closed; false inside a callback: it closes
        afterwards. */
    result<bool> try_close() const { return detail::ended(ctie_bus_close(raw_)); }
    CROSSTIE_THROWING(bool, close, (), ())

    /** Sets the function that receives the bus's log; nullptr: none. */
    result<bool> try_set_log(log_function fn) const {
        if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
        detail::error_slot said;
        return detail::ended(
            ctie_bus_set_log(raw_, CTIE_LOGGER_OWNED(fn.fn(), fn.data(), fn.take()), said.out()), said);
    }
    CROSSTIE_THROWING(bool, set_log, (log_function fn), (std::move(fn)))

    /** Registers an interceptor for the requests of the bus. */
    result<registration> try_intercept(handler fn, const interceptor_options &options = {}) const {
        if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
        ctie_interceptor_options raw = CTIE_INTERCEPTOR_OPTIONS_INIT;
        raw.order = options.order;
        raw.runtime = options.runtime;
        raw.kinds = options.kinds;
        raw.dispatcher = detail::to_c(options.dispatcher);
        detail::error_slot said;
        ctie_registration *out = nullptr;
        const ctie_status got = ctie_interceptor_add(raw_, CTIE_HANDLER_OWNED(fn.fn(), fn.data(), fn.take()), &raw,
                                                        &out, said.out());
        return detail::registered(got, out, said);
    }
    CROSSTIE_THROWING(registration, intercept, (handler fn, const interceptor_options &options = {}),
                      (std::move(fn), options))

    /** Sets the system opener, which opens the URLs of other programs: a handler, or with nullptr a program. */
    result<bool> try_set_system_opener(handler fn, const system_opener_options &options = {}) const {
        if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
        const detail::text_array schemes(options.schemes);
        ctie_system_opener_options raw = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
        raw.flags = options.flags;
        raw.schemes = schemes.list();
        raw.program = detail::to_c(options.program);
        raw.runtime = options.runtime;
        detail::error_slot said;
        return detail::ended(ctie_bus_set_system_opener(raw_, CTIE_HANDLER_OWNED(fn.fn(), fn.data(), fn.take()), &raw, said.out()),
                             said);
    }
    CROSSTIE_THROWING(bool, set_system_opener, (handler fn, const system_opener_options &options = {}), (std::move(fn), options))

    /** Adds a dispatcher: a queue with threads of its own for asynchronous requests. */
    result<void> try_add_dispatcher(std::string_view name, const dispatcher_options &options = {}) const {
        ctie_dispatcher_options raw = CTIE_DISPATCHER_OPTIONS_INIT;
        raw.max_workers = options.max_workers;
        raw.max_queued = options.max_queued;
        detail::error_slot said;
        return detail::done(ctie_dispatcher_add(raw_, detail::to_c(name), &raw, said.out()), said);
    }
    CROSSTIE_THROWING(void, add_dispatcher, (std::string_view name, const dispatcher_options &options = {}),
                      (name, options))

    /** Cancels the running and waiting requests of a dispatcher, empty for the default one. Returns their number. */
    result<std::size_t> try_cancel_all(std::string_view dispatcher = {}) const {
        std::size_t count = 0;
        detail::error_slot said;
        const ctie_status got = ctie_dispatcher_cancel_all(raw_, detail::to_c(dispatcher), &count, said.out());
        return detail::filled(got, count, said);
    }
    CROSSTIE_THROWING(std::size_t, cancel_all, (std::string_view dispatcher = {}), (dispatcher))

    /** The bus's own loop, borrowed. */
    result<loop_view> try_loop() const {
        ctie_loop *raw = nullptr;
        const ctie_status got = ctie_bus_loop(raw_, &raw);
        return detail::filled(got, loop_view(raw));
    }
    CROSSTIE_THROWING(loop_view, loop, (), ())

    /** The statistics of a bus with CTIE_BUS_STATS: a list of maps. */
    result<value> try_stats() const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_bus_stats(raw_, &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, stats, (), ())
};

/** An owned reference to a bus; the bus closes with the last one. */
class bus : public detail::owner<bus_view, ctie_bus, ctie_bus_release> {
public:
    using owner::owner;

    static result<bus> try_make(const bus_options &options = {}) {
        ctie_bus_options raw = CTIE_BUS_OPTIONS_INIT;
        raw.name = detail::to_c(options.name);
        raw.default_scheme = detail::to_c(options.default_scheme);
        raw.max_workers = options.max_workers;
        raw.max_queued = options.max_queued;
        raw.flags = options.flags;
        raw.mode = static_cast<ctie_match_mode>(options.mode);
        detail::error_slot said;
        ctie_bus *out = nullptr;
        const ctie_status got = ctie_bus_new(&raw, &out, said.out());
        if (got != CTIE_OK) return said.take(got);
        return bus(out);
    }
    CROSSTIE_THROWING_STATIC(bus, make, (const bus_options &options = {}), (options))

    /** The process's bus of a name, made if there is none. */
    static result<bus> try_shared(std::string_view name) {
        detail::error_slot said;
        ctie_bus *out = nullptr;
        const ctie_status got = ctie_bus_shared(detail::to_c(name), &out, said.out());
        if (got != CTIE_OK) return said.take(got);
        return bus(out);
    }
    CROSSTIE_THROWING_STATIC(bus, shared, (std::string_view name), (name))

    /** Adds a reference to a bus. */
    static result<bus> try_retain(const bus_view &of) {
        const ctie_status got = ctie_bus_retain(of.get());
        if (got != CTIE_OK) return error(got);
        return bus(of.get());
    }
    CROSSTIE_THROWING_STATIC(bus, retain, (const bus_view &of), (of))
};

inline bus_view request::bus() const noexcept {
    ctie_bus *found = nullptr;
    (void)ctie_request_bus(raw_, &found);
    return bus_view(found);
}

CROSSTIE_END

#endif
