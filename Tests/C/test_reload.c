/* Rule tables that are replaced while URLs are opened: an open sees one table or the other, never a mix. */
#include "check.h"
#include "latch.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Two tables that differ in every property that a request can read: trust, names, targets, defaults. */
#define TABLE(own, other, one, rest) \
    "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"shop\"], \"privateSchemes\": []," \
    " \"routeHosts\": [\"go\"], \"webHosts\": [], \"rules\": [" \
    "{\"id\": \"rest\", \"host\": \"go\", \"path\": \"/p/:" own "\", \"visibility\": \"" rest "\"," \
    " \"target\": \"" own "\", \"params\": {\"d\": {\"type\": \"string\", \"default\": \"" own "\"}}}," \
    "{\"id\": \"one\", \"host\": \"go\", \"path\": \"/p/one\", \"visibility\": \"" one "\"," \
    " \"target\": \"" own "\", \"params\": {\"d\": {\"type\": \"string\", \"default\": \"" own "\"}}}," \
    "{\"id\": \"only\", \"host\": \"go\", \"path\": \"/only/" own "\", \"visibility\": \"public\"}," \
    "{\"id\": \"never\", \"host\": \"go\", \"path\": \"/never/" other "/x\", \"visibility\": \"public\"}]}"
#define TABLE_A TABLE("a", "b", "private", "public")
#define TABLE_B TABLE("b", "a", "public", "private")

enum { OPENERS = 2 };

static ctie_bus *bus;
static atomic_int wrong, from_a, from_b, denied, loaded;
static atomic_bool over;

static ctie_status load(const char *json) {
    return ctie_rules_load(bus, ctie_str_from(json), NULL, NULL);
}

static char letter(ctie_str text) {
    return text.size == 1 ? text.data[0] : '?';
}

static char letter_at(const ctie_value *map, const char *key) {
    ctie_str text = {NULL, 0};
    ctie_value_get_string(ctie_value_get(map, ctie_str_from(key)), &text);
    return letter(text);
}

/* Everything that a handler can ask comes from one table. */
static void compare(ctie_request *request, void *user_data) {
    (void)user_data;
    const ctie_value *rule = NULL;
    ctie_value *params = NULL;
    ctie_str name = {NULL, 0}, found;
    ctie_origin origin = -1;
    ctie_request_rule(request, &rule);
    ctie_request_params(request, &params);
    ctie_request_origin(request, &origin);
    char table = letter_at(rule, "target");
    ctie_status captured = ctie_request_path_param_at(request, 0, &name, &found);
    bool same = captured == CTIE_E_NOT_FOUND || letter(name) == table;
    ctie_str visibility = {NULL, 0};
    ctie_value_get_string(ctie_value_get(rule, CTIE_STR("visibility")), &visibility);
    bool allowed = origin == CTIE_ORIGIN_LOCAL || text_is(visibility, "public");
    if ((table != 'a' && table != 'b') || letter_at(params, "d") != table || !same || !allowed) {
        atomic_fetch_add(&wrong, 1);
    }
    atomic_fetch_add(table == 'a' ? &from_a : &from_b, 1);
    ctie_value_release(params);
    ctie_request_reply(request, ctie_value_int(table));
}

/* The expected answer of a URL, if it has one: 0 for either table. */
static const struct {
    const char *url;
    ctie_origin origin;
    char table;
} CASES[] = {
    {"shop://go/p/one", CTIE_ORIGIN_REMOTE, 'b'}, /* private in the other one */
    {"shop://go/p/two", CTIE_ORIGIN_REMOTE, 'a'},
    {"shop://go/p/one", CTIE_ORIGIN_LOCAL, 0},
    {"shop://go/p/two", CTIE_ORIGIN_LOCAL, 0},
};

static void open_case(size_t i) {
    ctie_response *response = NULL;
    int64_t table = 0;
    ctie_status status = ctie_open(bus, ctie_str_from(CASES[i].url), CASES[i].origin, NULL, &response, NULL);
    ctie_value_get_int(ctie_response_value(response), &table);
    bool may_be_denied = CASES[i].table != 0;
    if (status == CTIE_E_DENIED && may_be_denied) {
        atomic_fetch_add(&denied, 1);
    } else if (status != CTIE_OK || (may_be_denied && table != CASES[i].table)) {
        atomic_fetch_add(&wrong, 1);
    }
    ctie_response_release(response);
}

static void *open_always(void *argument) {
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (!over) { open_case((size_t)rand_r(&seed) % (sizeof CASES / sizeof CASES[0])); }
    return NULL;
}

static void an_open_sees_one_table(void) {
    pthread_t openers[OPENERS];
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_rules_set_navigator(bus, CTIE_HANDLER(compare, NULL), NULL, NULL), CTIE_OK);
    CHECK_STATUS(load(TABLE_A), CTIE_OK);
    for (uintptr_t i = 0; i < OPENERS; i++) { pthread_create(&openers[i], NULL, open_always, (void *)(i + 1)); }
    for (int i = test_rounds(1500); i > 0; i--) {
        CHECK_STATUS(load(i % 2 ? TABLE_B : TABLE_A), CTIE_OK);
    }
    over = true;
    for (int i = 0; i < OPENERS; i++) { pthread_join(openers[i], NULL); }
    CHECK(atomic_exchange(&wrong, 0) == 0);
    CHECK(from_a > 0 && from_b > 0 && denied > 0);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Declining ---------------------------------------------------------------------------------- */

