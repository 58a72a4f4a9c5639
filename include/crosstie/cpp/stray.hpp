/**
 * @file stray.hpp
 * What is thrown in a callback that has nobody to tell: it goes to one function of the program, and never through C.
 */
#ifndef CROSSTIE_CPP_STRAY_HPP
#define CROSSTIE_CPP_STRAY_HPP

#include <atomic>
#include <cstdio>

#include "error.hpp"

namespace crosstie {

/** Takes what a callback has thrown in vain: its message. Threads: any. It must not throw. */
using stray_function = void (*)(const char *message) noexcept;

namespace detail {

inline void print_stray(const char *message) noexcept {
    std::fprintf(stderr, "crosstie: thrown in a callback: %s\n", message);
}

inline std::atomic<stray_function> stray{print_stray};

inline void tell_stray(const char *message) noexcept { stray.load()(message); }

} // namespace detail

/**
 * Sets what takes the exceptions of completions, progress, logs, notices and state listeners, of which no caller hears.
 * At first they are printed to stderr.
 */
inline void on_stray_exception(stray_function fn) noexcept {
    detail::stray.store(fn == nullptr ? detail::print_stray : fn);
}

namespace detail {

/** Runs `body`; where that throws, `caught` gets the error. Without exceptions it runs `body`. */
template <class Body, class Caught>
void guarded(Body &&body, Caught &&caught) noexcept {
#if CROSSTIE_EXCEPTIONS
    try {
        body();
    } catch (const error &thrown) {
        caught(thrown.status(), thrown.code(), thrown.what(), &thrown);
    } catch (const std::bad_alloc &thrown) {
        caught(CTIE_E_NO_MEMORY, ctie_status_code(CTIE_E_NO_MEMORY), thrown.what(), nullptr);
    } catch (const std::exception &thrown) {
        caught(CTIE_E_HANDLER, -1, thrown.what(), nullptr);
    } catch (...) {
        caught(CTIE_E_HANDLER, -1, "something was thrown that is no std::exception", nullptr);
    }
#else
    (void)caught;
    body();
#endif
}

/** Runs `body`, whose exceptions nobody hears of. */
template <class Body>
void guarded_alone(Body &&body) noexcept {
    guarded(std::forward<Body>(body),
            [](ctie_status, std::int32_t, const char *message, const error *) { tell_stray(message); });
}

} // namespace detail
} // namespace crosstie

#endif
