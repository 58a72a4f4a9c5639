/// The result of an event.
public struct BroadcastResult: Sendable {
    /// The number of components that have the event.
    public internal(set) var count = 0
    /// Whether one of them answered true.
    public internal(set) var any = false
    /// Those that failed.
    public internal(set) var failures: [BroadcastFailure] = []
}

extension BroadcastResult {
    /// As other languages get it.
    package var value: Value {
        ["count": .int(Int64(count)), "any": .bool(any), "failures": .list(failures.map(\.value))]
    }

    /// The same value, owned. Without a failure it is made directly, since it is all that most events give.
    package func makeRef() throws(CrosstieError) -> ValueRef {
        guard failures.isEmpty else { return try value.makeRef() }
        let none = try ValueRef.list(count: 0) { _ in .null }
        do throws(CrosstieError) {
            return try Self.map(count: try ValueRef.int(Int64(count)), any: .bool(any), failures: none)
        } catch {
            none.release()
            throw error
        }
    }

    private static func map(count: ValueRef, any: ValueRef, failures: ValueRef) throws(CrosstieError) -> ValueRef {
        let map: Result<ValueRef, CrosstieError> = withUnsafeTemporaryAllocation(of: MapItem.self, capacity: 3) {
            room in
            room.initializeElement(at: 0, to: MapItem(key: bytes("count"), value: count))
            room.initializeElement(at: 1, to: MapItem(key: bytes("any"), value: any))
            room.initializeElement(at: 2, to: MapItem(key: bytes("failures"), value: failures))
            do throws(CrosstieError) {
                return .success(try ValueRef.map(taking: UnsafeBufferPointer(room)))
            } catch {
                return .failure(error)
            }
        }
        return try map.get()
    }

    private static func bytes(_ key: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    }

    /// The result of a request in which an event was run: see ``Bus/broadcastAsync(_:_:options:completion:)``. Nil for
    /// another response, or one of failure.
    public init?(_ response: Response) {
        guard response.status.isSuccess, case .map(let map) = response.value, case .int(let count)? = map["count"],
            case .bool(let any)? = map["any"], case .list(let failures)? = map["failures"]
        else { return nil }
        (self.count, self.any) = (Int(clamping: count), any)
        self.failures = failures.compactMap(BroadcastFailure.init)
    }
}
