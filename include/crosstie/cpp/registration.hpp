/**
 * @file registration.hpp
 * Something registered on a bus, for as long as its owner lives.
 */
#ifndef CROSSTIE_CPP_REGISTRATION_HPP
#define CROSSTIE_CPP_REGISTRATION_HPP

#include "handle.hpp"

namespace crosstie {

/** A registration: it ends when this is destroyed, unless keep() leaves it to the bus. */
class [[nodiscard]] registration
    : public detail::owner<detail::view<ctie_registration>, ctie_registration, ctie_registration_release> {
public:
    using owner::owner;

    /** Ends it now. True: its callback is not running and never will; false: inside a callback, it ends soon. */
    result<bool> try_remove() { return detail::ended(reset()); }
#if CROSSTIE_EXCEPTIONS
    bool remove() { return try_remove().take(); }
#endif

    /** Leaves it to the bus: it lives as long as that. */
    void keep() noexcept { (void)detach(); }
};

namespace detail {

/** What a function of C gives that registers something. */
inline result<registration> registered(ctie_status status, ctie_registration *raw, const error_slot &said) {
    if (status < 0) return said.take(status);
    return registration(raw);
}

} // namespace detail

} // namespace crosstie

#endif
