/**
 * @file result.hpp
 * The result of functions that do not throw: a value, or an error.
 */
#ifndef CROSSTIE_CPP_RESULT_HPP
#define CROSSTIE_CPP_RESULT_HPP

#include <optional>
#include <utility>

#include "error.hpp"

CROSSTIE_BEGIN

/** A value of a type, or an error. Reading the absent one is undefined, as for an empty std::optional. */
template <class T>
class [[nodiscard]] result {
public:
    result(T value) : value_(std::move(value)) {}
    result(crosstie::error failure) : error_(std::move(failure)) {}

    bool has_value() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }

    T &operator*() & noexcept { return *value_; }
    const T &operator*() const & noexcept { return *value_; }
    T &&operator*() && noexcept { return *std::move(value_); }
    T *operator->() noexcept { return &*value_; }
    const T *operator->() const noexcept { return &*value_; }

    template <class U>
    T value_or(U &&fallback) && {
        return has_value() ? *std::move(value_) : static_cast<T>(std::forward<U>(fallback));
    }

    const crosstie::error &error() const noexcept { return *error_; }
    /** CTIE_OK, or the error's. */
    crosstie::status status() const noexcept { return has_value() ? CTIE_OK : error_->status(); }

#if CROSSTIE_EXCEPTIONS
    /** The value; throws the error. */
    T take() && {
        if (!has_value()) throw *error_;
        return *std::move(value_);
    }
#endif

private:
    std::optional<T> value_;
    std::optional<crosstie::error> error_;
};

/** Success, or an error. */
template <>
class [[nodiscard]] result<void> {
public:
    result() = default;
    result(crosstie::error failure) : error_(std::move(failure)) {}

    bool has_value() const noexcept { return !error_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    const crosstie::error &error() const noexcept { return *error_; }
    crosstie::status status() const noexcept { return has_value() ? CTIE_OK : error_->status(); }

#if CROSSTIE_EXCEPTIONS
    void take() && {
        if (!has_value()) throw *error_;
    }
#endif

private:
    std::optional<crosstie::error> error_;
};

namespace detail {

/** Converts the result of a C function that returns only a status. CTIE_PENDING is a success. */
inline result<void> done(status which) {
    if (which < 0) return error(which);
    return {};
}

inline result<void> done(status which, const error_slot &said) {
    if (which < 0) return said.take(which);
    return {};
}

/** Converts the result of a C function that ends an object: true if it has ended, false if it continues until `destroy` runs. */
inline result<bool> ended(status which) {
    if (which < 0) return error(which);
    return which != CTIE_PENDING;
}

inline result<bool> ended(status which, const error_slot &said) {
    if (which < 0) return said.take(which);
    return which != CTIE_PENDING;
}

/** Converts the result of a C function that sets a plain variable. */
template <class T>
result<T> filled(status which, T thing) {
    if (which < 0) return error(which);
    return thing;
}

template <class T>
result<T> filled(status which, T thing, const error_slot &said) {
    if (which < 0) return said.take(which);
    return thing;
}

} // namespace detail
CROSSTIE_END

#endif
