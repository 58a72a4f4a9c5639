// A program with an event loop of its own, as one with windows has: it watches two descriptors, that of its bus and
// that
// of its wormhole, and everything that comes back runs on its one thread, where its windows may be touched.
#include <crosstie.hpp>
#include <iostream>
#include <poll.h>
#include <thread>

namespace {

/** The user interface; only the main thread may use it. */
class window {
public:
    void show(const std::string &text) {
        if (std::this_thread::get_id() != thread_) std::cout << "not on the main thread: ";
        std::cout << text << "\n";
    }

private:
    std::thread::id thread_ = std::this_thread::get_id();
};

} // namespace

int main() {
    window view;
    int open = 2; // what the program still waits for

    auto bus = crosstie::bus::make();
    auto slow = bus.route("app://report", [](crosstie::request &request) {
        request.progress("counting"); // on a worker
        return 42;
    });
    crosstie::request_options options(std::chrono::seconds(30));
    options.loop = bus.loop().get();
    options.progress = [&view](const crosstie::value &step) { view.show("progress: " + step.to<std::string>()); };
    auto call = bus.open_async("app://report", crosstie::origin::local, [&](const crosstie::response_view &response) {
        view.show("report: " + response.value().to_json());
        open--;
    }, std::move(options));

    auto group = crosstie::wormhole::open("example", CTIE_WORMHOLE_MEMORY);
    crosstie::listen_options listen(CTIE_LISTEN_NO_INITIAL_DELIVERY);
    listen.loop = group.loop().get();
    auto listener = group.listen("news", [&](const crosstie::message &message) {
        view.show("news: " + message.value().read("title", "none"));
        open--;
    }, listen);

    bool passed = false;
    pollfd watched[] = {{bus.loop().fd(), POLLIN, 0}, {group.loop().fd(), POLLIN, 0}};
    while (open > 0 && poll(watched, 2, 60000) > 0) {
        if (watched[0].revents != 0) bus.loop().dispatch();
        if (watched[1].revents != 0) group.loop().dispatch();
        if (open == 1 && !passed) { // any other process could do this
            passed = true;
            group.send("news", {{"title", "hello"}});
        }
    }
    return open == 0 ? 0 : 1;
}
