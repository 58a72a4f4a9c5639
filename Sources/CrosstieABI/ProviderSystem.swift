import CCrosstie
import Crosstie

@_cdecl("ctie_provider_add_system") @implementation
public func ctie_provider_add_system(
    _ bus: OpaquePointer?, _ given: UnsafePointer<ctie_system_provider_options>?, _ position: Int, _ out: HandleOut,
    _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        let given = try options(given, .systemProvider, default: ctie_system_provider_options())
        let provider = try SystemProvider(try systemProviderOptions(given))
        let registration = try provider.add(to: Handle(bus), at: listIndex(position))
        out?.pointee = registration.pointer
    }
}

private func systemProviderOptions(
    _ given: ctie_system_provider_options
) throws(CrosstieError) -> SystemProviderOptions {
    try checkFlags(given.flags, among: CTIE_SYSTEM_KEEP_FILES)
    var options = SystemProviderOptions()
    options.keepsFiles = given.flags != 0
    options.mail = try path(given.mail, "mail")
    options.opener = try path(given.opener, "opener")
    options.clipboard = try path(given.clipboard, "clipboard")
    options.launcher = try path(given.launcher, "launcher")
    options.directory = try path(given.directory, "directory")
    options.name = try string(given.name, named: "name", limit: Name.maximumSize)
    return options
}

private func path(_ text: ctie_str, _ field: StaticString) throws(CrosstieError) -> String {
    try string(text, named: field, limit: SystemProviderOptions.maximumPath)
}
