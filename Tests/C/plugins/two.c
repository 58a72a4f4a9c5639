/* A plug-in with two components. */
#include <crosstie.h>

CTIE_COMPONENT(first)
CTIE_ACTION(first, go) { (void)user_data, ctie_request_reply(request, ctie_value_int(1)); }

CTIE_COMPONENT(second)
CTIE_ACTION(second, go) { (void)user_data, ctie_request_reply(request, ctie_value_int(2)); }
