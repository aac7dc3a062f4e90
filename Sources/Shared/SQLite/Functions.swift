internal import CSQLite

extension Connection {
    /// Gives SQL a function of ours, on this connection only: a statement that needs it fails
    /// loudly in any other program.
    ///
    /// - Parameters:
    ///   - arguments: how many it takes.
    ///   - deterministic: same arguments, same result, within one statement and for ever.
    package func registerFunction(
        _ name: String, arguments: Int, deterministic: Bool,
        _ body: @escaping ([DatabaseValue]) throws -> DatabaseValue
    ) throws(SQLiteError) {
        let box = Unmanaged.passRetained(FunctionBox(body)).toOpaque()
        let flags = SQLITE_UTF8 | (deterministic ? SQLITE_DETERMINISTIC : 0)
        // "The destructor is also invoked if the call to sqlite3_create_function_v2() fails."
        let code = sqlite3_create_function_v2(
            handle, name, Int32(arguments), flags, box, callFunction, nil, nil, releaseFunction)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, context: name) }
    }
}

private final class FunctionBox {
    let body: ([DatabaseValue]) throws -> DatabaseValue
    init(_ body: @escaping ([DatabaseValue]) throws -> DatabaseValue) { self.body = body }
}

private func callFunction(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let data = sqlite3_user_data(context) else { return }
    let box = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
    let arguments = (0..<Int(count)).map { DatabaseValue(argument: values?[$0]) }
    do {
        try box.body(arguments).setResult(of: context)
    } catch {
        // The statement fails with this text; it must not carry an argument.
        sqlite3_result_error(context, "a function of this program failed", -1)
    }
}

private func releaseFunction(_ data: UnsafeMutableRawPointer?) {
    if let data { Unmanaged<FunctionBox>.fromOpaque(data).release() }
}
