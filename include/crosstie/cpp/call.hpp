/**
 * @file call.hpp
 * A request's options, and the call: the caller's handle of an asynchronous request.
 */
#ifndef CROSSTIE_CPP_CALL_HPP
#define CROSSTIE_CPP_CALL_HPP

#include <chrono>

#include "loop.hpp"
#include "request.hpp"

CROSSTIE_BEGIN

/** The way in which a URL has to match a pattern. */
enum class match : std::int32_t {
    standard = CTIE_MATCH_DEFAULT,
    exact = CTIE_MATCH_EXACT,
    nearest = CTIE_MATCH_NEAREST,
};

/** A request's priority among those queued. */
enum class priority : std::int32_t {
    low = CTIE_PRIORITY_LOW,
    normal = CTIE_PRIORITY_NORMAL,
    high = CTIE_PRIORITY_HIGH,
};

/** Receives the progress of a request: a callable with a `const value &`. */
class progress_function : public detail::callback<ctie_progress_fn> {
public:
    progress_function(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<progress_function, F, const value &> = 0>
    progress_function(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static void run(const ctie_value *raw, void *data) noexcept {
        detail::guarded_alone([&] { (*static_cast<F *>(data))(value::keep(raw)); });
    }
};

/** Options of a request of any kind. Fields that are not set have the library's defaults. */
struct request_options {
    value user_info = value::empty();                       /**< handed to the handler: a map */
    std::chrono::milliseconds timeout{0};                   /**< 0: the default; negative: no deadline */
    ctie_request *parent = nullptr;                         /**< the request on whose behalf this one is made */
    match mode = match::standard;                           /**< for URLs only */
    std::uint32_t flags = 0;                                /**< CTIE_REQUEST_… */
    std::vector<handler> interceptors;                      /**< of this request alone, before the bus's */
    std::string_view dispatcher;                            /**< by name; empty: the component's, else the default */
    crosstie::priority priority = crosstie::priority::normal;
    ctie_loop *loop = nullptr;                              /**< runs completion and progress; nullptr: a worker does */
    progress_function progress;
    const ctie_runtime *runtime = nullptr;                  /**< the runtime whose lock the caller holds */
    std::string_view peer;                                  /**< the peer it goes to, by name or number: join.hpp */

    request_options() = default;
    /** A deadline alone. The member is initialized in braces, because curses has a macro `timeout()`. */
    request_options(std::chrono::milliseconds within) : timeout{within} {}
    /** User info, and a deadline if there is one: open(url, origin::local, {{"user", 5}}). */
    request_options(std::initializer_list<entry> info) : user_info(info) {}
    template <class T, std::enable_if_t<std::is_base_of_v<value, T>, int> = 0>
    request_options(T info, std::chrono::milliseconds within = {}) : user_info(std::move(info)), timeout{within} {}
};

namespace detail {

/** The options in their C form. Call take() in the C call itself, because it gives the callbacks to C. */
class request_options_c {
public:
    explicit request_options_c(request_options &options) : options_(options), interceptors_(options.interceptors) {}

    /** CTIE_OK, or the reason why the options must not be passed to C. */
    ctie_status status() const noexcept {
        return options_.progress.is_lost() ? CTIE_E_NO_MEMORY : interceptors_.status();
    }

    const ctie_request_options *take() noexcept {
        raw_.user_info = options_.user_info.get();
        raw_.timeout_ms = options_.timeout.count();
        raw_.parent = options_.parent;
        raw_.runtime = options_.runtime;
        raw_.mode = static_cast<ctie_match_mode>(options_.mode);
        raw_.flags = options_.flags;
        raw_.interceptor_count = interceptors_.size();
        raw_.interceptors = interceptors_.take();
        raw_.dispatcher = to_c(options_.dispatcher);
        raw_.priority = static_cast<std::int32_t>(options_.priority);
        raw_.loop = options_.loop;
        raw_.progress = CTIE_PROGRESS_OWNED(options_.progress.fn(), options_.progress.data(), options_.progress.take());
        raw_.peer = to_c(options_.peer);
        return &raw_;
    }

private:
    request_options &options_;
    interceptor_array interceptors_;
    ctie_request_options raw_ = CTIE_REQUEST_OPTIONS_INIT;
};

} // namespace detail

/** The caller's handle of an asynchronous request. The request continues when the handle is destroyed. */
class call : public detail::owner<detail::view<ctie_call>, ctie_call, ctie_call_release> {
public:
    using owner::owner;

    /** Waits for the request's end; negative: without a limit. The error is CTIE_E_TIMEOUT if the request goes on. */
    result<response> try_wait(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1)) const {
        ctie_response *raw = nullptr;
        const ctie_status got = ctie_call_wait(raw_, timeout.count(), &raw);
        if (got != CTIE_OK) return error(got);
        response answer(raw);
        const ctie_status ended = answer.status();
        return detail::answered(ended, std::move(answer), detail::error_slot());
    }
    CROSSTIE_THROWING(response, wait, (std::chrono::milliseconds timeout = std::chrono::milliseconds(-1)), (timeout))

    /** Ends the request with CTIE_E_CANCELLED at once. */
    result<void> try_cancel() const { return detail::done(ctie_call_cancel(raw_)); }
    CROSSTIE_THROWING(void, cancel, (), ())

    /** CTIE_PENDING while the request has not ended, then the response's status. */
    crosstie::status state() const noexcept {
        ctie_status now = CTIE_E_HANDLE;
        const ctie_status got = ctie_call_state(raw_, &now);
        return got == CTIE_OK ? now : got;
    }
};

namespace detail {

/**
 * Makes a synchronous request: `ask` gets the options, and pointers for the response and the error.
 */
template <class Ask>
result<response> ask_and_wait(request_options &options, Ask &&ask) {
    request_options_c raw_options(options);
    if (raw_options.status() != CTIE_OK) return error(raw_options.status());
    error_slot said;
    ctie_response *raw = nullptr;
    const ctie_status got = ask(raw_options.take(), &raw, said.out());
    return answered(got, response(raw), said);
}

/** Makes an asynchronous request: `ask` also gets the completion, and a pointer for the call. */
template <class Ask>
result<call> ask_later(completion &done, request_options &options, Ask &&ask) {
    request_options_c raw_options(options);
    if (raw_options.status() != CTIE_OK) return error(raw_options.status());
    if (done.is_lost()) return error(CTIE_E_NO_MEMORY);
    error_slot said;
    ctie_call *raw = nullptr;
    const ctie_status got = ask(done, raw_options.take(), &raw, said.out());
    if (got != CTIE_OK) return said.take(got);
    return call(raw);
}

} // namespace detail
CROSSTIE_END

#endif
