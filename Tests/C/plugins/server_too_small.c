/* An engine for addresses whose struct ends before its last function. */
#define PLUGIN_SIZE offsetof(ctie_engine_plugin, create)
#include "server_engine.h"
