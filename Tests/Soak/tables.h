/* Tables of routes, and the URLs that are slowest over them. */
#ifndef TABLES_H
#define TABLES_H

#include <crosstie.h>

enum { URL_LIMIT = 8192, FILL = URL_LIMIT };

/** A URL: the head, a piece so many times, the tail, then a filler for as often as it has room. */
typedef struct shape {
    const char *name;
    const char *head;
    const char *piece;
    int times; /**< FILL for as often as it has room */
    const char *tail;
    const char *filler;
} shape;

/** A table and its URLs, which end with one without a name. */
typedef struct table {
    const char *name;
    int (*fill)(ctie_bus *bus); /**< gives how many routes there are */
    const shape *urls;
} table;

/** Ends with one without a name. */
extern const table tables[];

/** Writes a URL into room for URL_LIMIT bytes and one more; gives its length. */
size_t write_url(char *room, const shape *url);

#endif
