/* Swift imports nothing of Python.h: its feature macros and those of other C modules exclude each other. */
