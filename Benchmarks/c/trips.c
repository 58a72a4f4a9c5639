/* Asynchronous calls from C: submitted and waited for one at a time, and many in one go. */
#include "trips.h"

#include <crosstie.h>
#include <semaphore.h>

static ctie_bus *bus;
static sem_t finished;
static size_t left; /* how many calls of a batch have not ended */

static void answer(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_null());
}

static void submit(ctie_completion_fn fn, ctie_call **call) {
    ctie_status status = ctie_component_call_async(bus, CTIE_TARGET("home", "greet"), NULL, CTIE_COMPLETION(fn, NULL),
                                                   NULL, call, NULL);
    require(status == CTIE_OK, ctie_status_message(status));
}

static void trip(void *context) {
    ctie_call *call = NULL;
    (void)context;
    submit(NULL, &call);
    require(ctie_call_wait(call, -1, NULL) == CTIE_OK, "no end");
    ctie_call_release(call);
}

static void count(ctie_response *response, void *user_data) {
    (void)response;
    (void)user_data;
    if (__atomic_sub_fetch(&left, 1, __ATOMIC_ACQ_REL) == 0) sem_post(&finished);
}

static void jobs(void *context, int number) {
    (void)context;
    __atomic_store_n(&left, (size_t)number, __ATOMIC_RELEASE);
    for (int i = 0; i < number; i++) submit(count, NULL);
    while (sem_wait(&finished) != 0) continue;
}

static void complete(void *context) { jobs(context, 1); }

int main(int argc, char **argv) {
    ctie_action greet = {CTIE_STR("greet"), answer, NULL, 0, {NULL, 0}};
    require(argc == 2, "usage: trips one|two");
    require(ctie_bus_new(NULL, &bus, NULL) == CTIE_OK, "no bus");
    sem_init(&finished, 0, 0);
    ctie_status status = ctie_component_add(bus, CTIE_STR("home"), (ctie_action_list){&greet, 1}, CTIE_INSTANCE(NULL),
                                            NULL, NULL, NULL);
    require(status == CTIE_OK, ctie_status_message(status));
    measure_trips(argv[1], "crosstie", trip, NULL);
    measure_trips(argv[1], "crosstie, completion", complete, NULL);
    measure_jobs(argv[1], "crosstie", jobs, NULL);
    ctie_bus_release(bus);
    return 0;
}
