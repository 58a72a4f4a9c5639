/* A C program that hosts a Python part in an embedded interpreter; both meet on one bus. */
#include "interpreter.h"
#include "part.h"

#include <stdio.h>
#include <stdlib.h>

/* Says what holds, and ends the program when it does not. */
static void check(bool holds, const char *what) {
    printf("%s%s\n", holds ? "" : "FAILED: ", what);
    fflush(stdout);
    if (!holds) exit(1);
}

int main(void) {
    check(part_register(), "c registers");

    interpreter_start();
    check(interpreter_run("import part; part.check('c', 'python')"), "python registers");

    check(part_opens("c", "Ada", false), "c opens c");
    check(part_opens("python", "Ada", false), "c opens python");
    check(part_opens("c", "Ada", true), "c opens c through python");
    check(part_opens("python", "Ada", true), "c opens python through python");
    check(part_shares_core(), "the extension calls this program's copy of the library");
    check(interpreter_end(), "python ends");
    return 0;
}
