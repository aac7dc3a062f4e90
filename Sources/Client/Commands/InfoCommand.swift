internal import Arguments
internal import Coding
internal import LocalStore
internal import Vault

enum InfoCommand {
    static let entry = Entry(
        name: "info", summary: "Version, device, server, paths.",
        discussion: """
            Needs no PIN; but the server's address is encrypted with everything else, and is told \
            where '--pin-file' opens it.
            """
    ) { run in
        let home = try run.home()
        let deviceId = try home.isEnrolled ? SealedVault.load(home).deviceId : nil
        let server =
            try deviceId != nil && run.invocation.has(GlobalOption.pinFile.name)
            ? run.withStore(for: .reading) { try $0.enrolment()?.serverURL } : nil
        let holder = try HomeLease.holder(of: home)
        let document: JSON = [
            "version": .string(Release.version), "home": .string(home.directory),
            "database": .string(home.database), "deviceId": JSON(deviceId),
            "server": JSON(server), "enrolled": .bool(deviceId != nil),
            "openIn": JSON(holder.map(Int64.init)),
        ]
        try run.emit(document) {
            """
            version   \(Release.version)
            home      \(home.directory)
            device    \(deviceId ?? "not enrolled")
            server    \(server ?? (deviceId == nil ? "none yet" : "not told without '--pin-file'"))
            open in   \(holder.map { "process \($0)" } ?? "no process")

            """
        }
        return .done
    }
}
