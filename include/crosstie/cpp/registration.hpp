/**
 * @file registration.hpp
 * Registrations on a bus, each of which lives as long as its owner.
 */
#ifndef CROSSTIE_CPP_REGISTRATION_HPP
#define CROSSTIE_CPP_REGISTRATION_HPP

#include "handle.hpp"

CROSSTIE_BEGIN

/** An owned registration: it is removed when its owner is destroyed, unless keep() has given it to the bus. */
class [[nodiscard]] registration : public detail::binding<ctie_registration, ctie_registration_release> {
public:
    using binding::binding;
};

namespace detail {

/** Converts the result of a C function that makes a registration. */
inline result<registration> registered(ctie_status got, ctie_registration *raw, const error_slot &said) {
    if (got < 0) return said.take(got);
    return registration(raw);
}

} // namespace detail

CROSSTIE_END

#endif
