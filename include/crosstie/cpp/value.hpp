/**
 * @file value.hpp
 * Values: the data of requests, responses and messages. They are immutable and counted, so that a copy is cheap.
 */
#ifndef CROSSTIE_CPP_VALUE_HPP
#define CROSSTIE_CPP_VALUE_HPP

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "result.hpp"

CROSSTIE_BEGIN

/** The kinds of values. */
enum class kind : std::int32_t {
    none = CTIE_KIND_NONE,
    null = CTIE_KIND_NULL,
    boolean = CTIE_KIND_BOOL,
    integer = CTIE_KIND_INT,
    floating = CTIE_KIND_DOUBLE,
    string = CTIE_KIND_STRING,
    bytes = CTIE_KIND_BYTES,
    list = CTIE_KIND_LIST,
    map = CTIE_KIND_MAP,
    foreign = CTIE_KIND_FOREIGN,
    descriptor = CTIE_KIND_DESCRIPTOR,
};

struct entry;
class list_items;
class map_entries;

namespace detail {

template <class T, class = void>
struct is_text : std::false_type {};
template <class T>
struct is_text<T, std::enable_if_t<std::is_convertible_v<const T &, std::string_view>>> : std::true_type {};

template <class T, class = void>
struct is_map : std::false_type {};
template <class T>
struct is_map<T, std::void_t<typename T::key_type, typename T::mapped_type>> : is_text<typename T::key_type> {};

template <class T, class = void>
struct is_range : std::false_type {};
template <class T>
struct is_range<T, std::void_t<typename T::value_type, decltype(std::declval<const T &>().begin()),
                               decltype(std::declval<const T &>().size())>>
    : std::bool_constant<!is_text<T>::value && !is_map<T>::value> {};

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

template <class T>
inline constexpr bool is_boolean = std::is_same_v<T, bool> || std::is_same_v<T, std::vector<bool>::reference>;

/** Whether a type is an unscoped enumeration. */
template <class T>
inline constexpr bool is_number_by_name = std::is_enum_v<T> && std::is_convertible_v<T, std::int64_t>;

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/** The property of a type that borrows from the value that it was read from, or holds a type that does. */
template <class T, class = void>
struct borrows : std::bool_constant<std::is_same_v<T, std::string_view> || std::is_same_v<T, bytes_view>> {};
template <class T>
struct borrows<std::optional<T>> : borrows<T> {};
template <class T>
struct borrows<T, std::enable_if_t<is_range<T>::value>> : borrows<typename T::value_type> {};
template <class T>
struct borrows<T, std::enable_if_t<is_map<T>::value>>
    : std::disjunction<borrows<typename T::key_type>, borrows<typename T::mapped_type>> {};

/** Whether values are made of a type and read as it; values themselves excepted. */
template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> || is_text<T>::value || is_map<T>::value ||
                                 is_range<T>::value || is_optional<T>::value;

template <class T>
struct reader;

} // namespace detail

/**
 * A value. It is *empty* for a missing key and after a move; empty is not null. Making a value throws if it cannot be made
 * (text that is not UTF-8, an integer beyond a signed 64-bit one, no memory); without exceptions the value is then empty,
 * and every function that takes it fails. value::try_from() returns the failure in both cases.
 */
class value {
public:
    /** Null. */
    value() noexcept : raw_(ctie_value_null()) {}
    value(std::nullptr_t) noexcept : value() {}
    /** Of a boolean, or of one in a std::vector<bool>. A template, because many other types convert to bool implicitly. */
    template <class T, std::enable_if_t<detail::is_boolean<T>, int> = 0>
    value(T flag) noexcept : raw_(ctie_value_bool(flag)) {}
    /** Of an unscoped enumeration: its number. */
    template <class T, std::enable_if_t<detail::is_number_by_name<T>, int> = 0>
    value(T number) : raw_(made(number)) { check(); }
    value(const char *text) : raw_(text == nullptr ? nullptr : ctie_value_string(ctie_str_from(text))) { check(); }
    value(bytes_view bytes) : raw_(made(bytes)) { check(); }
    /** A map of keys and values: value{{"name", "Ada"}, {"age", 36}}. crosstie::list makes lists. */
    value(std::initializer_list<entry> entries);
    /** Of numbers, texts, std::optional, std::vector and other containers, and maps with text keys; nested ones, too. */
    template <class T, std::enable_if_t<detail::is_plain<std::decay_t<T>> && !std::is_same_v<std::decay_t<T>, bool> &&
                                            !std::is_convertible_v<T, const char *>, int> = 0>
    value(const T &thing) : raw_(made(thing)) { check(); }
    /** Keeps pointers from becoming booleans implicitly. */
    template <class T, std::enable_if_t<!std::is_same_v<std::remove_cv_t<T>, char>, int> = 0>
    value(T *) = delete;

