// A program that imports this module has the core and messages, too.
@_exported import Crosstie
@_exported import CrosstieWormhole
