import CCrosstie
import Crosstie

@_cdecl("ctie_provider_add") @implementation
public func ctie_provider_add(
    _ bus: OpaquePointer?, _ given: UnsafePointer<ctie_provider>?, _ position: Int, _ out: HandleOut,
    _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        let registration = try BusRecord.addProvider(Handle(bus), try content(given), at: listIndex(position))
        out?.pointee = registration.pointer
    }
}

@_cdecl("ctie_provider_set_all") @implementation
public func ctie_provider_set_all(
    _ bus: OpaquePointer?, _ first: UnsafePointer<ctie_provider>?, _ count: Int, _ error: ErrorOut
) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        try BusRecord.setProviders(Handle(bus), try contents(first, count))
    }
}

@_cdecl("ctie_provider_move") @implementation
public func ctie_provider_move(
    _ bus: OpaquePointer?, _ name: ctie_str, _ position: Int, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        try BusRecord.moveProvider(Handle(bus), named: try providerName(name), to: listIndex(position))
    }
}

@_cdecl("ctie_provider_remove") @implementation
public func ctie_provider_remove(_ bus: OpaquePointer?, _ name: ctie_str, _ error: ErrorOut) -> ctie_status {
    pending(error) { () throws(CrosstieError) in
        try BusRecord.removeProvider(Handle(bus), named: try providerName(name))
    }
}

@_cdecl("ctie_provider_list") @implementation
public func ctie_provider_list(_ bus: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    out.pointee = nil
    return answer(nil) { () throws(CrosstieError) in
        let providers = try BusRecord.listProviders(Handle(bus))
        out.pointee = try Value.list(providers.map(\.value)).makeRef().pointer
    }
}

@_cdecl("ctie_provider_log") @implementation
public func ctie_provider_log(
    _ bus: OpaquePointer?, _ provider: ctie_str, _ message: ctie_str, _ file: UnsafePointer<CChar>?,
    _ function: UnsafePointer<CChar>?, _ line: Int32, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        let message = try text(message, named: "message", limit: ProviderLogLine.maximumSize)
        try BusRecord.writeForProvider(
            Handle(bus), named: try providerName(provider),
            ProviderLogLine(message, file: bytes(of: file), function: bytes(of: function), line: line))
    }
}

@_cdecl("ctie_provider_set_log") @implementation
public func ctie_provider_set_log(
    _ bus: OpaquePointer?, _ provider: ctie_str, _ logger: ctie_provider_logger, _ error: ErrorOut
) -> ctie_status {
    let context = logger.context
    return pending(error) { () throws(CrosstieError) in
        let name = try destroying(context) { () throws(CrosstieError) in try providerName(provider) }
        guard let fn = logger.fn else {
            context.destroy()
            return try BusRecord.setProviderLog(Handle(bus), named: name, nil)
        }
        return try BusRecord.setProviderLog(Handle(bus), named: name, ProviderLog(fn, context).content)
    }
}

private func providerName(_ name: ctie_str) throws(CrosstieError) -> String {
    try string(name, named: "name", limit: Name.maximumSize)
}

/// A `size_t` over `PTRDIFF_MAX` arrives as a negative number; it means the end, as any number past it does.
func listIndex(_ position: Int) -> Int { position < 0 ? .max : position }

