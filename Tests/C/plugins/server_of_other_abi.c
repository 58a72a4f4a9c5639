/* An engine for addresses of another release. */
#define PLUGIN_ABI (CTIE_ENGINE_PLUGIN_ABI + 1)
#include "server_engine.h"
