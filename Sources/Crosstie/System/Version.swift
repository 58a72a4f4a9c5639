internal import CCrosstie

/// The version of this core, as in `crosstie/version.h`.
package var crosstieVersion: String { "\(CTIE_VERSION_MAJOR).\(CTIE_VERSION_MINOR).\(CTIE_VERSION_PATCH)" }
