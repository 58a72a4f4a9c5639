/// The check that a URL has a rule's declared parameters.
enum RuleCheck {
    /// False when a declared parameter is missing, malformed or there more than once.
    static func accepts(_ block: RequestBlock.Pointer, _ loaded: LoadedRule) -> Bool {
        for item in loaded.checklist.items {
            switch block.parameter(item.name, in: loaded.pattern) {
            case .success(let text): guard item.type.hasValue(text) else { return false }
            case .failure(.notFound): guard !item.isRequired else { return false }
            case .failure: return false
            }
        }
        return true
    }

    /// The reason why a request was refused, for people.
    static func problem(of block: RequestBlock.Pointer) -> CrosstieError? {
        guard let loaded = block.pointee.rule else { return nil }
        do throws(CrosstieError) {
            _ = try values(of: block, loaded)
            return nil
        } catch {
            return error
        }
    }

    /// The values of the declared parameters, with defaults for missing ones.
    static func values(
        of block: RequestBlock.Pointer, _ loaded: LoadedRule
    ) throws(CrosstieError) -> ValueMap {
        try loaded.rule.convert { name throws(CrosstieError) in
            switch Array(name.utf8).withUnsafeBytes({ block.parameter($0, in: loaded.pattern) }) {
            case .success(let text): return text
            case .failure(.duplicateKey):
                throw CrosstieError(
                    .invalidParameter, "the parameter \(Quotation.quoted(name)) is given more than once", at: name)
            case .failure: return nil
            }
        }
    }
}
