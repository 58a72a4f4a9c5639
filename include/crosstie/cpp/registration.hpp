/**
 * @file registration.hpp
 * Something registered on a bus, for as long as its owner lives.
 */
#ifndef CROSSTIE_CPP_REGISTRATION_HPP
#define CROSSTIE_CPP_REGISTRATION_HPP

#include "handle.hpp"

CROSSTIE_BEGIN

/** A registration: it ends when this is destroyed, unless keep() leaves it to the bus. */
class [[nodiscard]] registration : public detail::binding<ctie_registration, ctie_registration_release> {
public:
    using binding::binding;
};

namespace detail {

/** The result of a function of C that registers something. */
inline result<registration> registered(ctie_status got, ctie_registration *raw, const error_slot &said) {
    if (got < 0) return said.take(got);
    return registration(raw);
}

} // namespace detail

CROSSTIE_END

#endif
