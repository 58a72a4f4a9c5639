/* An engine for addresses that cannot send. */
#define PLUGIN_SEND NULL
#include "server_engine.h"
