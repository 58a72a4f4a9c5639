internal import CCrosstie
