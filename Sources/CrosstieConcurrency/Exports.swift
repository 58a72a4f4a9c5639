// A program that imports this module has the others, too.
@_exported import Crosstie
@_exported import CrosstieCodable
@_exported import CrosstieWormhole
