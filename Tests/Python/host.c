/* A host in C, as a shared object that the tests load beside the package. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include <crosstie.h>

/* ---- Values --------------------------------------------------------------------------------------- */

/** Writes what came of a request: "status code message json". Consumes the response. */
static void write_outcome(ctie_status status, ctie_response *response, char *out, size_t size) {
    ctie_value *json = NULL;
    ctie_str text = {NULL, 0};
    if (ctie_value_to_json(ctie_response_value(response), 0, &json, NULL) == CTIE_OK) {
        (void)ctie_value_get_string(json, &text);
    }
    ctie_str message = ctie_response_message(response);
    snprintf(out, size, "%s %d [%.*s] %.*s", ctie_status_name(status), (int)ctie_response_code(response),
             (int)message.size, message.data, (int)text.size, text.data);
    ctie_value_release(json);
    ctie_response_release(response);
}

/** Opens a URL and writes what came of it. */
void host_open(const char *bus_name, const char *url, char *out, size_t size) {
    ctie_bus *bus = NULL;
    ctie_response *response = NULL;
    (void)ctie_bus_shared(ctie_str_from(bus_name), &bus, NULL);
    ctie_status status = ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, NULL, &response, NULL);
    write_outcome(status, response, out, size);
    ctie_bus_release(bus);
}

/** Calls an action with params in JSON, or performs it where the name is a target, and writes what came of it. */
void host_call(const char *bus_name, const char *name, const char *action, const char *json, char *out, size_t size) {
    ctie_bus *bus = NULL;
    ctie_response *response = NULL;
    ctie_value *params = NULL;
    (void)ctie_bus_shared(ctie_str_from(bus_name), &bus, NULL);
    (void)ctie_value_from_json(ctie_str_from(json), &params, NULL);
    bool is_target = strchr(name, ':') != NULL;
    ctie_status status = (is_target ? ctie_perform : ctie_component_call)(
        bus, (ctie_target){ctie_str_from(name), ctie_str_from(action)}, params, NULL, &response, NULL);
    write_outcome(status, response, out, size);
    ctie_value_release(params);
    ctie_bus_release(bus);
}

/* A static component, which every bus that has those gets with this shared object. */

CTIE_COMPONENT(host_home)

CTIE_ACTION(host_home, echo) {
    (void)user_data;
    ctie_value *params = NULL;
    ctie_status status = ctie_request_params(request, &params);
    if (status == CTIE_OK) {
        ctie_request_reply(request, params);
    } else {
        ctie_request_refuse(request, status, CTIE_STR("no params"));
    }
}

CTIE_ACTION(host_home, steps) {
    (void)user_data;
    ctie_request_progress(request, ctie_value_int(1));
    ctie_request_progress(request, ctie_value_string(CTIE_STR("two")));
    ctie_request_fail(request, 42, ctie_value_int(7), CTIE_STR("C says no"));
}

static int objects;
static void retain(void *object) {
    ++*(int *)object;
}
static void release(void *object) {
    --*(int *)object;
}
static ctie_status materialize(void *object, ctie_value **out) {
    (void)object;
    *out = ctie_value_string(CTIE_STR("content"));
    return CTIE_OK;
}

/** The number of references to the host's objects. */
int host_objects(void) {
    return objects;
}

static ctie_value *object_of(const char *tag, ctie_status (*content)(void *, ctie_value **)) {
    ctie_foreign_type type = {sizeof(type), ctie_str_from(tag), retain, release, content};
    ctie_foreign_id id = 0;
    return ctie_foreign_register(&type, &id, NULL) == CTIE_OK ? ctie_value_foreign(id, &objects) : NULL;
}

static void reply_opaque(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, object_of("opaque", NULL));
}

static void reply_content(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_value *items[] = {object_of("content", materialize), ctie_value_int(7), ctie_value_bytes(CTIE_STR("\0x"))};
    ctie_request_reply(request, ctie_value_list(items, 3));
}

