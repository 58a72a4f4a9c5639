// A program's own engine in C++: everything that the wormhole and the engine hand each other arrives.
#include <map>

#include "support.hpp"

using crosstie::engine_answer;
using crosstie::engine_message;
using crosstie::message;
using crosstie::message_kind;
using crosstie::result;
using crosstie::value;
using crosstie::wormhole;
using std::chrono::milliseconds;

/** Counters of an engine, which outlive it. */
struct ledger {
    std::atomic<int> alive{0};
    std::atomic<int> sends{0};
    std::atomic<int> acknowledged{0};
    std::atomic<int> rejected{0};
    std::atomic<std::int64_t> delay_ns{-1};
    std::atomic<bool> is_broken{false};
    std::atomic<bool> throws_anything{false};
    std::atomic<bool> fails_with_success{false};
    std::atomic<bool> throws_in_credit{false};
    std::atomic<std::uint32_t> start{99};
    std::atomic<std::uint64_t> start_sequence{0};
};

/** Messages in memory, of one wormhole. It delivers on the thread that sends. */
class relay : public crosstie::engine {
public:
    explicit relay(ledger &on) : ledger_(on) { ledger_.alive++; }
    ~relay() override { ledger_.alive--; }

    result<std::uint32_t> open(std::string_view group, const crosstie::engine_host &host, milliseconds left) override {
        CHECK(left.count() >= 1 && host.pid() == getpid() && host.max_value_size() > 0);
        if (group == "refused") {
            host.explain("not today");
            return crosstie::error(CTIE_E_DENIED);
        }
        host_.emplace(host);
        if (group == "far") host_->connection_changed({CTIE_CONNECTION_CONNECTED, 5, "server", "2.9", ""});
        host_->log(CTIE_LOG_WARNING, "open as " + std::string(host.name()));
        host_->members_changed();
        return std::uint32_t(CTIE_ENGINE_ATOMIC_BATCHES | CTIE_ENGINE_TOKENS | CTIE_ENGINE_COUNTS_LISTENERS);
    }

    result<crosstie::engine_sent> send(const std::vector<engine_message> &messages, std::string_view token,
                                       milliseconds) override {
        const std::lock_guard<std::mutex> guard(lock_);
        ledger_.sends++;
        if (ledger_.is_broken) throw crosstie::error(CTIE_E_NO_SPACE);
        if (ledger_.throws_anything) throw 7;
        if (ledger_.fails_with_success) return crosstie::error(CTIE_OK);
        CHECK(token.size() == 16);
        const auto known = tokens_.find(std::string(token));
        if (known != tokens_.end()) return crosstie::engine_sent{known->second, 0};
        crosstie::engine_sent sent{log_.size() + 1, 3};
        tokens_[std::string(token)] = sent.first;
        for (const engine_message &each : messages) enter(each);
        for (auto &[number, to] : bindings_) deliver(number, to);
        return sent;
    }

    result<void> current(std::string_view identifier, const crosstie::engine_visitor<engine_message> &visit,
                         milliseconds) override {
        const std::lock_guard<std::mutex> guard(lock_);
        const auto found = current_.find(std::string(identifier));
        if (found != current_.end()) visit(shown(found->second));
        return {};
    }

    result<void> identifiers(std::string_view, const crosstie::engine_visitor<std::string_view> &visit,
                             milliseconds) override {
        const std::lock_guard<std::mutex> guard(lock_);
        for (const auto &[id, number] : current_) {
            if (!visit(id)) break;
        }
        return {};
    }

    result<void> bind(std::uint64_t number, const crosstie::engine_binding &how, milliseconds) override {
        const std::lock_guard<std::mutex> guard(lock_);
        binding &to = bindings_[number];
        to.topic = std::string(how.topic);
        to.delivery = how.delivery;
        to.credit = how.credit;
        to.position = how.start == CTIE_ENGINE_FROM_OLDEST ? 0 : log_.size();
        ledger_.start = how.start;
        ledger_.start_sequence = how.start_sequence;
        if (how.delivery == CTIE_ENGINE_DURABLE) {
            CHECK(how.name == "worker" && how.max_unacknowledged == 5);
            name_ = std::string(how.name);
        }
        if (how.delivery == CTIE_ENGINE_STATE) deliver_stored(number, to);
        return {};
    }

