#ifndef CROSSTIE_BUS_H
#define CROSSTIE_BUS_H

#include "base.h"

#endif
