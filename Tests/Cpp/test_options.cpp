// Options that say where, from when and for how long: of listeners, wormholes, requests and transports; and the logs.
#include <filesystem>
#include <map>
#include <set>

#include "support.hpp"

using crosstie::bus;
using crosstie::message;
using crosstie::request;
using crosstie::value;
using crosstie::wormhole;

static wormhole open_in_memory(const char *group) { return wormhole::open(group, CTIE_WORMHOLE_MEMORY); }

/** The values that a listener has received. */
class inbox {
public:
    auto receiver() {
        return [this](const message &reported) {
            const std::lock_guard<std::mutex> guard(lock_);
            values_.push_back(reported.value().as<int>().value_or(-1));
        };
    }
    bool becomes(const std::vector<int> &expected) {
        return await([&] {
            const std::lock_guard<std::mutex> guard(lock_);
            return values_ == expected;
        });
    }

private:
    std::mutex lock_;
    std::vector<int> values_;
};

/* ---- Listeners ------------------------------------------------------------------------------------- */

static void queues_begin_where_they_should() {
    crosstie::wormhole_options kept(CTIE_WORMHOLE_MEMORY);
    kept.retain = 3600s;
    const wormhole group = wormhole::open("beginnings", std::move(kept));
    group.send("a", 1);
    const std::uint64_t second = group.send("a", 2).sequence;
    std::this_thread::sleep_for(2ms);
    const std::int64_t third = group.try_message("a")->time() + 1;
    group.send("a", 3);
    inbox by_number, by_time;
    crosstie::listen_options options(CTIE_LISTEN_QUEUE);
    options.from_sequence = second;
    auto from_second = group.listen("a", by_number.receiver(), options);
    CHECK(by_number.becomes({2, 3}));
    options.from_sequence = 0;
    options.from_time = third;
    auto from_third = group.listen("a", by_time.receiver(), options);
    CHECK(by_time.becomes({3}));
    options.from_sequence = second;
    CHECK_THROWS(CTIE_E_INVALID, (void)group.listen("a", by_time.receiver(), options));
    options = crosstie::listen_options();
    options.from_sequence = second;
    CHECK_THROWS(CTIE_E_INVALID, (void)group.listen("a", by_time.receiver(), options));
}

static void retained_messages_wait_for_a_durable_consumer() {
    const wormhole without = open_in_memory("nothing-retained");
    without.send("jobs", 1);
    crosstie::durable_options oldest;
    oldest.flags = CTIE_DURABLE_FROM_OLDEST;
    without.declare("jobs", "late", oldest);
    CHECK(without.durables()[0]["waiting"] == 0);
    crosstie::wormhole_options options(CTIE_WORMHOLE_MEMORY);
    options.retain = 3600s;
    const wormhole with = wormhole::open("retained", std::move(options));
    with.send("jobs", 1);
    with.send("jobs", 2);
    with.declare("jobs", "late", oldest);
    CHECK(with.durables()[0]["waiting"] == 2);
}

static void durable_consumers_are_moved_to_a_time() {
    crosstie::wormhole_options options(CTIE_WORMHOLE_MEMORY);
    options.retain = 3600s;
    const wormhole group = wormhole::open("sought", std::move(options));
    group.declare("jobs", "workers");
    group.send("jobs", 1);
    group.send("jobs", 2);
    const std::int64_t then = group.message("jobs").time() + 1;
    std::this_thread::sleep_for(2ms);
    group.send("jobs", 3);
    group.seek("jobs", "workers", UINT64_MAX);
    CHECK(group.durables()[0]["waiting"] == 0);
    group.seek_time("jobs", "workers", then);
    inbox received;
    auto works = group.listen("jobs", received.receiver(), {CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE, "workers"});
    CHECK(received.becomes({3}));
    CHECK_THROWS(CTIE_E_INVALID, group.seek_time("jobs", "workers", 0));
    CHECK_THROWS(CTIE_E_INVALID, group.seek_time("jobs", "workers", -1));
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.seek_time("jobs", "nobody", 1));
}

static void listeners_run_on_a_dispatcher() {
    const bus on = bus::make();
    on.add_dispatcher("single", {1, 64});
    std::atomic<std::thread::id> worker{};
    on.route("app://where", [&](request &) { worker = std::this_thread::get_id(); }).keep();
    crosstie::request_options there(-1ms);
    there.dispatcher = "single";
    on.open_async("app://where", crosstie::origin::local, nullptr, std::move(there)).wait();
    const wormhole group = open_in_memory("dispatched");
    crosstie::listen_options options;
    options.bus = on.get();
    options.dispatcher = "single";
    std::atomic<std::thread::id> listener{};
    auto bound = group.listen("a", [&](const message &) { listener = std::this_thread::get_id(); }, options);
    group.send("a", 1);
    CHECK(await([&] { return listener.load() == worker.load(); })); // the dispatcher has a single thread
    options.dispatcher = "none";
    CHECK_THROWS(CTIE_E_NOT_FOUND, (void)group.listen("a", [](const message &) {}, options));
    options.bus = nullptr;
    CHECK_THROWS(CTIE_E_INVALID, (void)group.listen("a", [](const message &) {}, options));
    options = crosstie::listen_options();
    options.bus = on.get();
    options.loop = group.loop().get();
    CHECK_THROWS(CTIE_E_INVALID, (void)group.listen("a", [](const message &) {}, options));
}

