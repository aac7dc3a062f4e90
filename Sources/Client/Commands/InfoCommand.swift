internal import Arguments
internal import Coding
internal import Vault

enum InfoCommand {
    static let entry = Entry(
        name: "info", summary: "Version, device, paths.", discussion: "Needs no PIN."
    ) { run in
        let home = try run.home()
        let deviceId = try home.isEnrolled ? SealedVault.load(home).deviceId : nil
        let holder = try HomeLease.holder(of: home)
        let document: JSON = [
            "version": .string(Release.version), "home": .string(home.directory),
            "database": .string(home.database), "deviceId": JSON(deviceId),
            "enrolled": .bool(deviceId != nil), "openIn": JSON(holder.map(Int64.init)),
        ]
        try run.emit(document) {
            """
            version   \(Release.version)
            home      \(home.directory)
            device    \(deviceId ?? "not enrolled")
            open in   \(holder.map { "process \($0)" } ?? "no process")

            """
        }
        return .done
    }
}
