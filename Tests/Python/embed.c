/*
 * A C host that embeds Python and outlives it: its threads open routes in Python before, during and after
 * the interpreter's end. With the argument "stuck" a handler never returns, so that the end is not clean.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <crosstie.h>

#define THREADS 3
#define BUS CTIE_STR("embedded")

static const char script[] =
    "import crosstie, threading, time\n"
    "started = threading.Event()\n"
    "bus = crosstie.Bus.shared('embedded')\n"
    "bus.routes.add('app://python', lambda: {'from': 'Python'})\n"
    "bus.interceptors.add(lambda request, proceed: proceed())\n"
    "bus.routes.unmatched(lambda: 'nobody')\n"
    "bus.rules.navigator(lambda: 'nobody')\n"
    "bus.system_opener(lambda: 'nobody', schemes=['app'])\n"
    "@bus.route('app://stuck')\n"
    "def stuck():\n"
    "    started.set()\n"
    "    while True: time.sleep(0.0001)\n";

static ctie_bus *bus;
static atomic_int answers;
static atomic_bool is_over;

static void *open_without_end(void *unused) {
    while (!atomic_load(&is_over)) {
        if (ctie_open(bus, CTIE_STR("app://python"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL) == CTIE_OK) {
            atomic_fetch_add(&answers, 1);
        }
    }
    return unused;
}

static void *open_stuck(void *unused) {
    (void)ctie_open(bus, CTIE_STR("app://stuck"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
    return unused;
}

/** Ends Python once the threads have had answers from it. */
static int run_python(bool is_stuck, pthread_t *threads) {
    Py_InitializeEx(0);
    if (PyRun_SimpleString(script) != 0) {
        return -1;
    }
    PyThreadState *state = PyEval_SaveThread();
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, open_without_end, NULL);
    }
    pthread_t stuck;
    if (is_stuck && pthread_create(&stuck, NULL, open_stuck, NULL) == 0) {
        pthread_detach(stuck);
    }
    while (atomic_load(&answers) < 1000) {
        sched_yield();
    }
    PyEval_RestoreThread(state);
    if (is_stuck && PyRun_SimpleString("started.wait()") != 0) {
        return -1;
    }
    return Py_FinalizeEx();
}

int main(int count, char **arguments) {
    (void)arguments;
    pthread_t threads[THREADS];
    if (ctie_bus_shared(BUS, &bus, NULL) != CTIE_OK || run_python(count > 1, threads) != 0) {
        return 1;
    }
    /* Python has ended; the bus is the host's, and remains. */
    ctie_response *response = NULL;
    ctie_status status = CTIE_OK;
    for (int i = 0; i < 1000; i++) {
        ctie_response_release(response);
        status = ctie_open(bus, CTIE_STR("app://python"), CTIE_ORIGIN_LOCAL, NULL, &response, NULL);
    }
    ctie_str message = ctie_response_message(response);
    printf("%s [%.*s]\n", ctie_status_name(status), (int)message.size, message.data);
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
