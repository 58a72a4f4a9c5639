/* A C program with a Python part: both use the process's bus "shop". Usage: embed */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <crosstie.h>
#include <stdio.h>

/* [python] */
static const char *const PART =
    "import crosstie\n"
    "bus = crosstie.Bus.shared('shop')\n"
    "@bus.route('app://price/:item')\n"
    "def price(item):\n"
    "    stock = bus.open(f'app://stock/{item}').value\n"
    "    return f'10 EUR, {stock}'\n";
/* [end] */

/* [host] */
static void count_stock(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_string(CTIE_STR("3 left")));
}

static void print_price(ctie_bus *bus) {
    ctie_response *response = NULL;
    ctie_value *plain = NULL; /* an object of Python is converted when C reads it */
    ctie_str price = {NULL, 0};
    ctie_open(bus, CTIE_STR("app://price/wheel"), CTIE_ORIGIN_LOCAL, NULL, &response, NULL);
    ctie_value_materialize(ctie_response_value(response), &plain, NULL);
    ctie_value_get_string(plain, &price);
    printf("%.*s\n", (int)price.size, price.data);
    ctie_value_release(plain);
    ctie_response_release(response);
}

int main(void) {
    ctie_bus *bus = NULL;
    ctie_bus_shared(CTIE_STR("shop"), &bus, NULL);
    ctie_route_add(bus, CTIE_STR("app://stock/:item"), CTIE_HANDLER(count_stock, NULL), NULL, NULL, NULL);

    Py_InitializeEx(0); /* 0: the signals stay the program's */
    int status = PyRun_SimpleString(PART);
    PyThreadState *saved = PyEval_SaveThread(); /* no thread holds the interpreter while C runs */
    if (status == 0) print_price(bus);
    PyEval_RestoreThread(saved);
    if (Py_FinalizeEx() != 0) status = 1;
    ctie_bus_release(bus);
    return status;
}
/* [end] */
