/// A URL that is parsed and matched aside from any request. One serves many, one after the other.
struct RuleURL: ~Copyable {
    private let area = UnsafeMutableRawPointer.allocate(byteCount: URLLimits.area, alignment: 16)
    private let parts = UnsafeMutablePointer<URLParts>.allocate(capacity: 1)
    private let segments = UnsafeMutablePointer<SegmentRange>.allocate(capacity: URLLimits.segments + 1)
    private let captures = UnsafeMutablePointer<SegmentRange>.allocate(capacity: URLLimits.captures)

    init() {
        parts.initialize(to: URLParts(area: area, capacity: URLLimits.area))
        captures.initialize(repeating: SegmentRange(), count: URLLimits.captures)
    }

    deinit {
        captures.deallocate()
        segments.deallocate()
        parts.deallocate()
        area.deallocate()
    }

    /// - Throws: *invalidURL*, *unroutablePath*, *invalidUTF8*, *limitExceeded*.
    func parse(_ url: UnsafeRawBufferPointer) throws(CrosstieError) {
        let result = parseURL(url, area: area, capacity: URLLimits.area, segments: segments, into: parts)
        guard case .failed(let failure) = result else { return }
        throw failure.error
    }

    /// Parses a URL; false for other texts.
    func accepts(_ url: String) -> Bool {
        var url = url
        return url.withUTF8 { (try? parse(UnsafeRawBufferPointer($0))) != nil }
    }

    /// A web URL's normal form up to its path, and its path; nil for another URL.
    var webAddress: (origin: [UInt8], path: [UInt8])? {
        let url = parts.pointee
        guard url.flags.contains(.web) else { return nil }
        return (Array(url.text(url.normalForm)[..<Int(url.path.offset)]), Array(url.text(url.path)))
    }

    /// The same URL under the placeholder scheme of a table; nil if its scheme or web host is not in the lists.
    func standIn(for lists: RuleLists) -> [UInt8]? {
        let url = parts.pointee
        let normalForm = Array(url.text(url.normalForm))
        guard url.flags.contains(.web) else {
            let scheme = string(url.scheme)
            guard lists.publicSchemes.contains(scheme) || lists.privateSchemes.contains(scheme) else { return nil }
            return Array(RuleShapes.scheme.utf8) + normalForm[Int(url.schemeLength)...]
        }
        guard url.port == 0, lists.webHosts.contains(string(url.host)) else { return nil }
        return Array("\(RuleShapes.webScheme)://".utf8) + normalForm[Int(url.path.offset)...]
    }

    /// The rule that a table gives the URL; nil for none.
    ///
    /// - Throws: *limitExceeded* when the search of the table takes too many steps.
    func match(_ table: RouteTable) throws(CrosstieError) -> Int? {
        let result = table.match(parts, segments: segments, into: captures)
        guard result.outcome != .limit else {
            let url = parts.pointee.text(parts.pointee.normalForm)
            throw CrosstieError(.limitExceeded, RouteSearch.exhaustion(of: Quotation.shown(url)))
        }
        return result.outcome == .found ? Int(result.value) - 1 : nil
    }

    /// The text of a parameter: the capture of the matched path, else the query's text; nil when there is none.
    ///
    /// - Parameter captured: the names of the path's parameters, in its order.
    /// - Throws: *invalidParameter* when the query has it more than once.
    func text(of name: String, captured: [String]) throws(CrosstieError) -> UnsafeRawBufferPointer? {
        if let position = captured.firstIndex(of: name), position < URLLimits.captures {
            return parts.pointee.text(captures[position])
        }
        let found = Array(name.utf8).withUnsafeBytes { parts.pointee.query($0) }
        guard found.count <= 1 else {
            throw CrosstieError(
                .invalidParameter, "the parameter \(Quotation.quoted(name)) is given more than once", at: name)
        }
        return found.count == 0 ? nil : parts.pointee.text(found.first)
    }

    private func string(_ range: SegmentRange) -> String { String(decoding: parts.pointee.text(range), as: UTF8.self) }
}
