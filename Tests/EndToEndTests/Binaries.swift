import Foundation

/// Where the built programs are: beside the running test bundle, else in the checkout.
enum Binaries {
    static func path(of name: String) throws -> String {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let checkout = URL(fileURLWithPath: checkout())
        let places = [bundle, checkout.appendingPathComponent(".build/debug")]
        for place in places {
            let path = place.appendingPathComponent(name).path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw HarnessError("\(name) is not built; looked in \(places.map(\.path))")
    }

    /// The folder that holds `Package.swift`.
    static func checkout() -> String {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .path
    }
}

struct HarnessError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
