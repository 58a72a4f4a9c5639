/**
 * @file waiting.hpp
 * A callable for a thread that waits inside the library.
 */
#ifndef CROSSTIE_CPP_WAITING_HPP
#define CROSSTIE_CPP_WAITING_HPP

#include "callback.hpp"

CROSSTIE_BEGIN

/**
 * Calls a callable while this thread waits inside the library, during the lifetime of the guard, which must end on the same
 * thread. The callable returns true to end the wait. The thread's previous callable is not restored.
 */
template <class F>
class [[nodiscard]] wait_guard {
public:
    explicit wait_guard(F asked) : asked_(std::move(asked)) { (void)ctie_thread_set_wait(CTIE_WAIT(&run, this)); }
    wait_guard(const wait_guard &) = delete;
    wait_guard &operator=(const wait_guard &) = delete;
    ~wait_guard() { (void)ctie_thread_set_wait(CTIE_WAIT(nullptr, nullptr)); }

private:
    static bool run(void *data) noexcept {
        bool end = false;
        detail::guarded_alone([&] { end = static_cast<wait_guard *>(data)->asked_(); });
        return end;
    }

    F asked_;
};

CROSSTIE_END

#endif
