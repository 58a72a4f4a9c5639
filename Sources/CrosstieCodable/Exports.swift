// A program that imports this module gets the core, too.
@_exported import Crosstie
