/// A listener to a request's progress. Its context is destroyed with it.
package final class ProgressListener {
    private let function: ProgressFunction
    private let context: CallbackContext

    package init(_ function: @escaping ProgressFunction, _ context: CallbackContext) {
        self.function = function
        self.context = context
    }

    deinit { context.destroy() }

    func receive(_ value: ValueRef) {
        if let value = value.pointer { function(value, context.pointer) }
    }
}
