/*
 * The parameters of a request in one block of memory, read without a map of values (packed_params.c).
 */
#ifndef CROSSTIE_EXT_PACKED_PARAMS_H
#define CROSSTIE_EXT_PACKED_PARAMS_H

#include "../base/state.h"

/** One parameter. Its texts are in the block, behind the parameters. */
typedef struct ext_packed_param {
    ctie_value *value; /**< a value that is no text, owned; NULL for a text */
    uint32_t name_size, text_size;
    uint32_t offset; /**< of the name, with the text behind it */
} ext_packed_param;

typedef struct ext_packed {
    size_t count;
    ext_packed_param params[];
} ext_packed;

/**
 * The parameters of a request in `out`, valid also after the request; NULL if they are too many or too long for a block.
 * Returns -1 with an exception.
 */
int ext_packed_read(ext_state *state, ctie_request *request, ext_packed **out);
/** NULL is allowed. */
void ext_packed_free(ext_packed *packed);
/** The parameter of a name; NULL, without an exception, if there is none. */
const ext_packed_param *ext_packed_find(const ext_packed *packed, ctie_str name);
/** The object of a parameter. */
PyObject *ext_packed_object(ext_state *state, const ext_packed *packed, const ext_packed_param *param);
/** A dict of all, in their order. */
PyObject *ext_packed_dict(ext_state *state, const ext_packed *packed);
/** A map of all, in their order; NULL without memory. */
ctie_value *ext_packed_map(const ext_packed *packed);

#endif
