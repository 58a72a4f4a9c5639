/*
 * The identifiers that the headers define, for the classes of crosstie._identifiers.
 */
#include "module.h"

#define NAME(name) {#name, CTIE_##name}

static const struct {
    const char *name, *text;
} names[] = {
    NAME(ENDPOINT_QQ_FRIEND),
    NAME(ENDPOINT_QQ_TIMELINE),
    NAME(ENDPOINT_WECHAT_FRIEND),
    NAME(ENDPOINT_WECHAT_TIMELINE),
    NAME(ENDPOINT_WECHAT_FAVORITE),
    NAME(ENDPOINT_WEIBO_TIMELINE),
    NAME(ENDPOINT_SYSTEM_ACTIVITY),
    NAME(PLATFORM_QQ),
    NAME(PLATFORM_WECHAT),
    NAME(PLATFORM_WEIBO),
    NAME(PLATFORM_SYSTEM),
    NAME(SHARE_KIND_TEXT),
    NAME(SHARE_KIND_IMAGE),
    NAME(SHARE_KIND_AUDIO),
    NAME(SHARE_KIND_VIDEO),
    NAME(SHARE_KIND_WEB_PAGE),
    NAME(SHARE_KIND_FILE),
    NAME(SHARE_KIND_MINI_PROGRAM),
    NAME(OPTION_QQ_SIGN_TOKEN),
    NAME(OPTION_WECHAT_SIGN_TOKEN),
    NAME(OPTION_SYSTEM_PRESENTING_VIEW_CONTROLLER),
    NAME(OPTION_SYSTEM_SOURCE_VIEW),
    NAME(OPTION_SYSTEM_SOURCE_RECT),
    NAME(OPTION_SYSTEM_METHOD),
    NAME(SYSTEM_METHOD_MAIL),
    NAME(SYSTEM_METHOD_CLIPBOARD),
    NAME(SYSTEM_METHOD_OPEN),
    NAME(INFO_QQ_ACCESS_TOKEN),
    NAME(INFO_QQ_EXPIRATION_DATE),
    NAME(INFO_QQ_OPEN_ID),
    NAME(INFO_WECHAT_CODE),
    NAME(INFO_WEIBO_ACCESS_TOKEN),
    NAME(INFO_WEIBO_EXPIRATION_DATE),
    NAME(INFO_WEIBO_REFRESH_TOKEN),
    NAME(INFO_WEIBO_USER_ID),
    NAME(INFO_SYSTEM_IDENTITY_TOKEN),
    NAME(INFO_SYSTEM_AUTHORIZATION_CODE),
    NAME(INFO_SYSTEM_USER),
    NAME(INFO_SYSTEM_EMAIL),
    NAME(INFO_SYSTEM_GIVEN_NAME),
    NAME(INFO_SYSTEM_FAMILY_NAME),
    NAME(ACTIVITY_BROWSING_WEB),
    NAME(EVENT_DID_FINISH_LAUNCHING),
    NAME(EVENT_WILL_ENTER_FOREGROUND),
    NAME(EVENT_DID_ENTER_BACKGROUND),
    NAME(EVENT_OPEN_URL),
    NAME(EVENT_ACTIVATE),
    NAME(EVENT_WILL_TERMINATE),
    NAME(EVENT_MEMORY_WARNING),
    {"EVENT_CREATED", "created"},
    {"EVENT_DESTROYED", "destroyed"},
};

int ext_names_add(PyObject *module) {
    PyObject *dict = PyDict_New();
    int result = dict == NULL ? -1 : 0;
    for (size_t i = 0; result == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        PyObject *text = PyUnicode_InternFromString(names[i].text);
        result = text == NULL ? -1 : PyDict_SetItemString(dict, names[i].name, text);
        Py_XDECREF(text);
    }
    if (result == 0) {
        result = PyModule_AddObjectRef(module, "_names", dict);
    }
    Py_XDECREF(dict);
    return result;
}
