/* JetStream's API: JSON over requests. */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAUSE_MS = 50, PAUSE_MOST_MS = 250 };

int64_t api_error(const json_t *answer) {
    return json_integer_value(json_object_get(json_object_get(answer, "error"), "err_code"));
}

uint64_t api_number(const json_t *object, const char *key) {
    json_int_t number = json_integer_value(json_object_get(object, key));
    return number > 0 ? (uint64_t)number : 0;
}

const char *api_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* ---- Requests ------------------------------------------------------------------------------------ */

static ctie_status make_request(engine *it, const char *what, const json_t *body, natsMsg **out) {
    char subject[SUBJECT_MOST + STREAM_MOST];
    if (snprintf(subject, sizeof subject, "$JS.API.%s", what) >= (int)sizeof subject) { return CTIE_E_INVALID; }
    char *text = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    if (body != NULL && text == NULL) { return fail(it, CTIE_E_NO_MEMORY, "JetStream's API"); }
    natsStatus status = natsMsg_Create(out, subject, NULL, text, text != NULL ? (int)strlen(text) : 0);
    free(text);
    return status == NATS_OK ? CTIE_OK : fail_nats(it, status, "JetStream's API");
}

static ctie_status read_answer(engine *it, const char *what, natsMsg *message, json_t **answer) {
    int size = natsMsg_GetDataLength(message);
    json_error_t problem;
    json_t *read = json_loadb(natsMsg_GetData(message), size > 0 ? (size_t)size : 0, 0, &problem);
    if (!json_is_object(read)) {
        json_decref(read);
        return fail(it, CTIE_E_CORRUPT, "JetStream's answer to %s is not JSON: %s", what, problem.text);
    }
    const json_t *error = json_object_get(read, "error");
    ctie_status status = error != NULL ? fail_api(it, error, what) : CTIE_OK;
    if (answer != NULL) { *answer = read; } else { json_decref(read); }
    return status;
}

static ctie_status request(engine *it, const char *what, const json_t *body, int64_t deadline, json_t **answer,
                           bool *is_nobody) {
    natsMsg *message = NULL;
    *is_nobody = false;
    ctie_status status = make_request(it, what, body, &message);
    if (status != CTIE_OK) { return status; }
    status = ask_somebody(it, message, deadline, &message, is_nobody);
    if (status != CTIE_OK) { return status; }
    status = read_answer(it, what, message, answer);
    natsMsg_Destroy(message);
    return status;
}

static void pause_for(engine *it, int64_t ms, int64_t deadline) {
    int64_t until = deadline_after(ms);
    struct timespec end;
    if (until > deadline) { until = deadline; }
    end.tv_sec = until / 1000000000, end.tv_nsec = until % 1000000000;
    pthread_mutex_lock(&it->lock);
    while (!it->is_closing && pthread_cond_timedwait(&it->changed, &it->lock, &end) == 0) {}
    pthread_mutex_unlock(&it->lock);
}

/* The connection was lost, or the cluster has no leader now. */
static bool can_repeat(ctie_status status, bool is_nobody) {
    return status == CTIE_E_UNCERTAIN || (status == CTIE_E_UNAVAILABLE && !is_nobody);
}

ctie_status api(engine *it, const char *what, const json_t *body, int64_t deadline, json_t **answer) {
    bool is_nobody;
    int64_t pause = PAUSE_MS;
    if (answer != NULL) { *answer = NULL; }
    for (;;) {
        ctie_status status = request(it, what, body, deadline, answer, &is_nobody);
        if (is_nobody) {
            return fail(it, CTIE_E_UNSUPPORTED, "JetStream is off on this server, or for this account (%s)", what);
        }
        if (!can_repeat(status, is_nobody)) { return status; }
        if (deadline_left(deadline) <= pause) {
            if (status != CTIE_E_UNCERTAIN) { return status; }
            return fail(it, CTIE_E_TIMEOUT, "the server did not answer %s in time", what);
        }
        if (answer != NULL) {
            json_decref(*answer);
            *answer = NULL;
        }
        pause_for(it, pause, deadline);
        pause = pause * 2 < PAUSE_MOST_MS ? pause * 2 : PAUSE_MOST_MS;
    }
}

/* ---- Times --------------------------------------------------------------------------------------- */

static bool read_digits(const char **at, int count, int *out) {
    *out = 0;
    for (int i = 0; i < count; i++, (*at)++) {
        if (**at < '0' || **at > '9') { return false; }
        *out = *out * 10 + (**at - '0');
    }
    return true;
}

static bool read_char(const char **at, char wanted) { return **at == wanted ? (*at)++, true : false; }

static int64_t read_fraction(const char **at) {
    int64_t fraction = 0, unit = 100000000;
    if (!read_char(at, '.')) { return 0; }
    for (; **at >= '0' && **at <= '9'; (*at)++, unit /= 10) { fraction += unit * (**at - '0'); }
    return fraction;
}

int64_t api_time(const char *text) {
    struct tm day = {0};
    int year, month, hours = 0, minutes = 0;
    const char *at = text;
    bool is_read = text != NULL && read_digits(&at, 4, &year) && read_char(&at, '-') && read_digits(&at, 2, &month) &&
                   read_char(&at, '-') && read_digits(&at, 2, &day.tm_mday) && read_char(&at, 'T') &&
                   read_digits(&at, 2, &day.tm_hour) && read_char(&at, ':') && read_digits(&at, 2, &day.tm_min) &&
                   read_char(&at, ':') && read_digits(&at, 2, &day.tm_sec);
    if (!is_read || year < 1970 || year > 2261 || month < 1 || month > 12) { return 0; }
    int64_t fraction = read_fraction(&at);
    int sign = *at == '-' ? -1 : 1;
    bool has_zone = *at == '+' || *at == '-';
    if (has_zone) {
        at++;
        if (!read_digits(&at, 2, &hours) || !read_char(&at, ':') || !read_digits(&at, 2, &minutes)) { return 0; }
    } else if (!read_char(&at, 'Z')) {
        return 0;
    }
    if (*at != 0) { return 0; }
    day.tm_year = year - 1900, day.tm_mon = month - 1;
    int64_t seconds = (int64_t)timegm(&day) - sign * (hours * 3600 + minutes * 60);
    return seconds >= 0 ? seconds * 1000000000 + fraction : 0;
}

void api_time_text(int64_t time, char out[40]) {
    time_t seconds = (time_t)((time > 0 ? time : 0) / 1000000000);
    struct tm day;
    gmtime_r(&seconds, &day);
    size_t size = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &day);
    snprintf(out + size, 40 - size, ".%09dZ", (int)((time > 0 ? time : 0) % 1000000000));
}
