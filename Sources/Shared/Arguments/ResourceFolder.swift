internal import Foundation

/// Where forms, portal pages and unit files are found at run time: `$WALKDOWN_RESOURCES`, else
/// `../share/walkdown` beside the program, else the checkout that the program was built in.
package struct ResourceFolder: Sendable {
    package let path: String

    /// Nil where none of the three exists.
    package static func find(environment: [String: String]) -> ResourceFolder? {
        if let named = environment["WALKDOWN_RESOURCES"], !named.isEmpty {
            return isFolder(named) ? ResourceFolder(path: named) : nil
        }
        let programs = ProgramFolder.path
        let installed = programs + "/../share/walkdown"
        if isFolder(installed) { return ResourceFolder(path: installed) }
        var folder = programs
        while folder.count > 1 {
            folder = (folder as NSString).deletingLastPathComponent
            let resources = folder + "/Resources"
            // A folder of that name alone is nothing: the manifest beside it makes it a checkout.
            if isFolder(resources + "/forms"), exists(folder + "/Package.swift") {
                return ResourceFolder(path: resources)
            }
        }
        return nil
    }

    package func file(_ name: String) -> String { path + "/" + name }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }
}

/// The folder of the running program: its sister stands there too.
package enum ProgramFolder {
    package static var path: String {
        // The link names the file that runs, also when the program was started through another.
        let program =
            (try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return (program as NSString).deletingLastPathComponent
    }
}
