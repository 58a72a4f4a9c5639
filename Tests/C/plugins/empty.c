/* A shared object that declares nothing. */
#include <crosstie.h>

ctie_status empty_plugin_uses_the_library(void) {
    return ctie_response_release(NULL);
}
