#ifndef CROSSTIE_WORMHOLE_H
#define CROSSTIE_WORMHOLE_H

#include "base.h"

#endif