    void credit(std::uint64_t number, std::uint32_t count) override {
        if (ledger_.throws_in_credit) throw std::runtime_error("no credit");
        const std::lock_guard<std::mutex> guard(lock_);
        bindings_[number].credit += count;
        deliver(number, bindings_[number]);
    }

    void resolve(std::uint64_t, const std::vector<engine_answer> &answers) override {
        for (const engine_answer &each : answers) {
            CHECK(each.claim > 1000);
            if (each.outcome == CTIE_ENGINE_ACKNOWLEDGED) ledger_.acknowledged++;
            if (each.outcome != CTIE_ENGINE_REJECTED) continue;
            CHECK(each.reason == "later");
            ledger_.delay_ns = each.delay_ns;
            ledger_.rejected++;
        }
    }

    result<void> unbind(std::uint64_t number, milliseconds) override {
        const std::lock_guard<std::mutex> guard(lock_);
        bindings_.erase(number);
        return {};
    }

    result<void> members(const crosstie::engine_visitor<crosstie::engine_member> &visit, milliseconds) override {
        visit({host_->name(), 5, host_->pid(), true});
        return {};
    }

    std::uint32_t functions() const noexcept override {
        return CTIE_ENGINE_FORGETS | CTIE_ENGINE_LISTS_DURABLES | CTIE_ENGINE_SEEKS | CTIE_ENGINE_DECLARES;
    }
    result<void> forget(std::string_view topic, std::string_view name, milliseconds) override {
        return topic == "job" && name == "worker" ? result<void>() : crosstie::error(CTIE_E_NOT_FOUND);
    }
    result<void> durables(const crosstie::engine_visitor<crosstie::engine_durable> &visit, milliseconds) override {
        crosstie::engine_durable shown;
        shown.name = name_;
        shown.identifier = "job";
        shown.waiting = 4;
        shown.position = 6;
        shown.holders.push_back({"holder", 77, 2, 8});
        visit(shown);
        return {};
    }
    result<void> seek(std::string_view topic, std::string_view name, std::uint32_t start, std::uint64_t sequence,
                      std::int64_t, milliseconds) override {
        CHECK(topic == "job" && name == "worker");
        ledger_.start = start;
        ledger_.start_sequence = sequence;
        return {};
    }
    result<void> declare(std::string_view topic, std::string_view name, const ctie_durable_options &options,
                         milliseconds) override {
        CHECK(topic == "job" && name == "worker");
        if (options.max_deliveries != 0) return crosstie::error(CTIE_E_UNSUPPORTED);
        CHECK(options.backoff_first_ms == 9);
        name_ = std::string(name);
        return {};
    }

private:
    struct entry {
        std::int32_t kind;
        std::string id, bytes, sender, header;
        std::int64_t time;
    };
    struct binding {
        std::string topic;
        std::uint32_t delivery = 0, credit = 0;
        std::uint64_t position = 0;
    };

    void enter(const engine_message &sent) {
        std::string header;
        for (const auto &[name, text] : sent.headers) header = std::string(name) + "=" + std::string(text);
        log_.push_back({sent.kind, std::string(sent.identifier), std::string(sent.value), std::string(sent.sender_name),
                        header, sent.time});
        if (sent.kind == CTIE_MESSAGE_VALUE) current_[log_.back().id] = log_.size();
        if (sent.kind == CTIE_MESSAGE_DESTROYED) current_.erase(log_.back().id);
    }

    engine_message shown(std::uint64_t number) const {
        const entry &it = log_[number - 1];
        engine_message made;
        made.kind = it.kind;
        made.identifier = it.id;
        made.value = it.bytes;
        made.sender_name = it.sender;
        made.sender_pid = 12;
        made.time = it.time;
        made.sequence = number;
        if (!it.header.empty()) made.headers.emplace_back("a", std::string_view(it.header).substr(2));
        return made;
    }

    void deliver(std::uint64_t number, binding &to) {
        while (to.credit > 0 && to.position < log_.size()) {
            engine_message next = shown(++to.position);
            if (to.topic != "*" && to.topic != next.identifier) continue;
            if (to.delivery == CTIE_ENGINE_DURABLE) {
                next.claim = 1000 + to.position;
                next.delivery_count = 1;
            }
            const crosstie::engine_delivered got = host_->deliver(number, next);
            CHECK_STATUS(got.status, CTIE_OK);
            to.credit += got.credit - 1;
        }
    }

