/* A rule router and the three kinds of URL. Build: cc router.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>

static ctie_bus *bus;

static void check(ctie_status status) {
    if (status == CTIE_OK) return;
    fprintf(stderr, "%s\n", ctie_status_message(status));
    exit(1);
}

/* [port] */
static ctie_status load(const char *path) {
    const ctie_str public_schemes[] = {CTIE_STR("daqun")}, private_schemes[] = {CTIE_STR("daqun-app")};
    const ctie_str route_hosts[] = {CTIE_STR("route")}, web_hosts[] = {CTIE_STR("m.daqun.example")};
    ctie_rules_options options = CTIE_RULES_OPTIONS_INIT;
    options.public_schemes = CTIE_OF(ctie_str_list, public_schemes, 1);
    options.private_schemes = CTIE_OF(ctie_str_list, private_schemes, 1);
    options.route_hosts = CTIE_OF(ctie_str_list, route_hosts, 1);
    options.web_hosts = CTIE_OF(ctie_str_list, web_hosts, 1);
    return ctie_rules_load_file(bus, ctie_str_from(path), &options, NULL);
}

static void show_page(ctie_request *request, void *data CTIE_UNUSED) {
    const ctie_value *rule = NULL;
    ctie_value *params = NULL, *json = NULL;
    check(ctie_request_rule(request, &rule));
    check(ctie_request_params(request, &params));
    check(ctie_value_to_json(params, 0, &json, NULL));
    printf("  %s %s\n", ctie_get_text(rule, "target", "?"), ctie_value_text(json, "?"));
    ctie_value_release(json);
    ctie_value_release(params);
}

static void open_by_system(ctie_request *request, void *data CTIE_UNUSED) {
    printf("  the system opens " CTIE_FMT "\n", CTIE_ARG(ctie_url_str(request)));
}

static void follow(const char *url, ctie_origin origin) {
    printf("%s %s\n", origin == CTIE_ORIGIN_LOCAL ? "local" : "remote", url);
    ctie_status status = ctie_open(bus, ctie_str_from(url), origin, NULL, NULL, NULL);
    if (status != CTIE_OK) printf("  %s\n", ctie_status_name(status));
}

/* The session of the messenger: its target is known by name alone. */
static void perform(ctie_request *request, void *data CTIE_UNUSED) {
    ctie_str selector;
    check(ctie_request_action(request, &selector));
    if (!ctie_str_is(selector, "logout")) {
        check(ctie_request_refuse(request, CTIE_E_NO_ACTION, CTIE_STR("")));
        return;
    }
    check(ctie_reply_format(request, "user %d is logged out", (int)ctie_param_int(request, "id", 0)));
}

static void log_out(void) {
    ctie_response *response = NULL;
    ctie_value *params = CTIE_MAP("id", ctie_int(123));
    check(ctie_performer_allow(bus, CTIE_STR("im:Session"), NULL));
    check(ctie_performer_set_resolver(bus, CTIE_STR("im"), CTIE_HANDLER(perform, NULL), NULL, NULL));
    check(ctie_perform(bus, CTIE_TARGET("im:Session", "logout"), params, NULL, &response, NULL));
    puts(ctie_value_text(ctie_response_value(response), "?"));
    ctie_response_release(response);
    ctie_value_release(params);
}

static void print_link(const char *rule, ctie_value *params, uint32_t flags) {
    ctie_value *url = NULL;
    check(ctie_rules_generate(bus, ctie_str_from(rule), params, flags, &url, NULL));
    printf("link %s\n", ctie_value_text(url, "?"));
    ctie_value_release(url);
    ctie_value_release(params);
}
/* [end] */

int main(void) {
    check(ctie_bus_new(NULL, &bus, NULL));

    /* [port] */
    check(load("ports/rules.json"));
    check(ctie_rules_set_navigator(bus, CTIE_HANDLER(show_page, NULL), NULL, NULL));
    check(ctie_bus_set_system_opener(bus, CTIE_HANDLER(open_by_system, NULL), NULL, NULL));
    follow("daqun://route/home/category_search?type=1&keywords=kw&fromVC=IMSessionVC", CTIE_ORIGIN_LOCAL);
    follow("daqun://route/home/category_search?type=1&keywords=kw", CTIE_ORIGIN_REMOTE);
    follow("https://m.daqun.example/home/category_search?type=2", CTIE_ORIGIN_REMOTE);
    follow("daqun://route/home/category_search?type=all", CTIE_ORIGIN_REMOTE);
    follow("daqun://route/im/session?id=123&name=ginhoor", CTIE_ORIGIN_LOCAL);

    check(load("ports/rules-pushed.json"));
    follow("daqun://route/im/session?id=123&name=ginhoor", CTIE_ORIGIN_LOCAL);
    follow("daqun://route/im/session?id=123&name=ginhoor", CTIE_ORIGIN_REMOTE);
    printf("old table: %s\n", ctie_status_name(load("ports/rules.json")));

    print_link("route.home.category_search", CTIE_MAP("type", ctie_int(1)), 0);
    print_link("route.home.category_search", CTIE_MAP("type", ctie_int(1)), CTIE_RULES_WEB);
    follow("https://elsewhere.example/home", CTIE_ORIGIN_LOCAL);
    log_out();
    /* [end] */

    return ctie_bus_release(bus) == CTIE_OK ? 0 : 1;
}
