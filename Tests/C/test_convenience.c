/* The convenience header: values in one expression, readers and parameters with a default, formatted answers. */
#include "check.h"
#include "convenience.h"

int main(void) {
    check_convenience();
    return check_end();
}
