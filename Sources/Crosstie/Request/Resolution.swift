/// What a kind's resolver came to.
package enum Resolution {
    /// Who handles the request, and what led there: the same, but for a rule, which has its handler elsewhere.
    case found(Registration.Pointer, match: Registration.Pointer)
    case failed(Status)
    /// The system's opener.
    case system
}
