// Values from and to standard types, nested lists and maps, limits, bytes, texts that are none, JSON and MessagePack.
#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <unordered_map>

#include "support.hpp"

using crosstie::bytes_view;
using crosstie::kind;
using crosstie::list;
using crosstie::map;
using crosstie::value;

template <class T>
static bool comes_back(const T &thing) {
    const value made(thing);
    return made.as<T>() == thing;
}

static void standard_types_come_back() {
    CHECK(comes_back(true) && comes_back(false));
    CHECK(comes_back(std::numeric_limits<std::int64_t>::max()) && comes_back(std::numeric_limits<std::int64_t>::min()));
    CHECK(comes_back(std::numeric_limits<std::int8_t>::min()) && comes_back(std::uint16_t(65535)) && comes_back(0u));
    CHECK(comes_back(1.5) && comes_back(-0.25f) && comes_back(std::numeric_limits<double>::infinity()));
    CHECK(comes_back(std::string("h\xC3\xA4llo")) && comes_back(std::string("a\0b", 3)) && comes_back(std::string()));
    CHECK(comes_back(std::vector<int>{1, 2, 3}) && comes_back(std::vector<std::string>{}));
    CHECK(comes_back(std::vector<std::vector<bool>>{{true, false}, {}}));
    CHECK(comes_back(std::map<std::string, std::vector<double>>{{"a", {1.5}}, {"b", {}}}));
    CHECK((comes_back(std::unordered_map<std::string, int>{{"a", 1}, {"b", 2}})));
    CHECK(comes_back(std::vector<std::byte>{std::byte{0}, std::byte{255}}));
    CHECK(value(std::vector<std::byte>{std::byte{1}}).kind() == kind::bytes);
    CHECK(value(std::optional<int>()).is_null() && value(std::optional<int>(3)).as<int>() == 3);
    CHECK(value(nullptr).as<std::optional<int>>() == std::optional<std::optional<int>>(std::optional<int>()));
    CHECK(value("text").as<std::string_view>() == "text");
    CHECK(value().is_null() && value(nullptr).is_null());
}

enum plain { zero, two = 2 };
enum wide : std::uint64_t { beyond = UINT64_MAX };
enum class scoped { one };

/** Many items, and no memory for them. */
struct endless {
    using value_type = value;
    struct iterator {
        const value &operator*() const { return *item; }
        iterator &operator++() {
            at++;
            return *this;
        }
        bool operator!=(const iterator &other) const { return at != other.at; }
        const value *item;
        std::size_t at;
    };
    iterator begin() const { return {&item, 0}; }
    iterator end() const { return {&item, size()}; }
    std::size_t size() const { return CTIE_VALUE_MAX_COUNT + 1; }
    value item;
};

static void nothing_becomes_a_boolean_by_itself() {
    CHECK(value(two) == 2 && value(two).kind() == kind::integer && (value{{"a", zero}}["a"] == 0));
    CHECK(value(std::vector<plain>{two}) == list{2} && value(std::optional<plain>(two)) == 2);
    CHECK_THROWS(CTIE_E_INVALID, (void)value(beyond));
    CHECK_STATUS(value::try_from(beyond).status(), CTIE_E_INVALID);
    static_assert(!std::is_constructible_v<value, scoped> && !std::is_constructible_v<value, std::atomic<int>>);
    static_assert(!std::is_constructible_v<value, int std::pair<int, int>::*>);
    const auto lambda = [] {};
    static_assert(!std::is_constructible_v<value, decltype(lambda)>);
    const std::vector<bool> flags{true, false};
    std::vector<bool> others{true, false};
    CHECK(value(flags[0]) == true && value(others[1]) == false && value(flags) == list({true, false}));
}

static void texts_that_are_none_are_refused() {
    const char *const none = nullptr;
    CHECK_STATUS(value::try_from(none).status(), CTIE_E_INVALID);
    CHECK_STATUS(value::try_from(std::vector<const char *>{"a", none}).status(), CTIE_E_INVALID);
    CHECK_STATUS(value::try_from(std::optional<const char *>(none)).status(), CTIE_E_INVALID);
    CHECK(value::try_from(std::vector<const char *>{"a", "b"})->size() == 2 && !map{}[none]);
}

