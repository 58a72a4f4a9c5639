/* An embedded Python interpreter, as far as the hosts need one. */
#ifndef INTERPRETER_H
#define INTERPRETER_H

#include <stdbool.h>

/* Starts the interpreter; the calling thread holds its lock from then on. */
void interpreter_start(void);

/* Runs lines of Python in __main__; an exception is printed and makes it false. */
bool interpreter_run(const char *lines);

/* Ends the interpreter; false when something could not be written out. */
bool interpreter_end(void);

#endif