private func bytes(of text: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer {
    guard let text else { return .empty }
    return UnsafeRawBufferPointer(start: text, count: strlen(text))
}

/// The content of several structs. If one of them is refused, all of it is destroyed.
private func contents(
    _ first: UnsafePointer<ctie_provider>?, _ count: Int
) throws(CrosstieError) -> [ProviderContent] {
    guard count != 0 else { return [] }
    guard let first, UInt(bitPattern: first) % UInt(MemoryLayout<ctie_provider>.alignment) == 0 else {
        throw CrosstieError(.invalidArgument, "providers is NULL or misaligned", at: "providers")
    }
    guard (1...Int(CTIE_PROVIDERS_MAX)).contains(count) else {
        throw CrosstieError(.limitExceeded, "a bus has at most \(CTIE_PROVIDERS_MAX) providers", at: "providers")
    }
    var contents: [ProviderContent] = []
    let each = Providers(first)
    for index in 0..<count {
        do throws(CrosstieError) {
            contents.append(try content(each[index]))
        } catch {
            for content in contents { content.context.destroy() }
            for later in index + 1..<count { destroy(each[later]) }
            throw error
        }
    }
    return contents
}

/// The structs of an array. Their distance is the size of the first one's header, which is known also if that struct is
/// refused, unless no header can have given that size.
private struct Providers {
    private let first: UnsafeRawPointer
    private let stride: Int

    init(_ first: UnsafePointer<ctie_provider>) {
        let size = first.pointee.size
        self.first = UnsafeRawPointer(first)
        stride = (24...1024).contains(size) ? (size + 7) & ~7 : MemoryLayout<ctie_provider>.stride
    }

    subscript(index: Int) -> UnsafePointer<ctie_provider> {
        (first + index * stride).assumingMemoryBound(to: ctie_provider.self)
    }
}

/// Destroys the host's data of a struct, unless the struct cannot be read.
private func destroy(_ given: UnsafePointer<ctie_provider>) {
    (try? options(given, .provider, default: ctie_provider()))?.destroyCallbacks()
}

/// The content of a struct. It is destroyed if any of it is refused.
private func content(_ pointer: UnsafePointer<ctie_provider>?) throws(CrosstieError) -> ProviderContent {
    guard let pointer else { throw CrosstieError(.invalidArgument, "provider is NULL", at: "provider") }
    let given = try options(pointer, .provider, default: ctie_provider())
    let context = CallbackContext(pointer: given.user_data, destroy: given.destroy)
    return try destroying(context) { () throws(CrosstieError) in
        var content = ProviderContent(name: try providerName(given.name), context: context)
        try content.fill(given)
        return content
    }
}

extension ProviderContent {
    fileprivate mutating func fill(_ given: ctie_provider) throws(CrosstieError) {
        try checkFlags(given.flags, among: CTIE_PROVIDER_PUBLIC, at: "flags")
        isPublic = Int(given.flags) & CTIE_PROVIDER_PUBLIC != 0
        (functions.share, can.share) = (given.share, given.can_share)
        (functions.oauth, can.oauth) = (given.oauth, given.can_oauth)
        (functions.launch, can.launch) = (given.launch, given.can_launch)
        (functions.openURL, can.openURL) = (given.open_url, given.can_open_url)
        (functions.openActivity, can.openActivity) = (given.open_activity, given.can_open_activity)
        (isInstalled, isSupported) = (given.is_installed, given.is_supported)
        endpoints = try CrosstieABI.endpoints(given.endpoints, given.endpoint_count)
        platform = try string(given.platform, named: "platform", limit: Name.maximumSize)
        appID = try string(given.app_id, named: "app_id", limit: URLLimits.scheme)
        universalLink = try string(given.universal_link, named: "universal_link", limit: URLLimits.url)
        runtime = try CrosstieABI.runtime(given.runtime)?.identity
    }
}

/// - Throws: *invalidArgument* for an array that is NULL or misaligned; *limitExceeded*, *invalidUTF8*.
private func endpoints(
    _ first: UnsafePointer<ctie_provider_endpoint>?, _ count: Int
) throws(CrosstieError) -> [ProviderEndpoint] {
    guard count != 0 else { return [] }
    guard let first, UInt(bitPattern: first) % UInt(MemoryLayout<ctie_provider_endpoint>.alignment) == 0 else {
        throw CrosstieError(.invalidArgument, "endpoints is NULL or misaligned", at: "endpoints")
    }
    guard (1...ProviderContent.maximumEndpoints).contains(count) else {
        throw CrosstieError(
            .limitExceeded, "a provider has at most \(ProviderContent.maximumEndpoints) endpoints", at: "endpoints")
    }
    var endpoints: [ProviderEndpoint] = []
    for given in UnsafeBufferPointer(start: first, count: count) {
        endpoints.append(
            ProviderEndpoint(
                endpoint: try string(given.endpoint, named: "endpoint", limit: Name.maximumSize),
                kinds: try strings(given.kinds, named: "kinds", limit: Name.maximumSize)))
    }
    return endpoints
}

extension ProviderDescription {
    fileprivate var value: Value {
        [
            "name": .string(name), "public": .bool(isPublic),
            "capabilities": .list(capabilities.map { .string($0.name) }),
            "endpoints": .map(
                ValueMap(endpoints.map { ($0.endpoint.rawValue, .list($0.kinds.map { .string($0.rawValue) })) })),
            "platform": .string(platform.rawValue), "app_id": .string(appID),
            "universal_link": .string(universalLink),
        ]
    }
}
