extension StoreCare {
    /// Gives back what a store does not need. Others may have the group open; they wait while the last changes are
    /// copied.
    ///
    /// - Returns: the bytes of its file before and after.
    /// - Throws: as opening; `busy` (files of it are being replaced), `timedOut`, `noSpace` (there has to be room for the
    ///   copy).
    package static func compact(
        _ name: String, _ options: WormholeOptions
    ) throws(CrosstieError) -> (before: UInt64, after: UInt64) {
        try withGroup(name, options) { group, _ throws(CrosstieError) -> (before: UInt64, after: UInt64) in
            try group.compact(timeout: options.timeoutNanoseconds)
        }
    }
}
