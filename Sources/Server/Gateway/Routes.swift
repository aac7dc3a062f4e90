/// The table of everything that the server answers.
enum Routes {
    static let all: [Route] = [
        Route(
            method: "GET", pattern: "/health", access: .anyone, action: .now(Endpoints.health)),
        Route(
            method: "GET", pattern: "/api/v1/ca", access: .anyone,
            action: .now(Endpoints.authority)),
        Route(
            method: "POST", pattern: "/api/v1/enroll", access: .anyone,
            body: .json(limit: 16 << 10), action: .now(Endpoints.enrol)),
        Route(
            method: "POST", pattern: "/api/v1/sync/push", access: .device,
            body: .json(limit: 4 << 20), action: .later(Endpoints.push)),
        Route(
            method: "GET", pattern: "/api/v1/sync/pull", access: .device,
            action: .now(Endpoints.pull)),
        Route(
            method: "POST", pattern: "/api/v1/sync/copies", access: .device,
            body: .json(limit: 4 << 20), action: .now(Endpoints.copies)),
        Route(
            method: "POST", pattern: "/api/v1/heartbeat", access: .device,
            body: .json(limit: 4 << 10), action: .now(Endpoints.heartbeat)),
        Route(
            method: "GET", pattern: "/api/v1/forms", access: .device,
            action: .now(Endpoints.forms)),
        Route(
            method: "GET", pattern: "/api/v1/forms/{id}/{version}", access: .device,
            action: .now(Endpoints.form)),
    ]

    /// - Returns: the route and its segments, or the refusal.
    static func find(method: String, path: String) throws(Refusal) -> (Route, [String]) {
        var allowed: [String] = []
        for route in all {
            guard let segments = route.match(path) else { continue }
            if route.method == method { return (route, segments) }
            allowed.append(route.method)
        }
        throw allowed.isEmpty ? .unknownRoute : .methodNotAllowed(allowed.sorted())
    }
}
