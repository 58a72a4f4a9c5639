import CCrosstie
import Crosstie

@_cdecl("ctie_bus_set_system_opener") @implementation
public func ctie_bus_set_system_opener(
    _ bus: OpaquePointer?, _ handler: ctie_handler,
    _ given: UnsafePointer<ctie_system_opener_options>?, _ error: ErrorOut
) -> ctie_status {
    return pending(error) { () throws(CrosstieError) in
        var policy = SystemOpenerPolicy()
        let given = try destroying(handler.context) { () throws(CrosstieError) in
            let given = try options(given, .opener, default: ctie_system_opener_options())
            policy = try systemOpenerPolicy(given)
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

private func systemOpenerPolicy(_ given: ctie_system_opener_options) throws(CrosstieError) -> SystemOpenerPolicy {
    let flags = Int(given.flags)
    try checkFlags(given.flags, among: CTIE_SYSTEM_OPENER_REMOTE | CTIE_SYSTEM_OPENER_OFF)
    var policy = SystemOpenerPolicy()
    policy.servesRemote = flags & CTIE_SYSTEM_OPENER_REMOTE != 0
    policy.isOff = flags & CTIE_SYSTEM_OPENER_OFF != 0
    policy.schemes = try strings(given.schemes, named: "schemes", limit: URLLimits.scheme)
    policy.program = try string(given.program, named: "program", limit: SystemOpenerPolicy.maximumProgram)
    try policy.check()
    return policy
}
