// Wormholes: passing, listeners, durable consumers, dead letters, headers, times, loops, and a transport in C++.
#include <map>

#include "support.hpp"

using crosstie::list;
using crosstie::message;
using crosstie::message_kind;
using crosstie::value;
using crosstie::wormhole;

static wormhole open_in_memory(const char *group) { return wormhole::open(group, CTIE_WORMHOLE_MEMORY); }

static void messages_are_passed_and_read() {
    crosstie::wormhole_options options(CTIE_WORMHOLE_MEMORY);
    options.name = "tester";
    const wormhole group = wormhole::open("passing", std::move(options));
    const crosstie::sent first = group.send("a.one", {{"n", 1}});
    CHECK(first.sequence == 1 && first.listeners == 0);
    const message read = group.message("a.one");
    CHECK(read.kind() == message_kind::value && read.value() == value({{"n", 1}}) && read.sequence() == 1);
    CHECK(read.identifier() == "a.one" && read.sender_name() == "tester" && read.sender_pid() == getpid());
    CHECK(read.time() > 0 && read.expires() == 0 && read.delivery_count() == 0 && read.missed() == 0 &&
          read.reason().empty());
    CHECK(read.status() == CTIE_OK && read.headers().empty() && !read.header("x"));
    CHECK(group.send_many({{"a.two", 2}, {"a.three", list{3}}, {"a.two", value::empty()}}) == 2);
    CHECK(group.identifiers() == list({"a.one", "a.three", "a.two"}) && group.identifiers("a.two") == list{"a.two"});
    CHECK(group.signal("a.one").sequence == 5 && group.destroy("a.one").sequence == 6);
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.message("a.one"));
    CHECK_THROWS(CTIE_E_IDENTIFIER, group.send("no name", 1));
    CHECK_THROWS(CTIE_E_INVALID, group.send("a", value::empty()));
    crosstie::send_options how{{"k", "v"}};
    how.flags = CTIE_SEND_NOT_ATOMIC;
    how.token = "0123456789abcdef";
    CHECK(group.send_many({{"b.one", 1}, {"b.two", 2}}, how) == 7 && group.send_many({{"b.one", 9}}, how) == 7);
    CHECK(group.message("b.two").header("k") == "v" && group.message("b.one").value() == 1);
    const auto bad = group.try_send_many({{"a", 1}, {"no name", 2}});
    CHECK(bad.status() == CTIE_E_IDENTIFIER && bad.error().location().find("messages[1]") == 0);
    CHECK(group.members()[0]["name"] == "tester");
    CHECK((group.abilities() & CTIE_ENGINE_TOKENS) != 0 && (group.abilities() & CTIE_ENGINE_JOINS_BUSES) == 0);
    group.destroy_all();
    CHECK(group.identifiers() == list());
    message copy = read;
    const message moved = std::move(copy);
    CHECK(!copy && moved.sequence() == 1 && copy.kind() == message_kind::none);
    CHECK_THROWS(CTIE_E_INVALID, moved.acknowledge());
}

static void listeners_receive() {
    const wormhole group = open_in_memory("listening");
    std::atomic<int> last{-1};
    std::atomic<int> count{0};
    group.send("a", 1);
    {
        auto receives = group.listen("a", [&](const message &reported) {
            last = reported.value().as<int>().value_or(0);
            count++;
        }, {0, "mine"});
        CHECK(await([&] { return last == 1; }));
        group.send("a", 2);
        CHECK(await([&] { return last == 2; }));
        CHECK(group.listeners()[0]["name"] == "mine");
        auto moved = std::move(receives);
        CHECK(!receives && moved);

    }
    const int before = count;
    group.send("a", 3);
    CHECK(count == before && group.listeners() == list());
    group.listen("b", [](const message &) {}, {0, "x"}).keep();
    group.listen("b", [](const message &) {}).keep();
    CHECK(group.remove_listener("b", "x") && group.remove_listeners("b") && group.remove_all_listeners());
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.remove_listener("b", "x"));
    std::atomic<int> joined{0};
    auto members = group.listen_members([&](const message &reported) {
        if (reported.kind() == message_kind::joined) joined++;
    });
    CHECK(await([&] { return joined == 1; }));
}

