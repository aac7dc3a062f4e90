import CMicrohttpd

#if canImport(Glibc)
    import Glibc
#endif

/// What libmicrohttpd calls, on its own threads. The functions are free of context, as C wants
/// them; the listener's `Course` comes through the `void *` that the daemon was started with.
enum Callbacks {
    final class Context: Sendable {
        let course: Course
        init(course: Course) { self.course = course }
    }

    /// A socket was accepted, or is about to be closed.
    static let connection: MHD_NotifyConnectionCallback = { context, connection, slot, code in
        guard let table = course(context)?.table, let connection else { return }
        let socket = walkdown_mhd_socket(connection)
        if walkdown_mhd_is_start(code) != 0 {
            table.opened(socket)
        } else {
            table.closed(socket)
        }
    }

    /// A request line was read. What this returns is the request's context from here on.
    static let target:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
            UnsafeMutableRawPointer? = { context, uri, connection in
                guard let uri, let connection else { return nil }
                let exchange = Exchange(
                    target: String(cString: uri), socket: walkdown_mhd_socket(connection))
                course(context)?.table.moved(exchange.socket, to: .readingHeader)
                return Unmanaged.passRetained(exchange).toOpaque()
            }

    /// Header complete, then each part of the body, then its end, then again after each resume.
    static let handle: MHD_AccessHandlerCallback = {
        context, connection, _, method, version, data, count, slot in
        guard let course = course(context), let connection, let count,
            let exchange = exchange(slot?.pointee)
        else { return walkdown_mhd_no() }
        let verdict: Verdict
        if case .header = exchange.step {
            let framing = framing(
                of: connection, exchange, method!, String(cString: version!),
                limits: course.limits)
            verdict = course.judge(exchange, framing, peer: peer(of: connection))
        } else if count.pointee > 0 {
            verdict = course.receive(
                exchange, UnsafeRawBufferPointer(start: data, count: count.pointee))
            count.pointee = 0
        } else if case .keeping = exchange.step {
            verdict = course.hand(exchange, to: Responder(connection: connection))
        } else {
            verdict = course.finish(exchange)
        }
        return carryOut(verdict, exchange, connection, course)
    }

    /// The answer is sent, or the connection broke.
    static let completed: MHD_RequestCompletedCallback = { context, _, slot, _ in
        guard let pointer = slot?.pointee else { return }
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
        slot?.pointee = nil
        course(context)?.end(exchange)
    }

    private static func carryOut(
        _ verdict: Verdict, _ exchange: Exchange, _ connection: OpaquePointer, _ course: Course
    ) -> MHD_Result {
        switch verdict {
        case .goOn: return walkdown_mhd_yes()
        case .cut: return walkdown_mhd_no()
        case .answer(let response):
            exchange.step = .answered
            course.table.moved(exchange.socket, to: .answering(bytes: response.body.count))
            return queue(course.table.isDraining ? response.closing : response, on: connection)
        }
    }

    private static func queue(_ answer: Response, on connection: OpaquePointer) -> MHD_Result {
        let response = answer.body.withUnsafeBytes {
            walkdown_mhd_response($0.baseAddress, $0.count)
        }
        guard let response else { return walkdown_mhd_no() }
        defer { MHD_destroy_response(response) }
        let fixed = [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
        for (name, value) in fixed + answer.fields.map({ ($0.name, $0.value) }) {
            MHD_add_response_header(response, name, value)
        }
        if answer.closes { MHD_add_response_header(response, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(answer.status), response)
    }

    /// Gathers the header of one request.
    private final class Lines {
        var all: [Framing.Line] = []
    }

    private static let visit: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, size in
        guard let context else { return walkdown_mhd_no() }
        Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue().all.append(
            Framing.Line(name: bytes(name, nameSize), value: bytes(value, size)))
        return walkdown_mhd_yes()
    }

    private static func framing(
        of connection: OpaquePointer, _ exchange: Exchange, _ method: UnsafePointer<CChar>,
        _ version: String, limits: Limits
    ) -> Framing {
        let lines = Lines()
        _ = walkdown_mhd_each_header(connection, visit, Unmanaged.passUnretained(lines).toOpaque())
        let size = walkdown_mhd_header_size(connection)
        // Up to 0.9.77 the method stands where the request began, and the rest of the header
        // behind it; later versions refuse by themselves what `block` is looked at for.
        let isLeftInPlace = walkdown_mhd_is_before_1() != 0 && size <= limits.header
        return Framing(
            method: String(cString: method), target: exchange.target, version: version,
            lines: lines.all, size: size, block: isLeftInPlace ? bytes(method, size) : nil)
    }

    private static func bytes(_ start: UnsafePointer<CChar>?, _ count: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func peer(of connection: OpaquePointer) -> String {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getpeername(walkdown_mhd_socket(connection), address, &size) == 0 else {
                    return ""
                }
                return ListenAddress.text(of: address, size: size)?.host ?? ""
            }
        }
    }

    private static func course(_ context: UnsafeMutableRawPointer?) -> Course? {
        context.map { Unmanaged<Context>.fromOpaque($0).takeUnretainedValue().course }
    }

    private static func exchange(_ pointer: UnsafeMutableRawPointer?) -> Exchange? {
        pointer.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }
}
