#include "platform_globals.h"

__attribute__((visibility("hidden"), aligned(128))) unsigned char cp_globals_storage[CP_GLOBALS_SIZE];
