import CCrosstie
import Crosstie

/// The checked options of reading a document.
private func readingOptions(
    _ given: UnsafePointer<ctie_rules_options>?
) throws(CrosstieError) -> RuleLoadOptions {
    let given = try options(given, .rules, default: ctie_rules_options())
    try checkFlags(given.flags, among: CTIE_RULES_ROLLBACK)
    return RuleLoadOptions(
        publicSchemes: try strings(given.public_schemes, named: "public_schemes", limit: URLLimits.host),
        privateSchemes: try strings(given.private_schemes, named: "private_schemes", limit: URLLimits.host),
        routeHosts: try strings(given.route_hosts, named: "route_hosts", limit: URLLimits.host),
        webHosts: try strings(given.web_hosts, named: "web_hosts", limit: URLLimits.host),
        platform: try string(given.platform, named: "platform", limit: RuleLimits.name))
}

private func document(
    _ json: ctie_str, _ given: UnsafePointer<ctie_rules_options>?
) throws(CrosstieError) -> RuleDocument {
    guard let bytes = json.bytes else { throw missing("json", " or has no valid size") }
    return try RuleDocument.read(bytes, options: try readingOptions(given))
}

private func document(
    in path: ctie_str, _ given: UnsafePointer<ctie_rules_options>?
) throws(CrosstieError) -> RuleDocument {
    let path = try string(path, named: "path", limit: 4096)
    return try RuleDocument.read(file: path, try readingOptions(given))
}

/// The loading options of checked C options.
private func isRollback(_ given: UnsafePointer<ctie_rules_options>?) -> Bool {
    given.map { Int($0.pointee.flags) & CTIE_RULES_ROLLBACK != 0 } ?? false
}

/// Stores a document's text for the caller.
private func convert(_ out: HandleOut, _ read: () throws(CrosstieError) -> RuleDocument) throws(CrosstieError) {
    guard let out else { throw missing("out") }
    let text = try read().value.json(pretty: true)
    out.pointee = try ValueRef.string(text).pointer
}

@_cdecl("ctie_rules_load") @implementation
public func ctie_rules_load(
    _ bus: OpaquePointer?, _ json: ctie_str, _ given: UnsafePointer<ctie_rules_options>?, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        try BusRecord.loadRules(Handle(bus), try document(json, given), rollback: isRollback(given))
    }
}

@_cdecl("ctie_rules_load_file") @implementation
public func ctie_rules_load_file(
    _ bus: OpaquePointer?, _ path: ctie_str, _ given: UnsafePointer<ctie_rules_options>?, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        try BusRecord.loadRules(Handle(bus), try document(in: path, given), rollback: isRollback(given))
    }
}

@_cdecl("ctie_rules_unload") @implementation
public func ctie_rules_unload(_ bus: OpaquePointer?, _ error: ErrorOut) -> ctie_status {
    answer(error) { () throws(CrosstieError) in try BusRecord.unloadRules(Handle(bus)) }
}

@_cdecl("ctie_rules_convert") @implementation
public func ctie_rules_convert(
    _ json: ctie_str, _ given: UnsafePointer<ctie_rules_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        try convert(out) { () throws(CrosstieError) in try document(json, given) }
    }
}

@_cdecl("ctie_rules_convert_file") @implementation
public func ctie_rules_convert_file(
    _ path: ctie_str, _ given: UnsafePointer<ctie_rules_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        try convert(out) { () throws(CrosstieError) in try document(in: path, given) }
    }
}

@_cdecl("ctie_rules_document") @implementation
public func ctie_rules_document(_ bus: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    out.pointee = nil
    return answer(nil) { () throws(CrosstieError) in
        out.pointee = try loadedDocument(bus).value.makeRef().pointer
    }
}

private func loadedDocument(_ bus: OpaquePointer?) throws(CrosstieError) -> RuleDocument {
    let document = try BusRecord.withState(Handle(bus)) { _, state in state.rules?.document }
    guard let document else { throw CrosstieError(.notFound, "no rule table is loaded") }
    return document
}

@_cdecl("ctie_rules_handle") @implementation
public func ctie_rules_handle(
    _ bus: OpaquePointer?, _ id: ctie_str, _ handler: ctie_handler, _ given: UnsafePointer<ctie_handler_options>?,
    _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        let id = try destroying(handler.context) { () throws(CrosstieError) in
            try string(id, named: "id", limit: Name.maximumSize)
        }
        guard let content = try handlerContent(handler, given, mayBePublic: false) else {
            throw missing("fn")
        }
        let registration = try BusRecord.handleRule(Handle(bus), id: id, content)
        out?.pointee = registration.pointer
    }
}

@_cdecl("ctie_rules_set_navigator") @implementation
public func ctie_rules_set_navigator(
    _ bus: OpaquePointer?, _ handler: ctie_handler,
    _ given: UnsafePointer<ctie_handler_options>?, _ error: ErrorOut
) -> ctie_status {
    return pending(error) { () throws(CrosstieError) in
        let content = try handlerContent(handler, given, mayBePublic: false)
        return try BusRecord.set(.navigator, of: Handle(bus), to: content)
    }
}

@_cdecl("ctie_rules_generate") @implementation
public func ctie_rules_generate(
    _ bus: OpaquePointer?, _ name: ctie_str, _ params: OpaquePointer?, _ flags: UInt32, _ out: HandleOut,
    _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        let flags = Int(flags)
        try checkFlags(
            UInt32(truncatingIfNeeded: flags), among: CTIE_RULES_WEB | CTIE_RULES_BY_TARGET | CTIE_RULES_PRIVATE,
            at: "flags")
        let name = try string(name, named: "name", limit: 8192)
        let params = try plain(params)
        guard params.isNull || params.mapValue != nil else {
            throw CrosstieError(.wrongType, "parameters are a map", at: "params")
        }
        let url = try generate(try loadedDocument(bus), name, params.mapValue ?? ValueMap(), flags)
        out.pointee = try ValueRef.string(url).pointer
    }
}

private func generate(
    _ document: RuleDocument, _ name: String, _ params: ValueMap, _ flags: Int
) throws(CrosstieError) -> String {
    let isPublic = flags & CTIE_RULES_PRIVATE == 0
    let web = flags & CTIE_RULES_WEB != 0
    return try flags & CTIE_RULES_BY_TARGET != 0
        ? document.url(target: name, parameters: params, isPublic: isPublic, web: web)
        : document.url(id: name, parameters: params, isPublic: isPublic, web: web)
}

/// The plain value of an argument; null for NULL.
///
/// - Throws: *foreignValue*.
private func plain(_ argument: OpaquePointer?) throws(CrosstieError) -> Value {
    let value = try (ValueRef(argument) ?? .null).materialized()
    defer { value.release() }
    return Value(borrowing: value)
}
