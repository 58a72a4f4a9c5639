package import CCrosstie

/// A handler as it is called: one form for C functions, Python callables and Swift closures.
///
/// The measured call path needs a plain function and a plain pointer; this file and `CrosstieABI` are
/// the only files that handle them.
package typealias HandlerFunction = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void

package typealias CompletionFunction = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void

package typealias ProgressFunction = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void

/// A notification without arguments of its own.
package typealias NotifyFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void

package typealias LogFunction = ctie_logger_fn

/// Answers a question about a provider.
package typealias ProviderStateFunction = ctie_provider_state_fn

/// A function that says whether a provider can serve a request.
package typealias ProviderCanFunction = ctie_provider_can_fn

package typealias DestroyFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void
