/// The result of a kind's resolver.
package enum Resolution {
    /// The handler of the request, and the match that led there: the same, but for a rule, which has its handler elsewhere.
    case found(Registration.Pointer, match: Registration.Pointer)
    case failed(Status)
    /// The system opener.
    case system
}
