/*
 * Answers, cancels, deadlines and the closing of the bus race to end asynchronous requests: each request completes
 * once, with the result of the winner, and then its data is destroyed once.
 */
#include "check.h"
#include "latch.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { BATCH = 64, BATCHES_FOR_A_BUS = 4 };

/* A handler's action with its request; the two threads that answer and cancel may come in between at any time. */
typedef enum plan { ANSWER_NOW, ANSWER_LATER, FAIL_LATER, LET_GO_LATER, PLANS } plan;

static ctie_bus *bus;
static atomic_int wrong;
static latch destroyed = LATCH_INIT;

/* One request of a batch. */
typedef struct race {
    plan plan;
    _Atomic(ctie_request *) kept;
    _Atomic(ctie_call *) call;
    atomic_int completions, destroys, answers, cancels;
    atomic_int status; /* that the completion was called */
} race;

/* All of them, batch after batch: the handler of a request that has ended early may still be running in a later one. */
static race *races;

static race *batch_of(int batch) {
    return races + (size_t)batch * BATCH;
}

static void note_that(bool holds, const char *what, int line) {
    if (holds) { return; }
    atomic_fetch_add(&wrong, 1);
    fprintf(stderr, "line %d: not so: %s\n", line, what);
}

#define note(condition) note_that((condition), #condition, __LINE__)

/* ---- The sides ------------------------------------------------------------------------------------ */

static void answer(race *own, ctie_request *request) {
    ctie_str text = CTIE_STR("a text that is too long to be inside the value itself");
    ctie_status status = own->plan == FAIL_LATER
        ? ctie_request_fail(request, 7, NULL, text) : ctie_request_reply(request, ctie_value_string(text));
    note(status == CTIE_OK || status == CTIE_E_ALREADY);
    if (status == CTIE_OK) { atomic_fetch_add(&own->answers, 1); }
}

static void handle(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str id;
    note(ctie_request_param(request, CTIE_STR("id"), &id) == CTIE_OK);
    race *own = &races[strtoul(id.data, NULL, 10)]; /* the URL goes on behind it with a letter */
    if (own->plan == ANSWER_NOW) {
        answer(own, request);
    } else {
        note(ctie_request_retain(request) == CTIE_OK);
        atomic_store(&own->kept, request);
    }
}

static void complete(ctie_response *response, void *user_data) {
    race *own = user_data;
    atomic_store(&own->status, ctie_response_status(response));
    note(atomic_load(&own->destroys) == 0);
    atomic_fetch_add(&own->completions, 1);
}

static void race_destroy(void *user_data) {
    race *own = user_data;
    note(atomic_load(&own->completions) == 1);
    atomic_fetch_add(&own->destroys, 1);
    latch_add(&destroyed);
}

/* ---- Answering and cancelling threads --------------------------------------------------------------- */

/* The number of the batch that runs, and of the last one that each of the two has been through. */
static atomic_int turn, answered, cancelled;
static atomic_bool over;

static void wait_for(atomic_int *word, int value) {
    while (atomic_load(word) < value) { sched_yield(); }
}

/* The request that its handler has retained; NULL if it ended first. */
static ctie_request *take_kept(race *own) {
    for (;;) {
        bool is_over = atomic_load(&own->destroys) != 0; /* asked first: it is seldom kept after that */
        ctie_request *request = atomic_exchange(&own->kept, NULL);
        if (request != NULL || is_over) { return request; }
        sched_yield();
    }
}

static void *answer_all(void *argument) {
    for (int batch = 1;; batch++) {
        wait_for(&turn, batch);
        if (atomic_load(&over)) { return argument; }
        for (race *own = batch_of(batch); own < batch_of(batch + 1); own++) {
            ctie_request *request = take_kept(own);
            if (request == NULL) { continue; }
            if (own->plan != LET_GO_LATER) { answer(own, request); }
            note(ctie_request_release(request) == CTIE_OK);
        }
        atomic_store(&answered, batch);
    }
}

static void cancel(race *own) {
    ctie_call *call;
    while ((call = atomic_load(&own->call)) == NULL) { sched_yield(); }
    ctie_status status = ctie_call_cancel(call);
    note(status == CTIE_OK || status == CTIE_E_ALREADY);
    if (status == CTIE_OK) { atomic_fetch_add(&own->cancels, 1); }
}

