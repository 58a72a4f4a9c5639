/// The reason that an engine gives for the failure of its function.
extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// Notes the reason. Only while this thread is inside a function of an engine.
    package func explain(_ reason: String) {
        if isInTransport { pointee.explanation = reason }
    }

    /// Takes the reason; nil if the function gave none.
    package func takeExplanation() -> String? {
        guard pointee.explanation != nil else { return nil }
        defer { pointee.explanation = nil }
        return pointee.explanation
    }
}