static void what_is_borrowed_is_known() {
    using crosstie::detail::borrows;
    using std::string_view;
    static_assert(borrows<string_view>::value && borrows<bytes_view>::value);
    static_assert(borrows<std::optional<string_view>>::value && borrows<std::vector<bytes_view>>::value);
    static_assert(borrows<std::map<std::string, std::vector<string_view>>>::value);
    static_assert(borrows<std::map<string_view, int>>::value && borrows<std::vector<std::map<string_view, int>>>::value);
    static_assert(!borrows<std::string>::value && !borrows<std::map<std::string, int>>::value);
    static_assert(!borrows<std::vector<std::byte>>::value && !borrows<value>::value && !borrows<int>::value);
    const value made{{"a key that is longer than a string has room for itself", 1}};
    const auto read = made.as<std::map<string_view, int>>();
    CHECK(read && read->begin()->first == "a key that is longer than a string has room for itself");
}

static void initializer_lists_nest() {
    const value made{{"name", "Ada"}, {"age", 36}, {"tags", list{1, "two", list{3.5, map{}}, nullptr}}, {"none", {}}};
    CHECK(made == value::from_json(R"({"name": "Ada", "age": 36, "tags": [1, "two", [3.5, {}], null], "none": null})"));
    CHECK(value(map{}).is_map() && value(list{}).is_list() && list{list{}}.size() == 1);
    CHECK((value{{"a", "b"}}["a"].as<std::string>() == "b"));
    CHECK(list{made}[0] == made);
}

static void values_are_refused_that_cannot_be() {
    CHECK_THROWS(CTIE_E_INVALID, value("\xFF"));
    CHECK_THROWS(CTIE_E_INVALID, value(std::string("\xED\xA0\x80")));
    CHECK_THROWS(CTIE_E_INVALID, (void)value(UINT64_MAX));
    CHECK_THROWS(CTIE_E_INVALID, (void)value(static_cast<const char *>(nullptr)));
    CHECK_THROWS(CTIE_E_INVALID, (value{{"a", 1}, {"a", 2}}));
    CHECK_THROWS(CTIE_E_INVALID, value(std::vector<std::string>{"fine", "\xC0"}));
    CHECK_THROWS(CTIE_E_INVALID, list{value::empty()});
    CHECK_STATUS(value::try_from(std::string("\xFF")).status(), CTIE_E_INVALID);
    CHECK(value::try_from(std::uint64_t(7))->as<int>() == 7);
}

static void numbers_have_to_fit() {
    CHECK(!value(300).as<std::uint8_t>() && !value(-1).as<unsigned>() && !value(128).as<std::int8_t>());
    CHECK(!value(-129).as<std::int8_t>() && !value(256).as<std::uint8_t>());
    CHECK(value(255).as<std::uint8_t>() == 255 && value(-128).as<std::int8_t>() == -128);
    CHECK(!value(1e300).as<float>() && value(0.5).as<float>() == 0.5f && std::isinf(*value(-HUGE_VAL).as<float>()));
    CHECK(std::isnan(*value(std::nan("")).as<float>()));
    CHECK(value(3).as<double>() == 3.0 && !value((std::int64_t(1) << 53) + 1).as<double>());
    CHECK(!value(1.5).as<int>() && !value(1).as<bool>() && !value(true).as<int>() && !value("1").as<int>());
    CHECK((!value(list{1, "two"}).as<std::vector<int>>()));
    CHECK((!value{{"a", "b"}}.as<std::map<std::string, int>>()));
    CHECK_THROWS(CTIE_E_TYPE, value("1").to<int>());
    CHECK_THROWS(CTIE_E_NOT_FOUND, (value{{"a", 1}})["b"].to<int>());
}

static void values_are_read_by_path() {
    const value made{{"user", value{{"name", "Ada"}, {"tags", list{"a", value{{"deep", 5}}}}, {"0", "zero"}}},
                     {"a.b", 1}};
    CHECK(made.read("user.name", "nobody") == "Ada" && made.read("user.tags.1.deep", 0) == 5);
    CHECK(made.read("user.0", "none") == "zero");
    for (const char *path : {"", ".", "user.", ".user", "user..name", "user.tags.00", "user.tags.2", "user.tags.-1",
                             "a.b", "user.name.x", "none", "user.tags.99999999999999999999"}) {
        CHECK(!made.at(path) && made.read(path, 7) == 7 && made.read(path, "none") == "none");
    }
    CHECK(made.read("user.name", 7) == 7 && made["a.b"].as<int>() == 1);
    CHECK(made["user"]["tags"][0].as<std::string>() == "a" && !made["user"]["tags"][2] && !made["user"]["tags"][-1]);
    CHECK(!made[0] && !value(3)["x"] && !value::empty()["x"]);
}

static void loops_see_everything() {
    int sum = 0;
    for (const value &item : value(list{1, 2, 3}).items()) sum += item.to<int>();
    std::string keys;
    for (auto [key, item] : (value{{"a", 1}, {"b", 2}}).entries()) {
        keys += key;
        sum += item.to<int>();
    }
    for (const value &item : value("text").items()) sum += item.to<int>();
    CHECK(sum == 9 && keys == "ab");
}