static void headers_and_times_go_along() {
    const wormhole group = open_in_memory("sending");
    group.send("a", 1, {{"correlation", "7"}, {"empty", ""}});
    const message read = group.message("a");
    CHECK(read.header("correlation") == "7" && read.header("empty") == "" && !read.header("none"));
    CHECK(read.headers().size() == 2 && read.headers()[1].first == "empty");
    crosstie::send_options later;
    later.delay = 3600s;
    const crosstie::sent waits = group.send("a", 2, later);
    CHECK(group.scheduled()[0]["number"] == waits.sequence && group.message("a").value() == 1);
    group.cancel_scheduled(waits.sequence);
    CHECK(group.scheduled() == list());
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.cancel_scheduled(waits.sequence));
    crosstie::send_options at_a_time;
    at_a_time.not_before = group.message("a").time() + std::int64_t(3600) * 1000000000;
    const crosstie::sent timed = group.send("a", 3, at_a_time);
    CHECK(group.scheduled()[0]["number"] == timed.sequence);
    group.cancel_scheduled(timed.sequence);
    crosstie::send_options brief;
    brief.expires = 3600s;
    group.send("b", 3, brief);
    CHECK(group.message("b").expires() > group.message("b").time());
    CHECK_THROWS(CTIE_E_INVALID, group.send("a", 1, {{"x", "1"}, {"x", "2"}}));
}

static void durable_names_keep_messages() {
    const wormhole group = open_in_memory("durable");
    group.declare("jobs", "workers");
    group.send("jobs", 1);
    group.send("jobs", 2);
    CHECK(group.durables()[0]["waiting"] == 2);
    std::mutex lock;
    std::vector<int> done;
    int failures = 1;
    auto works = group.listen("jobs", [&](const message &job) {
        const std::lock_guard<std::mutex> guard(lock);
        if (failures-- > 0) throw std::runtime_error("not yet");
        done.push_back(job.value().to<int>() * 10 + static_cast<int>(job.delivery_count()));
    }, {CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE, "workers"});
    CHECK(await([&] {
        const std::lock_guard<std::mutex> guard(lock);
        return done.size() == 2;
    }));
    CHECK((done == std::vector<int>{21, 12})); // the first was thrown out of, and came again
    CHECK(works.remove());
    group.seek("jobs", "workers", UINT64_MAX);
    group.seek_time("jobs", "workers", 1);
    group.forget("jobs", "workers");
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.forget("jobs", "workers"));
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.seek("jobs", "workers", 1));
}

static void options_of_durable_consumers_arrive() {
    const wormhole group = open_in_memory("options");
    crosstie::durable_options options;
    options.max_deliveries = 3;
    options.dead_letter = "graves";
    options.backoff_first = 7ms;
    options.backoff_most = 70ms;
    options.backoff_factor = 3;
    options.backoff_jitter = 0.5;
    options.max_messages = 11;
    options.max_size = 5000;
    options.when_full = CTIE_FULL_REFUSE;
    options.expires = 3600s;
    group.declare("jobs", "workers", options);
    const value listed = group.durables()[0]["options"];
    CHECK(listed["max_deliveries"] == 3 && listed["dead_letter"] == "graves");
    CHECK(listed["backoff_first_ms"] == 7 && listed["backoff_most_ms"] == 70);
    CHECK(listed["backoff_factor"].as<double>() == 3.0 && listed["backoff_jitter"].as<double>() == 0.5);
    CHECK(listed["max_messages"] == 11 && listed["max_size"] == 5000 && listed["when_full"] == "refuse");
    CHECK(listed["expires_ms"] == 3600000);
}

