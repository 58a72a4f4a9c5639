#ifndef CROSSTIE_REQUEST_H
#define CROSSTIE_REQUEST_H

#include "base.h"

#endif
