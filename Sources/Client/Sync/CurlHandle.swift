internal import CCurl

/// One curl handle and the connection that it keeps: the only file that touches libcurl.
///
/// Used from one thread at a time. Options are set once, at creation, in one order;
/// each exchange then sets its own address, headers and body.
final class CurlHandle {
    private let curl: UnsafeMutableRawPointer

    /// The library's own start is once in a process and must precede the first handle.
    private static let isReady = curl_global_init(walkdown_curl_global_default) == CURLE_OK

    init(to address: ServerAddress, trust: ServerTrust, limits: TransportLimits)
        throws(TransportFault)
    {
        guard Self.isReady, let curl = curl_easy_init() else { throw .misconfigured }
        self.curl = curl
        try configureTransfer(limits)
        try configureProtocol(address)
        if address.isEncrypted { try configureTrust(trust) }
    }

    deinit {
        curl_easy_cleanup(curl)
    }

    /// Blocks until an answer is complete, a limit is met, or `exchange.isCancelled` says stop.
    func perform(
        _ method: WireCall.Method, url: String, headers: [String], body: [UInt8]?,
        exchange: CurlExchange
    ) throws(TransportFault) -> Int {
        try set(CURLOPT_URL, url)
        try setBody(method, body)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for header in headers {
            guard let longer = curl_slist_append(list, header) else { throw .misconfigured }
            list = longer
        }
        try require(walkdown_curl_set_headers(curl, list))
        // The exchange outlives the transfer: it is held by this frame until perform returns.
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        try require(walkdown_curl_on_body(curl, receiveBody, context))
        try require(walkdown_curl_on_header(curl, receiveHeader, context))
        try require(walkdown_curl_on_progress(curl, checkProgress, context))
        let code = withExtendedLifetime(exchange) { curl_easy_perform(curl) }
        guard code == CURLE_OK else { throw fault(code, exchange) }
        var status = 0
        try require(walkdown_curl_status(curl, &status))
        return status
    }

