/// Parses a URL into its normal form.
///
/// Most good URLs (ASCII, nothing to encode, scheme and host in lower case, no port) take one pass over blocks of 16
/// bytes; all others ``URLNormalizer``, which also finds out what is wrong with bad ones.
///
/// - Parameters:
///   - input: the URL, as it was given. Not kept.
///   - area: receives the normal form and decoded text.
///   - capacity: bytes of the area, at most ``URLLimits/area`` are used.
///   - segments: room for 65 ranges; receives the host (normal form), then the decoded path segments.
///   - parts: receives the rest, when the answer is *parsed*.
@inline(__always)
package func parseURL(
    _ input: UnsafeRawBufferPointer,
    area: UnsafeMutableRawPointer,
    capacity: Int,
    segments: UnsafeMutablePointer<SegmentRange>,
    into parts: UnsafeMutablePointer<URLParts>
) -> ParseResult {
    if QuickURL.parse(input, area: area, capacity: capacity, segments: segments, into: parts) { return .parsed }
    return URLNormalizer.parse(input, area: area, capacity: capacity, segments: segments, into: parts)
}
