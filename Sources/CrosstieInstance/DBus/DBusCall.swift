/// A call of another process that opens URLs, or activates the application. It is answered once.
final class DBusCall: @unchecked Sendable {
    /// Empty for an activation.
    let urls: [String]
    let activation: Value
    private let connection: DBusConnection
    private let sender: String?
    private let serial: UInt32
    private let wantsAnswer: Bool
    /// Of the URLs that were opened, in their order. Only one is opened at a time.
    var answers: [HandedURL] = []

    /// The most bytes of a call's URLs.
    static var maximumSize: Int { 1 << 20 }
    /// The most calls that wait or are under way.
    static var maximumCount: Int { 64 }

    init(_ message: DBusMessage, _ urls: [String], _ activation: Value, _ connection: DBusConnection) {
        (self.urls, self.activation, self.connection) = (urls, activation, connection)
        (sender, serial, wantsAnswer) = (message.sender, message.serial, message.wantsAnswer)
    }

    /// Its URLs, or one that is empty. The bus does not say how long a caller waits.
    var handed: [Handed] {
        (urls.isEmpty ? [""] : urls).map { Handed($0, activation, until: Clock.never) }
    }

    func finish() { answer(answers.failure) }

    @inline(never)
    func answer(_ failure: CrosstieError?) {
        guard wantsAnswer else { return }
        guard let failure else { return connection.answer(sender, serial) }
        let name = failure.status == .limitExceeded ? DBusObject.limitsExceeded : DBusObject.failed
        connection.answer(sender, serial, error: name, text: failure.description)
    }
}