static void messages_are_acknowledged_by_hand() {
    const wormhole group = open_in_memory("manual");
    group.declare("jobs", "workers");
    group.send("jobs", 1);
    std::mutex lock;
    std::vector<message> held;
    auto works = group.listen("jobs", [&](const message &job) {
        const std::lock_guard<std::mutex> guard(lock);
        held.push_back(job);
    }, {CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE | CTIE_LISTEN_MANUAL, "workers"});
    const auto holds = [&](std::size_t count) {
        return await([&] {
            const std::lock_guard<std::mutex> guard(lock);
            return held.size() == count;
        });
    };
    CHECK(holds(1));
    held[0].reject("again", 1ms);
    CHECK(holds(2) && held[1].delivery_count() == 2);
    held[1].acknowledge();
    CHECK_THROWS(CTIE_E_ALREADY, held[1].acknowledge());
}

static void dead_letters_are_kept() {
    const wormhole group = open_in_memory("dead");
    crosstie::durable_options options;
    options.max_deliveries = 1;
    group.declare("jobs", "workers", options);
    const std::uint64_t number = group.send("jobs", 5).sequence;
    group.send("jobs", 6);
    auto works = group.listen("jobs", [](const message &) { throw std::runtime_error("broken"); },
                              {CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE, "workers"});
    CHECK(await([&] { return group.dead_letters("jobs", "workers").size() == 2; }));
    CHECK(works.remove());
    CHECK(group.dead_letters("jobs", "workers")[0]["reason"] == "broken");
    const message dead = group.dead_letter("jobs", "workers", number);
    CHECK(dead.value() == 5 && dead.reason() == "broken" && dead.delivery_count() == 1);
    CHECK(group.message("jobs.dead").header("dead_reason") == "broken");
    CHECK(group.drop("jobs", "workers", number) == 1 && group.retry("jobs", "workers") == 1);
    CHECK(group.dead_letters("jobs", "workers") == list());
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.dead_letter("jobs", "workers", number));
}

static void listeners_run_in_a_loop() {
    const wormhole group = open_in_memory("loop");
    const auto here = std::this_thread::get_id();
    int received = 0;
    crosstie::listen_options options(CTIE_LISTEN_NO_INITIAL_DELIVERY);
    options.loop = group.loop().get();
    auto receives = group.listen("a", [&](const message &reported) {
        received = std::this_thread::get_id() == here ? reported.value().to<int>() : -1;
    }, options);
    group.send("a", 5);
    struct pollfd watched = {group.loop().fd(), POLLIN, 0};
    CHECK(await([&] { return poll(&watched, 1, 100) == 1 && group.loop().dispatch() > 0 && received == 5; }));
}

static void wormholes_are_moved() {
    wormhole first = open_in_memory("moved");
    wormhole second = std::move(first);
    CHECK(!first && second.send("a", 1).sequence == 1);
    CHECK_THROWS(CTIE_E_HANDLE, first.send("a", 1));
    CHECK_STATUS(second.reset(), CTIE_OK);
    CHECK_THROWS(CTIE_E_HANDLE, second.members());
    CHECK_THROWS(CTIE_E_IDENTIFIER, wormhole::open(".", CTIE_WORMHOLE_MEMORY));
}

/* ---- A transport --------------------------------------------------------------------------------- */

/** Records in a map. */
class shelf : public crosstie::transport {
public:
    explicit shelf(std::atomic<int> &alive) : alive_(alive) { alive_++; }
    ~shelf() override { alive_--; }

    crosstie::result<std::uint64_t> version(std::chrono::milliseconds) override {
        const std::lock_guard<std::mutex> guard(lock_);
        if (broken) throw crosstie::error(CTIE_E_NO_SPACE);
        return version_;
    }

    crosstie::result<void> scan(std::string_view from, bool backward, const crosstie::record_visitor &visit,
                                std::chrono::milliseconds) override {
        const std::lock_guard<std::mutex> guard(lock_);
        if (!backward) {
            for (auto at = records_.lower_bound(std::string(from)); at != records_.end(); ++at) {
                if (!visit(at->first, at->second)) break;
            }
        } else {
            for (auto at = records_.upper_bound(std::string(from)); at != records_.begin();) {
                --at;
                if (!visit(at->first, at->second)) break;
            }
        }
        return {};
    }

