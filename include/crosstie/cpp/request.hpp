/**
 * @file request.hpp
 * Requests, as handlers receive and answer them. The same for every kind of request.
 */
#ifndef CROSSTIE_CPP_REQUEST_HPP
#define CROSSTIE_CPP_REQUEST_HPP

#include "response.hpp"

CROSSTIE_BEGIN

class bus_view;
class retained_request;

/** The origin of a request. */
enum class origin : std::int32_t { remote = CTIE_ORIGIN_REMOTE, local = CTIE_ORIGIN_LOCAL };

/** The kind of a request. */
enum class request_kind : std::int32_t {
    open = CTIE_REQUEST_KIND_OPEN,
    call = CTIE_REQUEST_KIND_CALL,
    event = CTIE_REQUEST_KIND_EVENT,
    perform = CTIE_REQUEST_KIND_PERFORM,
    share = CTIE_REQUEST_KIND_SHARE,
    oauth = CTIE_REQUEST_KIND_OAUTH,
    launch = CTIE_REQUEST_KIND_LAUNCH,
    activity = CTIE_REQUEST_KIND_ACTIVITY,
};

/** A part of the URL of an open request. */
enum class url_part : std::int32_t {
    whole = CTIE_URL_WHOLE,
    scheme = CTIE_URL_SCHEME,
    host = CTIE_URL_HOST,
    path = CTIE_URL_PATH,
    query = CTIE_URL_QUERY,
    fragment = CTIE_URL_FRAGMENT,
};

/**
 * A request, borrowed: valid until its handler returns; retain() keeps it longer. Texts that it returns live as long as the
 * request. A part that it lacks is an empty optional, an empty value, or the default.
 */
class request : public detail::view<ctie_request> {
public:
    using view::view;

    /* Answering */

    result<void> try_reply(value answer = nullptr) const {
        return detail::done(ctie_request_reply(raw_, answer.detach()));
    }
    CROSSTIE_THROWING(void, reply, (value answer = nullptr), (std::move(answer)))

    result<void> try_fail(std::int32_t code, std::string_view message, value details = nullptr) const {
        return detail::done(ctie_request_fail(raw_, code, details.detach(), detail::to_c(message)));
    }
    CROSSTIE_THROWING(void, fail, (std::int32_t code, std::string_view message, value details = nullptr),
                      (code, message, std::move(details)))

    result<void> try_deny(std::string_view message = {}) const {
        return detail::done(ctie_request_deny(raw_, detail::to_c(message)));
    }
    CROSSTIE_THROWING(void, deny, (std::string_view message = {}), (message))

    /** Ends it with a status of the library. */
    result<void> try_refuse(crosstie::status got, std::string_view message = {}) const {
        return detail::done(ctie_request_refuse(raw_, got, detail::to_c(message)));
    }
    CROSSTIE_THROWING(void, refuse, (crosstie::status got, std::string_view message = {}), (got, message))

    /** Declines the request: the next best handler is tried. */
    result<void> try_decline() const { return detail::done(ctie_request_decline(raw_)); }
    CROSSTIE_THROWING(void, decline, (), ())

    /** Reports progress to the caller. */
    result<void> try_progress(value how_far) const {
        return detail::done(ctie_request_progress(raw_, how_far.detach()));
    }
    CROSSTIE_THROWING(void, progress, (value how_far), (std::move(how_far)))

    /** Retains the request beyond the handler's return, to end it later from any thread. */
    result<retained_request> try_retain() const;
#if CROSSTIE_EXCEPTIONS
    retained_request retain() const;
#endif

    /** Adds a callback for the request's end by a cancel, its deadline or its bus's closing. */
    result<void> try_on_cancel(notice fn) const {
        if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
        return detail::done(ctie_request_on_cancel(raw_, CTIE_NOTICE_OWNED(fn.fn(), fn.data(), fn.take())));
    }
    CROSSTIE_THROWING(void, on_cancel, (notice fn), (std::move(fn)))

    /* Interceptors */

    result<void> try_proceed() const { return detail::done(ctie_request_proceed(raw_)); }
    CROSSTIE_THROWING(void, proceed, (), ())

    /** Continues the request with another URL, from the beginning. */
    result<void> try_rewrite(std::string_view url) const {
        detail::error_slot said;
        return detail::done(ctie_request_rewrite(raw_, detail::to_c(url), said.out()), said);
    }
    CROSSTIE_THROWING(void, rewrite, (std::string_view url), (url))

    result<void> try_set_params(value params) const {
        return detail::done(ctie_request_set_params(raw_, params.detach()));
    }
    CROSSTIE_THROWING(void, set_params, (value params), (std::move(params)))

