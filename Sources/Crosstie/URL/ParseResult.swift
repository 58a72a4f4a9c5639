/// The result of parsing.
package enum ParseResult: Equatable {
    case parsed
    /// The area is too small: the call succeeds or fails for good with one of this many bytes.
    case needs(Int)
    case failed(ParseFailure)
}
