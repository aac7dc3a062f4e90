import Sync
import Testing

@Suite("Connectivity")
struct ConnectivityTests {
    private let wifi = DefaultRoute(family: 2, interface: 3, gateway: [192, 168, 1, 1])
    private let modem = DefaultRoute(family: 10, interface: 4)

    /// Tells one whole list, as it is asked for.
    private func list(_ watch: inout RouteWatch, _ routes: DefaultRoute...) -> [RouteWatch.Step] {
        routes.flatMap { watch.handle(.route($0)) } + watch.handle(.listEnded)
    }

    @Test("T05 a device that began without a way out is told when there is one")
    func beginsOffline() {
        var watch = RouteWatch()
        #expect(list(&watch) == [])
        #expect(watch.handle(.changed) == [.ask])
        #expect(list(&watch, wifi) == [.tell(.appeared)])
    }

    @Test(
        "what is there at the beginning is no news, nor is a change that leaves the ways out alone")
    func noNews() {
        var watch = RouteWatch()
        #expect(list(&watch, wifi) == [])
        #expect(watch.handle(.changed) == [.ask])
        #expect(list(&watch, wifi) == [])
    }

    @Test("another way out is news, one of two that goes is none, the last that goes is")
    func severalWays() {
        var watch = RouteWatch()
        _ = list(&watch, wifi)
        _ = watch.handle(.changed)
        #expect(list(&watch, wifi, modem) == [.tell(.appeared)])
        _ = watch.handle(.changed)
        #expect(list(&watch, modem) == [])
        _ = watch.handle(.changed)
        #expect(list(&watch) == [.tell(.vanished)])
    }

    @Test("the next access point on the same interface is another network")
    func otherGateway() {
        var watch = RouteWatch()
        _ = list(&watch, wifi)
        _ = watch.handle(.changed)
        let next = DefaultRoute(family: 2, interface: 3, gateway: [10, 0, 0, 1])
        #expect(list(&watch, next) == [.tell(.appeared)])
    }

    @Test("a change while the list is on its way asks once more, however many there were")
    func changeDuringList() {
        var watch = RouteWatch()
        for _ in 1...50 { #expect(watch.handle(.changed) == []) }
        #expect(list(&watch) == [.ask])
        #expect(list(&watch, wifi) == [.tell(.appeared)])
    }

    @Test("a list that broke is asked for again and leaves nothing half known")
    func broken() {
        var watch = RouteWatch()
        _ = list(&watch, wifi)
        #expect(watch.handle(.changed) == [.ask])
        _ = watch.handle(.route(modem))
        #expect(watch.handle(.listBroken) == [.ask])
        #expect(list(&watch) == [.tell(.vanished)])
    }

    @Test("a kernel that refuses the list is asked with the next notice, not on and on")
    func refused() {
        var watch = RouteWatch()
        #expect(watch.handle(.refused) == [])
        #expect(watch.handle(.changed) == [.ask])
        #expect(list(&watch, wifi) == [])
    }

    // MARK: Bytes

    private func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
    private func half(_ value: UInt16) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    private func message(_ type: UInt16, flags: UInt16 = 2, _ body: [UInt8] = []) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        return number(UInt32(16 + body.count)) + half(type) + half(flags) + number(1) + number(7)
            + body + padding
    }

    private func route(
        family: UInt8 = 2, destination: UInt8 = 0, type: UInt8 = 1, _ attributes: [UInt8] = []
    ) -> [UInt8] {
        [family, destination, 0, 0, 254, 3, 0, type] + number(0) + attributes
    }

    private func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        half(UInt16(4 + value.count)) + half(type) + value
    }

    @Test("a list's default routes are read, with interface and gateway; others are passed over")
    func parsing() {
        let way = attribute(5, [192, 168, 1, 1]) + attribute(4, number(3))
        let datagram =
            message(24, route(way)) + message(24, route(destination: 24, way))
            + message(24, route(type: 7, way))
            + message(24, route(family: 10, attribute(4, number(4)))) + message(3, number(0))
        #expect(RouteMessage.parse(datagram) == [.route(wifi), .route(modem), .listEnded])
    }

    @Test("a notice is a change, also one of a link; a torn list is asked for again")
    func notices() {
        for type: UInt16 in [16, 17, 24, 25] {
            #expect(RouteMessage.parse(message(type, flags: 0, route())) == [.changed])
        }
        #expect(RouteMessage.parse(message(3, flags: 2 | 16, number(0))) == [.listBroken])
        #expect(RouteMessage.parse(message(2, flags: 0, number(0))) == [.refused])
    }

    @Test("a datagram that is cut anywhere, or lies about lengths, is read as far as it is whole")
    func damaged() {
        let whole = message(24, route(attribute(4, number(3)))) + message(3, number(0))
        for length in whole.indices {
            #expect(RouteMessage.parse(Array(whole[..<length])).count <= 1)
        }
        var lying = whole
        for index in lying.indices {
            lying[index] ^= 0xff
            _ = RouteMessage.parse(lying)
            lying[index] ^= 0xff
        }
        #expect(RouteMessage.parse(whole).count == 2)
    }
}
