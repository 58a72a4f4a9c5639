// Asynchronous requests: completions, waiting, cancelling, deadlines, progress, and loops by a descriptor.
#include "support.hpp"

using crosstie::bus;
using crosstie::origin;
using crosstie::request;
using crosstie::response_view;
using crosstie::value;

/** Requests that were kept, to be answered later. */
struct desk {
    std::mutex lock;
    std::vector<crosstie::retained_request> kept;

    void take(request &asked) {
        const std::lock_guard<std::mutex> guard(lock);
        kept.push_back(asked.retain());
    }
    bool has(std::size_t count) {
        const std::lock_guard<std::mutex> guard(lock);
        return kept.size() == count;
    }
};

static void completions_run_once(const bus &on) {
    std::atomic<int> alive{0};
    std::atomic<int> reported{0};
    auto done = counted<std::function<void(const response_view &)>>(alive, [&reported](const response_view &ended) {
        reported += ended.ok() && ended.value() == 5 ? 1 : 100;
    });
    auto call = on.open_async("app://five", origin::local, std::move(done), {-1ms});
    CHECK(call.wait().value() == 5 && call.state() == CTIE_OK);
    CHECK(await([&] { return reported == 1 && alive == 0; }));
    CHECK(on.open_async("app://five").wait().value() == 5);
    const auto failed = on.open_async("app://fail", origin::local, nullptr, {-1ms}).try_wait();
    CHECK(failed.status() == CTIE_E_HANDLER && failed.error().code() == 3 && failed.error().message() == "three");
}

static void requests_are_answered_later(const bus &on, desk &at) {
    auto call = on.open_async("app://later", origin::local, nullptr, {-1ms});
    CHECK(await([&] { return at.has(1); }));
    CHECK(call.state() == CTIE_PENDING && call.try_wait(1ms).status() == CTIE_E_TIMEOUT);
    std::thread([&at] { at.kept[0].reply("from another thread"); }).join();
    at.kept.clear();
    CHECK(call.wait().value() == "from another thread");

    call = on.open_async("app://later", origin::local, nullptr, {-1ms});
    CHECK(await([&] { return at.has(1); }));
    at.kept.clear();
    CHECK(call.try_wait().status() == CTIE_E_NO_REPLY);
}

static void requests_are_cancelled(const bus &on, desk &at) {
    std::atomic<int> alive{0};
    std::atomic<int> reported{0};
    auto call = on.open_async("app://later", origin::local, nullptr, {-1ms});
    CHECK(await([&] { return at.has(1); }));
    at.kept[0].on_cancel(counted<std::function<void()>>(alive, [&reported] { reported++; }));
    call.cancel();
    CHECK(call.try_wait().status() == CTIE_E_CANCELLED && call.state() == CTIE_E_CANCELLED);
    CHECK(await([&] { return reported == 1 && alive == 0; }));
    CHECK(at.kept[0].is_cancelled() && at.kept[0].is_ended());
    CHECK_THROWS(CTIE_E_ALREADY, call.cancel());
    CHECK_THROWS(CTIE_E_ALREADY, at.kept[0].reply());
    at.kept.clear();
    call = on.open_async("app://later", origin::local, nullptr, {1ms});
    CHECK(call.try_wait().status() == CTIE_E_TIMEOUT);
    CHECK(await([&] { return at.has(1) || call.state() == CTIE_E_TIMEOUT; }));
    at.kept.clear();
}

static void calls_are_moved(const bus &on) {
    auto first = on.open_async("app://five");
    auto second = std::move(first);
    CHECK(!first && second.wait().value() == 5);
    CHECK_STATUS(first.state(), CTIE_E_HANDLE);
    CHECK_THROWS(CTIE_E_HANDLE, first.wait());
    CHECK_THROWS(CTIE_E_HANDLE, first.cancel());
    CHECK_STATUS(second.reset(), CTIE_OK);
    CHECK_STATUS(second.reset(), CTIE_OK);
}

static void progress_is_reported(const bus &on) {
    std::atomic<int> sum{0};
    crosstie::request_options options(-1ms);
    options.progress = [&sum](const value &how_far) { sum += how_far.to<int>(); };
    CHECK(on.open_async("app://steps", origin::local, nullptr, std::move(options)).wait().value() == "done");
    CHECK(sum == 3);
}

