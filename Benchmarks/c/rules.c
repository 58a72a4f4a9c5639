/* Opening URLs of remote origin through a rule table, and loading one, from C. */
#include "bench.h"

#include <crosstie.h>

enum { RULES = 10000, OPENS = 20000, ROUNDS = 15 };

static long reached;

static void navigate(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str id;
    if (ctie_request_param(request, CTIE_STR("id"), &id) == CTIE_OK) reached += (long)id.size;
}

/* A document of so many rules, each with two typed parameters, one of the path and one of the query. */
static char *document(void) {
    char *text = malloc(RULES * 200 + 1000), *at = text;
    at += sprintf(at, "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"app\"], \"privateSchemes\": [],"
                      "\"routeHosts\": [\"go\"], \"webHosts\": [], \"rules\": [");
    for (int i = 0; i < RULES; i++) {
        at += sprintf(at, "%s{\"id\":\"r%d\",\"host\":\"go\",\"path\":\"/m%d/e%d/:id\",\"visibility\":\"public\","
                          "\"params\":{\"id\":\"int\",\"n\":\"int\"}}", i == 0 ? "" : ",", i, i % 100, i);
    }
    strcpy(at, "]}");
    return text;
}

static void load(ctie_bus *bus, const char *json) {
    require(ctie_rules_load(bus, ctie_str_from(json), NULL, NULL) == CTIE_OK, "the table is refused");
}

int main(void) {
    ctie_bus *bus = NULL;
    char *json = document(), (*urls)[64] = malloc(OPENS * sizeof *urls);
    double opens[ROUNDS], loads[ROUNDS];
    require(ctie_bus_new(NULL, &bus, NULL) == CTIE_OK, "no bus");
    require(ctie_rules_set_navigator(bus, CTIE_HANDLER(navigate, NULL), NULL, NULL) == CTIE_OK, "no navigator");
    load(bus, json);
    srand(1);
    for (int i = 0; i < OPENS; i++) {
        int rule = rand() % RULES;
        snprintf(urls[i], sizeof *urls, "app://go/m%d/e%d/%d?n=%d", rule % 100, rule, rand() % 100000, i);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < OPENS; i++) {
            ctie_status status = ctie_open(bus, ctie_str_from(urls[i]), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL);
            require(status == CTIE_OK, "a URL reaches no rule");
        }
        opens[round] = (now_ns() - begin) / OPENS;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        load(bus, json);
        loads[round] = (now_ns() - begin) / RULES;
    }
    require(reached > 0, "nothing was reached");
    report("open.rule", "crosstie", lowest(opens, ROUNDS));
    report("build.rules", "crosstie", lowest(loads, ROUNDS));
    free(urls);
    free(json);
    ctie_bus_release(bus);
    return 0;
}
