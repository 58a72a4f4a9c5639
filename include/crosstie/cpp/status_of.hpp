/**
 * @file status_of.hpp
 * The status that a function of a program's own engine or transport gives to C.
 */
#ifndef CROSSTIE_CPP_STATUS_OF_HPP
#define CROSSTIE_CPP_STATUS_OF_HPP

#include "result.hpp"
#include "stray.hpp"

CROSSTIE_BEGIN
namespace detail {

/** The status of an error. C would take CTIE_OK or CTIE_PENDING for a success. */
inline ctie_status status_of_error(ctie_status which) noexcept { return which < 0 ? which : CTIE_E_SYSTEM; }

/**
 * Runs `body`, which returns a result, and calls `keep` with its value. A crosstie::error that is thrown counts as one
 * that is returned; any other exception is CTIE_E_SYSTEM, or CTIE_E_NO_MEMORY.
 */
template <class Body, class Keep>
ctie_status status_of(Body &&body, Keep &&keep) noexcept {
    ctie_status got = CTIE_E_SYSTEM;
    guarded(
        [&] {
            const auto made = body();
            if (made) keep(*made);
            got = made ? CTIE_OK : status_of_error(made.status());
        },
        [&](ctie_status thrown, std::int32_t, const char *, const error *said) {
            if (said != nullptr || thrown == CTIE_E_NO_MEMORY) got = status_of_error(thrown);
        });
    return got;
}

/** Runs `body`, which returns a result without a value. */
template <class Body>
ctie_status status_of(Body &&body) noexcept {
    return status_of(
        [&]() -> result<bool> {
            const result<void> made = body();
            if (!made) return made.error();
            return true;
        },
        [](bool) {});
}

} // namespace detail
CROSSTIE_END

#endif
