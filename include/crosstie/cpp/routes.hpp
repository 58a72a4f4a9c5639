/**
 * @file routes.hpp
 * URLs of a bus: routes by pattern, opening and generating URLs.
 */
#ifndef CROSSTIE_CPP_ROUTES_HPP
#define CROSSTIE_CPP_ROUTES_HPP

#include "call.hpp"
#include "registration.hpp"

CROSSTIE_BEGIN

/** Options of a route. */
struct route_options {
    std::uint32_t flags = 0;           /**< CTIE_ROUTE_… */
    std::string_view remark;           /**< for listings */
    std::string_view name;             /**< for generate_named() */
    std::string_view rule;             /**< the id of the rule that it handles */
    std::vector<handler> interceptors; /**< of this route alone */
    const ctie_runtime *runtime = nullptr;

    route_options(std::uint32_t bits = 0) : flags(bits) {}
};

/** Options of a handler that has no pattern. */
struct handler_options {
    std::uint32_t flags = 0;           /**< CTIE_HANDLER_… */
    std::vector<handler> interceptors; /**< of this handler alone */
    const ctie_runtime *runtime = nullptr;

    handler_options(std::uint32_t bits = 0) : flags(bits) {}
};

/** The part of a bus that would open a URL. */
enum class opened_by : std::int32_t {
    none = CTIE_OPENED_BY_NONE,
    route = CTIE_OPENED_BY_ROUTE,
    provider = CTIE_OPENED_BY_PROVIDER,
    system = CTIE_OPENED_BY_SYSTEM,
    peer = CTIE_OPENED_BY_PEER,
};

namespace detail {

/** Runs `ask` with the options of a handler in their C form. */
template <class Result, class Ask>
Result with_handler_options(const handler &fn, handler_options &options, Ask &&ask) {
    interceptor_array interceptors(options.interceptors);
    if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
    if (interceptors.status() != CTIE_OK) return error(interceptors.status());
    ctie_handler_options raw = CTIE_HANDLER_OPTIONS_INIT;
    raw.flags = options.flags;
    raw.runtime = options.runtime;
    raw.interceptor_count = interceptors.size();
    raw.interceptors = interceptors.take();
    return ask(&raw);
}

} // namespace detail

template <class Bus>
class routes_of {
public:
    /** Registers a handler for the URLs that match a pattern. */
    result<registration> try_route(std::string_view pattern, handler fn, route_options options = {}) const {
        detail::interceptor_array interceptors(options.interceptors);
        if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
        if (interceptors.status() != CTIE_OK) return error(interceptors.status());
        ctie_route_options raw = CTIE_ROUTE_OPTIONS_INIT;
        raw.flags = options.flags;
        raw.remark = detail::to_c(options.remark);
        raw.runtime = options.runtime;
        raw.name = detail::to_c(options.name);
        raw.rule = detail::to_c(options.rule);
        raw.interceptor_count = interceptors.size();
        raw.interceptors = interceptors.take();
        detail::error_slot said;
        ctie_registration *out = nullptr;
        const ctie_status got = ctie_route_add(bus(), detail::to_c(pattern),
                                                  CTIE_HANDLER_OWNED(fn.fn(), fn.data(), fn.take()), &raw, &out,
                                                  said.out());
        return detail::registered(got, out, said);
    }
    CROSSTIE_THROWING(registration, route, (std::string_view pattern, handler fn, route_options options = {}),
                      (pattern, std::move(fn), std::move(options)))

    /** Removes the route of a pattern's shape. True if it is removed; false inside a callback: it is removed soon. */
    result<bool> try_remove_route(std::string_view pattern) const {
        detail::error_slot said;
        return detail::ended(ctie_route_remove(bus(), detail::to_c(pattern), said.out()), said);
    }
    CROSSTIE_THROWING(bool, remove_route, (std::string_view pattern), (pattern))

    result<bool> try_clear_routes() const { return detail::ended(ctie_route_clear(bus())); }
    CROSSTIE_THROWING(bool, clear_routes, (), ())