    /** All at once; in this test they are fewer than the credit. */
    void deliver_stored(std::uint64_t number, binding &to) {
        std::vector<engine_message> all;
        for (const auto &[id, sequence] : current_) {
            if (to.topic != "*" && to.topic != id) continue;
            all.push_back(shown(sequence));
            all.back().flags = CTIE_ENGINE_STORED;
        }
        if (all.empty()) {
            if (to.topic == "*") return;
            engine_message none;
            none.kind = CTIE_MESSAGE_NONE;
            none.flags = CTIE_ENGINE_STORED;
            none.identifier = to.topic;
            all.push_back(none);
        }
        const crosstie::engine_delivered got = host_->deliver(number, all);
        CHECK_STATUS(got.status, CTIE_OK);
        to.credit += got.credit - static_cast<std::uint32_t>(all.size());
    }

    ledger &ledger_;
    std::mutex lock_;
    std::optional<crosstie::engine_host> host_;
    std::vector<entry> log_;
    std::map<std::string, std::uint64_t> current_;
    std::map<std::string, std::uint64_t> tokens_;
    std::map<std::uint64_t, binding> bindings_;
    std::string name_;
};

/** It sends several messages one by one, and refuses one of them. */
class one_by_one : public relay {
public:
    one_by_one(ledger &on, std::size_t refused) : relay(on), refused_(refused) {}

    result<std::uint32_t> open(std::string_view group, const crosstie::engine_host &host, milliseconds left) override {
        return *relay::open(group, host, left) & ~std::uint32_t(CTIE_ENGINE_ATOMIC_BATCHES);
    }

    std::uint32_t functions() const noexcept override { return CTIE_ENGINE_BATCHES; }

    result<crosstie::engine_sent_each> send_each(const std::vector<engine_message> &messages, std::string_view token,
                                                 milliseconds left) override {
        crosstie::engine_sent_each made;
        std::string each(token);
        for (; made.sent < messages.size() && made.status == CTIE_OK; made.sent++) {
            if (made.sent == refused_) made.status = CTIE_E_NO_SPACE;
            if (made.status != CTIE_OK) break;
            each.back() = static_cast<char>(made.sent);
            const auto sent = send({messages[made.sent]}, each, left);
            if (made.sent == 0) made.first = sent->first;
        }
        return made;
    }

private:
    std::size_t refused_;
};

static void messages_go_one_by_one() {
    ledger on;
    for (const std::size_t refused : {std::size_t(9), std::size_t(1)}) {
        crosstie::wormhole_options options;
        options.name = "tester";
        options.engine = std::make_unique<one_by_one>(on, refused);
        const wormhole group = wormhole::open("each", std::move(options));
        CHECK(group.abilities() == (CTIE_ENGINE_BATCHES | CTIE_ENGINE_TOKENS | CTIE_ENGINE_COUNTS_LISTENERS));
        CHECK_THROWS(CTIE_E_UNSUPPORTED, group.send_many({{"a", 1}, {"a", 2}}));
        crosstie::send_options each{{"a", "b"}};
        each.flags = CTIE_SEND_NOT_ATOMIC;
        const auto got = group.try_send_many({{"a", 1}, {"a", 2}}, each);
        CHECK(got.status() == (refused == 1 ? CTIE_E_NO_SPACE : CTIE_OK));
        CHECK(refused == 1 ? got.error().location() == "messages[1]" : *got == 1);
        CHECK(group.message("a").value() == (refused == 1 ? 1 : 2) && group.message("a").header("a") == "b");
    }
    CHECK(on.alive == 0);
}

static wormhole open_on(ledger &on, const char *group = "relay") {
    crosstie::wormhole_options options;
    options.name = "tester";
    options.engine = std::make_unique<relay>(on);
    return wormhole::open(group, std::move(options));
}

