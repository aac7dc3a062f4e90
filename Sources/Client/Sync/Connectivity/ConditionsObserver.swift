internal import CSystemd
internal import Dispatch
internal import Glibc

/// Tells what NetworkManager says of the connection and UPower of the battery, over the system bus
/// (sd-bus(3)), where there are such. Without them, and without a bus, all goes on as if an
/// exchange cost nothing.
///
/// `@unchecked Sendable`: `bus`, `source` and `known` are touched on `queue` only.
package final class ConditionsObserver: @unchecked Sendable {
    private let queue = DispatchQueue(label: "walkdown.conditions", qos: .utility)
    private let report: @Sendable (DeviceConditions) -> Void
    private var bus: OpaquePointer?
    private var source: (any DispatchSourceRead)?
    private var known = DeviceConditions()

    /// Returns at once, whatever the bus does.
    /// - Parameter report: called on a queue of the observer's own, when something has changed.
    package init(report: @escaping @Sendable (DeviceConditions) -> Void) {
        self.report = report
        queue.async { [weak self] in self?.begin() }
    }

    deinit { sd_bus_flush_close_unref(bus) }

    package func stop() {
        queue.sync { end() }
    }

    private func begin() {
        guard sd_bus_open_system(&bus) >= 0, let bus else { return }
        sd_bus_set_method_call_timeout(bus, Self.patience)
        guard Self.rules.allSatisfy({ walkdown_bus_watch(bus, $0) >= 0 }) else { return end() }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: sd_bus_get_fd(bus), queue: queue)
        source.setEventHandler { [weak self] in self?.look() }
        self.source = source
        source.activate()
        look()
    }

    /// The bus is closed only after the source has let its descriptor go.
    private func end() {
        guard let closing = bus else { return }
        bus = nil
        // Closed once, on this queue: here, or when the source has been cancelled.
        nonisolated(unsafe) let ended = closing
        guard let source else {
            sd_bus_flush_close_unref(ended)
            return
        }
        source.setCancelHandler { sd_bus_flush_close_unref(ended) }
        source.cancel()
        self.source = nil
    }

    /// Whatever came is a reason to read anew; reading may take in more that came meanwhile.
    private func look() {
        while let bus {
            let conditions = read(bus)
            if conditions != known {
                known = conditions
                report(conditions)
            }
            var hasNews = false
            var code = sd_bus_process(bus, nil)
            while code > 0 {
                hasNews = true
                code = sd_bus_process(bus, nil)
            }
            // The bus has gone: what it said last does not hold for ever.
            guard code >= 0 else {
                if known != DeviceConditions() { report(DeviceConditions()) }
                return end()
            }
            guard hasNews else { return }
        }
    }

    // MARK: What is asked

    /// Microseconds for an answer of the bus.
    private static let patience: UInt64 = 500_000

    private static let network = "org.freedesktop.NetworkManager"
    private static let power = "org.freedesktop.UPower"

    private static let rules = [network, power].flatMap { name in
        [
            "type='signal',sender='\(name)',interface='org.freedesktop.DBus.Properties'",
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'",
        ]
    }

    /// NM_METERED_YES: configured, not guessed.
    private static let configuredAsMetered: UInt32 = 1

    private func read(_ bus: OpaquePointer) -> DeviceConditions {
        var conditions = DeviceConditions()
        if walkdown_bus_has_owner(bus, Self.network) > 0 {
            var metered: UInt32 = 0
            property(
                bus, Self.network, "/org/freedesktop/NetworkManager", Self.network, "Metered", "u",
                &metered)
            conditions.isMetered = metered == Self.configuredAsMetered
        }
        if walkdown_bus_has_owner(bus, Self.power) > 0 {
            var isOnBattery: Int32 = 0
            property(
                bus, Self.power, "/org/freedesktop/UPower", Self.power, "OnBattery", "b",
                &isOnBattery)
            conditions.isOnBattery = isOnBattery != 0
            var percent = -1.0
            property(
                bus, Self.power, "/org/freedesktop/UPower/devices/DisplayDevice",
                Self.power + ".Device", "Percentage", "d", &percent)
            conditions.batteryPercent = percent >= 0 ? percent : nil
        }
        return conditions
    }

    /// Leaves the value as it is where nobody answers with one of this type.
    private func property<Value: BitwiseCopyable>(
        _ bus: OpaquePointer, _ name: String, _ path: String, _ interface: String,
        _ member: String, _ type: Unicode.Scalar, _ value: inout Value
    ) {
        _ = withUnsafeMutableBytes(of: &value) { bytes in
            sd_bus_get_property_trivial(
                bus, name, path, interface, member, nil, CChar(truncatingIfNeeded: type.value),
                bytes.baseAddress)
        }
    }
}
