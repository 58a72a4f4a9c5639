/* The application of MGJRouter's README. Build: cc mgjrouter.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <semaphore.h>

static ctie_bus *bus;
static ctie_request *shown; /* its page is being shown */
static sem_t step;

static void check(ctie_status status) {
    if (status == CTIE_OK) return;
    fprintf(stderr, "%s\n", ctie_status_message(status));
    exit(1);
}

/* [port] */
/* As there, a pattern that is registered again gets the new handler. */
static void on(const char *pattern, ctie_handler_fn fn) {
    check(ctie_route_on(bus, pattern, CTIE_HANDLER(fn, NULL), CTIE_ROUTE_REPLACE));
}

#define TEMPLATE_URL "mgj://search/:keyword"

static void log_user(ctie_request *request, void *data CTIE_UNUSED) {
    printf("user %d\n", (int)ctie_get_int(ctie_user_info(request), "user_id", 0));
}

static void log_url(ctie_request *request, void *data CTIE_UNUSED) {
    printf("opened " CTIE_FMT "\n", CTIE_ARG(ctie_url_str(request)));
}

static void search(ctie_request *request, void *data CTIE_UNUSED) {
    printf("query " CTIE_FMT ", ", CTIE_ARG(ctie_param_str(request, "query", CTIE_STR(""))));
    printf("color " CTIE_FMT "\n", CTIE_ARG(ctie_param_str(request, "color", CTIE_STR(""))));
}

static void show_detail(ctie_request *request, void *data CTIE_UNUSED) {
    puts("matched, and done in a while");
    check(ctie_request_retain(request));
    shown = request;
    sem_post(&step);
}

static void done(ctie_response *response, void *data CTIE_UNUSED) {
    check(ctie_response_status(response));
    puts("open is done");
    sem_post(&step);
}

static void log_keyword(ctie_request *request, void *data CTIE_UNUSED) {
    printf("keyword " CTIE_FMT "\n", CTIE_ARG(ctie_param_str(request, "keyword", CTIE_STR(""))));
}

static void make_top_bar(ctie_request *request, void *data CTIE_UNUSED) {
    check(ctie_reply_format(request, "a search bar"));
}
/* [end] */

int main(void) {
    check(ctie_bus_new(NULL, &bus, NULL));
    sem_init(&step, 0, 0);

    /* [port] */
    on("mgj://foo/bar", log_user);
    check(ctie_url_open(bus, "mgj://foo/bar"));

    on("mgj://category/家居", log_url);
    check(ctie_url_open(bus, "mgj://category/家居"));

    on("mgj://category/travel", log_user);
    check(ctie_url_open_with(bus, "mgj://category/travel", CTIE_MAP("user_id", ctie_int(1900))));

    on("mgj://search/:query", search);
    check(ctie_url_open(bus, "mgj://search/bicycle?color=red"));

    on("mgj://", log_url);
    check(ctie_url_open(bus, "mgj://search/travel/china?has_travelled=0"));

    on("mgj://detail", show_detail);
    ctie_completion completion = CTIE_COMPLETION(done, NULL);
    check(ctie_open_async(bus, CTIE_STR("mgj://detail"), CTIE_ORIGIN_LOCAL, completion, NULL, NULL, NULL));
    sem_wait(&step);
    check(ctie_request_reply(shown, ctie_null())); /* the page is there */
    check(ctie_request_release(shown));
    sem_wait(&step);

    on(TEMPLATE_URL, log_keyword);
    ctie_value *words = CTIE_LIST(ctie_text("Hangzhou")), *made = NULL;
    check(ctie_generate(bus, CTIE_STR(TEMPLATE_URL), words, &made, NULL));
    check(ctie_url_open(bus, ctie_value_text(made, "")));
    ctie_value_release(made);
    ctie_value_release(words);

    on("mgj://search_top_bar", make_top_bar);
    ctie_response *response = NULL;
    check(ctie_open(bus, CTIE_STR("mgj://search_top_bar"), CTIE_ORIGIN_LOCAL, NULL, &response, NULL));
    printf("got %s\n", ctie_value_text(ctie_response_value(response), "nothing"));
    check(ctie_response_release(response));
    /* [end] */

    return ctie_bus_release(bus) == CTIE_OK ? 0 : 1;
}