    /** Sets the handler of unmatched URLs; nullptr removes it. */
    result<bool> try_set_unmatched(handler fn, handler_options options = {}) const {
        return detail::with_handler_options<result<bool>>(fn, options, [&](const ctie_handler_options *raw) {
            detail::error_slot said;
            return detail::ended(ctie_route_set_unmatched(bus(), CTIE_HANDLER_OWNED(fn.fn(), fn.data(), fn.take()), raw,
                                                          said.out()), said);
        });
    }
    CROSSTIE_THROWING(bool, set_unmatched, (handler fn, handler_options options = {}),
                      (std::move(fn), std::move(options)))

    /** Lists the routes as maps, by pattern. */
    result<value> try_routes() const {
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_route_list(bus(), &raw);
        return detail::made_value(got, raw);
    }
    CROSSTIE_THROWING(value, routes, (), ())

    /** Opens a URL and waits for the answer. Open URLs from outside with origin::remote. */
    result<response> try_open(std::string_view url, origin from = origin::local, request_options options = {}) const {
        return detail::ask_and_wait(options, [&](auto *raw, auto **answer, auto **said) {
            return ctie_open(bus(), detail::to_c(url), static_cast<ctie_origin>(from), raw, answer, said);
        });
    }
    CROSSTIE_THROWING(response, open, (std::string_view url, origin from = origin::local, request_options options = {}),
                      (url, from, std::move(options)))

    /** Opens a URL on a worker. */
    result<call> try_open_async(std::string_view url, origin from = origin::local, completion done = nullptr,
                                request_options options = {}) const {
        return detail::ask_later(done, options, [&](completion &fn, auto *raw, auto **out, auto **said) {
            return ctie_open_async(bus(), detail::to_c(url), static_cast<ctie_origin>(from),
                                   CTIE_COMPLETION_OWNED(fn.fn(), fn.data(), fn.take()), raw, out, said);
        });
    }
    CROSSTIE_THROWING(call, open_async,
                      (std::string_view url, origin from = origin::local, completion done = nullptr,
                       request_options options = {}),
                      (url, from, std::move(done), std::move(options)))

    /** Reports which part of the bus would open a URL, without side effects. */
    result<opened_by> try_can_open(std::string_view url, origin from = origin::local, match mode = match::standard) const {
        ctie_opened_by who = CTIE_OPENED_BY_NONE;
        const ctie_status got = ctie_can_open(bus(), detail::to_c(url), static_cast<ctie_origin>(from),
                                                 static_cast<ctie_match_mode>(mode), &who);
        return detail::filled(got, static_cast<opened_by>(who));
    }
    CROSSTIE_THROWING(opened_by, can_open,
                      (std::string_view url, origin from = origin::local, match mode = match::standard),
                      (url, from, mode))

    /** The same with the peers of joined buses. */
    result<opened_by> try_can_open_anywhere(std::string_view url, origin from = origin::local,
                                            match mode = match::standard) const {
        ctie_opened_by who = CTIE_OPENED_BY_NONE;
        const ctie_status got = ctie_can_open_anywhere(bus(), detail::to_c(url), static_cast<ctie_origin>(from),
                                                       static_cast<ctie_match_mode>(mode), &who);
        return detail::filled(got, static_cast<opened_by>(who));
    }
    CROSSTIE_THROWING(opened_by, can_open_anywhere,
                      (std::string_view url, origin from = origin::local, match mode = match::standard),
                      (url, from, mode))

    /** Makes a URL that matches a pattern and has these parameters, as a string value. */
    result<value> try_generate(std::string_view pattern, const value &params = nullptr) const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_generate(bus(), detail::to_c(pattern), params.get(), &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    /** The same with the pattern of a named route, and with a query. */
    result<value> try_generate_named(std::string_view name, const value &params = nullptr,
                                     const value &query = nullptr) const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got =
            ctie_generate_named(bus(), detail::to_c(name), params.get(), query.get(), &raw, said.out());
        return detail::made_value(got, raw, said);
    }
#if CROSSTIE_EXCEPTIONS
    std::string generate(std::string_view pattern, const value &params = nullptr) const {
        return try_generate(pattern, params).take().template to<std::string>();
    }
    std::string generate_named(std::string_view name, const value &params = nullptr,
                               const value &query = nullptr) const {
        return try_generate_named(name, params, query).take().template to<std::string>();
    }
#endif

private:
    ctie_bus *bus() const noexcept { return static_cast<const Bus *>(this)->get(); }
};

CROSSTIE_END

#endif
