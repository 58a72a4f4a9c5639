#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUTES = 10000 };

size_t write_url(char *room, const shape *url) {
    size_t size = 0;
    size_t tail = strlen(url->tail);
    size += (size_t)sprintf(room, "%s", url->head);
    for (int i = 0; i < url->times && size + strlen(url->piece) + tail <= URL_LIMIT; i++) {
        size += (size_t)sprintf(room + size, "%s", url->piece);
    }
    size += (size_t)sprintf(room + size, "%s", url->tail);
    while (url->filler != NULL && size + strlen(url->filler) <= URL_LIMIT) {
        size += (size_t)sprintf(room + size, "%s", url->filler);
    }
    return size;
}

/* The action of handlers: nothing, or declining. */
static void take(ctie_request *request, void *user_data) {
    (void)request;
    (void)user_data;
}

static void decline(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_decline(request);
}

static void route_to(ctie_bus *bus, const char *pattern, ctie_handler_fn fn) {
    if (ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(fn, NULL), NULL, NULL, NULL) == CTIE_OK) return;
    fprintf(stderr, "this is no route: %s\n", pattern);
    abort();
}

static void route(ctie_bus *bus, const char *pattern) { route_to(bus, pattern, take); }

/* --- ordinary routes, and URLs that are long to read ------------------------------------------------- */

static int fill_ordinary(ctie_bus *bus) {
    char pattern[1024];
    for (int i = 4; i < ROUTES; i++) {
        snprintf(pattern, sizeof pattern, "app://m%d/entity%d/:id/show", i % 100, i);
        route(bus, pattern);
    }
    route(bus, "app://rest/*all");
    route(bus, "app://one/:any<any>");
    route(bus, "https://:host/*all");
    int size = sprintf(pattern, "app://ids");
    for (int i = 0; i < 63; i++) size += sprintf(pattern + size, "/:i%d<uuid>", i);
    route(bus, pattern);
    return ROUTES;
}

#define UUID "/6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
#define LABELS "Abcdefghi.Klmnopqr.Abcdefghi.Klmnopqr.Abcdefghi.Klmnopqr."
#define ESCAPED_PAIR "%20a=%20b%20c%20d%20e%20f%20g%20h%20i%20j%20k%20l%20m%20n%20o&"

static const shape ordinary[] = {
    {"plain bytes", "app://rest/", "a", FILL, "", NULL},
    {"escapes that stay", "app://rest/", "%20", FILL, "", NULL},
    {"escapes that go", "app://rest/", "%61", FILL, "", NULL},
    {"escaped UTF-8", "app://rest/", "%f0%9f%98%80", FILL, "", NULL},
    {"raw UTF-8", "app://rest/", "\xf0\x9f\x98\x80", 680, "", NULL},
    {"raw UTF-8, too long", "app://rest/", "\xf0\x9f\x98\x80", FILL, "", NULL},
    {"64 segments", "app://rest", "/%c3%a9%c3%a9%c3%a9%c3%a9%c3%a9%c3%a9%c3%a9%c3%a9%c3%a9%c3%a9", 64, "", "%20"},
    {"65 segments", "app://rest", "/%c3%a9", 65, "", "%20"},
    {"empty segments", "app://rest", "/", FILL, "", NULL},
    {"escaped slashes", "app://one/", "%2f%5c", FILL, "", NULL},
    {"128 pairs", "app://rest/a?", ESCAPED_PAIR, 128, "", NULL},
    {"129 pairs", "app://rest/a?", "a=1&", 129, "", "%20"},
    {"empty pairs", "app://rest/a?", "&", FILL, "", NULL},
    {"fragment", "app://rest/a#", "%20", FILL, "", NULL},
    {"long host", "https://" LABELS, LABELS, 3, "xn--example", "/%20"},
    {"IPv6", "https://[2001:DB8:0:0:1:0:0:1]/", "%20", FILL, "", NULL},
    {"IPv6 with an IPv4 end", "https://[::FFFF:203.0.113.255]/", "%20", FILL, "", NULL},
    {"upper-case UUIDs", "app://ids", UUID, 63, "?", "%20"},
    {"opaque", "mailto:", "%20", FILL, "", NULL},
    {"broken at its end", "app://rest/", "%20", FILL, "%2", NULL},
    {0},
};

/* --- tables over which the matcher goes back and forth ----------------------------------------------- */

/* Routes for all ways of choosing between two or more segments, `depth` times, ended by one that the URL has not. */
static int fill_choices(ctie_bus *bus, const char *const *kinds, int depth, const char *end, ctie_handler_fn fn) {
    int width = 0, routes = 1;
    while (kinds[width] != NULL) width++;
    for (int i = 0; i < depth; i++) routes *= width;
    for (int choice = 0; choice < routes; choice++) {
        char pattern[URL_LIMIT];
        int size = sprintf(pattern, "app://h"), rest = choice;
        for (int i = 0; i < depth; i++, rest /= width) {
            const char *kind = kinds[rest % width];
            const char *type = strchr(kind, '<');
            if (kind[0] == ':') {
                size += sprintf(pattern + size, "/:p%d%s", i, type != NULL ? type : "");
            } else {
                size += sprintf(pattern + size, "/%s", kind);
            }
        }
        sprintf(pattern + size, "%s", end);
        route_to(bus, pattern, fn);
    }
    return routes;
}

