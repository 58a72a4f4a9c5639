/* The C player of scenarios: what its files share. The format is set out in Tests/Scenarios/README.md. */
#ifndef SCENARIO_PLAYER_H
#define SCENARIO_PLAYER_H

#include <crosstie.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The time limit for events that happen by themselves. Reaching it is a failure, so it is generous. */
enum { WATCHDOG_SECONDS = 30 };

typedef struct player player;
typedef const ctie_value step; /* one step, or one action of a handler: a map of the data file */

/* A named object of a scenario: a bus, a registration, a request that is kept, ... */
typedef enum { BUS, REGISTRATION, INSTANCE, REQUEST, GATE, CALL, WORMHOLE, LISTENER, PROCESS, MEMBERSHIP, VALUE, NUMBER, KINDS } thing_kind;

typedef struct thing {
    struct thing *next;
    thing_kind kind;
    char *name;
    void *object; /* NULL once it has been given up */
} thing;

/* The keeper of the messages of wormholes: a directory, memory, an engine of this program, or a server. */
typedef enum { IN_DIRECTORY, IN_MEMORY, IN_ENGINE, IN_SERVER } group_kind;

struct player {
    const char *directory; /* where wormholes are kept */
    group_kind groups;     /* or are not, but their names all the same */
    const ctie_value *steps; /* the list that is played; handlers borrow from it */
    size_t current;        /* the step being played, for messages */
    size_t row;            /* the same of a table, from 1 */
    pthread_mutex_t lock;  /* guards everything below */
    pthread_cond_t changed;
    thing *things;
    struct block *blocks;     /* memory that lives as long as the scenario */
    struct worker *workers;   /* threads that answer later */
    ctie_value *notes;        /* what handlers have noted, since a step asked: a list, or NULL */
    bool over;                /* the steps are, and every gate is open */
    char failure[2048];       /* the first one; empty while all is well */
};

