import CCrosstie
import Crosstie

@_cdecl("ctie_plugin_load") @implementation
public func ctie_plugin_load(
    _ bus: OpaquePointer?, _ path: ctie_str, _ out: UnsafeMutablePointer<Int>?, _ error: ErrorOut
) -> ctie_status {
    return answer(error) { () throws(CrosstieError) in
        let path = try string(path, named: "path", limit: Plugins.maximumPathSize)
        let count = try BusRecord.loadPlugin(Handle(bus), path)
        out?.pointee = count
    }
}

@_cdecl("ctie_plugin_unload") @implementation
public func ctie_plugin_unload(_ bus: OpaquePointer?, _ path: ctie_str, _ error: ErrorOut) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        let path = try string(path, named: "path", limit: Plugins.maximumPathSize)
        guard !path.isEmpty else { throw CrosstieError(.invalidArgument, "path is empty", at: "path") }
        return try BusRecord.unloadPlugin(Handle(bus), path)
    }
}
