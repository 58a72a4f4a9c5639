/// The answer of a sign-in: a map of texts, none of them empty.
enum SignInInfo {
    /// Has the answer of a sign-in cleaned on its way back.
    static func watch(_ request: Request) throws(CrosstieError) {
        try Request.check(
            RequestBlock.onReturn(request.handle, clean, CallbackContext(pointer: nil, destroy: nil)))
    }

    private static let clean: CompletionFunction = { raw, _ in
        let handle = Handle(bits: UInt(bitPattern: raw))
        guard case .live(let block) = RequestBlock.response(handle), block.pointee.status == .ok else { return }
        guard let info = info(of: Value(borrowing: block.plainValue)), let value = try? Value.map(info).makeRef() else {
            _ = RequestBlock.refuseResponse(handle, .unknownAnswer)
            return
        }
        _ = RequestBlock.replaceResponse(handle, value)
    }

    /// The texts that are not empty; nil for none, or for a value that is no map of texts.
    private static func info(of answer: Value) -> ValueMap? {
        guard let entries = answer.mapValue else { return nil }
        var info = ValueMap()
        for (key, value) in entries where !value.isNull {
            guard let text = value.stringValue else { return nil }
            if !text.isEmpty { info[key] = value }
        }
        return info.isEmpty ? nil : info
    }
}
