// The common part of the C++ tests: the C tests' harness, callables that are counted, and waiting for a condition.
#ifndef TESTS_CPP_SUPPORT_HPP
#define TESTS_CPP_SUPPORT_HPP

#include <atomic>
#include <chrono>
#include <crosstie.hpp>
#include <functional>
#include <mutex>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include "check.h"

using namespace std::chrono_literals;

/** A callable that counts how many of it there are, those apart that were moved from, and runs another one. */
template <class F>
class counted {
public:
    counted(std::atomic<int> &alive, F f) : alive_(&alive), f_(std::move(f)) { ++*alive_; }
    counted(counted &&other) noexcept : alive_(std::exchange(other.alive_, nullptr)), f_(std::move(other.f_)) {}
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;
    ~counted() {
        if (alive_ != nullptr) --*alive_;
    }

    template <class... Arguments>
    auto operator()(Arguments &&...arguments) -> decltype(std::declval<F &>()(std::forward<Arguments>(arguments)...)) {
        return f_(std::forward<Arguments>(arguments)...);
    }

private:
    std::atomic<int> *alive_;
    F f_;
};

/** Waits until a condition holds; only a test that has failed waits to the end. */
template <class Condition>
bool await(Condition &&condition) {
    for (int i = 0; i < 60000; i++) {
        if (condition()) return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

/** Notes whether `body` throws a crosstie::error with this status. */
#define CHECK_THROWS(status_, ...) \
    do { \
        ctie_status thrown_ = CTIE_OK; \
        try { \
            __VA_ARGS__; \
        } catch (const crosstie::error &caught_) { \
            thrown_ = caught_.status(); \
        } \
        CHECK_STATUS(thrown_, status_); \
    } while (0)

#endif