/* Kinds of segments in every order, ended as above: only the order tells the ways to a place apart. */
static int fill_orders(ctie_bus *bus) {
    static const char *const kinds[] = {"<uint>", "<int>", "<float>", "<word>", "", "<any>"};
    int routes = 0;
    for (int choice = 0; choice < 7 * 7 * 7 * 7 * 7 * 7 * 7; choice++) {
        char pattern[URL_LIMIT];
        int size = sprintf(pattern, "app://h"), rest = choice, used = 0;
        for (int i = 0; i < 7; i++, rest /= 7) {
            used |= 1 << rest % 7;
            size += rest % 7 == 6 ? sprintf(pattern + size, "/~") : sprintf(pattern + size, "/:p%d%s", i, kinds[rest % 7]);
        }
        if (used != (1 << 7) - 1) continue;
        sprintf(pattern + size, "/end");
        route(bus, pattern);
        routes++;
    }
    return routes;
}

#define CHOICES(function, depth, end, fn, ...) \
    static int function(ctie_bus *bus) { \
        static const char *const kinds[] = {__VA_ARGS__, NULL}; \
        return fill_choices(bus, kinds, depth, end, fn); \
    }

/* As long as a text may be before the step budget counts more than one step for it; and ten times as long. */
#define LONG "111111111111111111111111111111111111111111111111111111111111111"
#define LONGER LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG

CHOICES(fill_short_literals, 13, "/end", take, "a", ":p")
CHOICES(fill_long_literals, 13, "/end", take, LONG, ":p")
CHOICES(fill_longer_literals, 12, "/end", take, LONGER, ":p")
CHOICES(fill_floats, 13, "/end", take, ":p<float>", "~")
CHOICES(fill_words, 13, "/end", take, ":p<float>", ":p<word>")
CHOICES(fill_uuids, 13, "/end", take, ":p<uuid>", ":p<any>")
CHOICES(fill_types, 4, "/end", take, "a", ":p<uuid>", ":p<bool>", ":p<uint>", ":p<int>", ":p<float>", ":p<word>", ":p",
        "~", ":p<any>")
CHOICES(fill_rests, 12, "/*rest", take, "a", ":p")

#define CHOICE_URLS(name, segment, depth) \
    static const shape name[] = { \
        {"another end", "app://h", "/" segment, depth, "/no", NULL}, \
        {"no end", "app://h", "/" segment, depth, "", NULL}, \
        {"one segment too many", "app://h", "/" segment, depth, "/end/no", NULL}, \
        {"and 8 KiB to read", "app://h", "/" segment, depth, "/no?", "%20"}, \
        {"escaped slash at the end", "app://h", "/" segment, depth, "/%2F", NULL}, \
        {0}, \
    };

CHOICE_URLS(short_literals, "a", 13)
CHOICE_URLS(long_literals, LONG, 13)
CHOICE_URLS(longer_literals, LONGER, 12)
CHOICE_URLS(uuids, "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", 13)
CHOICE_URLS(orders, "1", 7)
CHOICE_URLS(types, "1111111111111111111", 4)
CHOICE_URLS(rests, "a", 12)

/* --- long lists at one place ------------------------------------------------------------------------- */

#define SHARED "-a-suffix-that-all-of-them-share-up-to-its-last-few-bytes"

/* At each of some levels as many suffixes, and `~` to come to the next one. */
static int fill_suffixes(ctie_bus *bus, int levels) {
    char pattern[512];
    for (int i = 0; i < ROUTES; i++) {
        int size = sprintf(pattern, "app://h");
        for (int level = 0; level < i % levels; level++) size += sprintf(pattern + size, "/~");
        sprintf(pattern + size, "/:p" SHARED "%05d", i);
        route(bus, pattern);
    }
    return ROUTES;
}

static int fill_4_levels(ctie_bus *bus) { return fill_suffixes(bus, 4); }
static int fill_64_levels(ctie_bus *bus) { return fill_suffixes(bus, 64); }

static const shape suffixes[] = {
    {"none of them", "app://h", "/x" SHARED "none!", 64, "", NULL},
    {"none, and 8 KiB to read", "app://h", "/x" SHARED "none!", 64, "?", "%20"},
    {0},
};

/* --- handlers that leave it to the next one ---------------------------------------------------------- */

CHOICES(fill_decliners, 5, "", decline, "a", ":p")

static const shape decliners[] = {{"all of them", "app://h", "/a", 5, "", NULL}, {0}};

const table tables[] = {
    {"ordinary", fill_ordinary, ordinary},
    {"{a,:p}^13", fill_short_literals, short_literals},
    {"{a,:p}^13, 63 bytes", fill_long_literals, long_literals},
    {"{a,:p}^12, 630 bytes", fill_longer_literals, longer_literals},
    {"{float,~}^13, 63 bytes", fill_floats, long_literals},
    {"{float,word}^13, 63", fill_words, long_literals},
    {"{uuid,any}^13", fill_uuids, uuids},
    {"all orders of 7 kinds", fill_orders, orders},
    {"all kinds^4", fill_types, types},
    {"{a,:p}^12 *rest", fill_rests, rests},
    {"suffixes, 4 levels", fill_4_levels, suffixes},
    {"suffixes, 64 levels", fill_64_levels, suffixes},
    {"32 that decline", fill_decliners, decliners},
    {0},
};