static void messages_go_through() {
    ledger on;
    {
        const wormhole group = open_on(on);
        const crosstie::sent first = group.send("a", {{"n", 1}}, {{"a", "b"}});
        CHECK(first.sequence == 1 && first.listeners == 3);
        const message read = group.message("a");
        CHECK(read.value() == value({{"n", 1}}) && read.sender_name() == "tester" && read.sender_pid() == 12);
        CHECK(read.header("a") == "b" && read.time() > 0 && read.sequence() == 1);
        CHECK(group.send_many({{"b", 2}, {"c", value::empty()}}) == 2 && on.sends == 2);
        CHECK(group.identifiers().size() == 2);
        crosstie::send_options once;
        once.token = "0123456789abcdef";
        CHECK(group.send("b", 3, once).sequence == 4 && group.send("b", 4, once).sequence == 4);
        CHECK(group.destroy("a").sequence == 5);
        CHECK_THROWS(CTIE_E_NOT_FOUND, group.message("a"));
        CHECK(group.members()[0]["name"] == "tester");
        const std::uint32_t has = group.abilities();
        CHECK((has & CTIE_ENGINE_FORGETS) != 0 && (has & CTIE_ENGINE_TOKENS) != 0 && (has & CTIE_ENGINE_CANCELS) == 0);
        CHECK_THROWS(CTIE_E_UNSUPPORTED, group.cancel_scheduled(1));
        CHECK_THROWS(CTIE_E_UNSUPPORTED, group.scheduled());
    }
    CHECK(on.alive == 0);
}

static void listeners_are_bound() {
    ledger on;
    {
        const wormhole group = open_on(on);
        std::atomic<int> last{0}, total{0}, done{0};
        std::atomic<message_kind> kind{message_kind::value};
        group.send("a", 1);
        auto state = group.listen("a", [&](const message &got) { last = got.value().as<int>().value_or(0); });
        auto none = group.listen("z", [&](const message &got) { kind = got.kind(); });
        CHECK(await([&] { return last == 1 && kind == message_kind::none; }));
        auto queue = group.listen("*", [&](const message &got) { total += got.value().as<int>().value_or(0); },
                                  CTIE_LISTEN_QUEUE | CTIE_LISTEN_FROM_OLDEST);
        CHECK(on.start == CTIE_ENGINE_FROM_OLDEST);
        crosstie::listen_options shared(CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE, "worker");
        shared.max_unacknowledged = 5;
        auto durable = group.listen("job", [&](const message &got) {
            if (got.value() == value(7)) got.reject("later", 1h);
            done++;
        }, shared);
        group.send("a", 2);
        for (int i = 1; i <= 20; i++) group.send("job", i);
        CHECK(await([&] { return last == 2 && done == 20 && total == 1 + 2 + 210; }));
        CHECK(await([&] { return on.acknowledged == 19 && on.rejected == 1; }));
        CHECK(on.delay_ns > 0 && on.delay_ns <= std::chrono::nanoseconds(1h).count()); // what is left of it
    }
    CHECK(on.alive == 0);
}

static void durable_consumers_are_managed() {
    ledger on;
    const wormhole group = open_on(on);
    crosstie::durable_options options;
    options.backoff_first = 9ms;
    group.declare("job", "worker", options);
    options.max_deliveries = 2;
    CHECK_THROWS(CTIE_E_UNSUPPORTED, group.declare("job", "worker", options));
    const value shown = group.durables();
    CHECK(shown.size() == 1 && shown[0]["name"] == "worker" && shown[0]["waiting"] == 4 && shown[0]["position"] == 6);
    CHECK(shown[0]["in_hand"][0]["pid"] == 77 && shown[0]["in_hand"][0]["name"] == "holder");
    group.seek("job", "worker", 4);
    CHECK(on.start == CTIE_ENGINE_FROM_SEQUENCE && on.start_sequence == 4);
    group.forget("job", "worker");
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.forget("job", "other"));
}

static std::atomic<int> strays{0};

/** Keeps one message that waits for its time. */
class planner : public relay {
public:
    using relay::relay;
    result<std::uint32_t> open(std::string_view group, const crosstie::engine_host &host, milliseconds left) override {
        const std::uint32_t has = relay::open(group, host, left).take();
        return has | std::uint32_t(CTIE_ENGINE_SCHEDULES);
    }
    result<crosstie::engine_sent> send(const std::vector<engine_message> &messages, std::string_view,
                                       milliseconds) override {
        not_before_ = messages[0].not_before;
        expires_ = messages[0].expires;
        return crosstie::engine_sent{7, 0};
    }
    std::uint32_t functions() const noexcept override { return CTIE_ENGINE_LISTS_SCHEDULED | CTIE_ENGINE_CANCELS; }
    result<void> scheduled(std::string_view topic, const crosstie::engine_visitor<engine_message> &visit,
                           milliseconds) override {
        CHECK(topic == "later");
        engine_message shown;
        shown.kind = CTIE_MESSAGE_SIGNAL;
        shown.identifier = "later";
        shown.sequence = 7;
        shown.time = 1;
        shown.not_before = not_before_;
        shown.expires = expires_;
        visit(shown);
        return {};
    }
    result<void> cancel(std::uint64_t number, milliseconds) override {
        return number == 7 ? result<void>() : crosstie::error(CTIE_E_NOT_FOUND);
    }

private:
    std::int64_t not_before_ = 0, expires_ = 0;
};

