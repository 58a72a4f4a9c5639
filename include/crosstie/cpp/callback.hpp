/**
 * @file callback.hpp
 * Callables that are passed to C: each is stored on the heap and destroyed once, by its last owner.
 */
#ifndef CROSSTIE_CPP_CALLBACK_HPP
#define CROSSTIE_CPP_CALLBACK_HPP

#include <new>
#include <type_traits>
#include <utility>

#include "result.hpp"
#include "stray.hpp"

CROSSTIE_BEGIN
namespace detail {

template <class T, class = void>
struct may_be_nothing : std::false_type {};
template <class T>
struct may_be_nothing<T, std::void_t<decltype(std::declval<const T &>() == nullptr)>>
    : std::bool_constant<!std::is_pointer_v<T>> {};

/** Whether a callable is empty: a null pointer, an empty std::function. */
template <class T>
bool is_nothing(const T &callable) {
    if constexpr (std::is_pointer_v<T>) {
        const T pointer = callable;
        return pointer == nullptr;
    } else if constexpr (may_be_nothing<T>::value) {
        return callable == nullptr;
    } else {
        return false;
    }
}

/**
 * A C function, the callable that it runs, and the function that destroys the callable. Every C function that takes the
 * three destroys the callable, also on failure; so take() must be called in the C call itself.
 */
template <class Fn>
class callback {
public:
    callback() noexcept = default;
    callback(callback &&other) noexcept
        : fn_(std::exchange(other.fn_, nullptr)), data_(std::exchange(other.data_, nullptr)),
          destroy_(std::exchange(other.destroy_, nullptr)), lost_(other.lost_) {}
    callback &operator=(callback &&other) noexcept {
        callback moved(std::move(other));
        std::swap(fn_, moved.fn_);
        std::swap(data_, moved.data_);
        std::swap(destroy_, moved.destroy_);
        std::swap(lost_, moved.lost_);
        return *this;
    }
    ~callback() {
        if (destroy_ != nullptr) destroy_(data_);
    }

    /** Whether there is a callable. */
    explicit operator bool() const noexcept { return fn_ != nullptr; }
    /** Whether there was no memory to store the callable. */
    bool is_lost() const noexcept { return lost_; }

    Fn fn() const noexcept { return fn_; }
    void *data() const noexcept { return data_; }

    /** Gives the callable to C, which destroys it with the returned function. */
    ctie_destroy_fn take() noexcept { return std::exchange(destroy_, nullptr); }

protected:
    /** Stores a callable that `fn` runs. */
    template <class F>
    void store(F &&callable, Fn fn) {
        using stored = std::decay_t<F>;
        if (is_nothing<stored>(callable)) return;
        data_ = new (std::nothrow) stored(std::forward<F>(callable));
        lost_ = data_ == nullptr;
        if (lost_) return;
        fn_ = fn;
        destroy_ = [](void *data) noexcept { delete static_cast<stored *>(data); };
    }

private:
    Fn fn_ = nullptr;
    void *data_ = nullptr;
    ctie_destroy_fn destroy_ = nullptr;
    bool lost_ = false;
};

/** Enables a constructor for a callable with these arguments that is not a Self. */
template <class Self, class F, class... Arguments>
using for_callable = std::enable_if_t<!std::is_base_of_v<Self, std::decay_t<F>> &&
                                          std::is_invocable_v<std::decay_t<F> &, Arguments...>, int>;

} // namespace detail

/** A callable without arguments, for request::on_cancel(). */
class notice : public detail::callback<ctie_notice_fn> {
public:
    notice(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<notice, F> = 0>
    notice(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static void run(void *data) noexcept {
        detail::guarded_alone([data] { (*static_cast<F *>(data))(); });
    }
};

/** Receives the lines of a log: a level (CTIE_LOG_…), and a text that lives until the callable returns. */
class log_function : public detail::callback<ctie_logger_fn> {
public:
    log_function(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<log_function, F, std::int32_t, std::string_view> = 0>
    log_function(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static void run(std::int32_t level, ctie_str message, void *data) noexcept {
        detail::guarded_alone([&] { (*static_cast<F *>(data))(level, detail::from_c(message)); });
    }
};

CROSSTIE_END

#endif