    private func setBody(_ method: WireCall.Method, _ body: [UInt8]?) throws(TransportFault) {
        guard method == .post else { return try set(CURLOPT_HTTPGET, 1) }
        let bytes = body ?? []
        try set(CURLOPT_POST, 1)
        // The size comes first: COPYPOSTFIELDS copies as many bytes as it says.
        try require(
            walkdown_curl_set_int64(curl, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count)))
        let code = bytes.withUnsafeBytes { buffer in
            walkdown_curl_set_bytes(curl, CURLOPT_COPYPOSTFIELDS, buffer.baseAddress)
        }
        try require(code)
    }

    private func configureTransfer(_ limits: TransportLimits) throws(TransportFault) {
        // Without NOSIGNAL a name that resolves slowly would raise SIGALRM in the whole process.
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectMilliseconds)
        try set(CURLOPT_LOW_SPEED_TIME, limits.stallSeconds)
        try set(CURLOPT_LOW_SPEED_LIMIT, limits.stallBytesPerSecond)
        try set(CURLOPT_TIMEOUT_MS, limits.totalMilliseconds)
        // A name server that is silent keeps curl's resolving thread for as long as it likes; without
        // this the timeout above, and a lock or quit, would wait for that thread.
        try require(walkdown_curl_set_quick_exit(curl))
    }

    private func configureProtocol(_ address: ServerAddress) throws(TransportFault) {
        try set(CURLOPT_PROTOCOLS_STR, address.isEncrypted ? "https" : "http")
        try set(CURLOPT_HTTP_VERSION, walkdown_curl_http11)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        // An empty string, unlike none, also keeps curl from reading the environment.
        try set(CURLOPT_PROXY, "")
    }

    private func configureTrust(_ trust: ServerTrust) throws(TransportFault) {
        try set(CURLOPT_SSLVERSION, walkdown_curl_tls13)
        let isVerified = trust.authority != nil
        try set(CURLOPT_SSL_VERIFYPEER, isVerified ? 1 : 0)
        try set(CURLOPT_SSL_VERIFYHOST, isVerified ? 2 : 0)
        // Our authority alone: the system's list of authorities would be trusted beside it.
        try require(walkdown_curl_set_string(curl, CURLOPT_CAINFO, nil))
        try require(walkdown_curl_set_string(curl, CURLOPT_CAPATH, nil))
        if let pem = trust.authority {
            let code = pem.withUnsafeBytes { buffer in
                walkdown_curl_set_blob(
                    curl, CURLOPT_CAINFO_BLOB, buffer.baseAddress, buffer.count)
            }
            try require(code)
        }
        guard trust.arePinsValid else { throw .misconfigured }
        if !trust.pins.isEmpty {
            try set(CURLOPT_PINNEDPUBLICKEY, trust.pins.joined(separator: ";"))
        }
    }

    private func set(_ option: CURLoption, _ value: Int) throws(TransportFault) {
        try require(walkdown_curl_set_long(curl, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(TransportFault) {
        try require(walkdown_curl_set_string(curl, option, value))
    }

    /// An option that curl does not know would silently leave a protection off.
    private func require(_ code: CURLcode) throws(TransportFault) {
        guard code == CURLE_OK else { throw .misconfigured }
    }

    private func fault(_ code: CURLcode, _ exchange: CurlExchange) -> TransportFault {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: .unreachable
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        case CURLE_WRITE_ERROR where exchange.isOverLimit: .tooLarge
        case CURLE_SSL_CONNECT_ERROR: .handshake
        case CURLE_PEER_FAILED_VERIFICATION: isOutsideValidity ? .clock : .untrusted
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .wrongPin
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2: .malformed
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_SSL_CACERT_BADFILE, CURLE_URL_MALFORMAT:
            .misconfigured
        default: .interrupted
        }
    }

    /// X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED of OpenSSL.
    private var isOutsideValidity: Bool {
        var result = 0
        return walkdown_curl_verification(curl, &result) == CURLE_OK && (9...10).contains(result)
    }
}

/// What one exchange collects while curl calls back, on the thread that called `perform`.
final class CurlExchange {
    private(set) var headers: [String: String] = [:]
    private(set) var body: [UInt8] = []
    private(set) var isOverLimit = false
    let isCancelled: () -> Bool
    private let limit: Int

    init(limit: Int, isCancelled: @escaping () -> Bool) {
        self.limit = limit
        self.isCancelled = isCancelled
    }

    fileprivate func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limit else {
            isOverLimit = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// A line such as `Retry-After: 30`; a status line begins the headers anew (after a 100).
    fileprivate func header(_ bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") { headers = [:] }
        guard let colon = line.firstIndex(of: ":") else { return }
        headers[line[..<colon].lowercased()] = trimmed(line[line.index(after: colon)...])
    }

    private func trimmed(_ text: Substring) -> String {
        let isBlank = { (character: Character) in character.isWhitespace || character.isNewline }
        let tail = text.drop(while: isBlank)
        let end = tail.lastIndex { !isBlank($0) }.map { tail.index(after: $0) }
        return String(tail[..<(end ?? tail.startIndex)])
    }
}

// The three functions that curl calls: plain C function pointers, so nothing is captured but the
// exchange that travels as their context.

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
    let all = size * count
    // Any other number than all of them makes curl stop with CURLE_WRITE_ERROR.
    return exchange.append(UnsafeRawBufferPointer(start: bytes, count: all)) ? all : 0
}

private func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
    exchange.header(UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
}

private func checkProgress(
    _ context: UnsafeMutableRawPointer?, _ downTotal: curl_off_t, _ down: curl_off_t,
    _ upTotal: curl_off_t, _ up: curl_off_t
) -> Int32 {
    guard let context else { return 1 }
    let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
    return exchange.isCancelled() ? 1 : 0
}