/* ---- Requests -------------------------------------------------------------------------------------- */

static void requests_inherit_from_their_parent() {
    const bus on = bus::make();
    std::vector<crosstie::retained_request> kept;
    on.route("app://outer", [&](request &asked) { kept.push_back(asked.retain()); }, CTIE_ROUTE_PUBLIC).keep();
    on.route("app://inner", [](request &asked) {
        return value{{"remote", asked.origin() == crosstie::origin::remote},
                     {"timed", asked.time_left() >= 0},
                     {"short", asked.time_left() >= 0 && asked.time_left() <= 60000}};
    }, CTIE_ROUTE_PUBLIC).keep();
    on.route("app://private", [](request &) { return 1; }).keep();
    auto outer = on.open_async("app://outer", crosstie::origin::remote, nullptr, {60000ms});
    CHECK(await([&] { return kept.size() == 1; }));
    const auto child = [&](std::chrono::milliseconds within) {
        crosstie::request_options options(within);
        options.parent = kept[0].get();
        return options;
    };
    const auto local = crosstie::origin::local;
    CHECK(on.open("app://inner", local, {-1ms}).value() == value({{"remote", false}, {"timed", false}, {"short", false}}));
    const value inherited{{"remote", true}, {"timed", true}, {"short", true}};
    CHECK(on.open("app://inner", local, child(-1ms)).value() == inherited);
    CHECK(on.open_async("app://inner", local, nullptr, child(7200000ms)).wait().value() == inherited);
    CHECK_THROWS(CTIE_E_DENIED, on.open("app://private", local, child(-1ms)));
    kept[0].reply(1);
    CHECK(outer.wait().value() == 1);
    ctie_request *ended = kept[0].get();
    kept.clear();
    crosstie::request_options dead(-1ms);
    dead.parent = ended;
    CHECK_THROWS(CTIE_E_HANDLE, on.open("app://inner", local, std::move(dead)));
}

/* ---- Logs ------------------------------------------------------------------------------------------ */

/** The lines of a log. */
class notes {
public:
    auto taker() {
        return [this](std::int32_t level, std::string_view line) {
            const std::lock_guard<std::mutex> guard(lock_);
            if (level > 0) lines_.emplace_back(line);
        };
    }
    bool have(std::string_view part) {
        const std::lock_guard<std::mutex> guard(lock_);
        for (const std::string &line : lines_) {
            if (line.find(part) != std::string::npos) return true;
        }
        return false;
    }

private:
    std::mutex lock_;
    std::vector<std::string> lines_;
};

static void wormholes_log() {
    std::string directory = (std::filesystem::temp_directory_path() / "crosstie-cpp-XXXXXX").string();
    CHECK(mkdtemp(directory.data()) != nullptr);
    std::atomic<int> alive{0};
    notes lines;
    {
        crosstie::wormhole_options options;
        options.directory = directory;
        options.log = counted<std::function<void(std::int32_t, std::string_view)>>(alive, lines.taker());
        const wormhole group = wormhole::open("logged", std::move(options));
        CHECK(alive == 1);
        group.send("a", 1);
        for (const auto &entry : std::filesystem::directory_iterator(directory)) std::filesystem::remove(entry);
        CHECK(await([&] {
            (void)group.try_send("a", 2);
            return lines.have("were removed while it was open");
        }));
    }
    CHECK(await([&] { return alive == 0; }));
    crosstie::wormhole_options refused(CTIE_WORMHOLE_FAST | CTIE_WORMHOLE_SYSTEM);
    refused.directory = directory;
    refused.log = counted<std::function<void(std::int32_t, std::string_view)>>(alive, lines.taker());
    CHECK_THROWS(CTIE_E_INVALID, wormhole::open("logged", std::move(refused)));
    CHECK(alive == 0);
    std::filesystem::remove_all(directory);
}

static void buses_and_providers_log() {
    const bus on = bus::make();
    std::atomic<int> alive{0};
    notes bus_lines, own_lines;
    CHECK(on.set_log(counted<std::function<void(std::int32_t, std::string_view)>>(alive, bus_lines.taker())));
    on.add_provider(crosstie::provider("p").platform("x").launch([](request &) { return 1; })).keep();
    on.provider_log("p", "for the bus");
    CHECK(bus_lines.have("for the bus"));
    CHECK(on.set_provider_log("p", [&](std::string_view message, std::string_view, std::string_view, std::int32_t) {
        own_lines.taker()(1, message);
    }));
    on.provider_log("p", "for itself");
    CHECK(own_lines.have("for itself") && !bus_lines.have("for itself"));
    CHECK_THROWS(CTIE_E_NOT_FOUND, on.set_provider_log("nobody", nullptr));
    CHECK(on.set_log(nullptr));
    CHECK(await([&] { return alive == 0; }));
}

