/// Whether a URL has what a rule declares.
enum RuleCheck {
    /// False when a declared parameter is missing, malformed or there more than once.
    static func accepts(_ block: RequestBlock.Pointer, _ loaded: LoadedRule) -> Bool {
        for (name, parameter) in zip(loaded.names, loaded.rule.parameters) {
            switch block.text(of: name, in: loaded.pattern) {
            case .success(let text): guard parameter.accepts(text) else { return false }
            case .failure(.notFound): guard !parameter.isRequired else { return false }
            case .failure: return false
            }
        }
        return true
    }

    /// What is wrong with a request that was refused, for people.
    static func problem(of block: RequestBlock.Pointer) -> CrosstieError? {
        guard let loaded = block.pointee.rule else { return nil }
        do throws(CrosstieError) {
            _ = try values(of: block, loaded)
            return nil
        } catch {
            return error
        }
    }

    /// The values of the declared parameters, with defaults for what is not there.
    static func values(
        of block: RequestBlock.Pointer, _ loaded: LoadedRule
    ) throws(CrosstieError) -> ValueMap {
        try loaded.rule.convert { name throws(CrosstieError) in
            switch block.text(of: Array(name.utf8), in: loaded.pattern) {
            case .success(let text): return text
            case .failure(.duplicate):
                throw CrosstieError(.param, "the parameter '\(name)' is given more than once", at: name)
            case .failure: return nil
            }
        }
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The text of a parameter by the names of a rule's pattern: the path's, else the query's.
    fileprivate func text(of name: [UInt8], in pattern: PatternInfo) -> Result<Text, Status> {
        name.withUnsafeBytes { parameter($0, in: pattern) }
    }
}

extension RuleParameter {
    /// Whether ``convert(_:)`` succeeds.
    fileprivate func accepts(_ text: UnsafeRawBufferPointer) -> Bool {
        switch type {
        case .string, .any: true
        case .uint, .float: type.accepts(text) && (try? convert(text)) != nil
        default: type.accepts(text)
        }
    }
}
