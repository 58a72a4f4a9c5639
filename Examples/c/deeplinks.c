/*
 * A shop whose links are in a rule table: links from outside reach public targets, the shop itself reaches all. The
 * table is the file deeplinks.json, or the first argument.
 */
#include <crosstie.h>
#include <stdio.h>
#include <stdlib.h>

static ctie_bus *bus;

static ctie_str text(const ctie_value *value) {
    ctie_str result = {NULL, 0};
    ctie_value_get_string(value, &result);
    return result;
}

/** Replies a text; the values are given up. */
static void reply(ctie_request *request, const char *what, ctie_str which, ctie_value *content) {
    char line[256];
    ctie_value *json = NULL;
    ctie_value_to_json(content, 0, &json, NULL);
    ctie_str shown = text(json);
    snprintf(line, sizeof line, "%s%.*s %.*s", what, (int)which.size, which.data, (int)shown.size, shown.data);
    ctie_request_reply(request, ctie_value_string(ctie_str_from(line)));
    ctie_value_release(json);
    ctie_value_release(content);
}

/** A rule without a handler of its own names the page to show. */
static void show_page(ctie_request *request, void *user_data) {
    (void)user_data;
    const ctie_value *rule = NULL;
    ctie_value *params = NULL;
    char how[32];
    ctie_request_rule(request, &rule);
    ctie_request_params(request, &params);
    ctie_str type = text(ctie_value_get(rule, CTIE_STR("openType")));
    snprintf(how, sizeof how, "%.*s ", (int)type.size, type.data);
    reply(request, how, text(ctie_value_get(rule, CTIE_STR("target"))), params);
}

static void add_to_cart(ctie_request *request, void *count) {
    ctie_value *params = NULL;
    ctie_str sku = {NULL, 0};
    int64_t quantity = 0;
    ctie_request_params(request, &params);
    ctie_request_param(request, CTIE_STR("sku"), &sku);
    ctie_value_get_int(ctie_value_get(params, CTIE_STR("quantity")), &quantity);
    *(int64_t *)count += quantity;
    ctie_pair cart[] = {{sku, ctie_value_int(*(int64_t *)count)}};
    reply(request, "cart", CTIE_STR(""), ctie_value_map(cart, 1));
    ctie_value_release(params);
}

/** A URL that a handler opens is never more trusted than the handler's own request. */
static void accept_gift(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str sku = {NULL, 0};
    ctie_response *response = NULL;
    ctie_value *url = NULL;
    ctie_request_param(request, CTIE_STR("sku"), &sku);
    ctie_pair params[] = {{CTIE_STR("sku"), ctie_value_string(sku)}};
    ctie_value *map = ctie_value_map(params, 1);
    ctie_rules_generate(bus, CTIE_STR("cart.add"), map, 0, &url, NULL);
    if (ctie_open(bus, text(url), CTIE_ORIGIN_LOCAL, NULL, &response, NULL) == CTIE_OK) {
        ctie_request_reply(request, ctie_value_retain(ctie_response_value(response)));
    } else {
        ctie_request_deny(request, CTIE_STR("a gift is the shop's to give"));
    }
    ctie_response_release(response);
    ctie_value_release(url);
    ctie_value_release(map);
}

/** In place of xdg-open: foreign links leave the shop, if the shop itself opens them. */
static void browse(ctie_request *request, void *user_data) {
    (void)user_data;
    char line[256];
    ctie_str url = {NULL, 0};
    ctie_request_url(request, CTIE_URL_WHOLE, &url);
    snprintf(line, sizeof line, "browser %.*s", (int)url.size, url.data);
    ctie_request_reply(request, ctie_value_string(ctie_str_from(line)));
}

static void follow(const char *link, ctie_origin origin) {
    ctie_response *response = NULL;
    ctie_status status = ctie_open(bus, ctie_str_from(link), origin, NULL, &response, NULL);
    ctie_str answer = text(ctie_response_value(response));
    if (status == CTIE_OK) {
        printf("%s\n    %.*s\n", link, (int)answer.size, answer.data);
    } else {
        printf("%s\n    refused: %s\n", link, ctie_status_name(status) + sizeof "CTIE_E_" - 1);
    }
    ctie_response_release(response);
}

static void load_rules(const char *path) {
    ctie_error *error = NULL;
    if (ctie_rules_load_file(bus, ctie_str_from(path), NULL, &error) != CTIE_OK) {
        ctie_str message = ctie_error_message(error), location = ctie_error_location(error);
        printf("%.*s (%.*s)\n", (int)message.size, message.data, (int)location.size, location.data);
        exit(1);
    }
}

int main(int count, char **arguments) {
    static const char *const links[] = {
        "shop://open/product/tea-42?quantity=2", "https://m.shop.example/product/tea-42",
        "shop://open/search?words=green%20tea",  "shop://open/search?page=2",
        "shop://open/product/tea-42?quantity=lots", "shop-int://open/product/tea-42",
        "shop://open/orders/7",                  "shop://open/gift/tea-42",
        "shop://open/nothing",                   "https://m.shop.example/imprint",
        "ftp://files.example/x",
    };
    int64_t teas = 0;
    ctie_bus_new(NULL, &bus, NULL);
    load_rules(count > 1 ? arguments[1] : "deeplinks.json");
    ctie_rules_set_navigator(bus, CTIE_HANDLER(show_page, NULL), NULL, NULL);
    ctie_rules_handle(bus, CTIE_STR("cart.add"), CTIE_HANDLER(add_to_cart, &teas), NULL, NULL, NULL);
    ctie_rules_handle(bus, CTIE_STR("gift"), CTIE_HANDLER(accept_gift, NULL), NULL, NULL, NULL);
    ctie_bus_set_system_opener(bus, CTIE_HANDLER(browse, NULL), NULL, NULL);

    puts("From outside:");
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) follow(links[i], CTIE_ORIGIN_REMOTE);
    puts("From inside:");
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) follow(links[i], CTIE_ORIGIN_LOCAL);
    ctie_bus_release(bus);
    return 0;
}