/* ---- Transports ------------------------------------------------------------------------------------ */

/** The records, members and watchers that the transports of one group share. */
struct sea {
    std::mutex lock;
    std::map<std::string, std::string> records;
    std::uint64_t version = 0;
    std::map<std::uint64_t, std::string> members;
    std::uint64_t next = 1;
    std::map<const void *, std::pair<ctie_transport_notify_fn, void *>> watchers;
    std::atomic<int> asked{0};
};

class vessel : public crosstie::transport {
public:
    explicit vessel(sea &on) : sea_(on) {}
    ~vessel() override {
        const std::lock_guard<std::mutex> guard(sea_.lock);
        sea_.members.erase(id_);
        sea_.watchers.erase(this);
    }

    crosstie::result<std::uint64_t> version(std::chrono::milliseconds) override {
        const std::lock_guard<std::mutex> guard(sea_.lock);
        return sea_.version;
    }
    crosstie::result<void> scan(std::string_view from, bool backward, const crosstie::record_visitor &visit,
                                std::chrono::milliseconds) override {
        const std::lock_guard<std::mutex> guard(sea_.lock);
        auto at = backward ? sea_.records.upper_bound(std::string(from)) : sea_.records.lower_bound(std::string(from));
        while (backward ? at != sea_.records.begin() : at != sea_.records.end()) {
            if (backward) --at;
            if (!visit(at->first, at->second)) break;
            if (!backward) ++at;
        }
        return {};
    }
    crosstie::result<std::uint64_t> commit(std::uint64_t version, crosstie::transport_token token,
                                           const std::vector<crosstie::transport_change> &changes,
                                           std::chrono::milliseconds left) override {
        const std::lock_guard<std::mutex> guard(sea_.lock);
        CHECK(token.size() == 16 && left.count() >= 1);
        if (version != sea_.version) return crosstie::error(CTIE_E_CONFLICT);
        for (const crosstie::transport_change &change : changes) {
            if (change.key.empty()) sea_.records.clear();
            else if (!change.record) sea_.records.erase(std::string(change.key));
            else sea_.records[std::string(change.key)] = std::string(*change.record);
        }
        sea_.version++;
        for (const auto &[self, woken] : sea_.watchers) woken.first(woken.second);
        return sea_.version;
    }

    bool can_watch() const noexcept override { return true; }
    crosstie::result<void> watch(ctie_transport_notify_fn notify, void *context) override {
        const std::lock_guard<std::mutex> guard(sea_.lock);
        sea_.asked++;
        if (notify == nullptr) sea_.watchers.erase(this);
        else sea_.watchers[this] = {notify, context};
        return {};
    }

    bool has_members() const noexcept override { return true; }
    crosstie::result<std::uint64_t> join(std::string_view name, std::chrono::milliseconds) override {
        const std::lock_guard<std::mutex> guard(sea_.lock);
        id_ = sea_.next++;
        sea_.members[id_] = std::string(name);
        return id_;
    }
    crosstie::result<std::vector<std::uint64_t>> members(std::chrono::milliseconds) override {
        const std::lock_guard<std::mutex> guard(sea_.lock);
        if (sea_.members.size() > 2) throw crosstie::error(CTIE_E_LIMIT);
        std::vector<std::uint64_t> ids;
        for (const auto &[id, name] : sea_.members) ids.push_back(id);
        return ids;
    }

private:
    sea &sea_;
    std::uint64_t id_ = 0;
};

static wormhole board(sea &on, std::string_view name) {
    crosstie::wormhole_options options;
    options.name = name;
    options.transport = std::make_unique<vessel>(on);
    return wormhole::open("fleet", std::move(options));
}

static std::multiset<std::string> names_of(const wormhole &group) {
    std::multiset<std::string> names;
    for (const value &member : group.members().items()) names.insert(member["name"].to<std::string>());
    return names;
}

static void transports_wake_and_know_their_members() {
    sea on;
    {
        const wormhole first = board(on, "first");
        inbox received;
        auto bound = first.listen("a", received.receiver(), CTIE_LISTEN_QUEUE);
        CHECK(on.asked >= 1);
        {
            const wormhole second = board(on, "second");
            CHECK((names_of(first) == std::multiset<std::string>{"first", "second"}));
            second.send("a", 1);
            CHECK(received.becomes({1}));
            on.members[99] = "one too many";
            CHECK_THROWS(CTIE_E_LIMIT, first.members());
            on.members.erase(99);
        }
        CHECK((names_of(first) == std::multiset<std::string>{"first"}));
    }
    CHECK(on.watchers.empty() && on.members.empty());
}

int main() {
    queues_begin_where_they_should();
    retained_messages_wait_for_a_durable_consumer();
    durable_consumers_are_moved_to_a_time();
    listeners_run_on_a_dispatcher();
    requests_inherit_from_their_parent();
    wormholes_log();
    buses_and_providers_log();
    transports_wake_and_know_their_members();
    return check_end();
}
