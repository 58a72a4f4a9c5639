/* Parsing the URLs of a route set with http_parser: the work before any router's. */
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

static void measure(lines urls, const char *work) {
    double figures[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) figures[round] = parse(urls);
    report(work, "http_parser", lowest(figures, ROUNDS));
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: http_parser <data>");
    measure(read_lines(argv[1], "github", "paths", "app:/"), "parse.github");
    measure(read_lines(argv[1], "github", "escaped", "app:/"), "parse.escaped");
    measure(read_lines(argv[1], "github", "long", "app:/"), "parse.long");
    measure(read_lines(argv[1], "github", "query", "app:/"), "parse.query");
    return 0;
}
