// A program that imports this module gets the others, too.
@_exported import Crosstie
@_exported import CrosstieWormhole
