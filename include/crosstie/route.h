#ifndef CROSSTIE_ROUTE_H
#define CROSSTIE_ROUTE_H

#include "base.h"

#endif
