/// A pitfall that does not stop the command.
struct SchemeWarning {
    /// The pitfall's name in JSON.
    enum Kind: String {
        case shortName = "short-name"
        case digit
        case taken
        case path
        case appImage = "appimage"
        case missingTool = "missing-tool"
        case otherFile = "other-file"
        case notTried = "not-tried"
    }

    let kind: Kind
    let text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
