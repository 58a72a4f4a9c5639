/// The errors of a request that is refused for its names or its parameters, before there is a record of it.
extension Callee {
    /// The error of a status, in words: it names the argument, and a limit with its number.
    package func problem(_ status: Status, of kind: RequestKind) -> CrosstieError {
        let type = KindTable.type(of: kind)
        let (targetRole, actionRole) = type.nameRoles(kind)
        switch status {
        case .limitExceeded where action.count > Name.maximumSize:
            return Callee.tooLong(action, actionRole, Name.maximumSize)
        case .limitExceeded:
            return Callee.tooLong(target, targetRole, type.maximumTargetSize)
        case .invalidIdentifier:
            let target = String(decoding: target, as: UTF8.self)
            return CrosstieError(status, Quotation.refused(target, "a target", Callee.targetGrammar), at: targetRole)
        case .wrongType:
            let kindName = Value(borrowing: params).kindName
            return CrosstieError(status, "the parameters of \(subject) must be a map, not \(kindName)", at: "params")
        case .invalidArgument: return CrosstieError(status, "the \(targetRole) is empty", at: targetRole)
        case .invalidUTF8:
            let (name, role) = isUTF8(target) ? (action, actionRole) : (target, targetRole)
            return CrosstieError(status, "the \(role) \(Quotation.quoted(name)) is not valid UTF-8", at: role)
        default: return CrosstieError(status, status == .invalidHandle ? "invalid or released bus handle" : "")
        }
    }

    private static func tooLong(_ name: UnsafeRawBufferPointer, _ role: String, _ limit: Int) -> CrosstieError {
        let size = "has \(name.count) bytes, over the limit of \(limit)"
        return CrosstieError(.limitExceeded, "the \(role) \(Quotation.quoted(name)) \(size)", at: role)
    }

    /// The names for people.
    private var subject: String {
        if target.isEmpty { return "an activity" }
        return action.isEmpty ? Quotation.quoted(target) : Quotation.quoted(action) + " of " + Quotation.quoted(target)
    }
}
