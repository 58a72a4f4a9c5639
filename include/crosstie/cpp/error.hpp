/**
 * @file error.hpp
 * Failures: a status of the library, a code, a message and a location; thrown, or in a result.
 */
#ifndef CROSSTIE_CPP_ERROR_HPP
#define CROSSTIE_CPP_ERROR_HPP

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "text.hpp"

CROSSTIE_BEGIN

class value;

/** A status of the library: CTIE_OK, CTIE_PENDING, or one of CTIE_E_…. */
using status = ctie_status;

/** The name of a status, as in C. */
inline std::string_view status_name(status which) noexcept { return ctie_status_name(which); }
/** A short sentence for a status. */
inline std::string_view status_message(status which) noexcept { return ctie_status_message(which); }
/** The integer code that responses carry for a status. */
inline std::int32_t status_code(status which) noexcept { return ctie_status_code(which); }

/**
 * A failure. Copies share their text, and copying does not throw.
 *
 * A handler throws an error to end its request: with the error's status, or for CTIE_E_HANDLER with its code, message and
 * value.
 */
class error : public std::exception {
public:
    /** A failure with a status of the library; without a message it has the status's own. */
    explicit error(ctie_status which, std::string_view message = {}, std::string_view location = {})
        : error(which, ctie_status_code(which), message, location, nullptr) {}

    /** A failure of a handler: the application's code, a message for people, and a value. */
    static error failure(std::int32_t code, std::string_view message, std::shared_ptr<const value> details = nullptr) {
        return error(CTIE_E_HANDLER, code, message, {}, std::move(details));
    }

    error(ctie_status which, std::int32_t code, std::string_view message, std::string_view location,
          std::shared_ptr<const value> details)
        : said_(std::make_shared<const words>(
              words{std::string(message.empty() ? status_message(which) : message), std::string(location),
                    std::move(details)})),
          status_(which), code_(code) {}

    /* A moved-from error would have no message; so errors are only copied, which does not throw. */
    error(const error &) noexcept = default;
    error &operator=(const error &) noexcept = default;
    ~error() override = default;

    crosstie::status status() const noexcept { return status_; }
    /** The application's number for CTIE_E_HANDLER, else that of the status. */
    std::int32_t code() const noexcept { return code_; }
    const std::string &message() const noexcept { return said_->message; }
    /** The location of the error in the input, such as "byte 12"; empty if unknown. */
    const std::string &location() const noexcept { return said_->location; }
    /** The value of the response, null if the handler gave none; nullptr for a failure without a response. */
    const crosstie::value *details() const noexcept { return said_->details.get(); }
    const char *what() const noexcept override { return said_->message.c_str(); }

private:
    struct words {
        std::string message;
        std::string location;
        std::shared_ptr<const crosstie::value> details;
    };

    std::shared_ptr<const words> said_;
    crosstie::status status_;
    std::int32_t code_;
};

namespace detail {

/** A slot for the error of a C function. */
class error_slot {
public:
    error_slot() = default;
    error_slot(const error_slot &) = delete;
    error_slot &operator=(const error_slot &) = delete;
    ~error_slot() { ctie_error_release(raw_); }

    ctie_error **out() noexcept { return &raw_; }

    /** Makes the C++ error: with the C function's message, or with the status alone. */
    error take(ctie_status which) const {
        if (raw_ == nullptr) return error(which);
        return error(which, from_c(ctie_error_message(raw_)), from_c(ctie_error_location(raw_)));
    }

    std::string_view message() const noexcept { return from_c(ctie_error_message(raw_)); }
    std::string_view location() const noexcept { return from_c(ctie_error_location(raw_)); }

    /** The status of the C error itself. */
    crosstie::status status() const noexcept { return ctie_error_status(raw_); }

private:
    ctie_error *raw_ = nullptr;
};

} // namespace detail
CROSSTIE_END

#endif
