/*
 * Python functions that Crosstie calls beside handlers (hook.c).
 */
#ifndef CROSSTIE_EXT_HOOK_H
#define CROSSTIE_EXT_HOOK_H

#include "../base/state.h"

/** A function that Crosstie calls and then releases. */
typedef struct ext_hook ext_hook;
ext_hook *ext_hook_new(ext_state *state, PyObject *function, bool is_remote);
/** The `destroy` of every hook. */
void ext_hook_drop(void *hook);
/** The ctie_progress_fn, ctie_notice_fn and ctie_completion_fn of hooks. */
void ext_hook_progress(const ctie_value *value, void *hook);
void ext_hook_notify(void *hook);
void ext_hook_return(ctie_response *response, void *hook);

#endif