static void options_reach_the_request(const bus &on) {
    on.add_dispatcher("single", {1, 64});
    std::string order; // one worker writes it
    std::atomic<bool> goes{false};
    on.route("app://first", [&](request &) {
        await([&] { return goes.load(); });
    }).keep();
    on.route("app://note/:mark", [&](request &asked) { order += asked.param("mark", ""); }).keep();
    const auto on_single = [](crosstie::priority priority) {
        crosstie::request_options options(-1ms);
        options.dispatcher = "single";
        options.priority = priority;
        return options;
    };
    auto first = on.open_async("app://first", origin::local, nullptr, on_single(crosstie::priority::normal));
    auto low = on.open_async("app://note/l", origin::local, nullptr, on_single(crosstie::priority::low));
    auto normal = on.open_async("app://note/n", origin::local, nullptr, on_single(crosstie::priority::normal));
    auto high = on.open_async("app://note/h", origin::local, nullptr, on_single(crosstie::priority::high));
    CHECK(low.state() == CTIE_PENDING && high.state() == CTIE_PENDING); // they wait for the only worker
    goes = true;
    first.wait();
    low.wait();
    normal.wait();
    high.wait();
    CHECK(order == "hnl");
    crosstie::request_options unknown(-1ms);
    unknown.dispatcher = "none";
    CHECK(!on.try_open_async("app://five", origin::local, nullptr, std::move(unknown)));
}

static bool readable(int fd) {
    struct pollfd watched = {fd, POLLIN, 0};
    return poll(&watched, 1, 60000) == 1;
}

static void completions_run_in_a_loop(const bus &on) {
    const auto here = std::this_thread::get_id();
    bool reported = false;
    crosstie::request_options options(-1ms);
    options.loop = on.loop().get();
    auto call = on.open_async("app://five", origin::local,
                              [&](const response_view &) { reported = std::this_thread::get_id() == here; },
                                  std::move(options));
    CHECK(readable(on.loop().fd()) && !reported && on.loop().dispatch() == 1 && reported);

    const crosstie::loop own = crosstie::loop::make();
    crosstie::request_options other(-1ms);
    other.loop = own.get();
    reported = false;
    on.open_async("app://five", origin::local, [&](const response_view &) { reported = true; }, std::move(other)).wait();
    CHECK(readable(own.fd()) && own.dispatch() == 1 && reported && own.dispatch() == 0);
}

static void waits_are_ended(const bus &on, desk &at) {
    auto call = on.open_async("app://later", origin::local, nullptr, {-1ms});
    CHECK(await([&] { return at.has(1); }));
    {
        std::atomic<int> asked{0};
        const crosstie::wait_guard guard([&asked] { return ++asked > 1; });
        CHECK(call.try_wait().status() == CTIE_E_CANCELLED && asked == 2);
    }
    {
        const crosstie::wait_guard guard([]() -> bool { throw std::runtime_error("stray"); });
        CHECK(call.try_wait(200ms).status() == CTIE_E_TIMEOUT);
    }
    at.kept[0].reply(1);
    CHECK(call.wait().value() == 1);
    at.kept.clear();
}

int main() {
    crosstie::on_stray_exception([](const char *) noexcept {});
    desk at;
    const bus on = bus::make({"async"});
    on.route("app://five", [](request &) { return 5; }).keep();
    on.route("app://fail", [](request &) { throw crosstie::error::failure(3, "three"); }).keep();
    on.route("app://later", [&at](request &asked) { at.take(asked); }).keep();
    on.route("app://steps", [](request &asked) {
        asked.progress(1);
        asked.progress(2);
        return "done";
    }).keep();
    completions_run_once(on);
    requests_are_answered_later(on, at);
    requests_are_cancelled(on, at);
    calls_are_moved(on);
    progress_is_reported(on);
    options_reach_the_request(on);
    completions_run_in_a_loop(on);
    waits_are_ended(on, at);
    CHECK(on.close());
    return check_end();
}
