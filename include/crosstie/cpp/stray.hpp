/**
 * @file stray.hpp
 * Exceptions of callbacks without a caller: they go to one function of the program, and never through C.
 */
#ifndef CROSSTIE_CPP_STRAY_HPP
#define CROSSTIE_CPP_STRAY_HPP

#include <atomic>
#include <cstdio>
#include <new>

#include "error.hpp"

CROSSTIE_BEGIN

/** Receives the message of an exception that no caller gets. It may run on any thread, and must not throw. */
using stray_function = void (*)(const char *message) noexcept;

namespace detail {

inline void print_stray(const char *message) noexcept {
    std::fprintf(stderr, "crosstie: thrown in a callback: %s\n", message);
}

inline std::atomic<stray_function> stray{print_stray};

inline void log_stray(const char *message) noexcept { stray.load()(message); }

} // namespace detail

/**
 * Sets the function for exceptions that reach no caller: those of completions, progress, notices, logs, waits, factories,
 * decisions of providers, credit() and resolve() of engines, and listeners whose message cannot be rejected. By default
 * they are printed to stderr.
 */
inline void on_stray_exception(stray_function fn) noexcept {
    detail::stray.store(fn == nullptr ? detail::print_stray : fn);
}

namespace detail {

/** The message of an exception; empty if it has none. */
inline const char *words_of(const std::exception &thrown) noexcept {
    const char *said = thrown.what();
    return said == nullptr ? "" : said;
}

/** Runs `body`; if that throws, `caught` gets the error. In programs without exceptions it only runs `body`. */
template <class Body, class Caught>
void guarded(Body &&body, Caught &&caught) noexcept {
#if CROSSTIE_EXCEPTIONS
    try {
        body();
    } catch (const error &thrown) {
        caught(thrown.status(), thrown.code(), thrown.what(), &thrown);
    } catch (const std::bad_alloc &thrown) {
        caught(CTIE_E_NO_MEMORY, ctie_status_code(CTIE_E_NO_MEMORY), words_of(thrown), nullptr);
    } catch (const std::exception &thrown) {
        caught(CTIE_E_HANDLER, -1, words_of(thrown), nullptr);
    } catch (...) {
        caught(CTIE_E_HANDLER, -1, "something was thrown that is no std::exception", nullptr);
    }
#else
    (void)caught;
    body();
#endif
}

/** Runs `body`; its exceptions go to the function for stray ones. */
template <class Body>
void guarded_alone(Body &&body) noexcept {
    guarded(std::forward<Body>(body),
            [](ctie_status, std::int32_t, const char *message, const error *) { log_stray(message); });
}

} // namespace detail
CROSSTIE_END

#endif
