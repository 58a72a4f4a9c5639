/* An embedded Python interpreter, as far as the shop needs one. */
#ifndef INTERPRETER_H
#define INTERPRETER_H

#include <stdbool.h>

/* Starts the interpreter and imports a module. Afterwards the calling thread no longer holds the interpreter's lock. */
bool interpreter_import(const char *module);

/* Ends the interpreter; false when something could not be written out. */
bool interpreter_end(void);

#endif
