/* ctie_request_each_param() gives what ctie_request_params() has: the same names, values and order, for random requests. */
#include "check.h"

#include <stdlib.h>

#define ROUNDS 4000
#define RULE "{\"id\": \"item\", \"host\": \"go\", \"path\": \"/item/:id<int>\", \"visibility\": \"public\"," \
    " \"target\": \"python:shop:Item\", \"params\": {\"n\": {\"type\": \"int\", \"default\": 5}," \
    " \"b\": {\"type\": \"float\"}, \"some\": {\"type\": \"string\", \"default\": \"text\"}}}"
#define TABLE "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"shop\"], \"privateSchemes\": []," \
    " \"routeHosts\": [\"go\"], \"webHosts\": [\"m.shop.example\"], \"rules\": [" RULE "]}"

static ctie_bus *bus;
static unsigned seed = 7;

static unsigned any(unsigned bound) { return (unsigned)rand_r(&seed) % bound; }

/* ---- Comparing ---------------------------------------------------------------------------------- */

/** The progress of a listing, and the map of the same request. */
struct listing {
    ctie_value *map;
    size_t count; /* visits so far */
    size_t most;  /* visits until it is stopped */
};

static bool same_text(ctie_str left, ctie_str right) {
    return left.size == right.size && (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

static bool compare(ctie_str name, ctie_str text, const ctie_value *value, void *user_data) {
    struct listing *self = user_data;
    ctie_str key, expected;
    const ctie_value *entry = NULL;
    CHECK_STATUS(ctie_value_entry_at(self->map, self->count++, &key, &entry), CTIE_OK);
    CHECK(same_text(name, key));
    if (value != NULL) {
        CHECK(ctie_value_kind(value) != CTIE_KIND_STRING && text.size == 0 && ctie_value_equal(value, entry));
    } else {
        CHECK_STATUS(ctie_value_get_string(entry, &expected), CTIE_OK);
        CHECK(same_text(text, expected));
    }
    return self->count < self->most;
}

static size_t most_names, repeated, typed;

static void note(const ctie_value *map) {
    size_t count = ctie_value_count(map);
    if (count > most_names) most_names = count;
    for (size_t i = 0; i < count; i++) {
        const ctie_value *value = NULL;
        CHECK_STATUS(ctie_value_entry_at(map, i, NULL, &value), CTIE_OK);
        repeated += ctie_value_kind(value) == CTIE_KIND_LIST;
        typed += ctie_value_kind(value) == CTIE_KIND_INT;
    }
}

static int handled;

static void compare_all(ctie_request *request, void *user_data) {
    (void)user_data;
    struct listing whole = {NULL, 0, SIZE_MAX};
    CHECK_STATUS(ctie_request_params(request, &whole.map), CTIE_OK);
    CHECK_STATUS(ctie_request_each_param(request, compare, &whole), CTIE_OK);
    CHECK(whole.count == ctie_value_count(whole.map));
    struct listing part = {whole.map, 0, 1 + any(4)};
    CHECK_STATUS(ctie_request_each_param(request, compare, &part), CTIE_OK);
    CHECK(part.count == (part.most < whole.count ? part.most : whole.count));
    note(whole.map);
    ctie_value_release(whole.map);
    handled++;
}

/* ---- Random requests ---------------------------------------------------------------------------- */

static const char *const PATTERNS[] = {
    "app://none", "app://one/:id", "app://typed/:n<int>/:u<uint>/:x<float>/:t<bool>", "app://text/:w<word>/:any<any>/*rest",
    "app://uuid/:key<uuid>", NULL,
};
static const char *const PATHS[] = {
    "app://none", "app://one/4%202", "app://typed/-7/18/0.25/true", "app://text/a_b/c%2Fd/e/%C3%A9",
    "app://uuid/0F0E0D0C-0b0a-0908-0706-050403020100", "shop://go/item/12",
};
#define PATH_COUNT (sizeof PATHS / sizeof PATHS[0])
static const char *const KEYS[] = {"id", "n", "key", "a", "b", "", "%C3%A9", "two+words", "some", "rest"};
static const char *const TEXTS[] = {"", "1", "text", "%20a%26b", "%E2%82%AC", "12.5", "=", "%00"};

/** Writes a URL: a path, and pairs of few keys, so that some are repeated, or of many. */
static void write_url(char *url, size_t size) {
    int at = snprintf(url, size, "%s", PATHS[any(PATH_COUNT)]);
    unsigned pairs = any(4) == 0 ? any(60) : any(6);
    bool are_many = any(2) == 0;
    for (unsigned i = 0; i < pairs; i++) {
        const char *text = TEXTS[any(sizeof TEXTS / sizeof TEXTS[0] - 1)];
        const char *between = i == 0 ? "?" : any(20) == 0 ? "&&" : "&";
        if (are_many) {
            at += snprintf(url + at, size - (size_t)at, "%skey%u=%s", between, any(30) == 0 ? 0 : i, text);
        } else {
            const char *key = KEYS[any(sizeof KEYS / sizeof KEYS[0])];
            at += snprintf(url + at, size - (size_t)at, any(9) == 0 ? "%s%s" : "%s%s=%s", between, key, text);
        }
    }
}

static void open_url(const char *url) {
    int before = handled;
    ctie_status status = ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, without_end(), NULL, NULL);
    /* A rule refuses what its types do not have. */
    if (status == CTIE_OK || strncmp(url, "shop:", 5) != 0) CHECK_STATUS(status, CTIE_OK);
    CHECK(handled == before + (status == CTIE_OK));
}

static void random_requests_have_the_same(void) {
    char url[4096];
    for (int round = 0; round < ROUNDS; round++) {
        write_url(url, sizeof url);
        open_url(url);
    }
    CHECK(most_names > 40 && repeated > 100 && typed > 100);
    FIGURES(", %d requests, up to %zu names, %zu lists", handled, most_names, repeated);
}

static void rules_have_the_same(void) {
    open_url("shop://go/item/12");
    open_url("shop://go/item/12?n=6&b=0.5&q=1");
    open_url("shop://go/item/12?some=other&q=1&q=2");
    CHECK(handled == 3);
}

static void arguments_have_the_same(void) {
    ctie_pair pairs[] = {{CTIE_STR("a"), ctie_value_int(1)}, {CTIE_STR("b"), ctie_value_string(CTIE_STR("two"))},
                         {CTIE_STR("c"), ctie_value_list(NULL, 0)}};
    ctie_value *map = ctie_value_map(pairs, 3);
    int before = handled;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("home", "compare"), map, without_end(), NULL, NULL), CTIE_E_NO_REPLY);
    CHECK(handled == before + 1);
    ctie_value_release(map);
}

