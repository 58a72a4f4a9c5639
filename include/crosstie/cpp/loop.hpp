/**
 * @file loop.hpp
 * Loops: completions and listeners in the program's own event loop, by a descriptor.
 */
#ifndef CROSSTIE_CPP_LOOP_HPP
#define CROSSTIE_CPP_LOOP_HPP

#include "handle.hpp"

CROSSTIE_BEGIN

/** A loop, borrowed, for example that of a bus or a wormhole. */
class loop_view : public detail::view<ctie_loop> {
public:
    using view::view;

    /** The loop's descriptor, readable while a callback is due. Only watch it. */
    result<int> try_fd() const {
        std::int32_t fd = -1;
        const ctie_status got = ctie_loop_fd(raw_, &fd);
        return detail::filled<int>(got, fd);
    }
    CROSSTIE_THROWING(int, fd, (), ())

    /** Runs the callbacks that are due, on this thread; never waits. Returns their number. */
    result<std::size_t> try_dispatch() const {
        std::size_t count = 0;
        const ctie_status got = ctie_loop_dispatch(raw_, &count);
        return detail::filled(got, count);
    }
    CROSSTIE_THROWING(std::size_t, dispatch, (), ())
};

/** An owned loop. */
class loop : public detail::owner<loop_view, ctie_loop, ctie_loop_release> {
public:
    using owner::owner;

    static result<loop> try_make() {
        detail::error_slot said;
        ctie_loop *raw = nullptr;
        const ctie_status got = ctie_loop_new(&raw, said.out());
        if (got != CTIE_OK) return said.take(got);
        return loop(raw);
    }
    CROSSTIE_THROWING_STATIC(loop, make, (), ())
};

CROSSTIE_END

#endif
