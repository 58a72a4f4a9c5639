/* A handler of NBus and an application that shares with it. Build: cc nbus.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>

static ctie_bus *bus;

static void check(ctie_status status) {
    if (status == CTIE_OK) return;
    fprintf(stderr, "%s\n", ctie_status_message(status));
    exit(1);
}

/* [port] */
/* Shows a sheet with the message; what its user does then is `user`. */
static void share(ctie_request *request, void *user) {
    static const char *const fields[] = {"title", "description", "text", "link"};
    const char *window = ctie_option_text(request, CTIE_OPTION_SYSTEM_PRESENTING_VIEW_CONTROLLER, "phone");
    const char *source = ctie_option_text(request, CTIE_OPTION_SYSTEM_SOURCE_VIEW, NULL);
    ctie_value *message = NULL;
    ctie_str data;
    if (strcmp(window, "tablet") == 0 && source == NULL) { /* a popover has to be somewhere */
        check(ctie_request_refuse(request, CTIE_E_PARAM, CTIE_STR("no source view")));
        return;
    }
    check(ctie_request_params(request, &message));
    printf("%s %s:", window, source != NULL ? source : "sheet");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *item = ctie_get_text(message, fields[i], NULL);
        if (item != NULL) printf(" [%s]", item);
    }
    if (ctie_value_get_bytes(ctie_get(message, "data"), &data) == CTIE_OK) printf(" [%zu bytes]", data.size);
    puts("");
    ctie_value_release(message);
    if (*(ctie_status *)user == CTIE_OK) check(ctie_request_reply(request, ctie_null()));
    else check(ctie_request_refuse(request, *(ctie_status *)user, CTIE_STR("")));
}

static void add_system_handler(ctie_status *user) {
    const ctie_provider_endpoint endpoint = {CTIE_STR(CTIE_ENDPOINT_SYSTEM_ACTIVITY), {NULL, 0}};
    ctie_provider provider = CTIE_PROVIDER_INIT; /* it is installed, and supported */
    provider.name = CTIE_STR("system");
    provider.share = share;
    provider.endpoints = &endpoint;
    provider.endpoint_count = 1;
    provider.user_data = user;
    check(ctie_provider_add(bus, &provider, CTIE_PROVIDER_LAST, NULL, NULL));
}

/* Takes message and options. */
static void share_to(const char *endpoint, ctie_value *message, ctie_value *beside) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.user_info = beside;
    ctie_status status = ctie_share(bus, ctie_str_from(endpoint), message, &options, NULL, NULL);
    puts(status == CTIE_OK ? "shared" : ctie_status_name(status));
    ctie_value_release(beside);
    ctie_value_release(message);
}
/* [end] */

int main(void) {
    ctie_status user = CTIE_OK;
    check(ctie_bus_new(NULL, &bus, NULL));

    /* [port] */
    add_system_handler(&user);
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY,
             CTIE_MAP("identifier", ctie_text(CTIE_SHARE_KIND_TEXT), "text", ctie_text("Lunch at noon")), NULL);
    user = CTIE_E_USER_CANCELLED;
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY,
             CTIE_MAP("identifier", ctie_text(CTIE_SHARE_KIND_IMAGE), "data", ctie_bytes_of("GIF89a", 6), "title",
                      ctie_text("A menu")),
             NULL);
    user = CTIE_E_UNKNOWN;
    ctie_value *page =
        CTIE_MAP("identifier", ctie_text(CTIE_SHARE_KIND_WEB_PAGE), "link", ctie_text("https://menu.example/"));
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY, ctie_value_retain(page),
             CTIE_MAP(CTIE_OPTION_SYSTEM_PRESENTING_VIEW_CONTROLLER, ctie_text("tablet")));
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY, page,
             CTIE_MAP(CTIE_OPTION_SYSTEM_PRESENTING_VIEW_CONTROLLER, ctie_text("tablet"),
                      CTIE_OPTION_SYSTEM_SOURCE_VIEW, ctie_text("button")));
    share_to(CTIE_ENDPOINT_SYSTEM_ACTIVITY, CTIE_MAP("identifier", ctie_text(CTIE_SHARE_KIND_MINI_PROGRAM)), NULL);
    share_to(CTIE_ENDPOINT_WECHAT_FRIEND,
             CTIE_MAP("identifier", ctie_text(CTIE_SHARE_KIND_TEXT), "text", ctie_text("Lunch at noon")), NULL);
    /* [end] */

    return ctie_bus_release(bus) == CTIE_OK ? 0 : 1;
}