    result<void> try_set_user_info(value info) const {
        return detail::done(ctie_request_set_user_info(raw_, info.detach()));
    }
    CROSSTIE_THROWING(void, set_user_info, (value info), (std::move(info)))

    /** Adds a callback that sees the response before the caller, and may change it. */
    result<void> try_on_return(return_function sees) const {
        if (sees.is_lost()) return error(CTIE_E_NO_MEMORY);
        return detail::done(ctie_request_on_return(raw_, CTIE_COMPLETION_OWNED(sees.fn(), sees.data(), sees.take())));
    }
    CROSSTIE_THROWING(void, on_return, (return_function sees), (std::move(sees)))

    /* Reading */

    crosstie::request_kind kind() const noexcept { return static_cast<crosstie::request_kind>(number(ctie_request_kind, 0)); }
    /** The origin; remote if it cannot be read, so that a decision errs toward less trust. */
    crosstie::origin origin() const noexcept {
        return static_cast<crosstie::origin>(number(ctie_request_origin, CTIE_ORIGIN_REMOTE));
    }
    /** The flags that the caller gave: CTIE_REQUEST_…. */
    std::uint32_t flags() const noexcept {
        std::uint32_t flags = 0;
        (void)ctie_request_flags(raw_, &flags);
        return flags;
    }
    /** The name that it is addressed to: a component, a performer's target, an endpoint or a platform. */
    std::string_view target() const noexcept { return text(ctie_request_target).value_or(std::string_view()); }
    /** The name of the action or event, or the selector. */
    std::string_view action() const noexcept { return text(ctie_request_action).value_or(std::string_view()); }
    /** The pattern that matched. */
    std::string_view pattern() const noexcept { return text(ctie_request_pattern).value_or(std::string_view()); }
    /** The rest of the path that the route did not match, in nearest mode. */
    std::string_view unmatched() const noexcept { return text(ctie_request_unmatched).value_or(std::string_view()); }
    std::optional<std::string_view> url(url_part part = url_part::whole) const noexcept {
        ctie_str found;
        if (ctie_request_url(raw_, static_cast<ctie_url_part>(part), &found) != CTIE_OK) return std::nullopt;
        return detail::from_c(found);
    }

    /** The text of a parameter; nothing if it is missing, is not a text, or occurs several times in the query. */
    std::optional<std::string_view> text(std::string_view name) const noexcept {
        ctie_str found;
        if (ctie_request_param(raw_, detail::to_c(name), &found) != CTIE_OK) return std::nullopt;
        return detail::from_c(found);
    }
    /**
     * A parameter as a C++ type. A number or boolean in a URL is read as JSON, like a typed parameter of a pattern; in a
     * request without a URL, a text is not a number.
     */
    template <class T>
    std::optional<T> param(std::string_view name) const {
        static_assert(!detail::borrows<T>::value, "text() gives a borrowed text; what is read from params() lives as long");
        const value found = params()[name];
        if constexpr (std::is_arithmetic_v<T>) {
            if (kind() == crosstie::request_kind::open && found.kind() == crosstie::kind::string) return parsed<T>(found);
        }
        return found.as<T>();
    }
    template <class T>
    T param(std::string_view name, T fallback) const { return param<T>(name).value_or(std::move(fallback)); }
    std::string param(std::string_view name, const char *fallback) const { return param(name, std::string(fallback)); }

    /** All parameters by name. */
    result<value> try_params() const {
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_request_params(raw_, &raw);
        if (got != CTIE_OK) return error(got);
        return value::adopt(raw);
    }
    /** The same; empty if they cannot be read. */
    value params() const {
        result<value> all = try_params();
        return all ? *std::move(all) : value::empty();
    }
    /**
     * Calls `visit` with each parameter until it returns false: `bool (std::string_view name, std::string_view text, const
     * value &other)`. A text is in `text`, and `other` is empty; anything else is in `other`. An exception of `visit` ends the
     * listing and goes on to the caller.
     */
    template <class F>
    result<void> try_each_param(F &&visit) const {
        visiting<std::remove_reference_t<F>> context{visit, {}};
        const ctie_status got = ctie_request_each_param(raw_, &decltype(context)::run, &context);
        context.rethrow();
        return detail::done(got);
    }
#if CROSSTIE_EXCEPTIONS
    template <class F>
    void each_param(F &&visit) const { try_each_param(std::forward<F>(visit)).take(); }
#endif
    /** The arguments as the caller gave them, with foreign values. */
    value arguments() const noexcept { return borrowed(ctie_request_arguments); }
    /** The caller's user info, which no URL can forge. */
    value user_info() const noexcept { return borrowed(ctie_request_user_info); }
    /** The peer that made the request, as a map; empty for a request of this process. */
    value peer() const noexcept { return borrowed(ctie_request_peer); }
    value raw_user_info() const noexcept { return borrowed(ctie_request_raw_user_info); }
    /** The rule that matched; empty without one. */
    value rule() const noexcept { return borrowed(ctie_request_rule); }

