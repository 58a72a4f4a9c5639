extension EventKind {
    static func nameRoles(_ kind: RequestKind) -> (target: String, action: String) { ("component", "event") }
}
