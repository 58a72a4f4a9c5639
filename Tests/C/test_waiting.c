/* A thread that is asked while it waits inside the library, and what becomes of each kind of wait that is not wanted any
 * more. The latches are the watchdog: a wait that nobody ends hangs. */
#include "components.h"
#include "group.h"

/** The result of the thread's wait function. */
typedef struct patience {
    atomic_int asked;
    int before;          /* so often it goes on waiting */
    void (*meanwhile)(void); /* what it does then; NULL for nothing */
} patience;

static ctie_bus *bus;
static ctie_request *kept;
static turnstile gate = TURNSTILE_INIT;
static latch destroyed = LATCH_INIT;

static bool shall_end(void *user_data) {
    patience *own = user_data;
    int asked = ++own->asked;
    if (own->meanwhile != NULL) { own->meanwhile(); }
    return asked > own->before;
}

static void set_patience(patience *own) { CHECK_STATUS(ctie_thread_set_wait(CTIE_WAIT(shall_end, own)), CTIE_OK); }

static void keep(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
}

/* The kept request has ended in this way. */
static void let_go(bool is_cancelled) {
    bool is_so = !is_cancelled;
    CHECK_STATUS(ctie_request_is_cancelled(kept, &is_so), CTIE_OK);
    CHECK(is_so == is_cancelled);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    kept = NULL;
}

static ctie_status open_now(const char *url, ctie_response **response) {
    return ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, without_end(), response, NULL);
}

/* ---- Requests ------------------------------------------------------------------------------------- */

static void a_request_is_cancelled(void) {
    patience own = {.before = 2};
    ctie_response *response = NULL;
    set_patience(&own);
    CHECK_STATUS(open_now("app://keep", &response), CTIE_E_CANCELLED);
    CHECK(own.asked == 3);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_CANCELLED);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_E_ALREADY);
    let_go(true);
}

static void answer_kept(void) { CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK); }

static void calls_inside_the_wait_function_may_end_the_wait(void) {
    patience own = {.before = 1000000, .meanwhile = answer_kept};
    set_patience(&own);
    CHECK_STATUS(open_now("app://keep", NULL), CTIE_OK);
    CHECK(own.asked == 1);
    let_go(false);
}

static void wait_for_nobody(void) {
    CHECK_STATUS(open_now("app://reply", NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_remove(bus, CTIE_STR("app://none"), NULL), CTIE_E_NOT_FOUND);
}

static void it_may_call_the_library(void) {
    patience own = {.before = 1, .meanwhile = wait_for_nobody};
    set_patience(&own);
    CHECK_STATUS(call_now(bus, "home", "keep"), CTIE_E_CANCELLED);
    let_go(true);
}

static void a_call_goes_on_without_the_wait(void) {
    patience own = {.before = 0};
    ctie_call *call = call_later(bus, "home", "stand", without_end());
    ctie_status state = CTIE_OK;
    latch_wait(&gate.waiting, 1);
    set_patience(&own);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_E_CANCELLED);
    CHECK_STATUS(ctie_call_wait(call, 60000, NULL), CTIE_E_CANCELLED);
    CHECK_STATUS(ctie_call_wait(call, 0, NULL), CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_call_state(call, &state), CTIE_OK);
    CHECK_STATUS(state, CTIE_PENDING);
    latch_add(&gate.opened);
    CHECK_STATUS(ctie_thread_set_wait(CTIE_WAIT(NULL, NULL)), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_OK);
}

static void *make_slowly(void *user_data) {
    turnstile *own = user_data;
    latch_add(&own->waiting);
    latch_wait(&own->opened, 1);
    return own;
}

static void a_factory_is_not_waited_for(void) {
    turnstile factory = TURNSTILE_INIT;
    patience own = {.before = 0};
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    ctie_action action = action_of("go", reply_null, NULL, 0);
    options.flags = CTIE_COMPONENT_LAZY;
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("slow"), (ctie_action_list){&action, 1}, CTIE_FACTORY(make_slowly, &factory),
                                    &options, NULL, NULL), CTIE_OK);
    ctie_call *call = call_later(bus, "slow", "go", NULL);
    latch_wait(&factory.waiting, 1);
    set_patience(&own);
    CHECK_STATUS(call_now(bus, "slow", "go"), CTIE_E_CANCELLED);
    latch_add(&factory.opened);
    CHECK_STATUS(ctie_thread_set_wait(CTIE_WAIT(NULL, NULL)), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_OK);
    CHECK_STATUS(call_now(bus, "slow", "go"), CTIE_OK);
}

/* ---- Ends ----------------------------------------------------------------------------------------- */

typedef ctie_status (*end_fn)(ctie_bus *bus, ctie_registration *registration);

static ctie_status release(ctie_bus *it, ctie_registration *registration) {
    (void)it;
    return ctie_registration_release(registration);
}

static ctie_status remove_by_pattern(ctie_bus *it, ctie_registration *registration) {
    (void)registration;
    return ctie_route_remove(it, CTIE_STR("app://stand"), NULL);
}

