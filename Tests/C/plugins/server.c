/* An engine for addresses. */
#include "server_engine.h"
