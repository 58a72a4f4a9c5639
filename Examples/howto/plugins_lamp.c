/* A plug-in: one component with one action. It never names its host.
   Build: cc -shared -fPIC -o lamp.so plugins_lamp.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <inttypes.h>

CTIE_COMPONENT(lamp)

CTIE_ACTION(lamp, blink) {
    (void)user_data; /* a component without state */
    const int64_t times = ctie_param_int(request, "times", 1);
    if (times < 1 || times > 10) {
        ctie_fail_format(request, 1, "%" PRId64 " is not from 1 to 10", times);
        return;
    }
    ctie_reply_format(request, "blinked %" PRId64 " times", times);
}
