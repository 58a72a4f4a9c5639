/* Parsing the URLs of a route set with http_parser: what comes before any router's work. */
#include "../c/bench.h"

#include <http_parser.h>

enum { ROUNDS = 15 };

static double parse(lines urls) {
    double begin = now_ns();
    for (size_t i = 0; i < urls.count; i++) {
        struct http_parser_url url;
        http_parser_url_init(&url);
        require(http_parser_parse_url(urls.line[i], strlen(urls.line[i]), 0, &url) == 0, urls.line[i]);
    }
    return (now_ns() - begin) / (double)urls.count;
}

int main(int argc, char **argv) {
    require(argc == 3, "usage: http_parser <data> <set>");
    lines urls = read_lines(argv[1], argv[2], "paths", "app:/");
    double figures[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) figures[round] = parse(urls);
    report("parse.github", "http_parser", lowest(figures, ROUNDS));
    return 0;
}