    /** A name and a text. */
    using pair = std::pair<std::string_view, std::string_view>;
    /** A parameter captured from the path, by its position. */
    std::optional<pair> path_param_at(std::size_t index) const noexcept {
        return pair_at(ctie_request_path_param_at, index);
    }
    /** A pair of the query, by its position. */
    std::optional<pair> query_at(std::size_t index) const noexcept { return pair_at(ctie_request_query_at, index); }
    /** All texts of a key of the query, as a list. */
    result<value> try_query_all(std::string_view key) const {
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_request_query_all(raw_, detail::to_c(key), &raw);
        if (got != CTIE_OK) return error(got);
        return value::adopt(raw);
    }
    CROSSTIE_THROWING(value, query_all, (std::string_view key), (key))

    /** The bus that it runs on, borrowed. */
    bus_view bus() const noexcept;
    bool is_ended() const noexcept { return truth(ctie_request_is_ended); }
    bool is_cancelled() const noexcept { return truth(ctie_request_is_cancelled); }
    /** Whether the request will go to a peer: join.hpp. */
    bool is_leaving() const noexcept { return truth(ctie_request_is_leaving); }
    /** Milliseconds until its deadline; -1 when there is none. */
    std::int64_t time_left() const noexcept {
        std::int64_t left = 0;
        (void)ctie_request_time_left(raw_, &left);
        return left;
    }

private:
    /** A callable that C calls with parameters, and what it has thrown. */
    template <class F>
    struct visiting {
        F &visit;
        std::exception_ptr thrown;

        bool call(ctie_str name, ctie_str text, const ctie_value *other) {
            return visit(detail::from_c(name), detail::from_c(text), other ? value::keep(other) : value::empty());
        }
        static bool run(ctie_str name, ctie_str text, const ctie_value *other, void *data) noexcept {
            auto &self = *static_cast<visiting *>(data);
#if CROSSTIE_EXCEPTIONS
            try {
                return self.call(name, text, other);
            } catch (...) {
                self.thrown = std::current_exception();
                return false;
            }
#else
            return self.call(name, text, other);
#endif
        }
        void rethrow() const {
#if CROSSTIE_EXCEPTIONS
            if (thrown) std::rethrow_exception(thrown);
#endif
        }
    };
    /** Whether a text may be a JSON number or boolean without white space around it; any other such text is not JSON. */
    static bool is_scalar(std::string_view text) noexcept {
        constexpr std::string_view first = "-0123456789tf", last = "0123456789e";
        return !text.empty() && text.size() <= 400 && first.find(text.front()) != std::string_view::npos &&
               last.find(text.back()) != std::string_view::npos;
    }
    template <class T>
    static std::optional<T> parsed(const value &found) {
        const std::string_view digits = found.as<std::string_view>().value_or(std::string_view());
        if (!is_scalar(digits)) return std::nullopt;
        result<value> number = value::try_from_json(digits);
        return number ? number->template as<T>() : std::nullopt;
    }
    template <class Asked>
    std::int32_t number(Asked asked, std::int32_t fallback) const noexcept {
        (void)asked(raw_, &fallback);
        return fallback;
    }
    template <class Asked, std::enable_if_t<std::is_invocable_v<Asked, ctie_request *, ctie_str *>, int> = 0>
    std::optional<std::string_view> text(Asked asked) const noexcept {
        ctie_str found;
        if (asked(raw_, &found) != CTIE_OK) return std::nullopt;
        return detail::from_c(found);
    }
    template <class Asked>
    value borrowed(Asked asked) const noexcept {
        const ctie_value *found = nullptr;
        return asked(raw_, &found) == CTIE_OK ? value::keep(found) : value::empty();
    }
    template <class Asked>
    bool truth(Asked asked) const noexcept {
        bool holds = false;
        return asked(raw_, &holds) == CTIE_OK && holds;
    }
    template <class Asked>
    std::optional<pair> pair_at(Asked asked, std::size_t index) const noexcept {
        ctie_str name;
        ctie_str found;
        if (asked(raw_, index, &name, &found) != CTIE_OK) return std::nullopt;
        return pair(detail::from_c(name), detail::from_c(found));
    }
};

