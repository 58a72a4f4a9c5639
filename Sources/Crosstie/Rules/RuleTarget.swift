/// A target as a document declares it.
enum RuleTarget: Sendable {
    case none
    /// On every platform.
    case one(String)
    /// A text for each platform, with notes between them.
    case byPlatform(ValueMap)

    /// The target on a platform, whose name is never that of a note.
    func resolved(for platform: String) -> String? {
        switch self {
        case .none: nil
        case .one(let target): target
        case .byPlatform(let targets): targets[platform]?.stringValue
        }
    }
}
