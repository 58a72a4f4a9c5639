/// The descriptors that came before a frame, for the values that name them.
enum BroughtDescriptors {
    case none, files([Descriptor])
    /// This process has no room for them; they are closed.
    case refused

    /// The descriptors that values may name.
    var files: [Descriptor] { if case .files(let files) = self { files } else { [] } }

    var isRefused: Bool { if case .refused = self { true } else { false } }

    var isNone: Bool { if case .none = self { true } else { false } }

    static var reason: String { "there is no room for the descriptors of peers" }
}
