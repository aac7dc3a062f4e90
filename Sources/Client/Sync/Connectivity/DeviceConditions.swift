/// What an exchange costs just now beside time.
package struct DeviceConditions: Equatable, Sendable {
    /// Somebody has configured that this connection is paid by the byte. A guess of the system does
    /// not count: readings that never leave because of one would be worse than their price.
    package var isMetered: Bool
    package var isOnBattery: Bool
    /// 0 to 100; nil where it is not known.
    package var batteryPercent: Double?

    package init(
        isMetered: Bool = false, isOnBattery: Bool = false, batteryPercent: Double? = nil
    ) {
        self.isMetered = isMetered
        self.isOnBattery = isOnBattery
        self.batteryPercent = batteryPercent
    }

    /// At which, on battery, cycles of the timer become rarer.
    static let lowBattery: Double = 20

    package var isBatteryLow: Bool {
        isOnBattery && (batteryPercent.map { $0 <= Self.lowBattery } ?? false)
    }
}
