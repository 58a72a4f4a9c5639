/* From dlopen() to the return of the first call, in a process that has done nothing else. */
#include "bench.h"

#include <dlfcn.h>

int main(int argc, char **argv) {
    require(argc == 3, "usage: load <library> <function without arguments>");
    double begin = now_ns();
    void *library = dlopen(argv[1], RTLD_NOW);
    require(library != NULL, argv[1]);
    unsigned (*function)(void) = (unsigned (*)(void))dlsym(library, argv[2]);
    require(function != NULL, argv[2]);
    function();
    report("load.time", "crosstie", now_ns() - begin);
    return 0;
}
