/// A refusal by a performer's handler that leaves the request to the next one.
struct HandlerRefusal {
    let status: Status
    /// Empty for the status's own.
    let message: String
}
