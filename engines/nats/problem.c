/* Errors, in statuses and words. */
#include "problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last[1000];

const char *last_problem(void) { return last; }

ctie_status fail(engine *it, ctie_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(last, sizeof last, format, arguments);
    va_end(arguments);
    if (size < 0) { last[0] = 0; }
    if (host_enter(it)) {
        it->host->explain(it->host->context, ctie_str_from(last));
        host_leave(it);
    }
    return status;
}

void log_line(engine *it, int32_t level, const char *format, ...) {
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0 || !host_enter(it)) { return; }
    it->host->log(it->host->context, level, ctie_str_from(text));
    host_leave(it);
}

/* ---- libnats ------------------------------------------------------------------------------------- */

ctie_status status_of_nats(natsStatus status) {
    switch (status) {
    case NATS_OK: return CTIE_OK;
    case NATS_NO_MEMORY: return CTIE_E_NO_MEMORY;
    case NATS_MAX_PAYLOAD: return CTIE_E_LIMIT;
    case NATS_CONNECTION_AUTH_FAILED: case NATS_NOT_PERMITTED: return CTIE_E_DENIED;
    case NATS_SSL_ERROR: case NATS_SECURE_CONNECTION_WANTED: case NATS_SECURE_CONNECTION_REQUIRED: return CTIE_E_UNSAFE;
    case NATS_NO_SERVER_SUPPORT: return CTIE_E_UNSUPPORTED;
    case NATS_NOT_FOUND: /* nothing of a log-in is in the credentials file */
    case NATS_INVALID_ARG: case NATS_INVALID_SUBJECT: return CTIE_E_INVALID;
    default: return CTIE_E_UNAVAILABLE;
    }
}

const char *words_of_nats(natsStatus status) {
    natsStatus seen = NATS_OK;
    const char *text = nats_GetLastError(&seen);
    if (text == NULL || text[0] == 0 || seen != status) { return natsStatus_GetText(status); }
    const char *words = text[0] == '(' ? strstr(text, "): ") : NULL; /* `(conn.c:1905): ` */
    return words != NULL ? words + 3 : text;
}

ctie_status fail_nats(engine *it, natsStatus status, const char *what) {
    return fail(it, status_of_nats(status), "%s: %s", what, words_of_nats(status));
}

/* ---- JetStream ----------------------------------------------------------------------------------- */

/* Codes of the server's errors.json. */
static ctie_status status_of_error(int64_t error, int64_t code) {
    switch (error) {
    case 10002: case 10023: case 10026: case 10027: return CTIE_E_NO_SPACE;
    case 10028: case 10047: case 10077: case 10122: return CTIE_E_NO_SPACE;
    case 10014: case 10037: case 10043: case 10059: return CTIE_E_NOT_FOUND;
    case 10035: case 10039: case 10076: case 10120: return CTIE_E_UNSUPPORTED;
    case 10013: case 10058: case 10065: case 10105: case 10148: return CTIE_E_CONFLICT;
    case 10054: return CTIE_E_LIMIT;
    case 10005: case 10008: case 10009: case 10118: case 10119: return CTIE_E_UNAVAILABLE;
    case 10074: return CTIE_E_UNSUPPORTED; /* several replicas without a cluster */
    default: break;
    }
    switch (code) {
    case 401: case 403: return CTIE_E_DENIED;
    case 404: return CTIE_E_NOT_FOUND;
    case 408: return CTIE_E_TIMEOUT;
    case 503: return CTIE_E_UNAVAILABLE;
    default: return CTIE_E_SYSTEM;
    }
}

ctie_status fail_api(engine *it, const json_t *error, const char *what) {
    int64_t number = json_integer_value(json_object_get(error, "err_code"));
    int64_t code = json_integer_value(json_object_get(error, "code"));
    const char *text = json_string_value(json_object_get(error, "description"));
    if (text == NULL) { text = "an error without words"; }
    return fail(it, status_of_error(number, code), "%s: %.600s (%lld)", what, text,
                (long long)(number != 0 ? number : code));
}
