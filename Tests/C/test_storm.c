/* Threads that register, load, open and remove against each other: nobody runs after his end, everybody ends once. */
#include "check.h"
#include "latch.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 8, ALIVE = 0x600D, DEAD = 0xDEAD };

static ctie_bus *bus;
static atomic_int wrong, made, destroyed, completed, started, turn;

/* Freed by its destroy: a handler that ran afterwards would read freed memory. */
typedef struct context {
    atomic_int state;
} context;

static void *new_context(void) {
    context *new = malloc(sizeof *new);
    atomic_init(&new->state, ALIVE);
    atomic_fetch_add(&made, 1);
    return new;
}

static void context_destroy(void *user_data) {
    context *own = user_data;
    if (atomic_exchange(&own->state, DEAD) != ALIVE) { atomic_fetch_add(&wrong, 1); }
    free(own);
    atomic_fetch_add(&destroyed, 1);
}

static void handle(ctie_request *request, void *user_data) {
    if (atomic_load(&((context *)user_data)->state) != ALIVE) { atomic_fetch_add(&wrong, 1); }
    ctie_str id;
    if (ctie_request_param(request, CTIE_STR("id"), &id) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
    if (ctie_request_reply(request, ctie_value_string(id)) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
}

static void let_go_on(ctie_request *request, void *user_data) {
    if (atomic_load(&((context *)user_data)->state) != ALIVE) { atomic_fetch_add(&wrong, 1); }
    if (ctie_request_proceed(request) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
}

static void expect_one_of_the_usual(ctie_status status) {
    static const ctie_status USUAL[] = {CTIE_OK, CTIE_E_NO_ROUTE, CTIE_E_NO_TARGET, CTIE_E_BLOCKED, CTIE_E_BUSY};
    for (size_t i = 0; i < sizeof USUAL / sizeof USUAL[0]; i++) {
        if (status == USUAL[i]) { return; }
    }
    atomic_fetch_add(&wrong, 1);
}

static void complete(ctie_response *response, void *user_data) {
    (void)user_data;
    ctie_status status = ctie_response_status(response);
    if (status != CTIE_E_CLOSED) { expect_one_of_the_usual(status); } /* still in the queue when the bus closes */
    atomic_fetch_add(&completed, 1);
}

static ctie_str pattern_of(char *buffer, unsigned which) {
    snprintf(buffer, 32, "app://h%u/:id", which % 3);
    return ctie_str_from(buffer);
}

static void register_and_remove(unsigned *seed) {
    char buffer[32];
    ctie_registration *registration = NULL;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    ctie_handler own[2] = {{let_go_on, NULL, context_destroy}, {let_go_on, NULL, context_destroy}};
    options.flags = rand_r(seed) % 2 ? CTIE_ROUTE_REPLACE : 0;
    options.flags |= rand_r(seed) % 8 == 0 ? CTIE_ROUTE_WORKER_ONLY : 0;
    options.interceptors = own;
    options.interceptor_count = (size_t)rand_r(seed) % 3;
    for (size_t i = 0; i < options.interceptor_count; i++) { own[i].user_data = new_context(); }
    ctie_status status = ctie_route_add(bus, pattern_of(buffer, (unsigned)rand_r(seed)),
                                        CTIE_HANDLER_OWNED(handle, new_context(), context_destroy), &options,
                                        &registration, NULL);
    if (status != CTIE_OK && status != CTIE_E_CONFLICT) { atomic_fetch_add(&wrong, 1); }
    if (rand_r(seed) % 2) {
        status = ctie_registration_release(registration);
        if (status != CTIE_OK && status != CTIE_E_HANDLE) { atomic_fetch_add(&wrong, 1); }
    } else {
        status = ctie_route_remove(bus, pattern_of(buffer, (unsigned)rand_r(seed)), NULL);
        if (status != CTIE_OK && status != CTIE_E_NOT_FOUND) { atomic_fetch_add(&wrong, 1); }
    }
}

static void intercept_and_remove(unsigned *seed) {
    ctie_interceptor_options options = CTIE_INTERCEPTOR_OPTIONS_INIT;
    ctie_registration *registration = NULL;
    options.order = rand_r(seed) % 3;
    ctie_status status = ctie_interceptor_add(bus, CTIE_HANDLER_OWNED(let_go_on, new_context(), context_destroy),
                                              &options, &registration, NULL);
    if (status != CTIE_OK || ctie_registration_release(registration) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
}

#define RULE(id, host, path) \
    "{\"id\": \"" id "\", \"host\": \"" host "\", \"path\": \"" path "\", \"visibility\": \"private\"}"
#define TABLE(path) \
    "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"shop\"], \"privateSchemes\": [], \"routeHosts\":" \
    " [\"h0\", \"h1\"], \"webHosts\": [], \"rules\": [" RULE("zero", "h0", path) ", " RULE("one", "h1", "/:id") "]}"

static void load_rules(unsigned *seed) {
    ctie_str table = rand_r(seed) % 2 ? CTIE_STR(TABLE("/:id")) : CTIE_STR(TABLE("/other/:id"));
    if (ctie_rules_load(bus, table, NULL, NULL) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
}

static void handle_rule_and_remove(unsigned *seed) {
    ctie_registration *registration = NULL;
    ctie_str id = rand_r(seed) % 2 ? CTIE_STR("zero") : CTIE_STR("one");
    ctie_status status = ctie_rules_handle(bus, id, CTIE_HANDLER_OWNED(handle, new_context(), context_destroy), NULL,
                                           &registration, NULL);
    if (status != CTIE_OK && status != CTIE_E_CONFLICT) { atomic_fetch_add(&wrong, 1); }
    if (status == CTIE_OK && ctie_registration_release(registration) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
}

static void open_some(unsigned *seed) {
    char url[32];
    ctie_response *response = NULL;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1; /* a worker may have much to do before */
    snprintf(url, sizeof url, "%s://h%d/%d", rand_r(seed) % 3 ? "app" : "shop", rand_r(seed) % 3, rand_r(seed) % 100);
    ctie_status status = ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, &options, &response, NULL);
    expect_one_of_the_usual(status);
    ctie_response_release(response);
    status = ctie_open_async(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(complete, NULL), NULL, NULL,
                             NULL);
    if (status == CTIE_OK) { atomic_fetch_add(&started, 1); }
    if (status != CTIE_OK && status != CTIE_E_BUSY) { atomic_fetch_add(&wrong, 1); }
}

static void *storm(void *argument) {
    unsigned seed = (unsigned)(uintptr_t)argument;
    for (int i = test_rounds(1500); i > 0; i--) {
        switch (rand_r(&seed) % 16) {
        case 0: case 1: case 2: case 3: register_and_remove(&seed); break;
        case 4: intercept_and_remove(&seed); break;
        case 5: handle_rule_and_remove(&seed); break;
        case 6: load_rules(&seed); break;
        default: open_some(&seed);
        }
    }
    return NULL;
}

static void a_storm_passes(void) {
    pthread_t threads[THREADS];
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = 2;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    for (uintptr_t i = 0; i < THREADS; i++) { pthread_create(&threads[i], NULL, storm, (void *)(i + 1)); }
    for (int i = 0; i < THREADS; i++) { pthread_join(threads[i], NULL); }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(wrong == 0);
    CHECK(made == destroyed);
    CHECK(started == completed);
}

/* One thread opens without pause while another registers, removes and frees. */
static atomic_bool over;

static void *open_always(void *argument) {
    (void)argument;
    while (!over) { ctie_open(bus, CTIE_STR("app://once/1"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL); }
    return NULL;
}

static void after_removal_nothing_runs(void) {
    pthread_t opener;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    pthread_create(&opener, NULL, open_always, NULL);
    for (int i = test_rounds(2000); i > 0; i--) {
        ctie_registration *registration = NULL;
        context *own = new_context();
        int before = destroyed;
        ctie_status status = ctie_route_add(bus, CTIE_STR("app://once/:id"),
                                            CTIE_HANDLER_OWNED(handle, own, context_destroy), NULL, &registration,
                                            NULL);
        if (status != CTIE_OK || ctie_registration_release(registration) != CTIE_OK || destroyed != before + 1) {
            atomic_fetch_add(&wrong, 1);
        }
    }
    over = true;
    pthread_join(opener, NULL);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(wrong == 0 && made == destroyed);
}

/* Answer, deadline and cancel race for the one end of a call. */
static ctie_request *raced;
static latch taken = LATCH_INIT;

static void keep(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_retain(request);
    raced = request;
    latch_add(&taken);
}

static void *answer(void *argument) {
    (void)argument;
    ctie_status status = ctie_request_reply(raced, ctie_value_int(1));
    if (status != CTIE_OK && status != CTIE_E_ALREADY) { atomic_fetch_add(&wrong, 1); }
    ctie_request_release(raced);
    return (void *)(uintptr_t)(status == CTIE_OK);
}

static void every_call_ends_once(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://keep"), CTIE_HANDLER(keep, NULL), NULL, NULL, NULL), CTIE_OK);
    started = completed = 0;
    for (int i = 1; i <= test_rounds(300); i++) {
        ctie_call *call = NULL;
        pthread_t other;
        void *answered = NULL;
        ctie_open_async(bus, CTIE_STR("app://keep"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL);
        latch_wait(&taken, i);
        pthread_create(&other, NULL, answer, NULL);
        bool cancelled = ctie_call_cancel(call) == CTIE_OK;
        pthread_join(other, &answered);
        ctie_response *response = NULL;
        if (cancelled == (answered != NULL)) { atomic_fetch_add(&wrong, 1); }
        if (ctie_call_wait(call, -1, &response) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
        if (ctie_response_status(response) != (cancelled ? CTIE_E_CANCELLED : CTIE_OK)) { atomic_fetch_add(&wrong, 1); }
        ctie_response_release(response);
        ctie_call_release(call);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(wrong == 0);
}

/* Setting a log races with closing: on which side it comes, its data is destroyed. */
static void say_nothing(int32_t level, ctie_str message, void *user_data) {
    (void)level;
    (void)message;
    (void)user_data;
}

static void *set_logs(void *argument) {
    for (int i = 1; i <= test_rounds(5000); i++) {
        while (atomic_load(&turn) < i) { sched_yield(); }
        ctie_status status = ctie_bus_set_log(bus, CTIE_LOGGER_OWNED(say_nothing, new_context(), context_destroy), NULL);
        if (status != CTIE_OK && status != CTIE_E_HANDLE) { atomic_fetch_add(&wrong, 1); }
        atomic_fetch_add(&started, 1);
    }
    return argument;
}

static void a_log_ends_with_its_bus(void) {
    pthread_t other;
    turn = started = 0;
    pthread_create(&other, NULL, set_logs, NULL);
    for (int i = 1; i <= test_rounds(5000); i++) {
        CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
        atomic_store(&turn, i);
        for (volatile int pause = i * 7 % 1000; pause > 0; pause--) {}
        CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
        while (atomic_load(&started) < i) { sched_yield(); }
    }
    pthread_join(other, NULL);
    CHECK(wrong == 0 && made == destroyed);
}

/* Two threads meet on a shared bus that each of them may be the last to leave; and two release what is one's. */
static void *share(void *argument) {
    for (int i = test_rounds(20000); i > 0; i--) {
        ctie_bus *shared = NULL;
        ctie_str name;
        if (ctie_bus_shared(CTIE_STR("storm"), &shared, NULL) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
        for (volatile int pause = i * 7 % 2000; pause > 0; pause--) {}
        if (ctie_bus_name(shared, &name) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
        if (ctie_bus_release(shared) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
    }
    return argument;
}

static void *release_twice(void *argument) {
    (void)argument;
    uintptr_t released = 0;
    for (int i = 1; i <= test_rounds(5000); i++) {
        while (atomic_load(&turn) < i) { sched_yield(); }
        released += ctie_bus_release(bus) == CTIE_OK;
        atomic_fetch_add(&started, 1);
    }
    return (void *)released;
}

static void a_shared_bus_lives_while_somebody_has_it(void) {
    pthread_t other;
    pthread_create(&other, NULL, share, NULL);
    share(NULL);
    pthread_join(other, NULL);
    CHECK(wrong == 0);
}

static void one_reference_is_released_once(void) {
    pthread_t other;
    void *theirs = NULL;
    int rounds = test_rounds(5000);
    uintptr_t ours = 0;
    turn = started = 0;
    pthread_create(&other, NULL, release_twice, NULL);
    for (int i = 1; i <= rounds; i++) {
        CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
        atomic_store(&turn, i);
        ours += ctie_bus_release(bus) == CTIE_OK;
        while (atomic_load(&started) < i) { sched_yield(); }
    }
    pthread_join(other, &theirs);
    CHECK(ours + (uintptr_t)theirs == (uintptr_t)rounds);
}

int main(void) {
    a_storm_passes();
    after_removal_nothing_runs();
    every_call_ends_once();
    a_log_ends_with_its_bus();
    a_shared_bus_lives_while_somebody_has_it();
    one_reference_is_released_once();
    return check_end();
}
