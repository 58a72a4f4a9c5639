#define _GNU_SOURCE
#include "platform_library.h"

#include "platform_files.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define MOST_PATH 4096

/// The path of a file in a directory of `length` bytes. False if there is no such file, or the directory's path is not
/// absolute: the process may have changed its working directory.
static bool find(const char *directory, size_t length, const char *file, char *path) {
    if (length == 0 || directory[0] != '/' || length >= MOST_PATH) return false;
    int size = snprintf(path, MOST_PATH, "%.*s/%s", (int)length, directory, file);
    return size > 0 && size < MOST_PATH && access(path, F_OK) == 0;
}

/// In the directory that the environment names.
static bool find_chosen(const char *file, char *path) {
    const char *directory = cp_environment("CROSSTIE_ENGINES");
    return directory != NULL && find(directory, strlen(directory), file, path);
}

/// In the directory of the library that has this function.
static bool find_beside(const char *file, char *path) {
    Dl_info own;
    if (dladdr((const void *)&cp_library_object, &own) == 0 || own.dli_fname == NULL) return false;
    const char *end = strrchr(own.dli_fname, '/');
    return end != NULL && find(own.dli_fname, (size_t)(end - own.dli_fname), file, path);
}

const void *cp_library_object(const char *library, const char *name, char *reason, size_t size) {
    char path[MOST_PATH];
    // A file that is there and cannot be loaded says why; no other one is tried then.
    bool is_found = find_chosen(library, path) || find_beside(library, path);
    void *handle = dlopen(is_found ? path : library, RTLD_NOW | RTLD_LOCAL);
    const void *object = handle != NULL ? dlsym(handle, name) : NULL;
    if (object != NULL) return object;
    const char *why = dlerror();
    snprintf(reason, size, "%s", why != NULL ? why : "it has no such object");
    if (handle != NULL) dlclose(handle);
    return NULL;
}
