/// The result of a kind's resolver.
package enum Resolution {
    /// The handler of the request, and the match that led there: the same, but for a rule, which has its handler elsewhere.
    case found(RegistrationRecord.Pointer, match: RegistrationRecord.Pointer)
    case failed(Status)
    /// The kind itself answers, outside the read section: see ``KindOfRequest/answer(_:)``.
    case system
}
