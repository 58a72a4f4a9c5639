// Matching with the router of uWebSockets, on the route sets that datasets.py writes.
#include <HttpRouter.h>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 15, builds = 5;
constexpr double time_ns = 3e8;

struct Nothing {};
using Router = uWS::HttpRouter<Nothing>;
using Lines = std::vector<std::string>;

size_t found; // the number of the route that was taken last

double now() {
    auto time = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

size_t allocated() {
    auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

Lines read_lines(const std::string &directory, const std::string &set, const char *kind) {
    std::ifstream file(directory + "/" + set + "." + kind);
    Lines lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

// The rest of a path has no name there: "/files/*rest" is "/files/*".
Lines unnamed_rests(Lines routes) {
    for (auto &route : routes) route = route.substr(0, route.find('*') + (route.find('*') != std::string::npos));
    return routes;
}

std::unique_ptr<Router> build(const Lines &routes) {
    auto router = std::make_unique<Router>();
    for (size_t number = 0; number < routes.size(); number++) {
        router->add({"GET"}, routes[number], [number](Router *) {
            found = number;
            return true;
        });
    }
    return router;
}

// The lowest of several rounds, as many as there is time for, in nanoseconds for each of `count`.
template <class Work> double lowest(int rounds, size_t count, Work work) {
    double start = now(), least = 1e18;
    for (int round = 0; round < rounds && (round == 0 || now() - start < time_ns); round++) {
        double begin = now();
        auto made = work();
        least = std::min(least, (now() - begin) / static_cast<double>(count));
    }
    return least;
}

bool answers(Router &router, const Lines &paths, const Lines &expected) {
    for (size_t i = 0; i < paths.size(); i++) {
        if (!router.route("GET", paths[i]) || found != std::stoul(expected[i])) return false;
    }
    return true;
}

void report(const char *work, const std::string &set, double figure) {
    std::printf("%s.%s\tuWebSockets\t%.2f\n", work, set.c_str(), figure);
}

void measure(const std::string &directory, const std::string &set) {
    Lines routes = unnamed_rests(read_lines(directory, set, "routes")), paths = read_lines(directory, set, "paths");
    size_t before = allocated();
    auto router = build(routes);
    size_t memory = allocated() - before;
    if (!answers(*router, paths, read_lines(directory, set, "expected"))) {
        std::printf("# skipped: uWebSockets on %s (takes other routes)\n", set.c_str());
        return;
    }
    report("match", set, lowest(rounds, paths.size(), [&] {
        for (auto &path : paths) router->route("GET", path);
        return found;
    }));
    report("build", set, lowest(builds, routes.size(), [&] { return build(routes); }));
    report("memory", set, static_cast<double>(memory) / static_cast<double>(routes.size()));
}

} // namespace

int main(int argc, char **argv) {
    for (int i = 2; i < argc; i++) measure(argv[1], argv[i]);
    return 0;
}