/* player.c */
void player_begin(player *p, const char *directory, const ctie_value *steps);
bool player_play(player *p); /* true when everything came as expected */
void play_step(player *p, step *s);
void player_end(player *p);
void failf(player *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool failed(player *p);
void *keep_memory(player *p, size_t size);
void wait_for_change(player *p, bool *in_time); /* with the lock held */

/* things.c */
void thing_add(player *p, thing_kind kind, ctie_str name, void *object);
void *thing_look_up(player *p, thing_kind kind, ctie_str name); /* NULL when there is none */
void *thing_find(player *p, thing_kind kind, ctie_str name);  /* fails when there is none */
void *thing_await(player *p, thing_kind kind, ctie_str name); /* waits until there is one */
void *thing_take(player *p, thing_kind kind, ctie_str name);  /* the same, and it is given up here */
void *thing_next(player *p, thing_kind kind);                 /* any of a kind, given up; NULL: no more */

/* data.c */
bool has(step *s, const char *key);
ctie_str text(player *p, step *s, const char *key, const char *otherwise);
int64_t number(step *s, const char *key, int64_t otherwise);
bool flag(step *s, const char *key, bool otherwise);
ctie_value *value(player *p, step *s, const char *key); /* owned; null when the key is missing */
ctie_str_list texts(player *p, step *s, const char *key);
ctie_value *pair_map(const char *key, ctie_value *value_taken);
bool is(ctie_str text, const char *other);
bool same_text(ctie_str left, ctie_str right);
ctie_str copy(player *p, ctie_str text);
step *keep_value(player *p, ctie_value *value_taken); /* until the scenario ends */

/* expect.c */
const char *short_name(ctie_status status);
ctie_status status_named(player *p, ctie_str name);
bool expect_status(player *p, step *s, ctie_status status, ctie_error *error_taken);
void expect_ok(player *p, const char *what, ctie_status status);
void expect_value(player *p, const char *what, ctie_value *expected_taken, const ctie_value *actual);
void expect_text(player *p, step *s, const char *key, ctie_str actual);
void expect_number(player *p, step *s, const char *key, int64_t actual);
void expect_response(player *p, step *s, ctie_response *response);

/* actions.c */
typedef struct handler {
    player *player;
    step *actions;      /* an action, a list of them, or NULL */
    ctie_str otherwise; /* what is replied where there are none */
} handler;
handler *handler_of(player *p, step *actions, ctie_str otherwise);
void handler_run(ctie_request *request, void *user_data);
void act_each(handler *h, ctie_request *request, step *actions); /* an action, or a list of them */
ctie_status act_later(handler *h, ctie_request *request, step *action);
const ctie_handler *interceptors_of(player *p, step *s, size_t *count);
void workers_join(player *p);

/* actions_answer.c: true if the verb is one that replies a value. */
bool answer_of(player *p, ctie_request *request, step *action, ctie_str verb, ctie_value **reply);
ctie_bus *bus_of_action(player *p, ctie_request *request, step *action);

/* actions_end.c: true if the verb is one of the others. */
bool action_of(handler *h, ctie_request *request, step *action, ctie_str verb, ctie_status *status);

/* actions_return.c */
ctie_status act_on_return(handler *h, ctie_request *request, step *action);
ctie_status act_on_cancel(handler *h, ctie_request *request, step *action);

/* gates.c: a handler waits there until a step lets it continue. */
ctie_status act_block(handler *h, ctie_request *request, step *action);
void wait_at(player *p, ctie_str gate);
ctie_status act_outlast(handler *h, ctie_request *request, step *action);
void gates_open(player *p);

/* echo.c */
ctie_value *part_of(player *p, ctie_request *request, ctie_str part);
ctie_value *echo(player *p, ctie_request *request, step *action);

/* schema.c */
void schema_set(step *document);       /* steps.schema, which lives as long as the player */
void check_step(player *p, step *s);   /* fails the scenario for a key that the schema does not have */

/* requests.c */
typedef struct reported reported; /* the progress of one request */
ctie_origin origin_of(player *p, step *s);
uint32_t kinds_of(player *p, step *s);
const char *request_kind_name(int32_t kind);
ctie_match_mode mode_of(player *p, step *s, const char *key);
reported *reported_of(player *p, step *s, ctie_request_options *options); /* asks for it if the step expects some */
void expect_reported(player *p, step *s, reported *progress);
ctie_request_options request_options(player *p, step *s);
ctie_status request_now(player *p, step *s, ctie_bus *bus, const ctie_request_options *options,
                        ctie_response **response, ctie_error **error);
ctie_status request_later(player *p, step *s, ctie_completion completion, const ctie_request_options *options,
                          ctie_call **call, ctie_error **error);

/* handoffs.c: true if the step's request is one that providers serve. */
bool handoff_now(player *p, step *s, ctie_bus *bus, const ctie_request_options *options, ctie_response **response,
                 ctie_error **error, ctie_status *status);
bool handoff_later(player *p, step *s, ctie_completion completion, const ctie_request_options *options,
                   ctie_call **call, ctie_error **error, ctie_status *status);

/* steps_route.c */
ctie_bus *bus_of(player *p, step *s);
void expect_registered(player *p, step *s, ctie_status status, ctie_registration *registration, ctie_error *error);
void expect_url(player *p, step *s, ctie_status status, ctie_value *url_taken, ctie_error *error_taken);

/* steps_rules.c */
ctie_status rules_load(player *p, step *s, ctie_bus *bus, ctie_error **error);

/* steps_request.c */
ctie_call *call_await(player *p, ctie_str name);

/* steps_handlers.c */
ctie_handler_options handler_options(player *p, step *s);
typedef ctie_status handler_setter(ctie_bus *bus, ctie_handler handler, const ctie_handler_options *options,
                                   ctie_error **error);
void set_handler(player *p, step *s, handler_setter *set);
ctie_handler_fn handler_fn_of(step *s); /* NULL for a step without a handler, which takes away the one there is */
void note_add(player *p, ctie_value *value_taken);

/* steps_wormhole.c */
ctie_wormhole *wormhole_of(player *p, step *s);
void expect_listeners(player *p, step *s, uint32_t count);
void expect_message(player *p, step *s, const ctie_message *message);
void send_on(player *p, step *s, ctie_wormhole *wormhole); /* what a listener sends */

/* steps_listen.c */
typedef struct inbox inbox; /* a listener with everything it has received, in order */
const ctie_message *last_of(inbox *log); /* the last message that a step expected; NULL before */
ctie_status unlisten(player *p, step *s, ctie_wormhole *wormhole, ctie_error **error);

/* steps_queue.c */
ctie_listen_options listen_options(player *p, step *s);
/* Acknowledges it or rejects it. */
ctie_status resolve(player *p, step *s, const ctie_message *message);

/* steps_*.c */
void step_bus(player *p, step *s);
void step_close(player *p, step *s);
void step_route(player *p, step *s);
void step_remove(player *p, step *s);
void step_routes(player *p, step *s);
void step_component(player *p, step *s);
void step_components(player *p, step *s);
void step_broadcast(player *p, step *s);
void step_dispatcher(player *p, step *s);
void step_cancel_all(player *p, step *s);
void step_allow(player *p, step *s);
void step_resolver(player *p, step *s);
void step_fallback(player *p, step *s);
void step_release(player *p, step *s);
void step_stats(player *p, step *s);
void step_request(player *p, step *s);
void step_can_open(player *p, step *s);
void step_clear(player *p, step *s);
void step_generate(player *p, step *s);
void step_generate_named(player *p, step *s);
void step_generate_rule(player *p, step *s);
void step_interceptor(player *p, step *s);
void step_unmatched(player *p, step *s);
void step_navigator(player *p, step *s);
void step_system_opener(player *p, step *s);
void step_noted(player *p, step *s);
void step_rules(player *p, step *s);
void step_unload_rules(player *p, step *s);
void step_rule(player *p, step *s);
void step_rules_document(player *p, step *s);
void step_rules_convert(player *p, step *s);
void step_request_async(player *p, step *s);
void step_wait(player *p, step *s);
void step_cancel(player *p, step *s);
void step_end(player *p, step *s);
void step_release_request(player *p, step *s);
void step_taken(player *p, step *s);
void step_act(player *p, step *s);
void step_blocked(player *p, step *s);
void step_unblock(player *p, step *s);
void step_from_json(player *p, step *s);
void step_to_json(player *p, step *s);
void step_from_msgpack(player *p, step *s);
void step_to_msgpack(player *p, step *s);
void step_provider(player *p, step *s);
void step_providers(player *p, step *s);
void step_set_providers(player *p, step *s);
void step_move_provider(player *p, step *s);
void step_remove_provider(player *p, step *s);
void step_provider_open_url(player *p, step *s);
void step_provider_open_activity(player *p, step *s);
void step_log(player *p, step *s);
void step_provider_log(player *p, step *s);
void step_redirect_log(player *p, step *s);
void step_wormhole(player *p, step *s);
void step_send_many(player *p, step *s);
void step_signal(player *p, step *s);
void step_identifiers(player *p, step *s);
void step_members(player *p, step *s);
void step_resolve(player *p, step *s);
void step_forget(player *p, step *s);
void step_send(player *p, step *s);
void step_scheduled(player *p, step *s);
void step_cancel_scheduled(player *p, step *s);
void expect_headers(player *p, step *s, const ctie_message *message);
void step_declare(player *p, step *s);
void step_durables(player *p, step *s);
void step_seek(player *p, step *s);
void step_message(player *p, step *s);
void step_listen(player *p, step *s);
void step_unlisten(player *p, step *s);
void step_listeners(player *p, step *s);
void step_events(player *p, step *s);
void step_newest(player *p, step *s);
void step_destroy(player *p, step *s);
void step_destroy_all(player *p, step *s);
void step_dead_letters(player *p, step *s);
void step_dead_letter(player *p, step *s);
void step_retry(player *p, step *s);
void step_drop(player *p, step *s);
void step_join_bus(player *p, step *s);
void step_leave(player *p, step *s);
void step_set_exports(player *p, step *s);
void step_peers(player *p, step *s);
void step_components_anywhere(player *p, step *s);
void memberships_end(player *p);
void step_process(player *p, step *s);
void step_join(player *p, step *s);
void step_die(player *p, step *s);
void step_table(player *p, step *s);

/* engine.c */
void use_engine(player *p, ctie_wormhole_options *options);
void engines_deliver(void);              /* has each wormhole get what was sent; without, its engine's thread may be late */
void engines_end(void);                  /* when all wormholes have closed */

/* server.c */
void server_begin(const char *address, size_t scenario);
bool server_is_given(void);              /* the player of another process has one */
ctie_str use_server(player *p, ctie_wormhole_options *options, ctie_str group); /* the address of the group */

/* lacking.c */
bool is_left_out(group_kind groups, const char *path); /* whether the scenario needs more than these groups have */
bool left_out_exist(group_kind groups);                /* whether all scenarios that do so were asked for */

/* Resources to be released when a scenario ends, whether it was played to its end or not. */
void calls_end(player *p);
void buses_end(player *p);
void kept_end(player *p);
void wormholes_end(player *p);
void listeners_end(player *p); /* also fails for events that no step expected */
void processes_end(player *p);
void values_end(player *p);

#endif