/** A request that is retained beyond its handler's return. If it is destroyed without an answer, it ends with CTIE_E_NO_REPLY. */
class retained_request : public detail::owner<request, ctie_request, ctie_request_release> {
public:
    using owner::owner;
};

inline result<retained_request> request::try_retain() const {
    const ctie_status got = ctie_request_retain(raw_);
    if (got != CTIE_OK) return error(got);
    return retained_request(raw_);
}

#if CROSSTIE_EXCEPTIONS
inline retained_request request::retain() const { return try_retain().take(); }
#endif

namespace detail {

/**
 * Ends a request as the thrown exception says. A message that the library refuses is replaced; a status that is not one of
 * the library's becomes a failure of the handler. The function itself allocates nothing, because memory may have run out.
 */
inline void fail_request(ctie_request *raw, ctie_status got, std::int32_t code, const char *message,
                         const error *thrown) noexcept {
    const ctie_str plain = CTIE_STR("the handler threw");
    const value details = details_of(thrown);
    const auto is_over = [](ctie_status status) { return status == CTIE_OK || status == CTIE_E_ALREADY; };
    if (got != CTIE_E_HANDLER && got < 0) {
        if (is_over(ctie_request_refuse(raw, got, ctie_str_from(message)))) return;
        if (is_over(ctie_request_refuse(raw, got, plain))) return;
    }
    if (is_over(ctie_request_fail(raw, code, details.share(), ctie_str_from(message)))) return;
    if (is_over(ctie_request_fail(raw, code, details.share(), plain))) return;
    (void)ctie_request_fail(raw, code, nullptr, plain);
}

} // namespace detail

/**
 * A handler or interceptor: a callable with a `request &`. It answers the request itself, or returns a value as the reply.
 * An exception ends the request: a crosstie::error with its status, or its code, message and value for CTIE_E_HANDLER;
 * another exception with CTIE_E_HANDLER and what().
 */
class handler : public detail::callback<ctie_handler_fn> {
public:
    handler(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<handler, F, request &> = 0>
    handler(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

    /** Runs a callable, for C structs with a field of their own for the data. */
    template <class F>
    static void run(ctie_request *raw, void *data) noexcept {
        call(raw, *static_cast<F *>(data));
    }

    template <class F>
    static void call(ctie_request *raw, F &&callable) noexcept {
        request asked(raw);
        detail::guarded(
            [&] {
                if constexpr (std::is_void_v<std::invoke_result_t<F, request &>>) {
                    callable(asked);
                } else {
                    answer(asked, value(callable(asked)));
                }
            },
            [raw](ctie_status got, std::int32_t code, const char *message, const error *thrown) {
                detail::fail_request(raw, got, code, message, thrown);
            });
    }

private:
    static void answer(const request &asked, value reply) {
        const ctie_status got = asked.try_reply(std::move(reply)).status();
        if (got == CTIE_E_INVALID) (void)asked.try_refuse(got, "the handler returned no value");
    }
};

namespace detail {

/** Interceptors in their C form. C takes each of them, also on failure; if there are too many, it takes none. */
class interceptor_array {
public:
    /** The most interceptors of a handler, a component or a request. */
    static constexpr std::size_t most = 64;

    explicit interceptor_array(std::vector<handler> &handlers) {
        raw_.reserve(handlers.size());
        for (handler &each : handlers) {
            lost_ = lost_ || each.is_lost();
            ctie_handler raw;
            raw.fn = each.fn();
            raw.user_data = each.data();
            raw.destroy = nullptr;
            raw_.push_back(raw);
        }
        handlers_ = &handlers;
    }
    /** CTIE_OK, or the reason why they must not be passed to C. */
    ctie_status status() const noexcept {
        if (raw_.size() > most) return CTIE_E_LIMIT;
        return lost_ ? CTIE_E_NO_MEMORY : CTIE_OK;
    }
    /** Gives the interceptors to C; call it in the C call itself. NULL for none. */
    const ctie_handler *take() noexcept {
        for (std::size_t i = 0; i < raw_.size(); i++) raw_[i].destroy = (*handlers_)[i].take();
        return raw_.empty() ? nullptr : raw_.data();
    }
    std::size_t size() const noexcept { return raw_.size(); }

private:
    std::vector<ctie_handler> raw_;
    std::vector<handler> *handlers_ = nullptr;
    bool lost_ = false;
};

} // namespace detail
CROSSTIE_END

#endif
