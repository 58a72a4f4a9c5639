import CCrosstie
import Crosstie
import CrosstieJoin
import CrosstieWormhole

extension ctie_admit: HostCallback {}
extension ctie_peer_listener: HostCallback {}

@_cdecl("ctie_bus_join") @implementation
public func ctie_bus_join(
    _ bus: OpaquePointer?, _ wormhole: OpaquePointer?, _ given: UnsafePointer<ctie_join_options>?, _ out: HandleOut,
    _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        let given = try options(given, .join, default: ctie_join_options())
        let admission = JoinCore.Admission(decision(given.admit), end: given.admit.context.destroy)
        guard let out else {
            given.admit.context.destroy()
            throw missing("out")
        }
        let chosen = try destroying(given.admit.context) { () throws(CrosstieError) in try joinOptions(given) }
        let member = try destroying(given.admit.context) { () throws(CrosstieError) in try core(wormhole) }
        let join = try JoinCore.join(Handle(bus), member, chosen, admission)
        do throws(CrosstieError) {
            out.pointee = try ObjectRecord.publish(join, .join).pointer
        } catch {
            _ = join.leave()
            throw error
        }
    }
}

private func decision(_ admit: ctie_admit) -> ((ValueRef) -> Bool)? {
    guard let decide = admit.fn else { return nil }
    let data = admit.user_data
    return { peer in peer.pointer.map { decide($0, data) } ?? false }
}

private func joinOptions(_ given: ctie_join_options) throws(CrosstieError) -> JoinOptions {
    var chosen = JoinOptions()
    let name = try string(given.name, named: "name", limit: 64)
    if !name.isEmpty { chosen.name = name }
    chosen.exports = try names(given.exports, "exports")
    chosen.imports = try names(given.imports, "imports")
    chosen.dispatcher = try string(given.dispatcher, named: "dispatcher", limit: Name.maximumSize)
    try checkFlags(given.flags, among: CTIE_JOIN_TRUSTED | CTIE_JOIN_NO_SHARED_MEMORY)
    chosen.isTrusted = given.flags & UInt32(CTIE_JOIN_TRUSTED) != 0
    chosen.usesSharedMemory = given.flags & UInt32(CTIE_JOIN_NO_SHARED_MEMORY) == 0
    if given.max_calls != 0 { chosen.maximumCalls = Int(given.max_calls) }
    if given.max_frame_size != 0 { chosen.maximumFrameSize = Int(clamping: given.max_frame_size) }
    return chosen
}

private func names(_ list: ctie_str_list, _ name: StaticString) throws(CrosstieError) -> [String] {
    try strings(list, named: name, limit: 257, count: 1024)
}

@_cdecl("ctie_join_release") @implementation
public func ctie_join_release(_ join: OpaquePointer?) -> ctie_status {
    guard join != nil else { return CTIE_OK.status }
    return status { () throws(CrosstieError) in
        try ObjectRecord.retire(Handle(join), .join, as: JoinCore.self).leave()
    }
}

@_cdecl("ctie_join_peers") @implementation
public func ctie_join_peers(_ join: OpaquePointer?, _ out: HandleOut, _ error: ErrorOut) -> ctie_status {
    list(out, error) { () throws(CrosstieError) in try joined(join).describePeers() }
}

@_cdecl("ctie_join_set_exports") @implementation
public func ctie_join_set_exports(_ join: OpaquePointer?, _ exports: ctie_str_list, _ error: ErrorOut) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        try joined(join).setExports(try names(exports, "exports"))
    }
}

@_cdecl("ctie_join_set_listener") @implementation
public func ctie_join_set_listener(
    _ join: OpaquePointer?, _ given: ctie_peer_listener, _ error: ErrorOut
) -> ctie_status {
    let context = given.context
    return answer(error) { () throws(CrosstieError) in
        let core = try destroying(context) { () throws(CrosstieError) in try joined(join) }
        guard let fn = given.fn else {
            context.destroy()
            return try core.setListener(nil)
        }
        try core.setListener(
            PeerListener(
                { event, peer in if let peer = peer.pointer { fn(event.rawValue, peer, given.user_data) } },
                end: { context.destroy() }))
    }
}

private func joined(_ join: OpaquePointer?) throws(CrosstieError) -> JoinCore {
    try ObjectRecord.object(Handle(join), .join, as: JoinCore.self)
}

@_cdecl("ctie_request_peer") @implementation
public func ctie_request_peer(
    _ request: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> ctie_status {
    ask(request, out) { block in block.sender.map { .success($0.description.pointer) } ?? .failure(.notFound) }
}

@_cdecl("ctie_request_is_leaving") @implementation
public func ctie_request_is_leaving(_ request: OpaquePointer?, _ out: UnsafeMutablePointer<Bool>?) -> ctie_status {
    ask(request, out) { .success($0.isLeaving) }
}
