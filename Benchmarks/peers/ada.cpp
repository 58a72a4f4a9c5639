// Parsing the URLs of a route set with ada: the work before any router's.
#include <ada.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 15;

double now() {
    auto time = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

void measure(const std::string &path, const char *work) {
    std::ifstream file(path);
    std::vector<std::string> urls;
    for (std::string line; std::getline(file, line);) urls.push_back("app:/" + line);
    double least = 1e18;
    for (int round = 0; round < rounds; round++) {
        double begin = now();
        size_t parsed = 0;
        for (auto &url : urls) parsed += ada::parse<ada::url_aggregator>(url).has_value();
        if (parsed != urls.size()) return;
        least = std::min(least, (now() - begin) / static_cast<double>(urls.size()));
    }
    std::printf("%s\tada\t%.2f\n", work, least);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    measure(std::string(argv[1]) + "/github.paths", "parse.github");
    measure(std::string(argv[1]) + "/github.escaped", "parse.escaped");
    measure(std::string(argv[1]) + "/github.long", "parse.long");
    measure(std::string(argv[1]) + "/github.query", "parse.query");
    return 0;
}
