/* Many cases of one kind: the same steps for each row of a table. */
#include "player.h"

/* A step with a row's columns. Handlers borrow from it, so it lives as long as the scenario. */
static step *with_columns(player *p, step *s, step *columns, step *row) {
    size_t own = ctie_value_count(s), added = ctie_value_count(row);
    ctie_pair *pairs = keep_memory(p, sizeof *pairs * (own + added + 1));
    for (size_t i = 0; i < own; i++) {
        const ctie_value *own_value = NULL;
        ctie_value_entry_at(s, i, &pairs[i].key, &own_value);
        pairs[i].value = ctie_value_retain(own_value);
    }
    for (size_t i = 0; i < added; i++) {
        ctie_value_get_string(ctie_value_at(columns, i), &pairs[own + i].key);
        pairs[own + i].value = ctie_value_retain(ctie_value_at(row, i));
    }
    ctie_value *result = ctie_value_map(pairs, own + added);
    if (result == NULL) { failf(p, "a row has more columns than the table, or one that the step has, too"); }
    return keep_value(p, result);
}

void step_table(player *p, step *s) {
    step *steps = ctie_value_get(s, CTIE_STR("steps")), *columns = ctie_value_get(s, CTIE_STR("columns"));
    step *rows = ctie_value_get(s, CTIE_STR("rows"));
    for (p->row = 1; p->row <= ctie_value_count(rows) && !failed(p); p->row++) {
        for (size_t i = 0; i < ctie_value_count(steps) && !failed(p); i++) {
            play_step(p, with_columns(p, ctie_value_at(steps, i), columns, ctie_value_at(rows, p->row - 1)));
        }
    }
    p->row = 0;
}
