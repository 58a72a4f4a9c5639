/**
 * @file duration.hpp
 * The conversion of durations to unsigned fields of C structs.
 */
#ifndef CROSSTIE_CPP_DURATION_HPP
#define CROSSTIE_CPP_DURATION_HPP

#include <chrono>
#include <cstdint>
#include <limits>

#include "config.hpp"

CROSSTIE_BEGIN
namespace detail {

/** Converts a duration to a field's milliseconds: a negative one to 0, one that is too long to the field's maximum. */
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