static ctie_status clear(ctie_bus *it, ctie_registration *registration) {
    (void)registration;
    return ctie_route_clear(it);
}

static ctie_status close_bus(ctie_bus *it, ctie_registration *registration) {
    (void)registration;
    return ctie_bus_close(it);
}

static void wait_and_count(ctie_request *request, void *user_data) {
    (void)user_data;
    wait_there(request, &gate);
}

/* A handler runs on a worker and is not waited for; it is destroyed once when it has returned. */
static void an_end_is_left_to_the_last(end_fn end) {
    ctie_bus *other = NULL;
    ctie_registration *registration = NULL;
    ctie_call *call = NULL;
    patience own = {.before = 1};
    gate = (turnstile)TURNSTILE_INIT;
    destroyed = (latch)LATCH_INIT;
    CHECK_STATUS(ctie_bus_new(NULL, &other, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(other, CTIE_STR("app://stand"),
                                CTIE_HANDLER_OWNED(wait_and_count, &destroyed, latch_destroy), NULL, &registration,
                                NULL), CTIE_OK);
    CHECK_STATUS(ctie_open_async(other, CTIE_STR("app://stand"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL),
                                 without_end(), &call, NULL), CTIE_OK);
    latch_wait(&gate.waiting, 1);
    set_patience(&own);
    CHECK_STATUS(end(other, registration), CTIE_PENDING);
    CHECK(own.asked == 2);
    CHECK(latch_count(&destroyed) == 0);
    latch_add(&gate.opened);
    latch_wait(&destroyed, 1);
    CHECK_STATUS(ctie_thread_set_wait(CTIE_WAIT(NULL, NULL)), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, 60000, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(other), end == close_bus ? CTIE_E_HANDLE : CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
}

static void wait_and_receive(const ctie_message *message, void *user_data) {
    (void)message;
    (void)user_data;
    latch_add(&gate.waiting);
    latch_wait(&gate.opened, 1);
}

static void a_listener_is_left_to_its_thread(bool by_closing) {
    ctie_wormhole_options options = group_options(0);
    ctie_wormhole *wormhole = NULL;
    ctie_listener *listener = NULL;
    patience own = {.before = 0};
    gate = (turnstile)TURNSTILE_INIT;
    destroyed = (latch)LATCH_INIT;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("waiting"), &options, &wormhole, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("a"),
                                      CTIE_RECEIVER_OWNED(wait_and_receive, &destroyed, latch_destroy), NULL, &listener,
                                      NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("a"), NULL, NULL, NULL), CTIE_OK);
    latch_wait(&gate.waiting, 1);
    set_patience(&own);
    CHECK_STATUS(by_closing ? ctie_wormhole_release(wormhole) : ctie_listener_release(listener), CTIE_PENDING);
    CHECK(latch_count(&destroyed) == 0);
    latch_add(&gate.opened);
    latch_wait(&destroyed, 1);
    CHECK_STATUS(ctie_thread_set_wait(CTIE_WAIT(NULL, NULL)), CTIE_OK);
    if (!by_closing) { CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK); }
}

/* ---- Whom it concerns ----------------------------------------------------------------------------- */

static patience of_another = {.before = 0};

static void *set_and_end(void *unused) {
    set_patience(&of_another);
    return unused;
}

static void *wait_alone(void *unused) {
    ctie_call *call = call_later(bus, "home", "stand", NULL);
    CHECK_STATUS(ctie_call_wait(call, 200, NULL), CTIE_E_TIMEOUT);
    latch_add(&gate.opened);
    CHECK_STATUS(call_end(call), CTIE_OK);
    return unused;
}

/* The slot of a thread that has ended is the next one's. */
static void a_function_ends_with_its_thread(void) {
    void *(*const threads[])(void *) = {set_and_end, wait_alone};
    gate = (turnstile)TURNSTILE_INIT;
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, threads[i], NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    CHECK(of_another.asked == 0);
}

int main(void) {
    name_directory();
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://keep"), CTIE_HANDLER(keep, NULL), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://reply"), CTIE_HANDLER(reply_null, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    ctie_action actions[] = {action_of("keep", keep, NULL, 0), action_of("stand", wait_there, &gate, 0)};
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("home"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL,
                                    NULL, NULL), CTIE_OK);
    a_request_is_cancelled();
    calls_inside_the_wait_function_may_end_the_wait();
    it_may_call_the_library();
    a_call_goes_on_without_the_wait();
    a_factory_is_not_waited_for();
    for (int i = 0; i < 20; i++) {
        end_fn const ends[] = {release, remove_by_pattern, clear, close_bus};
        an_end_is_left_to_the_last(ends[i % 4]);
        if (i < 10) { a_listener_is_left_to_its_thread(i % 2 == 0); }
    }
    a_function_ends_with_its_thread();
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    remove_directory();
    return check_end();
}