    value(const value &other) noexcept : raw_(kept(other.raw_)) {}
    value(value &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    value &operator=(value other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~value() { ctie_value_release(raw_); }

    /** The empty value, which is not null. */
    static value empty() noexcept { return value(nullptr, adopted()); }
    /** Takes a value over from C; NULL is empty. */
    static value adopt(ctie_value *raw) noexcept { return value(raw, adopted()); }
    /** Adds a reference to a value that C has lent; NULL is empty. */
    static value keep(const ctie_value *raw) noexcept { return value(kept(raw), adopted()); }
    /** Gives the value to C, and leaves this one empty. */
    ctie_value *detach() noexcept { return std::exchange(raw_, nullptr); }
    /** The C value, borrowed; NULL when empty. */
    ctie_value *get() const noexcept { return raw_; }
    /** Adds a reference, for a C function that takes the value. */
    ctie_value *share() const noexcept { return kept(raw_); }

    template <class T>
    static result<value> try_from(const T &thing);

    /** Whether there is a value, null included. */
    explicit operator bool() const noexcept { return raw_ != nullptr; }
    crosstie::kind kind() const noexcept { return static_cast<crosstie::kind>(ctie_value_kind(raw_)); }
    bool is_null() const noexcept { return kind() == crosstie::kind::null; }
    bool is_list() const noexcept { return kind() == crosstie::kind::list; }
    bool is_map() const noexcept { return kind() == crosstie::kind::map; }
    /** Entries in a list or map, bytes in a string or bytes. */
    std::size_t size() const noexcept { return ctie_value_count(raw_); }

    /** The value under a key of a map; empty when there is none. */
    value operator[](std::string_view key) const noexcept { return keep(ctie_value_get(raw_, detail::to_c(key))); }
    value operator[](const char *key) const noexcept {
        return key == nullptr ? empty() : (*this)[std::string_view(key)];
    }
    /** The item of a list; empty when there is none. */
    template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
    value operator[](T index) const noexcept {
        if (index < T(0)) return empty();
        return keep(ctie_value_at(raw_, static_cast<std::size_t>(index)));
    }
    /**
     * The value at a path of keys and indices, separated by dots: "user.tags.0". Empty when there is none. No path reaches
     * an empty key or one with a dot.
     */
    value at(std::string_view path) const noexcept;

    /** The items of a list, for a loop; none for another kind. */
    list_items items() const noexcept;
    /** The entries of a map, for a loop over [key, value]; none for another kind. */
    map_entries entries() const noexcept;

    /**
     * The value as a C++ type: bool, a number type that holds it, std::string, std::string_view and bytes_view (which live as
     * long as this value), std::vector, maps with std::string keys, std::optional, value. Nothing for another kind.
     */
    template <class T>
    std::optional<T> as() const { return detail::reader<T>::read(*this); }
    /** The value at a path as a C++ type, or a default: read("user.name", "nobody"). A text is copied. */
    template <class T>
    T read(std::string_view path, T fallback) const {
        static_assert(!detail::borrows<T>::value, "a std::string is copied; at() and as() give what is borrowed");
        return at(path).as<T>().value_or(std::move(fallback));
    }
    std::string read(std::string_view path, const char *fallback) const;
    /** The same as as(), with an error in place of nothing. */
    template <class T>
    result<T> try_to() const {
        if (std::optional<T> thing = as<T>()) return *std::move(thing);
        return error(raw_ == nullptr ? CTIE_E_NOT_FOUND : CTIE_E_TYPE);
    }
#if CROSSTIE_EXCEPTIONS
    template <class T>
    T to() const { return try_to<T>().take(); }
#endif

    static result<value> try_from_json(std::string_view text) {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_value_from_json(detail::to_c(text), &raw, said.out());
        return gotten(got, raw, said);
    }
    CROSSTIE_THROWING_STATIC(value, from_json, (std::string_view text), (text))

    /** A string value with the JSON text. Flags are CTIE_JSON_…. */
    result<value> try_to_json(std::uint32_t flags = 0) const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_value_to_json(raw_, flags, &raw, said.out());
        return gotten(got, raw, said);
    }
#if CROSSTIE_EXCEPTIONS
    std::string to_json(std::uint32_t flags = 0) const;
#endif

    static result<value> try_from_msgpack(bytes_view message) {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_value_from_msgpack(to_c(message), &raw, said.out());
        return gotten(got, raw, said);
    }
    CROSSTIE_THROWING_STATIC(value, from_msgpack, (bytes_view message), (message))

    /** A bytes value with the MessagePack message. */
    result<value> try_to_msgpack() const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_value_to_msgpack(raw_, &raw, said.out());
        return gotten(got, raw, said);
    }
    CROSSTIE_THROWING(value, to_msgpack, (), ())

