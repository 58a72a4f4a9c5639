import CCrosstie
import Crosstie

/// A `ctie_error`: one block of memory with the status, the sizes of both texts, and the texts. If there is no memory
/// for one it is *bare*: a word that holds the status, has the status's own message and needs no freeing. The error of
/// a request that composes its message on demand is the request's address, with a reference.
struct ErrorObject {
    private struct Header {
        var status: ctie_status
        var messageSize: Int
        var locationSize: Int
    }

    private let start: UnsafeMutableRawPointer

    init(_ pointer: OpaquePointer) { start = UnsafeMutableRawPointer(pointer) }

    /// A bare error.
    init?(_ status: Status) {
        guard let word = UnsafeMutableRawPointer(bitPattern: UInt(UInt32(bitPattern: status.rawValue)) << 1 | 1) else {
            return nil
        }
        start = word
    }

    /// Nil when out of memory.
    init?(_ error: CrosstieError) {
        var (message, location) = (error.message, error.location)
        let header = Header(
            status: error.status.rawValue, messageSize: message.utf8.count, locationSize: location.utf8.count)
        let textStart = MemoryLayout<Header>.size
        guard let start = Memory.allocate(textStart + header.messageSize + header.locationSize) else { return nil }
        start.storeBytes(of: header, as: Header.self)
        message.withUTF8 { Self.copy($0, to: start + textStart) }
        location.withUTF8 { Self.copy($0, to: start + textStart + header.messageSize) }
        self.start = start
    }

    /// An error with a deferred message; it takes a reference to the request.
    init(of block: RequestBlock.Pointer) {
        block.addReference()
        start = UnsafeMutableRawPointer(block) + 2
    }

    /// The request of an error with a deferred message.
    private var block: RequestBlock.Pointer? {
        UInt(bitPattern: start) & 3 == 2 ? (start - 2).assumingMemoryBound(to: RequestBlock.self) : nil
    }

    private static func copy(_ text: UnsafeBufferPointer<UInt8>, to start: UnsafeMutableRawPointer) {
        UnsafeMutableRawBufferPointer(start: start, count: text.count).copyBytes(from: text)
    }

    /// The status of a bare error; no block of memory begins at an odd address.
    private var bareStatus: Status? {
        let word = UInt(bitPattern: start)
        return word & 1 == 0 ? nil : Status(rawValue: Int32(truncatingIfNeeded: word >> 1))
    }

    private var header: Header { start.load(as: Header.self) }
    private var text: UnsafeMutableRawPointer { start + MemoryLayout<Header>.size }

    var pointer: OpaquePointer { OpaquePointer(start) }
    var status: ctie_status { bareStatus?.rawValue ?? block?.pointee.status.rawValue ?? header.status }

    var message: ctie_str {
        if let said = block?.responseMessage { return ctie_str(said) }
        if bareStatus != nil || block != nil { return ctie_str_from(ctie_status_message(status)) }
        return ctie_str(UnsafeRawBufferPointer(start: text, count: header.messageSize))
    }

    var location: ctie_str {
        guard UInt(bitPattern: start) & 3 == 0 else { return ctie_str() }
        return ctie_str(UnsafeRawBufferPointer(start: text + header.messageSize, count: header.locationSize))
    }

    func free() {
        if let block { block.drop() } else if bareStatus == nil { Memory.free(start) }
    }
}

/// The last argument of a C function: receives the error object.
public typealias ErrorOut = UnsafeMutablePointer<OpaquePointer?>?

/// Stores `error` in `out` unless that is NULL, and returns its status.
func report(_ error: CrosstieError, _ out: ErrorOut) -> ctie_status {
    out?.pointee = (ErrorObject(error) ?? ErrorObject(error.status))?.pointer
    return error.status.rawValue
}

/// Runs the body of an exported function: NULL in `out` and CTIE_OK when it returns, its error otherwise.
func answer(_ out: ErrorOut, _ body: () throws(CrosstieError) -> Void) -> ctie_status {
    do throws(CrosstieError) {
        out?.pointee = nil
        try body()
        return CTIE_OK.status
    } catch {
        return report(error, out)
    }
}

/// The same for a function that may also return CTIE_PENDING.
func pending(_ out: ErrorOut, _ body: () throws(CrosstieError) -> Status) -> ctie_status {
    do throws(CrosstieError) {
        out?.pointee = nil
        return try body().rawValue
    } catch {
        return report(error, out)
    }
}

extension Int {
    /// A constant of the status list, which Swift imports as an Int, as a `ctie_status`.
    var status: ctie_status { ctie_status(truncatingIfNeeded: self) }
}
