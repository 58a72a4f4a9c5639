#define _GNU_SOURCE
#include "bindings.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

typedef struct imports {
    ElfW(Addr) base;
    const ElfW(Sym) *symbols;
    const char *names;
} imports;

static ElfW(Addr) dynamic_entry(const struct link_map *map, ElfW(Sxword) tag) {
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == tag) return entry->d_un.d_ptr;
    }
    return 0;
}

static bool same_object(void *left, void *right) {
    Dl_info a, b;
    return dladdr(left, &a) != 0 && dladdr(right, &b) != 0 && a.dli_fbase == b.dli_fbase;
}

/* Counts the wanted symbols of one relocation table; -1 when one leads elsewhere. */
static int follow(imports from, const ElfW(Rela) *table, size_t size, const char *prefix, void *function) {
    int found = 0;
    for (size_t i = 0; i < size / sizeof *table; i++) {
        const char *name = from.names + from.symbols[ELF64_R_SYM(table[i].r_info)].st_name;
        if (strncmp(name, prefix, strlen(prefix)) != 0) continue;
        void *target = *(void **)(from.base + table[i].r_offset);
        if (!same_object(target, function)) return fprintf(stderr, "%s leads elsewhere\n", name), -1;
        found++;
    }
    return found;
}

bool bindings_lead_to(const char *object, const char *prefix, void *function) {
    struct link_map *map = NULL;
    void *handle = dlopen(object, RTLD_NOW | RTLD_NOLOAD);
    if (handle == NULL || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return false;
    imports from = {map->l_addr, (void *)dynamic_entry(map, DT_SYMTAB), (void *)dynamic_entry(map, DT_STRTAB)};
    int called = follow(from, (void *)dynamic_entry(map, DT_JMPREL), dynamic_entry(map, DT_PLTRELSZ), prefix, function);
    int addressed = follow(from, (void *)dynamic_entry(map, DT_RELA), dynamic_entry(map, DT_RELASZ), prefix, function);
    dlclose(handle);
    return called >= 0 && addressed >= 0 && called + addressed > 0;
}
