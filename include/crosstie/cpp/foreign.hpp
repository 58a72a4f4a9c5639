/**
 * @file foreign.hpp
 * C++ objects as values: they pass through calls unchanged, and leave the process only in their plain form.
 */
#ifndef CROSSTIE_CPP_FOREIGN_HPP
#define CROSSTIE_CPP_FOREIGN_HPP

#include <atomic>
#include <memory>
#include <new>

#include "stray.hpp"
#include "value_read.hpp"

CROSSTIE_BEGIN

/**
 * A type of objects, declared once in a process under a name. `Plain` is a function from `const T &` to a value, the plain
 * form of an object; without it the objects have no plain form.
 */
template <class T, auto Plain = nullptr>
class object_type {
public:
    /** Declares the type under a name such as "shop.user": a letter or '_', then letters, digits, `_ . -`. */
    static result<object_type> try_declare(std::string_view name) {
        ctie_foreign_type raw = {CTIE_FOREIGN_TYPE_INIT};
        raw.tag = detail::to_c(name);
        raw.retain = [](void *object) noexcept { static_cast<box *>(object)->count.fetch_add(1,
                std::memory_order_relaxed); };
        raw.release = [](void *object) noexcept { release(static_cast<box *>(object)); };
        if constexpr (!std::is_same_v<decltype(Plain), std::nullptr_t>) raw.materialize = &materialize;
        detail::error_slot said;
        ctie_foreign_id id = 0;
        const ctie_status got = ctie_foreign_register(&raw, &id, said.out());
        if (got != CTIE_OK) return said.take(got);
        return object_type(id);
    }
    CROSSTIE_THROWING_STATIC(object_type, declare, (std::string_view name), (name))

    /** Makes a value of an object. */
    result<value> try_wrap(std::shared_ptr<T> object) const {
        if (object == nullptr) return error(CTIE_E_INVALID, "no object");
        box *held = new (std::nothrow) box{{1}, std::move(object)};
        if (held == nullptr) return error(CTIE_E_NO_MEMORY);
        ctie_value *raw = ctie_value_foreign(id_, held);
        release(held);
        if (raw == nullptr) return error(CTIE_E_NO_MEMORY);
        return value::adopt(raw);
    }
    CROSSTIE_THROWING(value, wrap, (std::shared_ptr<T> object), (std::move(object)))

    /** The object of a value; nullptr for any other value. */
    std::shared_ptr<T> unwrap(const value &from) const noexcept {
        void *object = nullptr;
        if (ctie_value_foreign_object(from.get(), id_, &object) != CTIE_OK) return nullptr;
        return static_cast<box *>(object)->object;
    }

private:
    struct box {
        std::atomic<std::size_t> count;
        std::shared_ptr<T> object;
    };

    explicit object_type(ctie_foreign_id id) noexcept : id_(id) {}

    static void release(box *held) noexcept {
        if (held->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete held;
    }

    static ctie_status materialize(void *object, ctie_value **out) noexcept {
        ctie_status got = CTIE_E_FOREIGN;
        detail::guarded(
            [&] {
                *out = value(Plain(static_cast<const T &>(*static_cast<box *>(object)->object))).detach();
                got = *out == nullptr ? CTIE_E_FOREIGN : CTIE_OK;
            },
            [&](ctie_status thrown, std::int32_t, const char *message, const error *) {
                got = thrown;
                *out = ctie_value_string(ctie_str_from(message));
            });
        return got;
    }

    ctie_foreign_id id_;
};

CROSSTIE_END

#endif
