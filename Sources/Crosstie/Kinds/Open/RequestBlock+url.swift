/// The URL of a request.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Parses a URL, after the request's origin has been set. One that begins with a slash gets the bus's default
    /// scheme; one that is malformed is taken as it is if it is none of the bus's and somebody wants it.
    @inline(__always)
    func take(_ url: UnsafeRawBufferPointer) -> ParseResult {
        let result = parse(url)
        if case .parsed = result { return result }
        return takeOther(url, result)
    }

    @inline(never)
    private func takeOther(_ url: UnsafeRawBufferPointer, _ result: ParseResult) -> ParseResult {
        guard case .failed(let failure) = result else { return result }
        freeOverflow()
        if url.first == 0x2F { return takePath(url) }
        guard failure.reason.isOthersBusiness, case .parsed = parse(url, isForeign: true) else { return result }
        guard isWanted, !concernsBus else {
            freeOverflow()
            return result
        }
        extras.malformation = failure
        return .parsed
    }

    // MARK: - Without a scheme

    /// Parses a URL that begins with a slash as such a pattern is parsed: under the default scheme, without a host.
    private func takePath(_ url: UnsafeRawBufferPointer) -> ParseResult {
        guard url.count < 2 || url[1] != 0x2F else { return .failed(ParseFailure(.networkPath, at: 0)) }
        return withUnsafeTemporaryAllocation(byteCount: URLLimits.url, alignment: 1) { whole in
            guard let shift = writeDefaultScheme(to: whole) else {
                return .failed(ParseFailure(.noDefaultScheme, at: 0))
            }
            guard shift + url.count <= whole.count else {
                return .failed(ParseFailure(.tooLong, at: URLLimits.url - shift))
            }
            UnsafeMutableRawBufferPointer(rebasing: whole[shift...]).copyBytes(from: url)
            let text = UnsafeRawBufferPointer(rebasing: whole[..<(shift + url.count)])
            guard case .failed(let failure) = parse(text) else { return .parsed }
            freeOverflow()
            return .failed(ParseFailure(failure.reason, at: max(0, Int(failure.position) - shift)))
        }
    }

    /// Writes the default scheme and `://`. Returns the number of bytes; nil where there is no default scheme.
    private func writeDefaultScheme(to text: UnsafeMutableRawBufferPointer) -> Int? {
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        guard isBusLive, let scheme = pointee.bus.pointee.space?.pointee.defaultScheme.first else { return nil }
        text.copyBytes(from: scheme)
        UnsafeMutableRawBufferPointer(rebasing: text[scheme.count...]).copyBytes(from: [0x3A, 0x2F, 0x2F])
        return scheme.count + 3
    }

    // MARK: - Foreign URLs

    /// Whether a foreign URL has the bus's default scheme, or is a web URL on a host that routes or rules name.
    private var concernsBus: Bool {
        let parts = pointee.parts
        let scheme = String(decoding: parts.text(parts.scheme), as: UTF8.self)
        let host = String(decoding: parts.text(parts.host), as: UTF8.self)
        let answer = try? BusRecord.withState(pointee.busHandle) { _, state in
            parts.flags.contains(.web)
                ? state.concernsWebHost(host) : SchemeName.lowerCase(state.defaultScheme) == scheme
        }
        return answer ?? true
    }

    /// Whether a handler matches the URL: without one no interceptor sees a malformed URL either.
    private var isWanted: Bool {
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        guard isBusLive, case .failed = OpenResolver.resolve(self) else { return isBusLive }
        return false
    }
}
