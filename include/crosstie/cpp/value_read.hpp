/**
 * @file value_read.hpp
 * Values as C++ types, and loops over lists and maps.
 */
#ifndef CROSSTIE_CPP_VALUE_READ_HPP
#define CROSSTIE_CPP_VALUE_READ_HPP

#include <iterator>
#include <unordered_map>

#include "value.hpp"

CROSSTIE_BEGIN

/** An entry of a map in a loop. The key lives as long as the map. */
struct map_entry {
    std::string_view key;
    crosstie::value value;
};

namespace detail {

/** A range over a list or map, which makes each item on demand. */
template <class Item, Item (*At)(const value &, std::size_t)>
class counted_range {
public:
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Item;
        using difference_type = std::ptrdiff_t;
        using pointer = const Item *;
        using reference = Item;

        iterator(const value *whole, std::size_t index) noexcept : whole_(whole), index_(index) {}
        Item operator*() const noexcept { return At(*whole_, index_); }
        iterator &operator++() noexcept {
            index_++;
            return *this;
        }
        iterator operator++(int) noexcept {
            iterator before = *this;
            index_++;
            return before;
        }
        bool operator==(const iterator &other) const noexcept { return index_ == other.index_; }
        bool operator!=(const iterator &other) const noexcept { return index_ != other.index_; }

    private:
        const value *whole_;
        std::size_t index_;
    };

    counted_range(value whole, bool there) noexcept : whole_(std::move(whole)), size_(there ? whole_.size() : 0) {}
    iterator begin() const noexcept { return iterator(&whole_, 0); }
    iterator end() const noexcept { return iterator(&whole_, size_); }
    std::size_t size() const noexcept { return size_; }

private:
    value whole_;
    std::size_t size_;
};

inline value item_at(const value &whole, std::size_t index) { return whole[index]; }

inline map_entry entry_at(const value &whole, std::size_t index) {
    ctie_str key{nullptr, 0};
    const ctie_value *found = nullptr;
    if (ctie_value_entry_at(whole.get(), index, &key, &found) != CTIE_OK) return {{}, value::empty()};
    return {from_c(key), value::keep(found)};
}

} // namespace detail

/** The items of a list, for a loop. */
class list_items : public detail::counted_range<value, detail::item_at> {
public:
    explicit list_items(const value &whole) noexcept : counted_range(whole, whole.is_list()) {}
};

/** The entries of a map, for a loop. */
class map_entries : public detail::counted_range<map_entry, detail::entry_at> {
public:
    explicit map_entries(const value &whole) noexcept : counted_range(whole, whole.is_map()) {}
};

inline list_items value::items() const noexcept { return list_items(*this); }
inline map_entries value::entries() const noexcept { return map_entries(*this); }

namespace detail {

template <>
struct reader<value> {
    static std::optional<value> read(const value &from) {
        if (!from) return std::nullopt;
        return from;
    }
};

template <>
struct reader<bool> {
    static std::optional<bool> read(const value &from) {
        bool flag = false;
        if (ctie_value_get_bool(from.get(), &flag) != CTIE_OK) return std::nullopt;
        return flag;
    }
};

template <>
struct reader<std::string_view> {
    static std::optional<std::string_view> read(const value &from) {
        ctie_str text;
        if (ctie_value_get_string(from.get(), &text) != CTIE_OK) return std::nullopt;
        return from_c(text);
    }
};

template <>
struct reader<std::string> {
    static std::optional<std::string> read(const value &from) {
        if (auto text = reader<std::string_view>::read(from)) return std::string(*text);
        return std::nullopt;
    }
};

template <>
struct reader<bytes_view> {
    static std::optional<bytes_view> read(const value &from) {
        ctie_str bytes;
        if (ctie_value_get_bytes(from.get(), &bytes) != CTIE_OK) return std::nullopt;
        return bytes_view{bytes.data, bytes.size};
    }
};

/** Reads numbers: an integer must fit; a floating-point type takes a double, or an integer that a double holds exactly. */
template <class T>
struct number_reader {
    static std::optional<T> read(const value &from) {
        if constexpr (std::is_floating_point_v<T>) {
            double number = 0;
            if (ctie_value_get_double(from.get(), &number) != CTIE_OK || !has_room(number)) return std::nullopt;
            return static_cast<T>(number);
        } else {
            std::int64_t number = 0;
            if (ctie_value_get_int(from.get(), &number) != CTIE_OK || !fits(number)) return std::nullopt;
            return static_cast<T>(number);
        }
    }

private:
    /** Whether a number stays finite in a smaller type, if it is finite. */
    static bool has_room(double number) noexcept {
        if constexpr (sizeof(T) >= sizeof(double)) return true;
        const double most = static_cast<double>(std::numeric_limits<T>::max());
        return !(number > most || number < -most) || number - number != 0;
    }

    static bool fits(std::int64_t number) noexcept {
        if constexpr (std::is_unsigned_v<T>) {
            return number >= 0 && static_cast<std::uint64_t>(number) <= std::numeric_limits<T>::max();
        } else {
            return number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
        }
    }
};

template <class T>
struct optional_reader {
    static std::optional<T> read(const value &from) {
        if (from.is_null()) return T(std::nullopt);
        if (auto thing = from.as<typename T::value_type>()) return T(*std::move(thing));
        return std::nullopt;
    }
};

template <class T>
struct map_reader {
    static std::optional<T> read(const value &from) {
        if (!from.is_map()) return std::nullopt;
        T things;
        for (const map_entry &each : from.entries()) {
            auto thing = each.value.template as<typename T::mapped_type>();
            if (!thing) return std::nullopt;
            things.emplace(typename T::key_type(each.key), *std::move(thing));
        }
        return things;
    }
};

template <class T>
struct range_reader {
    static std::optional<T> read(const value &from) {
        if constexpr (std::is_same_v<typename T::value_type, std::byte>) {
            auto bytes = from.as<bytes_view>();
            if (!bytes) return std::nullopt;
            auto first = static_cast<const std::byte *>(bytes->data);
            return T(first, first + bytes->size);
        } else {
            if (!from.is_list()) return std::nullopt;
            T things;
            for (const value &item : from.items()) {
                auto thing = item.as<typename T::value_type>();
                if (!thing) return std::nullopt;
                things.push_back(*std::move(thing));
            }
            return things;
        }
    }
};

template <class T>
struct reader
    : std::conditional_t<is_number<T>, number_reader<T>,
                         std::conditional_t<is_optional<T>::value, optional_reader<T>,
                                            std::conditional_t<is_map<T>::value, map_reader<T>, range_reader<T>>>> {};

} // namespace detail

inline std::string value::read(std::string_view path, const char *fallback) const {
    return read(path, std::string(fallback));
}

#if CROSSTIE_EXCEPTIONS
inline std::string value::to_json(std::uint32_t flags) const { return try_to_json(flags).take().to<std::string>(); }
#endif

CROSSTIE_END

#endif
