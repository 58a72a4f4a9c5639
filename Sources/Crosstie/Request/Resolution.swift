/// The result of a kind's resolver.
package enum Resolution {
    /// The registration that handles the request, and the match that led there. They differ for a rule, whose handler is
    /// registered by itself.
    case found(Registration.Pointer, match: Registration.Pointer)
    case failed(Status)
    /// The kind itself answers, outside the read section: see ``KindOfRequest/answer(_:)``.
    case system
}