static void reply_user_info(ctie_request *request, void *user_data) {
    (void)user_data;
    const ctie_value *info = NULL;
    ctie_request_user_info(request, &info);
    ctie_request_reply(request, ctie_value_retain(info));
}

/* The content of the params: whatever Python had them in is not looked at before this. */
static void reply_params(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_value *params = NULL;
    ctie_request_params(request, &params);
    ctie_request_reply(request, params);
}

static void fail(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_fail(request, 42, ctie_value_int(7), CTIE_STR("C says no"));
}

/** Opens the URL of the parameter "url" as the host's own code, and replies what came of it. */
static void open_nested(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_bus *bus = NULL;
    ctie_str url;
    ctie_response *response = NULL;
    (void)ctie_request_bus(request, &bus);
    (void)ctie_request_param(request, CTIE_STR("url"), &url);
    ctie_status status = ctie_open(bus, url, CTIE_ORIGIN_LOCAL, NULL, &response, NULL);
    if (status == CTIE_OK) {
        ctie_request_reply(request, ctie_value_retain(ctie_response_value(response)));
    } else {
        ctie_request_fail(request, status, NULL, CTIE_STR("nested"));
    }
    ctie_response_release(response);
}

/* ---- Locks ---------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t wakeup;

static void wait_for_wakeup(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
    sem_wait(&wakeup);
}

void host_notify(void) {
    sem_post(&wakeup);
}

static void take_lock(ctie_request *request, void *user_data) {
    (void)user_data;
    pthread_mutex_lock(&lock);
    ctie_request_reply(request, ctie_value_int(1));
    pthread_mutex_unlock(&lock);
}

/** Opens a URL many times with the lock held; returns how many succeeded. */
int host_open_locked(const char *bus_name, const char *url, int rounds) {
    ctie_bus *bus = NULL;
    int count = 0;
    (void)ctie_bus_shared(ctie_str_from(bus_name), &bus, NULL);
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        count += ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL) == CTIE_OK;
        pthread_mutex_unlock(&lock);
    }
    ctie_bus_release(bus);
    return count;
}

/* ---- Threads that outlive the interpreter's code ---------------------------------------------------- */

static const char *storm_bus;

static void *storm(void *unused) {
    ctie_bus *bus = NULL;
    (void)ctie_bus_shared(ctie_str_from(storm_bus), &bus, NULL);
    for (;;) {
        (void)ctie_open(bus, CTIE_STR("app://python"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
    }
    return unused;
}

/** Starts a thread that opens app://python without end. */
int host_storm(const char *bus_name) {
    pthread_t thread;
    storm_bus = bus_name;
    return pthread_create(&thread, NULL, storm, NULL);
}

/** Registers all of the above on the process's bus of that name. */
int host_register(const char *bus_name) {
    static const struct {
        const char *pattern;
        ctie_handler_fn handler;
    } routes[] = {
        {"c://opaque", reply_opaque}, {"c://content", reply_content}, {"c://info", reply_user_info},
        {"c://fail", fail},           {"c://wait", wait_for_wakeup},    {"c://lock", take_lock},
        {"c://nested", open_nested},
    };
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = CTIE_ROUTE_PUBLIC;
    ctie_bus *bus = NULL;
    ctie_status status = ctie_bus_shared(ctie_str_from(bus_name), &bus, NULL);
    sem_init(&wakeup, 0, 0);
    for (size_t i = 0; status == CTIE_OK && i < sizeof(routes) / sizeof(routes[0]); i++) {
        status = ctie_route_add(bus, ctie_str_from(routes[i].pattern), CTIE_HANDLER(routes[i].handler, NULL), &options,
                                NULL, NULL);
    }
    const ctie_action actions[] = {{CTIE_STR("params"), reply_params, NULL, 0, {NULL, 0}}};
    if (status == CTIE_OK) {
        status = ctie_component_add(bus, CTIE_STR("native"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL,
                                    NULL, NULL);
    }
    return status; /* the reference to the bus is the host's for good */
}