static void *cancel_most(void *argument) {
    unsigned seed = 1;
    for (int batch = 1;; batch++) {
        wait_for(&turn, batch);
        if (atomic_load(&over)) { return argument; }
        for (race *own = batch_of(batch); own < batch_of(batch + 1); own++) {
            for (volatile int pause = rand_r(&seed) % 512; pause > 0; pause--) {}
            if (rand_r(&seed) % 4 != 0) { cancel(own); }
        }
        atomic_store(&cancelled, batch);
    }
}

/* ---- The batches ----------------------------------------------------------------------------------- */

static int won_by[5]; /* answer, cancel, closing, deadline, release */

static void new_bus(void) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = 4;
    options.max_queued = 2 * BATCH;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://race/:id"), CTIE_HANDLER(handle, NULL), NULL, NULL, NULL),
                 CTIE_OK);
}

static void submit(race *own) {
    char url[32];
    ctie_call *call = NULL;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    size_t id = (size_t)(own - races);
    options.timeout_ms = id % 5 == 0 ? 1 : -1;
    snprintf(url, sizeof url, "app://race/%zux", id);
    ctie_status status = ctie_open_async(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL,
                                         CTIE_COMPLETION_OWNED(complete, own, race_destroy), &options, &call, NULL);
    CHECK_STATUS(status, CTIE_OK);
    atomic_store(&own->call, call);
}

/* Whether a request completed with what ended it. */
static void judge(race *own, bool closed) {
    int status = atomic_load(&own->status), answers = atomic_load(&own->answers), cancels = atomic_load(&own->cancels);
    note(atomic_load(&own->completions) == 1 && atomic_load(&own->destroys) == 1);
    note(answers + cancels <= 1);
    if (answers == 1) {
        note(status == (own->plan == FAIL_LATER ? CTIE_E_HANDLER : CTIE_OK));
        won_by[0]++;
    } else if (cancels == 1) {
        note(status == CTIE_E_CANCELLED);
        won_by[1]++;
    } else if (status == CTIE_E_CLOSED) {
        note(closed);
        won_by[2]++;
    } else if (status == CTIE_E_TIMEOUT) {
        won_by[3]++;
    } else {
        note(status == CTIE_E_NO_REPLY && own->plan == LET_GO_LATER);
        won_by[4]++;
    }
}

static void wait_for_call(race *own) {
    ctie_response *response = NULL;
    note(ctie_call_wait(own->call, -1, &response) == CTIE_OK);
    note(ctie_response_status(response) == atomic_load(&own->status));
    note(ctie_response_release(response) == CTIE_OK);
}

static void run_batch(int batch, unsigned *seed) {
    bool closes = batch % BATCHES_FOR_A_BUS == 0;
    race *first = batch_of(batch), *end = batch_of(batch + 1);
    for (race *own = first; own < end; own++) { own->plan = (plan)(rand_r(seed) % PLANS); }
    atomic_store(&turn, batch);
    for (race *own = first; own < end; own++) { submit(own); }
    if (closes) {
        for (volatile int pause = rand_r(seed) % 20000; pause > 0; pause--) {}
        CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
        new_bus();
    }
    wait_for(&answered, batch);
    wait_for(&cancelled, batch);
    latch_wait(&destroyed, batch * BATCH);
    for (race *own = first; own < end; own++) {
        judge(own, closes);
        wait_for_call(own);
        note(ctie_call_release(own->call) == CTIE_OK);
    }
}

int main(void) {
    pthread_t answering, cancelling;
    unsigned seed = 1;
    int batches = test_rounds(6400) / BATCH + 1;
    races = calloc((size_t)(batches + 1) * BATCH, sizeof *races);
    new_bus();
    pthread_create(&answering, NULL, answer_all, NULL);
    pthread_create(&cancelling, NULL, cancel_most, NULL);
    for (int batch = 1; batch <= batches && atomic_load(&wrong) == 0; batch++) { run_batch(batch, &seed); }
    CHECK(atomic_load(&wrong) == 0);
    atomic_store(&over, true);
    atomic_store(&turn, batches + 1);
    pthread_join(answering, NULL);
    pthread_join(cancelling, NULL);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    for (race *own = races; own < batch_of(batches + 1); own++) {
        ctie_request *late = atomic_load(&own->kept);
        if (late != NULL) { CHECK_STATUS(ctie_request_release(late), CTIE_OK); }
    }
    free(races);
    CHECK(won_by[0] > 0);
    printf("%d answered, %d cancelled, %d closed, %d too late, %d released; ", won_by[0], won_by[1], won_by[2], won_by[3],
           won_by[4]);
    return check_end();
}