/* The specific rule declines; the next handler belongs to one whole table as well, the current one of either. */
static void decline_once(ctie_request *request, void *user_data) {
    const ctie_value *rule = NULL;
    ctie_str id = {NULL, 0};
    ctie_request_rule(request, &rule);
    ctie_value_get_string(ctie_value_get(rule, CTIE_STR("id")), &id);
    if (text_is(id, "one")) {
        ctie_request_decline(request);
    } else {
        compare(request, user_data);
    }
}

static void *decline_always(void *argument) {
    (void)argument;
    while (!over) {
        if (ctie_open(bus, CTIE_STR("shop://go/p/one"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL) != CTIE_OK) {
            atomic_fetch_add(&wrong, 1);
        }
    }
    return NULL;
}

static void a_declined_open_goes_on_while_tables_change(void) {
    pthread_t opener;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_rules_set_navigator(bus, CTIE_HANDLER(decline_once, NULL), NULL, NULL), CTIE_OK);
    CHECK_STATUS(load(TABLE_A), CTIE_OK);
    over = false;
    pthread_create(&opener, NULL, decline_always, NULL);
    for (int i = test_rounds(1500); i > 0; i--) { CHECK_STATUS(load(i % 2 ? TABLE_B : TABLE_A), CTIE_OK); }
    over = true;
    pthread_join(opener, NULL);
    CHECK(wrong == 0);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Handlers that run -------------------------------------------------------------------------- */

typedef struct visit {
    latch entered, leave;
} visit;

static void stay(ctie_request *request, void *user_data) {
    visit *own = user_data;
    const ctie_value *rule = NULL, *again = NULL;
    ctie_value *params = NULL;
    CHECK_STATUS(ctie_request_rule(request, &rule), CTIE_OK);
    CHECK(letter_at(rule, "target") == 'a');
    latch_add(&own->entered);
    latch_wait(&own->leave, 1);
    CHECK(letter_at(rule, "target") == 'a'); /* what was borrowed lives as long as the request */
    CHECK_STATUS(ctie_request_rule(request, &again), CTIE_OK);
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    CHECK(letter_at(again, "target") == 'a' && letter_at(params, "d") == 'a');
    ctie_value_release(params);
}

static void *open_two(void *argument) {
    (void)argument;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("shop://go/p/two"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
    return NULL;
}

/* Loading does not wait: the handler leaves only after several tables have been loaded and replaced. */
static void a_table_is_replaced_while_a_handler_runs(void) {
    visit own = {LATCH_INIT, LATCH_INIT};
    ctie_registration *registration = NULL;
    pthread_t opener;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(load(TABLE_A), CTIE_OK);
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("rest"), CTIE_HANDLER(stay, &own), NULL, &registration, NULL),
                 CTIE_OK);
    pthread_create(&opener, NULL, open_two, NULL);
    latch_wait(&own.entered, 1);
    for (int i = 0; i < 5; i++) { CHECK_STATUS(load(i % 2 ? TABLE_A : TABLE_B), CTIE_OK); }
    latch_add(&own.leave);
    pthread_join(opener, NULL);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void load_other(ctie_request *request, void *user_data) {
    const ctie_value *rule = NULL;
    CHECK_STATUS(ctie_request_rule(request, &rule), CTIE_OK);
    char own = letter_at(rule, "target");
    CHECK_STATUS(load(own == 'a' ? TABLE_B : TABLE_A), CTIE_OK);
    CHECK(letter_at(rule, "target") == own);
    atomic_fetch_add((atomic_int *)user_data, 1);
}

static void *open_and_load(void *argument) {
    (void)argument;
    for (int i = test_rounds(300); i > 0; i--) {
        CHECK_STATUS(ctie_open(bus, CTIE_STR("shop://go/p/two"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
    }
    return NULL;
}

static void handlers_load_tables(void) {
    pthread_t others[OPENERS];
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(load(TABLE_A), CTIE_OK);
    CHECK_STATUS(ctie_rules_set_navigator(bus, CTIE_HANDLER(load_other, &loaded), NULL, NULL), CTIE_OK);
    for (int i = 0; i < OPENERS; i++) { pthread_create(&others[i], NULL, open_and_load, NULL); }
    for (int i = 0; i < OPENERS; i++) { pthread_join(others[i], NULL); }
    CHECK(loaded == OPENERS * test_rounds(300));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* Each time it is asked it loads the other table, where a rule of the same id waits to be asked. */
static void load_other_and_decline(ctie_request *request, void *user_data) {
    load_other(request, user_data);
    CHECK_STATUS(ctie_request_decline(request), CTIE_OK);
    if (atomic_load((atomic_int *)user_data) > 100) { abort(); }
}

static void a_declining_handler_is_not_tried_in_the_next_table(void) {
    atomic_int asked = 0;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(load(TABLE_A), CTIE_OK);
    CHECK_STATUS(ctie_rules_set_navigator(bus, CTIE_HANDLER(load_other_and_decline, &asked), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("shop://go/p/one"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_E_NO_ROUTE);
    CHECK(asked == 2);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    an_open_sees_one_table();
    a_declined_open_goes_on_while_tables_change();
    a_table_is_replaced_while_a_handler_runs();
    handlers_load_tables();
    a_declining_handler_is_not_tried_in_the_next_table();
    return check_end();
}
