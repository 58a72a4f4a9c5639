/**
 * @file response.hpp
 * Responses: the results of requests, for callers and completions.
 */
#ifndef CROSSTIE_CPP_RESPONSE_HPP
#define CROSSTIE_CPP_RESPONSE_HPP

#include "callback.hpp"
#include "handle.hpp"
#include "value_read.hpp"

CROSSTIE_BEGIN

/** A response, borrowed. Texts live as long as the response; values outlive it. */
class response_view : public detail::view<ctie_response> {
public:
    using view::view;

    /** The status of the request's end: CTIE_OK, CTIE_E_HANDLER, or that of the library or an interceptor. */
    crosstie::status status() const noexcept { return ctie_response_status(raw_); }
    bool ok() const noexcept { return status() == CTIE_OK; }
    /** The code: 1 for success, the handler's own on failure, else that of the status. */
    std::int32_t code() const noexcept { return ctie_response_code(raw_); }
    crosstie::value value() const noexcept { return crosstie::value::keep(ctie_response_value(raw_)); }
    /** The value as the handler gave it, foreign values included. */
    crosstie::value raw_value() const noexcept { return crosstie::value::keep(ctie_response_raw_value(raw_)); }
    /** The message of a failure, else empty. */
    std::string_view message() const noexcept { return detail::from_c(ctie_response_message(raw_)); }

    /** Turns the response into a success with another value; only inside a callback of request::on_return(). */
    result<void> try_replace(crosstie::value with) const {
        return detail::done(ctie_response_replace(raw_, with.detach()));
    }
    CROSSTIE_THROWING(void, replace, (crosstie::value with), (std::move(with)))

    /** Turns the response into a failure; only inside a callback of request::on_return(). */
    result<void> try_fail(std::int32_t code, std::string_view message, crosstie::value details = nullptr) const {
        return detail::done(ctie_response_fail(raw_, code, details.detach(), detail::to_c(message)));
    }
    CROSSTIE_THROWING(void, fail, (std::int32_t code, std::string_view message, crosstie::value details = nullptr),
                      (code, message, std::move(details)))
};

/** An owned response. */
class response : public detail::owner<response_view, ctie_response, ctie_response_release> {
public:
    using owner::owner;
};

namespace detail {

/** The value of a thrown failure; null if it has none. */
inline value details_of(const error *thrown) noexcept {
    return thrown != nullptr && thrown->details() != nullptr ? *thrown->details() : value(nullptr);
}

/** Makes the error of a request that failed: from its response, or, without one, from the refusal of the C call. */
inline error failure_of(ctie_status got, const response_view &answer, const error_slot &said) {
    if (!answer) return said.take(got);
    return error(got, answer.code(), answer.message(), said.location(), std::make_shared<const value>(answer.value()));
}

/** Converts the response of a C function that waited for a request. */
inline result<response> answered(ctie_status got, response answer, const error_slot &said) {
    if (got != CTIE_OK) return failure_of(got, answer, said);
    return answer;
}

} // namespace detail

/** Receives the response of an asynchronous request: a callable with a `const response_view &`. */
class completion : public detail::callback<ctie_completion_fn> {
public:
    completion(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<completion, F, const response_view &> = 0>
    completion(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static void run(ctie_response *raw, void *data) noexcept {
        detail::guarded_alone([&] { (*static_cast<F *>(data))(response_view(raw)); });
    }
};

/**
 * A callback that sees a response before the caller, and may change it. An exception turns the response into a failure, with
 * the code, the message and the value of a crosstie::error.
 */
class return_function : public detail::callback<ctie_completion_fn> {
public:
    return_function(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<return_function, F, const response_view &> = 0>
    return_function(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static void run(ctie_response *raw, void *data) noexcept {
        detail::guarded([&] { (*static_cast<F *>(data))(response_view(raw)); },
                        [raw](ctie_status, std::int32_t code, const char *message, const error *thrown) {
                            const value details = detail::details_of(thrown);
                            if (ctie_response_fail(raw, code, details.share(), ctie_str_from(message)) == CTIE_OK) return;
                            (void)ctie_response_fail(raw, code, details.share(), CTIE_STR("the callback threw"));
                        });
    }
};

CROSSTIE_END

#endif
