internal import Foundation

/// A folder of its own for one test, removed with everything in it when the value goes.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter name: a short word in the folder's name, so that what a killed run left tells
    ///   which test made it.
    package init(_ name: String = "test") throws {
        let parent = NSTemporaryDirectory()
        let template = (parent as NSString).appendingPathComponent("walkdown-\(name)-XXXXXX")
        var bytes = Array(template.utf8CString)
        guard mkdtemp(&bytes) != nil else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        path = bytes.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    deinit {
        // The test is over: what cannot be removed is only clutter in the temporary directory.
        try? FileManager.default.removeItem(atPath: path)
    }

    package func file(_ name: String) -> String {
        path + "/" + name
    }

    package func write(_ text: String, to name: String) throws -> String {
        let target = file(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: target))
        return target
    }

    package func bytes(of name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: file(name))))
    }

    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}
