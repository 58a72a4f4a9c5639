// The example of MMWormhole's README.
#include <crosstie.hpp>
#include <iostream>
#include <semaphore.h>

int main() {
    sem_t received; // std::counting_semaphore comes with C++20
    sem_init(&received, 0, 0);

    // [port]
    auto app = crosstie::wormhole::open("group.com.mutualmobile.wormhole");

    app.send("button", {{"buttonNumber", 1}});
    auto number = app.listen("button", [&](const crosstie::message &message) {
        std::cout << "label " << message.value().read("buttonNumber", 0) << "\n";
        sem_post(&received);
    });
    sem_wait(&received); // the message was waiting

    app.send("title", {{"titleString", "Hello"}});
    std::cout << "stored " << app.message("title").value().read("titleString", "no title") << "\n";

    auto title = app.listen("title", [&](const crosstie::message &message) {
        std::cout << "received " << message.value().read("titleString", "no title") << "\n";
        sem_post(&received);
    });
    sem_wait(&received);
    // [end]
}
