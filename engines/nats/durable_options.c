#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

durable_options durable_defaults(void) {
    return (durable_options){.first_ms = 100, .most_ms = 60000, .factor = 2};
}

/* A stream of the server keeps messages for all of its consumers, so that none of these has limits of its own. */
static const char *lacking(const ctie_durable_options *from) {
    if (from->max_messages != 0) { return "max_messages"; }
    if (from->max_size != 0) { return "max_size"; }
    return from->when_full != CTIE_FULL_DROP_OLDEST ? "when_full" : NULL;
}

ctie_status durable_options_read(engine *it, const ctie_durable_options *from, durable_options *out) {
    const char *what = lacking(from);
    if (what != NULL) {
        return fail(it, CTIE_E_UNSUPPORTED, "a durable consumer over a server has no option %s", what);
    }
    *out = durable_defaults();
    if (from->dead_letter.size >= sizeof out->dead_letter) { return CTIE_E_LIMIT; }
    if (from->dead_letter.size > 0) { memcpy(out->dead_letter, from->dead_letter.data, from->dead_letter.size); }
    out->max_deliveries = from->max_deliveries;
    out->first_ms = from->backoff_first_ms, out->most_ms = from->backoff_most_ms;
    out->factor = from->backoff_factor, out->jitter = from->backoff_jitter;
    out->expires_ms = from->expires_ms;
    return CTIE_OK;
}

ctie_durable_options durable_options_show(const durable_options *from) {
    ctie_durable_options out = CTIE_DURABLE_OPTIONS_INIT;
    out.max_deliveries = from->max_deliveries;
    out.dead_letter = ctie_str_from(from->dead_letter);
    out.backoff_first_ms = from->first_ms, out.backoff_most_ms = from->most_ms;
    out.backoff_factor = from->factor, out.backoff_jitter = from->jitter;
    out.expires_ms = from->expires_ms;
    return out;
}

const char *durable_options_differ(const durable_options *a, const durable_options *b) {
    if (a->max_deliveries != b->max_deliveries) { return "max_deliveries"; }
    if (strcmp(a->dead_letter, b->dead_letter) != 0) { return "dead_letter"; }
    bool is_same = a->first_ms == b->first_ms && a->most_ms == b->most_ms && a->factor == b->factor &&
                   a->jitter == b->jitter;
    if (!is_same) { return "backoff"; }
    return a->expires_ms != b->expires_ms ? "expires" : NULL;
}

/* ---- As texts -------------------------------------------------------------------------------------- */

json_t *durable_options_pack(const durable_options *from) {
    return json_pack("{s:I, s:s, s:I, s:I, s:f, s:f, s:I}", "max_deliveries", (json_int_t)from->max_deliveries,
                     "dead_letter", from->dead_letter, "backoff_first_ms", (json_int_t)from->first_ms,
                     "backoff_most_ms", (json_int_t)from->most_ms, "backoff_factor", from->factor, "backoff_jitter",
                     from->jitter, "expires_ms", (json_int_t)from->expires_ms);
}

bool durable_options_parse(const json_t *from, durable_options *out) {
    const char *dead_letter = api_text(from, "dead_letter");
    uint64_t deliveries = api_number(from, "max_deliveries");
    *out = durable_defaults();
    out->first_ms = api_number(from, "backoff_first_ms"), out->most_ms = api_number(from, "backoff_most_ms");
    out->factor = json_number_value(json_object_get(from, "backoff_factor"));
    out->jitter = json_number_value(json_object_get(from, "backoff_jitter"));
    out->expires_ms = api_number(from, "expires_ms");
    out->max_deliveries = (uint32_t)deliveries;
    bool is_sound = json_is_object(from) && deliveries <= UINT32_MAX && out->factor >= 1 && out->factor <= 1000 &&
                    out->jitter >= 0 && out->jitter <= 1 && out->first_ms <= out->most_ms &&
                    out->most_ms <= INT64_MAX / 1000000 && out->expires_ms <= INT64_MAX / 1000000 &&
                    (dead_letter[0] == 0 || names_is_identifier(dead_letter));
    if (is_sound) { strcpy(out->dead_letter, dead_letter); }
    return is_sound;
}

/* ---- The delay ------------------------------------------------------------------------------------- */

static double chance(void) {
    uint32_t random = 0;
    return getrandom(&random, sizeof random, 0) == sizeof random ? random / 4294967296.0 : 0;
}

static double power(double base, uint32_t exponent) {
    double result = 1;
    for (; exponent > 0; exponent /= 2, base *= base) { result *= exponent % 2 != 0 ? base : 1; }
    return result;
}

int64_t durable_pause(const durable_options *it, uint32_t deliveries) {
    double pause = (double)it->first_ms * power(it->factor, deliveries > 1 ? deliveries - 1 : 0);
    if (!(pause < (double)it->most_ms)) { pause = (double)it->most_ms; } /* also for an infinite one */
    pause -= pause * it->jitter * chance();
    return (int64_t)(pause * 1e6);
}
