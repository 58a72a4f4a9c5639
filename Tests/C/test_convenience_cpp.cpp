// The convenience header in C++: everything that it is in C.
#include "check.h"
#include "convenience.h"

int main() {
    check_convenience();
    return check_end();
}
