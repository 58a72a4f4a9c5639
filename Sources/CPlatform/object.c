#define _GNU_SOURCE
#include "platform_object.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

uintptr_t cp_object_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) != 0 ? (uintptr_t)info.dli_fbase : 0;
}

uintptr_t cp_object_opened(void *handle) {
    struct link_map *map = NULL;
    return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? cp_object_of(map->l_ld) : 0;
}
