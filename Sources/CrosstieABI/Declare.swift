import CCrosstie
import Crosstie
import CrosstieWormhole

@_cdecl("ctie_component_declare") @implementation
public func ctie_component_declare(_ given: UnsafePointer<ctie_declaration>?, _ error: ErrorOut) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        guard let given else { throw CrosstieError(.invalidArgument, "the declaration is NULL") }
        let declaration = Result { () throws(CrosstieError) in try Declaration(given) }
        if Plugins.isLoading {
            try Plugins.declare(declaration, at: given)
        } else {
            try StaticComponents.declare(try declaration.get())
        }
    }
}

extension Declaration {
    /// - Throws: *invalidArgument*, *incompatibleABI*, and what a component's content is refused for.
    fileprivate init(_ given: UnsafePointer<ctie_declaration>) throws(CrosstieError) {
        let given = try Declaration.check(given)
        var content = ComponentContent(
            name: "", context: CallbackContext(pointer: given.factory.user_data, destroy: nil))
        content.name = try string(given.name, named: "name", limit: Name.maximumSize)
        let options = try CrosstieABI.options(given.options, .component, default: ctie_component_options())
        guard options.interceptor_count == 0 else {
            throw CrosstieError(.invalidArgument, "a declaration has no interceptors", at: "options.interceptors")
        }
        content.factory = ComponentFactory(given.factory)
        try content.fill(options)
        content.actions = try read(given.actions)
        let whole = content
        try self.init { whole }
    }

    /// - Throws: *invalidArgument* for a misaligned or short struct, *incompatibleABI* for one of another form or of a newer header.
    private static func check(_ given: UnsafePointer<ctie_declaration>) throws(CrosstieError) -> ctie_declaration {
        guard UInt(bitPattern: given) % UInt(MemoryLayout<ctie_declaration>.alignment) == 0 else {
            throw CrosstieError(.invalidArgument, "the declaration is not aligned")
        }
        let size = UnsafeRawPointer(given).load(as: Int.self)
        let head = MemoryLayout<Int>.size + MemoryLayout<UInt32>.size
        if size >= head, given.pointee.form != UInt32(CTIE_DECLARATION_FORM) {
            throw CrosstieError(.incompatibleABI, "the declaration is of another form than this library's", at: "form")
        }
        return try options(given, .declaration, default: ctie_declaration())
    }
}

private func read(_ first: UnsafePointer<ctie_declared_action>?) throws(CrosstieError) -> [ActionContent] {
    var actions: [ActionContent] = []
    var next = first
    while let declared = next {
        guard actions.count < ComponentContent.maximumActions else {
            throw CrosstieError(
                .limitExceeded, "a component has at most \(ComponentContent.maximumActions) actions", at: "actions")
        }
        guard UInt(bitPattern: declared) % UInt(MemoryLayout<ctie_declared_action>.alignment) == 0 else {
            throw CrosstieError(.invalidArgument, "an action is not aligned", at: "actions[\(actions.count)]")
        }
        do throws(CrosstieError) {
            actions.append(try ActionContent(declared.pointee.action))
        } catch {
            throw CrosstieError(error.status, error.message, at: "actions[\(actions.count)]")
        }
        next = declared.pointee.next
    }
    return actions
}
