/**
 * @file handle.hpp
 * The owner of a C handle: one at a time, moved and not copied, released once.
 */
#ifndef CROSSTIE_CPP_HANDLE_HPP
#define CROSSTIE_CPP_HANDLE_HPP

#include <utility>

#include "result.hpp"

CROSSTIE_BEGIN
namespace detail {

/**
 * Adds ownership to a view, which has the functions. One that was moved from is empty: its functions answer CTIE_E_HANDLE.
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

    /** Gives the handle to C, and is empty. */
    Raw *detach() noexcept { return std::exchange(this->raw_, nullptr); }

    /** Releases the handle, if there is one; CTIE_PENDING while calls of it still run. */
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
    /** The handle as C knows it. */
    Raw *get() const noexcept { return raw_; }
    explicit operator bool() const noexcept { return raw_ != nullptr; }

protected:
    Raw *raw_;
};

/** The owner of something that was bound: that ends when this is destroyed, unless keep() leaves it where it is. */
template <class Raw, auto Release>
class [[nodiscard]] binding : public owner<view<Raw>, Raw, Release> {
public:
    using owner<view<Raw>, Raw, Release>::owner;

    /** Ends it now. True: its callback is not running and never will; false: inside a callback, it ends soon. */
    result<bool> try_remove() { return ended(this->reset()); }
#if CROSSTIE_EXCEPTIONS
    bool remove() { return try_remove().take(); }
#endif

    /** Leaves it where it was bound, and it lives as long as that. */
    void keep() noexcept { (void)this->detach(); }
};

} // namespace detail
CROSSTIE_END

#endif
