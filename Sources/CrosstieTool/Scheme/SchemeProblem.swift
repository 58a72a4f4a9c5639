/// A finding of `crosstie scheme check`.
struct SchemeProblem {
    /// The finding's name in the output.
    enum Kind: String {
        /// A list of defaults names a desktop file that is missing.
        case staleDefault = "stale-default"
        /// The program cannot be started.
        case missingProgram = "missing-program"
        /// Another application declares the scheme, too.
        case duplicate
        /// A desktop file of the same name hides another.
        case shadowed
        /// Another application is the default.
        case otherDefault = "other-default"
        /// The cache of types does not name the application.
        case staleCache = "stale-cache"
    }

    let kind: Kind
    var app = ""
    var scheme = ""
    let file: String
    let text: String
}
