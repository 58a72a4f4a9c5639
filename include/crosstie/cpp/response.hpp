/**
 * @file response.hpp
 * The end of a request, as its caller and its completion see it.
 */
#ifndef CROSSTIE_CPP_RESPONSE_HPP
#define CROSSTIE_CPP_RESPONSE_HPP

#include "callback.hpp"
#include "handle.hpp"
#include "value_read.hpp"

CROSSTIE_BEGIN

/** A response, borrowed. Texts live as long as the response; values are kept by themselves. */
class response_view : public detail::view<ctie_response> {
public:
    using view::view;

    /** The result: CTIE_OK, CTIE_E_HANDLER, or the reason why no handler ran. */
    crosstie::status status() const noexcept { return ctie_response_status(raw_); }
    bool ok() const noexcept { return status() == CTIE_OK; }
    /** 1 for success, the handler's own on failure, else that of the status. */
    std::int32_t code() const noexcept { return ctie_response_code(raw_); }
    crosstie::value value() const noexcept { return crosstie::value::keep(ctie_response_value(raw_)); }
    /** As the handler gave it, foreign values and all. */
    crosstie::value raw_value() const noexcept { return crosstie::value::keep(ctie_response_raw_value(raw_)); }
    /** The message of a failure, else empty. */
    std::string_view message() const noexcept { return detail::from_c(ctie_response_message(raw_)); }

    /** On the way back (request::on_return()): a success with another value. */
    result<void> try_replace(crosstie::value with) const {
        return detail::done(ctie_response_replace(raw_, with.detach()));
    }
    CROSSTIE_THROWING(void, replace, (crosstie::value with), (std::move(with)))

    /** On the way back: a failure. */
    result<void> try_fail(std::int32_t code, std::string_view message, crosstie::value details = nullptr) const {
        return detail::done(ctie_response_fail(raw_, code, details.detach(), detail::to_c(message)));
    }
    CROSSTIE_THROWING(void, fail, (std::int32_t code, std::string_view message, crosstie::value details = nullptr),
                      (code, message, std::move(details)))
};

/** A response that is one's own. */
class response : public detail::owner<response_view, ctie_response, ctie_response_release> {
public:
    using owner::owner;
};

namespace detail {

/** The value of a failure that was thrown; null where it has none. */
inline value details_of(const error *thrown) noexcept {
    return thrown != nullptr && thrown->details() != nullptr ? *thrown->details() : value(nullptr);
}

/** The error of a request that failed: what its response says, else what the call itself was refused for. */
inline error failure_of(ctie_status got, const response_view &answer, const error_slot &said) {
    if (!answer) return said.take(got);
    return error(got, answer.code(), answer.message(), said.location(), std::make_shared<const value>(answer.value()));
}

/** Returns the response of a C function that waited for the end of a request. */
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
 * Sees a response on its way back, and may change it. An exception becomes the response: a failure with the code, the
 * message and the value of a crosstie::error.
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
