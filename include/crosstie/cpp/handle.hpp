/**
 * @file handle.hpp
 * Owners of C handles: each handle has one owner at a time, which is moved and not copied, and releases the handle once.
 */
#ifndef CROSSTIE_CPP_HANDLE_HPP
#define CROSSTIE_CPP_HANDLE_HPP

#include <utility>

#include "result.hpp"

CROSSTIE_BEGIN
namespace detail {

/**
 * Adds ownership to a view, which has the functions. A moved-from owner is empty: its functions return CTIE_E_HANDLE.
 */
template <class View, class Raw, auto Release>
class owner : public View {
public:
    owner() noexcept : View(nullptr) {}
    /** Takes a handle over from C. */
    explicit owner(Raw *raw) noexcept : View(raw) {}
    owner(owner &&other) noexcept : View(other.detach()) {}
    owner &operator=(owner &&other) noexcept {
        if (this != &other) {
            reset();
            this->raw_ = other.detach();
        }
        return *this;
    }
    ~owner() { reset(); }

    /** Gives the handle to C, and leaves the owner empty. */
    Raw *detach() noexcept { return std::exchange(this->raw_, nullptr); }

    /** Releases the handle, if there is one; CTIE_PENDING if its calls are still running. */
    crosstie::status reset() noexcept {
        Raw *raw = detach();
        return raw == nullptr ? CTIE_OK : Release(raw);
    }
};

/** A handle, borrowed. */
template <class Raw>
class view {
public:
    explicit view(Raw *raw) noexcept : raw_(raw) {}
    /** The C handle. */
    Raw *get() const noexcept { return raw_; }
    explicit operator bool() const noexcept { return raw_ != nullptr; }

protected:
    Raw *raw_;
};

/** The owner of a registration or listener, which is removed when its owner is destroyed, unless keep() was called. */
template <class Raw, auto Release>
class [[nodiscard]] binding : public owner<view<Raw>, Raw, Release> {
public:
    using owner<view<Raw>, Raw, Release>::owner;

    /** Removes it now. True: its callback is not running and never will; false: inside a callback, it is removed soon. */
    result<bool> try_remove() { return ended(this->reset()); }
#if CROSSTIE_EXCEPTIONS
    bool remove() { return try_remove().take(); }
#endif

    /** Gives up ownership: it lives as long as its bus or wormhole. */
    void keep() noexcept { (void)this->detach(); }
};

} // namespace detail
CROSSTIE_END

#endif