static void messages_wait() {
    ledger on;
    crosstie::wormhole_options options;
    options.engine = std::make_unique<planner>(on);
    const wormhole group = wormhole::open("relay", std::move(options));
    crosstie::send_options at;
    at.not_before = 4000000000000000000;
    at.expires = 1h;
    CHECK(group.send("later", 1, at).sequence == 7);
    const value shown = group.scheduled("later");
    CHECK(shown.size() == 1 && shown[0]["number"] == 7 && shown[0]["not_before"] == at.not_before);
    CHECK(shown[0]["expires"].as<std::int64_t>().value_or(0) > 0);
    group.cancel_scheduled(7);
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.cancel_scheduled(8));
}

/** Has one dead letter. */
class undertaker : public relay {
public:
    using relay::relay;
    std::uint32_t functions() const noexcept override { return CTIE_ENGINE_DEAD_LETTERS; }
    result<void> dead_letters(std::string_view topic, std::string_view name, std::uint64_t after, std::size_t limit,
                              bool has_values, const crosstie::engine_visitor<crosstie::engine_dead_letter> &visit,
                              milliseconds) override {
        CHECK(topic == "job" && limit >= 1);
        if (name != "worker") return crosstie::error(CTIE_E_NOT_FOUND);
        crosstie::engine_dead_letter letter;
        letter.message.identifier = "job";
        letter.message.sequence = 4;
        letter.message.value = has_values ? "\x05" : "";
        letter.value_size = 1;
        letter.dead = 7;
        letter.sent_as = 9;
        letter.deliveries = 2;
        letter.reason = "no stock";
        if (after < 4 && count_ > 0) visit(letter);
        return {};
    }
    result<void> end_dead_letters(std::string_view, std::string_view, std::uint64_t sequence, std::uint32_t action,
                                  std::uint64_t &count, milliseconds) override {
        CHECK(sequence == 0 && action == CTIE_ENGINE_DROP);
        count = std::exchange(count_, 0);
        return {};
    }

private:
    std::uint64_t count_ = 1;
};

static void dead_letters_are_managed() {
    ledger on;
    crosstie::wormhole_options options;
    options.engine = std::make_unique<undertaker>(on);
    const wormhole group = wormhole::open("relay", std::move(options));
    CHECK((group.abilities() & CTIE_ENGINE_DEAD_LETTERS) != 0);
    const value shown = group.dead_letters("job", "worker");
    CHECK(shown.size() == 1 && shown[0]["sequence"] == 4 && shown[0]["reason"] == "no stock");
    CHECK(shown[0]["sent_as"] == 9 && shown[0]["dead"] == 7 && shown[0]["deliveries"] == 2 && shown[0]["size"] == 1);
    CHECK(group.dead_letter("job", "worker", 4).value() == 5);
    CHECK_THROWS(CTIE_E_NOT_FOUND, group.dead_letters("job", "other"));
    CHECK(group.drop("job", "worker") == 1);
    CHECK(group.dead_letters("job", "worker").size() == 0);
}

static void exceptions_become_statuses() {
    ledger on;
    {
        const wormhole group = open_on(on);
        on.is_broken = true;
        CHECK_THROWS(CTIE_E_NO_SPACE, group.send("a", 1));
        on.is_broken = false;
        on.throws_anything = true;
        CHECK_THROWS(CTIE_E_SYSTEM, group.send("a", 1));
        on.throws_anything = false;
        on.fails_with_success = true;
        CHECK_THROWS(CTIE_E_SYSTEM, group.send("a", 1));
        on.fails_with_success = false;
        crosstie::on_stray_exception([](const char *) noexcept { strays++; });
        on.throws_in_credit = true;
        std::atomic<int> count{0};
        auto queue = group.listen("a", [&](const message &) { count++; }, CTIE_LISTEN_QUEUE);
        for (int i = 0; i < 200; i++) group.send("a", i);
        CHECK(await([&] { return strays > 0; }));
        crosstie::on_stray_exception(nullptr);
    }
    CHECK(on.alive == 0);
}

