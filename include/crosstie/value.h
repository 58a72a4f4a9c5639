#ifndef CROSSTIE_VALUE_H
#define CROSSTIE_VALUE_H

#include "base.h"

#endif
