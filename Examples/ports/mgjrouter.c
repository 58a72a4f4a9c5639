/* The application of MGJRouter's README. Build: cc mgjrouter.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <semaphore.h>

#define UNUSED __attribute__((unused))

static ctie_bus *bus;
static ctie_request *shown; /* its page is being shown */
static sem_t step;

static void check(ctie_status status) {
    if (status == CTIE_OK) return;
    fprintf(stderr, "%s\n", ctie_status_message(status));
    exit(1);
}

/* [port] */
static ctie_str text_of(const ctie_value *value) {
    ctie_str text = {NULL, 0};
    check(ctie_value_get_string(value, &text));
    return text;
}

/* As there, a pattern that is registered again gets the new handler. */
static void on(const char *pattern, ctie_handler_fn fn) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = CTIE_ROUTE_REPLACE;
    check(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(fn, NULL), &options, NULL, NULL));
}

static void open_url(ctie_str url) { check(ctie_open(bus, url, CTIE_ORIGIN_LOCAL, NULL, NULL, NULL)); }

#define TEMPLATE_URL "mgj://search/:keyword"

static void log_user(ctie_request *request, void *data UNUSED) {
    const ctie_value *info = NULL;
    check(ctie_request_user_info(request, &info));
    printf("user %d\n", (int)ctie_get_int(info, "user_id", 0));
}

static void log_url(ctie_request *request, void *data UNUSED) {
    ctie_str url;
    check(ctie_request_url(request, CTIE_URL_WHOLE, &url));
    printf("opened " CTIE_FMT "\n", CTIE_ARG(url));
}

static void search(ctie_request *request, void *data UNUSED) {
    printf("query " CTIE_FMT ", ", CTIE_ARG(ctie_param_text(request, "query", CTIE_STR(""))));
    printf("color " CTIE_FMT "\n", CTIE_ARG(ctie_param_text(request, "color", CTIE_STR(""))));
}

static void show_detail(ctie_request *request, void *data UNUSED) {
    puts("matched, and done in a while");
    check(ctie_request_retain(request));
    shown = request;
    sem_post(&step);
}

static void done(ctie_response *response, void *data UNUSED) {
    check(ctie_response_status(response));
    puts("open is done");
    sem_post(&step);
}

static void log_keyword(ctie_request *request, void *data UNUSED) {
    printf("keyword " CTIE_FMT "\n", CTIE_ARG(ctie_param_text(request, "keyword", CTIE_STR(""))));
}

static void make_top_bar(ctie_request *request, void *data UNUSED) {
    check(ctie_reply_format(request, "a search bar"));
}
/* [end] */

int main(void) {
    check(ctie_bus_new(NULL, &bus, NULL));
    sem_init(&step, 0, 0);

    /* [port] */
    on("mgj://foo/bar", log_user);
    open_url(CTIE_STR("mgj://foo/bar"));

    on("mgj://category/家居", log_url);
    open_url(CTIE_STR("mgj://category/家居"));

    on("mgj://category/travel", log_user);
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_value *info = CTIE_MAP("user_id", ctie_int(1900));
    options.user_info = info;
    check(ctie_open(bus, CTIE_STR("mgj://category/travel"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL));
    ctie_value_release(info);

    on("mgj://search/:query", search);
    open_url(CTIE_STR("mgj://search/bicycle?color=red"));

    on("mgj://", log_url);
    open_url(CTIE_STR("mgj://search/travel/china?has_travelled=0"));

    on("mgj://detail", show_detail);
    ctie_completion told = CTIE_COMPLETION(done, NULL);
    check(ctie_open_async(bus, CTIE_STR("mgj://detail"), CTIE_ORIGIN_LOCAL, told, NULL, NULL, NULL));
    sem_wait(&step);
    check(ctie_request_reply(shown, ctie_null())); /* the page is there */
    check(ctie_request_release(shown));
    sem_wait(&step);

    on(TEMPLATE_URL, log_keyword);
    ctie_value *words = CTIE_LIST(ctie_text("Hangzhou")), *made = NULL;
    check(ctie_generate(bus, CTIE_STR(TEMPLATE_URL), words, &made, NULL));
    open_url(text_of(made));
    ctie_value_release(made);
    ctie_value_release(words);

    on("mgj://search_top_bar", make_top_bar);
    ctie_response *response = NULL;
    check(ctie_open(bus, CTIE_STR("mgj://search_top_bar"), CTIE_ORIGIN_LOCAL, NULL, &response, NULL));
    printf("got " CTIE_FMT "\n", CTIE_ARG(text_of(ctie_response_value(response))));
    check(ctie_response_release(response));
    /* [end] */

    return ctie_bus_release(bus) == CTIE_OK ? 0 : 1;
}
