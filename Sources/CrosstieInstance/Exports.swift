// A program that imports this module has the core, too.
@_exported import Crosstie
