/* Sharing by whichever provider can. Build: cc share.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <stdio.h>

#define NOTICE_BOARD "com.example.endpoint.noticeBoard"

/* [provider] */
/* Puts a text on a notice board. The message has a text: it is checked before this runs. */
static void pin(ctie_request *request, void *board) {
    ctie_str text = {NULL, 0};
    ctie_request_param(request, CTIE_STR("text"), &text);
    fprintf((FILE *)board, "pinned: %.*s\n", (int)text.size, text.data);
    ctie_request_reply(request, ctie_value_null());
}

static ctie_status add_notice_board(ctie_bus *bus, FILE *board) {
    const ctie_str kinds[] = {CTIE_STR(CTIE_SHARE_KIND_TEXT)};
    const ctie_provider_endpoint endpoint = {CTIE_STR(NOTICE_BOARD), {kinds, 1}};
    ctie_provider provider = CTIE_PROVIDER_INIT;
    provider.name = CTIE_STR("notice-board");
    provider.share = pin;
    provider.endpoints = &endpoint;
    provider.endpoint_count = 1;
    provider.user_data = board;
    return ctie_provider_add(bus, &provider, CTIE_PROVIDER_LAST, NULL, NULL);
}
/* [end] */

/* [share] */
static ctie_status share_text(ctie_bus *bus, const char *endpoint, const char *text) {
    const ctie_pair fields[] = {
        {CTIE_STR("identifier"), ctie_value_string(CTIE_STR(CTIE_SHARE_KIND_TEXT))},
        {CTIE_STR("text"), ctie_value_string(ctie_str_from(text))},
    };
    ctie_value *message = ctie_value_map(fields, 2);
    ctie_status status = ctie_share(bus, ctie_str_from(endpoint), message, NULL, NULL, NULL);
    ctie_value_release(message);
    return status;
}
/* [end] */

static void report(const char *what, ctie_status status) {
    printf("%s: %s\n", what, ctie_status_name(status));
}

int main(void) {
    ctie_bus *bus = NULL;
    ctie_bus_new(NULL, &bus, NULL);
    add_notice_board(bus, stdout);
    report("a text", share_text(bus, NOTICE_BOARD, "Lunch at noon"));
    report("an empty one", share_text(bus, NOTICE_BOARD, ""));
    report("elsewhere", share_text(bus, CTIE_ENDPOINT_WEIBO_TIMELINE, "Lunch at noon"));
    return ctie_bus_release(bus) == CTIE_OK ? 0 : 1;
}
