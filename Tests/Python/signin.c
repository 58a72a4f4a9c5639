/*
 * A C host that embeds Python, where a provider signs in by OAuth, and signs in through the bus: once when the user
 * allows it, once when she does not. It prints the answers, without the secrets.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdio.h>

#include <crosstie.h>

static int print_entry(const ctie_value *answer, size_t index) {
    ctie_str key = {NULL, 0};
    ctie_str text = {NULL, 0};
    const ctie_value *value = NULL;
    if (ctie_value_entry_at(answer, index, &key, &value) != CTIE_OK ||
        ctie_value_get_string(value, &text) != CTIE_OK) {
        return -1;
    }
    return printf(" %.*s%s", (int)key.size, key.data, text.size > 0 ? "" : "(empty)");
}

static void sign_in(ctie_bus *bus, const char *scope) {
    ctie_pair pair = {CTIE_STR("scope"), ctie_value_string(ctie_str_from(scope))};
    ctie_value *params = ctie_value_map(&pair, 1);
    ctie_response *response = NULL;
    ctie_status status = ctie_oauth(bus, CTIE_STR("example"), params, NULL, &response, NULL);
    ctie_str message = ctie_response_message(response);
    printf("%s %.*s", ctie_status_name(status), (int)message.size, message.data);
    const ctie_value *answer = ctie_response_value(response);
    for (size_t index = 0; index < ctie_value_count(answer) && print_entry(answer, index) > 0; index++) {
    }
    puts("");
    ctie_response_release(response);
    ctie_value_release(params);
}

int main(void) {
    ctie_bus *bus = NULL;
    if (ctie_bus_shared(CTIE_STR("signing in"), &bus, NULL) != CTIE_OK) {
        return 1;
    }
    Py_InitializeEx(0);
    if (PyRun_SimpleString("import signin_part") != 0) {
        return 1;
    }
    PyThreadState *state = PyEval_SaveThread();
    sign_in(bus, "allowed");
    sign_in(bus, "denied");
    PyEval_RestoreThread(state);
    return Py_FinalizeEx();
}
