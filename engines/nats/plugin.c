/* The one exported symbol. */
#include "engine.h"

__attribute__((visibility("default"))) extern const ctie_engine_plugin ctie_engine_nats;

const ctie_engine_plugin ctie_engine_nats = {
    .size = sizeof(ctie_engine_plugin),
    .abi = CTIE_ENGINE_PLUGIN_ABI,
    .engine = &ENGINE_OF_NATS,
    .create = engine_new,
};