/* ---- Bad arguments ------------------------------------------------------------------------------ */

static bool never(ctie_str name, ctie_str text, const ctie_value *value, void *user_data) {
    (void)name, (void)text, (void)value, (void)user_data;
    CHECK(!"called");
    return true;
}

static void list_none(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_each_param(request, never, NULL), CTIE_OK);
    CHECK_STATUS(ctie_request_each_param(request, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_each_param((const ctie_request *)(const void *)bus, never, NULL), CTIE_E_HANDLE);
    *(ctie_request **)user_data = request;
}

static void nothing_is_called_without_parameters(void) {
    ctie_request *ended = NULL;
    ctie_registration *route = NULL;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://empty"), CTIE_HANDLER(list_none, &ended), NULL, &route, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://empty"), CTIE_ORIGIN_LOCAL, without_end(), NULL, NULL), CTIE_OK);
    CHECK(ended != NULL);
    CHECK_STATUS(ctie_request_each_param(ended, never, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_registration_release(route), CTIE_OK);
    CHECK_STATUS(ctie_request_each_param(NULL, never, NULL), CTIE_E_HANDLE);
}

int main(void) {
    ctie_action action = {CTIE_STR("compare"), compare_all, NULL, 0, CTIE_STR("")};
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_rules_load(bus, CTIE_STR(TABLE), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_rules_set_navigator(bus, CTIE_HANDLER(compare_all, NULL), NULL, NULL), CTIE_OK);
    for (const char *const *pattern = PATTERNS; *pattern != NULL; pattern++) {
        CHECK_STATUS(ctie_route_add(bus, ctie_str_from(*pattern), CTIE_HANDLER(compare_all, NULL), NULL, NULL, NULL), CTIE_OK);
    }
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("home"), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_OK);
    rules_have_the_same();
    random_requests_have_the_same();
    arguments_have_the_same();
    nothing_is_called_without_parameters();
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return check_end();
}
