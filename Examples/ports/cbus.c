/* The home component of CBus's document. Build: cc cbus.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <pthread.h>
#include <semaphore.h>

static ctie_bus *bus;
static sem_t done;
static pthread_t worker;

static void check(ctie_status status) {
    if (status == CTIE_OK) return;
    fprintf(stderr, "%s\n", ctie_status_message(status));
    exit(1);
}

/* [port] */
CTIE_COMPONENT(home)

CTIE_ACTION(home, testAction) {
    (void)user_data;
    ctie_value *result = CTIE_MAP("status", ctie_text("success"), "message", ctie_text("from testAction"));
    check(ctie_request_reply(request, result));
}

static void *work(void *kept) {
    ctie_request *request = (ctie_request *)kept;
    check(ctie_request_reply(request, CTIE_MAP("status", ctie_text("success"))));
    check(ctie_request_release(request));
    return NULL;
}

CTIE_ACTION(home, asyncAction) {
    (void)user_data;
    check(ctie_request_retain(request));
    if (pthread_create(&worker, NULL, work, request) != 0) check(CTIE_E_SYSTEM);
}

static void show(ctie_response *response, void *data CTIE_UNUSED) {
    if (ctie_response_status(response) != CTIE_OK) return;
    const ctie_value *result = ctie_response_value(response);
    printf("%s: %s\n", ctie_get_text(result, "status", "?"), ctie_get_text(result, "message", "no message"));
}

static void show_later(ctie_response *response, void *data) {
    show(response, data);
    sem_post(&done);
}

static void sync_action(void) {
    ctie_response *response = NULL;
    ctie_value *params = CTIE_MAP("name", ctie_text("cbus"));
    ctie_component_call(bus, CTIE_TARGET("home", "testAction"), params, NULL, &response, NULL);
    show(response, NULL); /* a failure as well is a response */
    ctie_response_release(response);
    ctie_value_release(params);
}

static void async_action(void) {
    ctie_target target = CTIE_TARGET("home", "asyncAction");
    check(ctie_component_call_async(bus, target, NULL, CTIE_COMPLETION(show_later, NULL), NULL, NULL, NULL));
    sem_wait(&done);
}
/* [end] */

int main(void) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.flags = CTIE_BUS_STATIC;
    check(ctie_bus_new(&options, &bus, NULL));
    sem_init(&done, 0, 0);
    sync_action();
    async_action();
    pthread_join(worker, NULL);
    return ctie_bus_release(bus) == CTIE_OK ? 0 : 1;
}
