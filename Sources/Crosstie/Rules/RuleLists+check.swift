extension RuleLists {
    /// The constraint between the lists: a scheme is either public or private.
    func checkTogether() throws(CrosstieError) {
        for (index, scheme) in privateSchemes.enumerated() where publicSchemes.contains(scheme) {
            throw CrosstieError(.conflict, "'\(scheme)' is a public scheme too").under(index: index)
                .inside("privateSchemes")
        }
    }

    /// Checks lists that come from the host and not from a document.
    func checkAsOptions() throws(CrosstieError) {
        do throws(CrosstieError) {
            for kind in RuleListKind.allCases {
                do throws(CrosstieError) {
                    _ = try kind.read(.list(self[kind].map(Value.string)))
                } catch {
                    throw error.inside(kind.rawValue)
                }
            }
            try checkTogether()
        } catch {
            throw CrosstieError(
                error.status == .invalidFormat ? .invalidArgument : error.status,
                error.message, at: "options" + error.location)
        }
    }
}
