/// The answer to a call, with its value and message owned.
struct CallAnswer {
    let status: Status
    let code: Int32
    let value: ValueRef
    let message: ValueRef

    init(_ status: Status, code: Int32, value: ValueRef, message: ValueRef) {
        (self.status, self.code, self.value, self.message) = (status, code, value, message)
    }

    /// An answer of this library.
    init(_ status: Status, _ message: String = "") {
        let text = message.isEmpty ? nil : try? Value.string(message).makeRef()
        self.init(status, code: status.code, value: .null, message: text ?? .null)
    }

    func release() {
        value.release()
        message.release()
    }
}