    /** Makes a copy in which foreign values have been converted. */
    result<value> try_materialize() const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_value_materialize(raw_, &raw, said.out());
        return gotten(got, raw, said);
    }
    CROSSTIE_THROWING(value, materialize, (), ())

    /**
     * Makes a value of an open file, which is duplicated. It passes through calls and travels to joined buses of this machine.
     */
    static result<value> try_descriptor(int file) {
        ctie_value *raw = ctie_value_descriptor(file);
        if (raw == nullptr) return error(CTIE_E_INVALID, "no open file, or no room for another");
        return adopt(raw);
    }
    CROSSTIE_THROWING_STATIC(value, descriptor, (int file), (file))

    /** The open file of a descriptor, which lives as long as the value: duplicate it to keep it. Nothing for another kind. */
    std::optional<int> file() const noexcept {
        int found = -1;
        if (ctie_value_get_descriptor(raw_, &found) != CTIE_OK) return std::nullopt;
        return found;
    }

    /** The name of a foreign value's type. */
    std::optional<std::string_view> foreign_tag() const noexcept {
        ctie_str tag;
        if (ctie_value_foreign_tag(raw_, &tag) != CTIE_OK) return std::nullopt;
        return detail::from_c(tag);
    }

    /** Whether two values are of one kind and have the same content; neither empty nor NaN equals any value. */
    friend bool operator==(const value &left, const value &right) noexcept {
        return ctie_value_equal(left.raw_, right.raw_);
    }
    friend bool operator!=(const value &left, const value &right) noexcept { return !(left == right); }

private:
    struct adopted {};

    value(ctie_value *raw, adopted) noexcept : raw_(raw) {}

    static ctie_value *kept(const ctie_value *raw) noexcept { return ctie_value_retain(raw); }

    static ctie_str to_c(bytes_view bytes) noexcept {
        return detail::to_c(std::string_view(static_cast<const char *>(bytes.data), bytes.size));
    }

    static result<value> gotten(ctie_status got, ctie_value *raw, const detail::error_slot &said) {
        if (got != CTIE_OK) return said.take(got);
        return adopt(raw);
    }

    static ctie_value *made(bytes_view bytes) noexcept { return ctie_value_bytes(to_c(bytes)); }

    /** Makes a value, owned by the caller; NULL if it cannot be made. */
    template <class T>
    static ctie_value *made(const T &thing) {
        if constexpr (detail::is_boolean<T>) {
            return ctie_value_bool(thing);
        } else if constexpr (detail::is_number_by_name<T>) {
            return made(static_cast<std::underlying_type_t<T>>(thing));
        } else if constexpr (std::is_integral_v<T>) {
            return made_of_integer(thing);
        } else if constexpr (std::is_floating_point_v<T>) {
            return ctie_value_double(static_cast<double>(thing));
        } else if constexpr (detail::is_text<T>::value) {
            if constexpr (std::is_pointer_v<T>) {
                if (thing == nullptr) return nullptr;
            }
            return ctie_value_string(detail::to_c(std::string_view(thing)));
        } else if constexpr (detail::is_optional<T>::value) {
            return thing.has_value() ? made(*thing) : ctie_value_null();
        } else if constexpr (detail::is_map<T>::value) {
            return made_of_map(thing);
        } else if constexpr (detail::is_range<T>::value) {
            return made_of_range(thing);
        } else {
            return value(thing).detach();
        }
    }

    template <class T>
    static ctie_value *made_of_integer(T number) noexcept {
        if constexpr (sizeof(T) > sizeof(std::int64_t) || (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t))) {
            if (number > static_cast<T>(std::numeric_limits<std::int64_t>::max())) return nullptr;
        }
        if constexpr (sizeof(T) > sizeof(std::int64_t) && !std::is_unsigned_v<T>) {
            if (number < static_cast<T>(std::numeric_limits<std::int64_t>::min())) return nullptr;
        }
        return ctie_value_int(static_cast<std::int64_t>(number));
    }

    template <class T>
    static ctie_value *made_of_map(const T &things);
    template <class T>
    static ctie_value *made_of_range(const T &things);

    void check() const {
#if CROSSTIE_EXCEPTIONS
        if (raw_ == nullptr) throw error(CTIE_E_INVALID, "no value can be made of this");
#endif
    }

    friend class list;
    ctie_value *raw_;
};

/** An entry of a map: a key and its value. */
struct entry {
    std::string_view key;
    crosstie::value value;
};

