/*
 * The C host of the demo: routes on a bus of its own, and a wormhole to the other host.
 * It obeys one command a line (see demo.py) and answers each with one line.
 */
#include <crosstie.h>
#include <stdio.h>
#include <string.h>

static ctie_bus *bus;
static ctie_wormhole *wormhole;

/* ---- Routes ---- */

static void show_user(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str id, tab;
    if (ctie_request_param(request, CTIE_STR("id"), &id) != CTIE_OK) return;
    if (ctie_request_param(request, CTIE_STR("tab"), &tab) != CTIE_OK) tab = CTIE_STR("profile");
    ctie_pair pairs[] = {
        {CTIE_STR("user"), ctie_value_string(id)},
        {CTIE_STR("tab"), ctie_value_string(tab)},
    };
    ctie_request_reply(request, ctie_value_map(pairs, 2));
}

static void clear_cart(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_string(CTIE_STR("cart cleared")));
}

static ctie_status add_routes(void) {
    ctie_route_options open_to_all = CTIE_ROUTE_OPTIONS_INIT;
    open_to_all.flags = CTIE_ROUTE_PUBLIC;
    ctie_status status = ctie_bus_new(NULL, &bus, NULL);
    ctie_handler shows = CTIE_HANDLER(show_user, NULL), clears = CTIE_HANDLER(clear_cart, NULL);
    if (status == CTIE_OK) status = ctie_route_add(bus, CTIE_STR("app://users/:id"), shows, &open_to_all, NULL, NULL);
    if (status == CTIE_OK) status = ctie_route_add(bus, CTIE_STR("app://cart/clear"), clears, NULL, NULL, NULL);
    return status;
}

/* ---- Answers ---- */

static void say(const char *text) {
    puts(text);
    fflush(stdout);
}

static void say_failure(ctie_status status) {
    printf("%s: %s\n", ctie_status_name(status), ctie_status_message(status));
    fflush(stdout);
}

/* Prints what comes before it, then a value as JSON. */
static void say_value(const char *before, const ctie_value *value) {
    ctie_value *json = NULL;
    ctie_str text = CTIE_STR("null");
    ctie_value_to_json(value, 0, &json, NULL);
    ctie_value_get_string(json, &text);
    printf("%s%.*s\n", before, (int)text.size, text.data);
    fflush(stdout);
    ctie_value_release(json);
}

static void say_message(const ctie_message *message, void *user_data) {
    (void)user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_NONE) {
        say("nothing yet");
        return;
    }
    ctie_str sender = ctie_message_sender_name(message);
    char before[128];
    snprintf(before, sizeof before, "from %.*s: ", (int)sender.size, sender.data);
    say_value(before, ctie_message_value(message));
}

/* ---- Commands ---- */

static void open_url(const char *url, const char *origin) {
    ctie_response *response = NULL;
    ctie_origin from = strcmp(origin, "local") == 0 ? CTIE_ORIGIN_LOCAL : CTIE_ORIGIN_REMOTE;
    ctie_status status = ctie_open(bus, ctie_str_from(url), from, NULL, &response, NULL);
    if (status == CTIE_OK) say_value("", ctie_response_value(response));
    else say_failure(status);
    ctie_response_release(response);
}

static ctie_status send_value(const char *identifier, ctie_value *value) {
    return ctie_wormhole_send(wormhole, ctie_str_from(identifier), value, NULL, NULL, NULL, NULL);
}

static void send_json(const char *identifier, const char *json) {
    ctie_value *value = NULL;
    ctie_value_from_json(ctie_str_from(json), &value, NULL);
    ctie_status status = send_value(identifier, value);
    if (status == CTIE_OK) say("acknowledged");
    else say_failure(status);
}

static void listen_to(const char *identifier) {
    ctie_status status = ctie_wormhole_listen(wormhole, ctie_str_from(identifier), CTIE_RECEIVER(say_message, NULL),
                                              NULL, NULL, NULL);
    if (status != CTIE_OK) say_failure(status);
}

static void read_message(const char *identifier) {
    ctie_message *message = NULL;
    ctie_status status = ctie_wormhole_message(wormhole, ctie_str_from(identifier), &message, NULL);
    if (status == CTIE_OK) say_message(message, NULL);
    else say_failure(status);
    ctie_message_release(message);
}

/* Passes 1, 2, 3 … and tells each number once it has been acknowledged; only a signal ends it. */
static void count(const char *identifier) {
    for (int64_t number = 1; send_value(identifier, ctie_value_int(number)) == CTIE_OK; number++) {
        printf("%lld\n", (long long)number);
        fflush(stdout);
    }
}

static void obey(char *line) {
    char verb[16] = "", name[256] = "";
    int rest = 0;
    sscanf(line, "%15s %255s %n", verb, name, &rest);
    if (strcmp(verb, "open") == 0) open_url(name, line + rest);
    else if (strcmp(verb, "send") == 0) send_json(name, line + rest);
    else if (strcmp(verb, "listen") == 0) listen_to(name);
    else if (strcmp(verb, "read") == 0) read_message(name);
    else if (strcmp(verb, "count") == 0) count(name);
    else say("what?");
}

int main(void) {
    char line[1024];
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.name = CTIE_STR("the C host");
    ctie_status status = add_routes();
    if (status == CTIE_OK) status = ctie_wormhole_open(CTIE_STR("demo"), &options, &wormhole, NULL);
    if (status != CTIE_OK) return say_failure(status), 1;
    say("app://users/:id (public), app://cart/clear (private)");
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        obey(line);
    }
    ctie_wormhole_release(wormhole);
    ctie_bus_release(bus);
    return 0;
}
