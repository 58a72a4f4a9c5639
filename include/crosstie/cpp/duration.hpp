/**
 * @file duration.hpp
 * Durations on their way into fields of C that have no sign.
 */
#ifndef CROSSTIE_CPP_DURATION_HPP
#define CROSSTIE_CPP_DURATION_HPP

#include <chrono>
#include <cstdint>
#include <limits>

#include "config.hpp"

CROSSTIE_BEGIN
namespace detail {

/** Milliseconds as a field has room for them: less than none count as none, more than there is room for as the most. */
template <class Field>
Field to_field(std::chrono::milliseconds duration) noexcept {
    const std::int64_t count = duration.count();
    if (count <= 0) return 0;
    const std::uint64_t most = std::numeric_limits<Field>::max();
    return static_cast<std::uint64_t>(count) > most ? std::numeric_limits<Field>::max() : static_cast<Field>(count);
}

} // namespace detail
CROSSTIE_END

#endif