namespace detail {

/** Values for a C list, which takes them. Values that remain here are released. */
class value_array {
public:
    void add(ctie_value *raw) {
        value owner = value::adopt(raw);
        raw_.push_back(raw);
        (void)owner.detach();
    }
    value_array() = default;
    value_array(const value_array &) = delete;
    value_array &operator=(const value_array &) = delete;
    ~value_array() {
        for (ctie_value *raw : raw_) ctie_value_release(raw);
    }
    /** NULL where they are too many, which C does not take. */
    ctie_value *list() noexcept {
        if (raw_.size() > CTIE_VALUE_MAX_COUNT) return nullptr;
        std::vector<ctie_value *> raw = std::move(raw_);
        raw_.clear();
        return ctie_value_list(raw.data(), raw.size());
    }

private:
    std::vector<ctie_value *> raw_;
};

/** Pairs for a C map, likewise. */
class pair_array {
public:
    pair_array() = default;
    pair_array(const pair_array &) = delete;
    pair_array &operator=(const pair_array &) = delete;
    ~pair_array() {
        for (const ctie_pair &pair : raw_) ctie_value_release(pair.value);
    }
    void add(std::string_view key, ctie_value *raw) {
        value owner = value::adopt(raw);
        ctie_pair pair;
        pair.key = to_c(key);
        pair.value = raw;
        raw_.push_back(pair);
        (void)owner.detach();
    }
    /** NULL where they are too many, which C does not take. */
    ctie_value *map() noexcept {
        if (raw_.size() > CTIE_VALUE_MAX_COUNT) return nullptr;
        std::vector<ctie_pair> raw = std::move(raw_);
        raw_.clear();
        return ctie_value_map(raw.data(), raw.size());
    }

private:
    std::vector<ctie_pair> raw_;
};

} // namespace detail

inline value::value(std::initializer_list<entry> entries) : raw_(nullptr) {
    detail::pair_array pairs;
    for (const entry &each : entries) pairs.add(each.key, each.value.share());
    raw_ = pairs.map();
    check();
}

template <class T>
ctie_value *value::made_of_map(const T &things) {
    detail::pair_array pairs;
    for (const auto &[key, thing] : things) pairs.add(key, made(thing));
    return pairs.map();
}

template <class T>
ctie_value *value::made_of_range(const T &things) {
    if constexpr (std::is_same_v<typename T::value_type, std::byte>) {
        return made(bytes_view{things.size() == 0 ? nullptr : &*things.begin(), things.size()});
    } else {
        if (things.size() > CTIE_VALUE_MAX_COUNT) return nullptr;
        detail::value_array items;
        for (const auto &thing : things) items.add(made(static_cast<const typename T::value_type &>(thing)));
        return items.list();
    }
}

template <class T>
result<value> value::try_from(const T &thing) {
    ctie_value *raw = nullptr;
    if constexpr (std::is_same_v<T, value>) {
        raw = thing.share();
    } else if constexpr (detail::is_plain<T> || detail::is_number_by_name<T> || std::is_same_v<T, bytes_view>) {
        raw = made(thing);
    } else {
        raw = value(thing).detach();
    }
    if (raw == nullptr) return error(CTIE_E_INVALID, "no value can be made of this");
    return adopt(raw);
}

/** A map, for use as a value; map{} is the empty one. */
class map : public value {
public:
    map() : value(std::initializer_list<entry>{}) {}
    map(std::initializer_list<entry> entries) : value(entries) {}
};

/** A list of values of any kind: list{1, "two", list{3}}. */
class list : public value {
public:
    list() : list(std::initializer_list<value>{}) {}
    list(std::initializer_list<value> items) : value(nullptr, adopted()) {
        detail::value_array array;
        for (const value &item : items) array.add(item.share());
        raw_ = array.list();
        check();
    }
};

inline value value::at(std::string_view path) const noexcept {
    const ctie_value *found = raw_;
    for (;;) {
        const std::string_view part = path.substr(0, path.find('.'));
        if (part.empty()) return empty();
        if (ctie_value_kind(found) == CTIE_KIND_LIST) {
            std::size_t index = 0;
            if (part.size() > 9 || (part.size() > 1 && part[0] == '0')) return empty();
            for (char digit : part) {
                if (digit < '0' || digit > '9') return empty();
                index = index * 10 + static_cast<std::size_t>(digit - '0');
            }
            found = ctie_value_at(found, index);
        } else {
            found = ctie_value_get(found, detail::to_c(part));
        }
        if (found == nullptr || part.size() == path.size()) return keep(found);
        path.remove_prefix(part.size() + 1);
    }
}

namespace detail {

/** Converts the result of a C function that makes a value. */
inline result<value> made_value(ctie_status got, ctie_value *raw, const error_slot &said) {
    if (got != CTIE_OK) return said.take(got);
    return value::adopt(raw);
}

inline result<value> made_value(ctie_status got, ctie_value *raw) { return made_value(got, raw, error_slot()); }

} // namespace detail
CROSSTIE_END

#endif
