import CCrosstie
import Crosstie

@_cdecl("ctie_bus_set_system_opener") @implementation
public func ctie_bus_set_system_opener(
    _ bus: OpaquePointer?, _ handler: ctie_handler,
    _ given: UnsafePointer<ctie_system_opener_options>?, _ error: ErrorOut
) -> ctie_status {
    return pending(error) { () throws(CrosstieError) in
        var policy = OpenerPolicy()
        let given = try destroying(handler.context) { () throws(CrosstieError) in
            let given = try options(given, .opener, default: ctie_system_opener_options())
            policy = try openerPolicy(given)
            return given
        }
        guard handler.fn != nil else {
            handler.context.destroy()
            return try BusRecord.setSystemOpener(Handle(bus), policy, nil)
        }
        let content = try content(handler, [], given.runtime) { _ throws(CrosstieError) in }
        return try BusRecord.setSystemOpener(Handle(bus), policy, content)
    }
}

private func openerPolicy(_ given: ctie_system_opener_options) throws(CrosstieError) -> OpenerPolicy {
    let flags = Int(given.flags)
    guard flags & ~(CTIE_SYSTEM_OPENER_REMOTE | CTIE_SYSTEM_OPENER_OFF) == 0 else {
        throw CrosstieError(.invalidArgument, "unknown flags of an opener", at: "options.flags")
    }
    var policy = OpenerPolicy()
    policy.servesRemote = flags & CTIE_SYSTEM_OPENER_REMOTE != 0
    policy.isOff = flags & CTIE_SYSTEM_OPENER_OFF != 0
    policy.schemes = try strings(given.schemes, named: "schemes", limit: URLLimits.scheme)
    policy.program = try string(given.program, named: "program", limit: OpenerPolicy.maximumProgram)
    try policy.check()
    return policy
}