    crosstie::result<std::uint64_t> commit(std::uint64_t version, crosstie::transport_token token,
                                           const std::vector<crosstie::transport_change> &changes,
                                           std::chrono::milliseconds left) override {
        const std::lock_guard<std::mutex> guard(lock_);
        CHECK(token.size() == 16 && left.count() >= 1);
        if (version != version_) return crosstie::error(CTIE_E_CONFLICT);
        for (const crosstie::transport_change &change : changes) {
            if (change.key.empty()) records_.clear();
            else if (!change.record) records_.erase(std::string(change.key));
            else records_[std::string(change.key)] = std::string(*change.record);
        }
        return ++version_;
    }

    std::uint64_t max_commit_size() const noexcept override { return largest; }
    bool can_get() const noexcept override { return true; }
    crosstie::result<void> get(const std::vector<std::string_view> &keys, const crosstie::record_visitor &visit,
                               std::chrono::milliseconds) override {
        const std::lock_guard<std::mutex> guard(lock_);
        asked_singly++;
        for (std::string_view key : keys) {
            const auto found = records_.find(std::string(key));
            if (found != records_.end() && !visit(found->first, found->second)) break;
        }
        return {};
    }

    std::atomic<bool> broken{false};
    std::uint64_t largest = 0;
    std::atomic<int> asked_singly{0};

private:
    std::atomic<int> &alive_;
    std::mutex lock_;
    std::map<std::string, std::string> records_;
    std::uint64_t version_ = 0;
};

static void transports_keep_records() {
    std::atomic<int> alive{0};
    auto kept = std::make_unique<shelf>(alive);
    shelf &records = *kept;
    {
        crosstie::wormhole_options options;
        options.transport = std::move(kept);
        const wormhole group = wormhole::open("shelf", std::move(options));
        group.send("a", {{"n", 1}});
        CHECK(records.asked_singly > 0);
        group.declare("a", "workers");
        CHECK(group.message("a").value() == value({{"n", 1}}) && group.durables().size() == 1);
        records.broken = true;
        CHECK_THROWS(CTIE_E_NO_SPACE, group.send("a", 2));
        records.broken = false;
        group.send("a", 2);
        CHECK(group.durables()[0]["waiting"] == 1);
    }
    CHECK(alive == 0);
    {
        crosstie::wormhole_options options;
        auto small = std::make_unique<shelf>(alive);
        small->largest = 1 << 20;
        options.transport = std::move(small);
        CHECK_THROWS(CTIE_E_LIMIT, wormhole::open("shelf", std::move(options)));
        CHECK(alive == 0);
    }
    {
        crosstie::wormhole_options options;
        options.transport = std::make_unique<shelf>(alive);
        const wormhole group = wormhole::open("shelf", std::move(options));
        crosstie::send_options once;
        once.token = "0123456789abcdef";
        const auto first = group.send("a", 1, once), again = group.send("a", 2, once);
        CHECK(first.sequence == again.sequence && group.message("a").value() == value(1));
    }
    CHECK(alive == 0);
    crosstie::wormhole_options options(CTIE_WORMHOLE_FAST);
    options.transport = std::make_unique<shelf>(alive);
    CHECK_THROWS(CTIE_E_INVALID, wormhole::open("shelf", std::move(options)));
    CHECK(alive == 0);
}

int main() {
    messages_are_passed_and_read();
    listeners_receive();
    headers_and_times_go_along();
    durable_names_keep_messages();
    options_of_durable_consumers_arrive();
    messages_are_acknowledged_by_hand();
    dead_letters_are_kept();
    listeners_run_in_a_loop();
    wormholes_are_moved();
    transports_keep_records();
    return check_end();
}