static void opening_may_fail() {
    ledger on;
    CHECK_THROWS(CTIE_E_DENIED, open_on(on, "refused"));
    CHECK(on.alive == 0);
    crosstie::wormhole_options flagged(CTIE_WORMHOLE_FAST);
    flagged.engine = std::make_unique<relay>(on);
    CHECK_THROWS(CTIE_E_INVALID, wormhole::open("relay", std::move(flagged)));
    CHECK(on.alive == 0);
    /* One engine in C++ and one in C are one too many; both end. */
    static std::atomic<int> closed{0};
    static int in_c_data = 0;
    ctie_engine in_c{};
    in_c.size = sizeof in_c;
    in_c.close = [](void *data) { closed += data == &in_c_data ? 1 : 100; };
    crosstie::wormhole_options both;
    both.engine = std::make_unique<relay>(on);
    both.c_engine = &in_c;
    both.c_engine_data = &in_c_data;
    CHECK_THROWS(CTIE_E_INVALID, wormhole::open("relay", std::move(both)));
    CHECK(on.alive == 0 && closed == 1);
    crosstie::wormhole_options plain;
    plain.c_engine = &in_c;
    plain.c_engine_data = &in_c_data;
    CHECK_THROWS(CTIE_E_INVALID, wormhole::open("relay", std::move(plain)));
    CHECK(closed == 2);
}

/** Returns the message of the exception that opening throws. */
static std::string refusal(std::string_view group, crosstie::wormhole_options options) {
    try {
        wormhole::open(group, std::move(options));
        return "";
    } catch (const crosstie::error &error) {
        return error.what();
    }
}

static void engines_give_reasons() {
    ledger on;
    crosstie::wormhole_options options;
    options.engine = std::make_unique<relay>(on);
    CHECK(refusal("refused", std::move(options)).find(": not today") != std::string::npos);
}

static void connections_are_read_and_listened_to() {
    ledger on;
    std::atomic<int> count{0};
    const wormhole far = open_on(on, "far");
    const value now = far.connection();
    CHECK(now["state"] == "connected" && now["since"] == 5 && now["server"] == "server" && now["version"] == "2.9");
    auto listener = far.listen_connection([&](const message &it) {
        CHECK(it.kind() == message_kind::connection && it.value() == now && it.time() == 5);
        count++;
    });
    CHECK(await([&] { return count == 1; }));
    const wormhole near = open_on(on);
    CHECK_THROWS(CTIE_E_UNSUPPORTED, near.connection());
    CHECK_THROWS(CTIE_E_UNSUPPORTED, auto none = near.listen_connection([](const message &) {}));
}

static void addresses_are_checked() {
    crosstie::wormhole_options with_token, two_log_ins, many_copies;
    with_token.token = "hunter2";
    CHECK_THROWS(CTIE_E_INVALID, wormhole::open("shop", std::move(with_token)));
    two_log_ins.user = two_log_ins.password = "hunter2";
    const std::string said = refusal("nats://token@host/shop", std::move(two_log_ins));
    CHECK(said.find("log-ins") != std::string::npos && said.find("hunter2") == std::string::npos);
    many_copies.replicas = 6;
    CHECK_THROWS(CTIE_E_LIMIT, wormhole::open("nats://host/shop", std::move(many_copies)));
    CHECK_THROWS(CTIE_E_UNSUPPORTED, wormhole::open("http://u:hunter2@host/shop"));
}

static void the_log_gets_lines() {
    ledger on;
    std::mutex lock;
    std::string lines;
    crosstie::wormhole_options options;
    options.name = "logger";
    options.engine = std::make_unique<relay>(on);
    options.log = [&](std::int32_t, std::string_view line) {
        const std::lock_guard<std::mutex> guard(lock);
        lines += line;
    };
    const wormhole group = wormhole::open("relay", std::move(options));
    auto queue = group.listen("a", [](const message &) {}, CTIE_LISTEN_QUEUE);
    CHECK(await([&] {
        const std::lock_guard<std::mutex> guard(lock);
        return lines.find("open as logger") != std::string::npos;
    }));
}

int main() {
    messages_go_through();
    messages_go_one_by_one();
    listeners_are_bound();
    durable_consumers_are_managed();
    messages_wait();
    dead_letters_are_managed();
    exceptions_become_statuses();
    opening_may_fail();
    engines_give_reasons();
    connections_are_read_and_listened_to();
    addresses_are_checked();
    the_log_gets_lines();
    return check_end();
}