static void copies_and_moves_share() {
    value first{{"a", list{1, 2}}};
    value copy = first;
    value moved = std::move(first);
    CHECK(copy == moved && !first && first.kind() == kind::none && first.size() == 0);
    first = copy;
    CHECK(first == moved);
    first = std::move(first);
    CHECK(first != value::empty() && value::empty() != value::empty());
}

static void documents_come_and_go() {
    const value made{{"a", list{1, 2.5, "x"}}, {"b", nullptr}};
    CHECK(made.to_json() == R"({"a":[1,2.5,"x"],"b":null})");
    CHECK(value::from_json(made.to_json(CTIE_JSON_PRETTY)) == made);
    const value packed = made.to_msgpack();
    CHECK(value::from_msgpack(packed.to<bytes_view>()) == made);
    CHECK_THROWS(CTIE_E_TYPE, value(std::nan("")).to_json());
    CHECK_THROWS(CTIE_E_TYPE, value(bytes_view{"x", 1}).to_json());
    CHECK(value(std::nan("")) != value(std::nan("")));
    try {
        value::from_json("[1,\n 2,,]");
        CHECK(false);
    } catch (const crosstie::error &thrown) {
        CHECK(thrown.status() == CTIE_E_FORMAT && thrown.location() == "line 2, column 4" && !thrown.message().empty());
        CHECK(thrown.code() == ctie_status_code(CTIE_E_FORMAT) && thrown.what() == thrown.message());
    }
    CHECK_STATUS(value::try_from_msgpack({"\xC1", 1}).status(), CTIE_E_FORMAT);
}

/* ---- Objects ------------------------------------------------------------------------------------- */

struct user {
    explicit user(std::string called) : name(std::move(called)) { alive++; }
    ~user() { alive--; }
    std::string name;
    static inline int alive = 0;
};

static value plain_form(const user &of) {
    if (of.name.empty()) throw crosstie::error(CTIE_E_LIMIT, "no name");
    return value{{"name", of.name}};
}

static void objects_are_values() {
    const auto type = crosstie::object_type<user, plain_form>::declare("test.user");
    const auto other = crosstie::object_type<user>::declare("test.other");
    value kept = nullptr;
    {
        const value wrapped = type.wrap(std::make_shared<user>("Ada"));
        kept = list{wrapped};
        CHECK(wrapped.kind() == kind::foreign && wrapped.foreign_tag() == "test.user");
        CHECK(type.unwrap(wrapped)->name == "Ada" && other.unwrap(wrapped) == nullptr && type.unwrap(3) == nullptr);
    }
    CHECK(user::alive == 1);
    CHECK((kept.materialize() == list{value{{"name", "Ada"}}}));
    kept = nullptr;
    CHECK(user::alive == 0);
    CHECK_THROWS(CTIE_E_LIMIT, type.wrap(std::make_shared<user>("")).materialize());
    CHECK_THROWS(CTIE_E_FOREIGN, other.wrap(std::make_shared<user>("x")).materialize());
    CHECK_STATUS(value::try_from(endless{type.wrap(std::make_shared<user>("many"))}).status(), CTIE_E_INVALID);
    CHECK(user::alive == 0);
    CHECK_THROWS(CTIE_E_INVALID, type.wrap(nullptr));
    CHECK_THROWS(CTIE_E_IDENTIFIER, crosstie::object_type<int>::declare("no name"));
    CHECK(user::alive == 0);
}

static void open_files_are_values() {
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int own = -1;
    {
        const value made{{"file", value::descriptor(file)}};
        CHECK(made["file"].kind() == kind::descriptor && !made["file"].foreign_tag() && !value(file).file());
        own = made["file"].file().value_or(-1);
        CHECK(own > 2 && own != file && (fcntl(own, F_GETFD) & FD_CLOEXEC) != 0);
        CHECK_THROWS(CTIE_E_FOREIGN, made.to_json());
    }
    CHECK(fcntl(own, F_GETFD) < 0);
    close(file);
    CHECK_THROWS(CTIE_E_INVALID, value::descriptor(-1));
}

int main() {
    standard_types_come_back();
    nothing_becomes_a_boolean_by_itself();
    texts_that_are_none_are_refused();
    what_is_borrowed_is_known();
    initializer_lists_nest();
    values_are_refused_that_cannot_be();
    numbers_have_to_fit();
    values_are_read_by_path();
    loops_see_everything();
    copies_and_moves_share();
    documents_come_and_go();
    objects_are_values();
    open_files_are_values();
    return check_end();
}
