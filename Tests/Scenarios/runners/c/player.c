/* Playing the steps of one scenario, in order, up to the first that does not come out as expected. */
#include "player.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct block {
    struct block *next;
    max_align_t memory[];
} block;

static const struct {
    const char *name;
    void (*play)(player *p, step *s);
} VERBS[] = {
    {"bus", step_bus},
    {"close", step_close},
    {"route", step_route},
    {"remove", step_remove},
    {"routes", step_routes},
    {"open", step_request},
    {"can_open", step_can_open},
    {"clear", step_clear},
    {"generate", step_generate},
    {"generate_named", step_generate_named},
    {"generate_rule", step_generate_rule},
    {"interceptor", step_interceptor},
    {"unmatched", step_unmatched},
    {"navigator", step_navigator},
    {"system_opener", step_system_opener},
    {"noted", step_noted},
    {"rules", step_rules},
    {"unload_rules", step_unload_rules},
    {"rule", step_rule},
    {"rules_document", step_rules_document},
    {"rules_convert", step_rules_convert},
    {"open_async", step_request_async},
    {"component", step_component},
    {"components", step_components},
    {"call", step_request},
    {"call_async", step_request_async},
    {"broadcast", step_broadcast},
    {"broadcast_async", step_request_async},
    {"dispatcher", step_dispatcher},
    {"cancel_all", step_cancel_all},
    {"perform", step_request},
    {"perform_async", step_request_async},
    {"allow", step_allow},
    {"resolver", step_resolver},
    {"fallback", step_fallback},
    {"release", step_release},
    {"stats", step_stats},
    {"provider", step_provider},
    {"providers", step_providers},
    {"set_providers", step_set_providers},
    {"move_provider", step_move_provider},
    {"remove_provider", step_remove_provider},
    {"share", step_request},
    {"share_async", step_request_async},
    {"oauth", step_request},
    {"oauth_async", step_request_async},
    {"launch", step_request},
    {"launch_async", step_request_async},
    {"provider_open_url", step_provider_open_url},
    {"provider_open_activity", step_provider_open_activity},
    {"log", step_log},
    {"provider_log", step_provider_log},
    {"redirect_log", step_redirect_log},
    {"wait", step_wait},
    {"cancel", step_cancel},
    {"end", step_end},
    {"release_request", step_release_request},
    {"taken", step_taken},
    {"act", step_act},
    {"blocked", step_blocked},
    {"unblock", step_unblock},
    {"from_json", step_from_json},
    {"to_json", step_to_json},
    {"from_msgpack", step_from_msgpack},
    {"to_msgpack", step_to_msgpack},
    {"wormhole", step_wormhole},
    {"send_many", step_send_many},
    {"signal", step_signal},
    {"identifiers", step_identifiers},
    {"members", step_members},
    {"acknowledge", step_resolve},
    {"reject", step_resolve},
    {"forget", step_forget},
    {"send", step_send},
    {"scheduled", step_scheduled},
    {"cancel_scheduled", step_cancel_scheduled},
    {"declare", step_declare},
    {"durables", step_durables},
    {"seek", step_seek},
    {"message", step_message},
    {"listen", step_listen},
    {"unlisten", step_unlisten},
    {"listeners", step_listeners},
    {"events", step_events},
    {"newest", step_newest},
    {"destroy", step_destroy},
    {"destroy_all", step_destroy_all},
    {"dead_letters", step_dead_letters},
    {"dead_letter", step_dead_letter},
    {"retry", step_retry},
    {"drop", step_drop},
    {"process", step_process},
    {"join", step_join},
    {"join_bus", step_join_bus},
    {"leave", step_leave},
    {"set_exports", step_set_exports},
    {"peers", step_peers},
    {"components_anywhere", step_components_anywhere},
    {"die", step_die},
    {"table", step_table},
};

void player_begin(player *p, const char *directory, const ctie_value *steps) {
    memset(p, 0, sizeof *p);
    p->directory = directory;
    p->steps = steps;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void play_step(player *p, step *s) {
    ctie_str verb = text(p, s, "do", "");
    for (size_t i = 0; i < sizeof VERBS / sizeof VERBS[0]; i++) {
        if (is(verb, VERBS[i].name)) {
            VERBS[i].play(p, s);
            return;
        }
    }
    failf(p, "no such step: %.*s", (int)verb.size, verb.data);
}

bool player_play(player *p) {
    for (p->current = 0; p->current < ctie_value_count(p->steps); p->current++) {
        check_step(p, ctie_value_at(p->steps, p->current));
    }
    for (p->current = 0; p->current < ctie_value_count(p->steps) && !failed(p); p->current++) {
        play_step(p, ctie_value_at(p->steps, p->current));
    }
    gates_open(p);
    calls_end(p);
    memberships_end(p);
    buses_end(p);
    kept_end(p);
    workers_join(p);
    wormholes_end(p);
    listeners_end(p);
    processes_end(p);
    values_end(p);
    return !failed(p);
}

void player_end(player *p) {
    while (p->blocks != NULL) {
        block *next = p->blocks->next;
        free(p->blocks);
        p->blocks = next;
    }
    ctie_value_release(p->notes);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
}

void failf(player *p, const char *format, ...) {
    pthread_mutex_lock(&p->lock);
    if (p->failure[0] == 0) {
        int used = snprintf(p->failure, sizeof p->failure, "step %zu: ", p->current + 1);
        if (p->row > 0) {
            used += snprintf(p->failure + used, sizeof p->failure - (size_t)used, "row %zu: ", p->row);
        }
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(p->failure + used, sizeof p->failure - (size_t)used, format, arguments);
        va_end(arguments);
    }
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

bool failed(player *p) {
    pthread_mutex_lock(&p->lock);
    bool result = p->failure[0] != 0;
    pthread_mutex_unlock(&p->lock);
    return result;
}

void *keep_memory(player *p, size_t size) {
    block *new = calloc(1, sizeof *new + size);
    if (new == NULL) { abort(); }
    pthread_mutex_lock(&p->lock);
    new->next = p->blocks;
    p->blocks = new;
    pthread_mutex_unlock(&p->lock);
    return new->memory;
}

void wait_for_change(player *p, bool *in_time) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += WATCHDOG_SECONDS;
    *in_time = pthread_cond_timedwait(&p->changed, &p->lock, &until) == 0 && p->failure[0] == 0;
}
