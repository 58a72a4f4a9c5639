/* A plug-in whose second component has no name that a component could have. */
#include <crosstie.h>

CTIE_COMPONENT(wellformed)
CTIE_ACTION(wellformed, go) { (void)user_data, ctie_request_reply(request, ctie_value_null()); }

static void go(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_null());
}

static const ctie_declared_action GO = {{{"go", 2}, go, NULL, 0, {"", 0}}, NULL};
static const ctie_declaration NAMED = {
    sizeof(ctie_declaration), CTIE_DECLARATION_FORM, {"mal formed", 10}, &GO, {NULL, NULL, NULL, NULL}, NULL};

__attribute__((constructor)) static void declare(void) {
    (void)ctie_component_declare(&NAMED, NULL);
}
