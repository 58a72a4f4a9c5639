/// An interceptor that belongs to one route, one handler or one request.
package struct Interceptor {
    package let handler: HandlerFunction
    package let context: CallbackContext

    package init(_ handler: @escaping HandlerFunction, context: CallbackContext) {
        self.handler = handler
        self.context = context
    }
}
