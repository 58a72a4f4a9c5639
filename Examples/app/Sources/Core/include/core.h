/* The C core of the shop: the component "stock". It needs no function here: it is declared before main() runs. */
#ifndef CORE_H
#define CORE_H

/* The shop's initial stock of each item. */
#define CORE_FIRST_STOCK 10

#endif
