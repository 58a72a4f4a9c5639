import Crosstie
import CrosstieWormhole
import Synchronization

/// The channel of a sequence until the first iterator takes it; later iterators make their own.
final class ChannelSource: Sendable {
    typealias Bind = @Sendable () throws(CrosstieError) -> MessageChannel

    private let bind: Bind
    private let first: Mutex<Result<MessageChannel, CrosstieError>?>

    /// Binds at once, so that no message before the first iterator is missed.
    init(_ bind: @escaping Bind) {
        self.bind = bind
        first = Mutex(ChannelSource.result(bind))
    }

    func take() -> Result<MessageChannel, CrosstieError> {
        let taken = first.withLock { first in
            defer { first = nil }
            return first
        }
        return taken ?? ChannelSource.result(bind)
    }

    private static func result(_ bind: Bind) -> Result<MessageChannel, CrosstieError> {
        do throws(CrosstieError) { return .success(try bind()) } catch { return .failure(error) }
    }
}
