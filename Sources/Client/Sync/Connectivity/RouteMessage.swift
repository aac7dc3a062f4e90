/// A way out of this device: a default route. Two are the same where family, interface and next
/// hop are.
package struct DefaultRoute: Hashable, Sendable {
    /// AF_INET or AF_INET6.
    package var family: UInt8
    package var interface: UInt32
    /// The next hop's address; empty where the interface itself is the way.
    package var gateway: [UInt8]

    package init(family: UInt8, interface: UInt32, gateway: [UInt8] = []) {
        self.family = family
        self.interface = interface
        self.gateway = gateway
    }
}

/// What the kernel says of links and routes, as far as it matters here.
package enum RouteMessage: Equatable, Sendable {
    /// One of the routes that were asked for.
    case route(DefaultRoute)
    /// All that were asked for have come.
    case listEnded
    /// The list changed while it was made: it is to be asked for again.
    case listBroken
    /// The kernel makes no list just now.
    case refused
    /// Links or routes changed.
    case changed
}

extension RouteMessage {
    /// Reads one datagram of rtnetlink(7): headers and attributes in the machine's own byte order,
    /// each message and attribute padded to four bytes. What is cut short ends the reading.
    package static func parse(_ bytes: [UInt8]) -> [RouteMessage] {
        var messages: [RouteMessage] = []
        var rest = bytes[...]
        // nlmsghdr: length, type, flags, sequence, port.
        while rest.count >= 16 {
            let length = Int(rest.number(at: 0, as: UInt32.self))
            guard length >= 16, length <= rest.count else { break }
            let message = rest.prefix(length)
            if let known = parse(
                type: message.number(at: 4, as: UInt16.self),
                flags: message.number(at: 6, as: UInt16.self), body: message.dropFirst(16))
            {
                messages.append(known)
            }
            rest = rest.dropFirst(padded(length))
        }
        return messages
    }

    private static func parse(type: UInt16, flags: UInt16, body: ArraySlice<UInt8>)
        -> RouteMessage?
    {
        let isOfList = flags & Flag.multipart != 0
        let isTorn = flags & Flag.interrupted != 0
        switch type {
        case Kind.error: return .refused
        case Kind.done: return isTorn ? .listBroken : .listEnded
        case Kind.newRoute where isOfList: return defaultRoute(body).map(RouteMessage.route)
        case Kind.newRoute, Kind.deleteRoute, Kind.newLink, Kind.deleteLink: return .changed
        default: return nil
        }
    }

    /// Nil for a route to a part of the network only, and for one that leads nowhere.
    private static func defaultRoute(_ body: ArraySlice<UInt8>) -> DefaultRoute? {
        // rtmsg: family, length of the destination, …, type at byte 7; then the attributes.
        guard body.count >= 12, body.byte(1) == 0, body.byte(7) == Kind.unicast else { return nil }
        var route = DefaultRoute(family: body.byte(0), interface: 0)
        var rest = body.dropFirst(12)
        while rest.count >= 4 {
            let length = Int(rest.number(at: 0, as: UInt16.self))
            guard length >= 4, length <= rest.count else { break }
            let value = rest.prefix(length).dropFirst(4)
            switch rest.number(at: 2, as: UInt16.self) {
            case Kind.gateway: route.gateway = Array(value)
            case Kind.interface where value.count == 4:
                route.interface = value.number(at: 0, as: UInt32.self)
            default: break
            }
            rest = rest.dropFirst(padded(length))
        }
        return route
    }

    private static func padded(_ length: Int) -> Int { (length + 3) & ~3 }

    /// linux/netlink.h and linux/rtnetlink.h: a kernel interface, the same for ever.
    private enum Kind {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let deleteLink: UInt16 = 17
        static let newRoute: UInt16 = 24
        static let deleteRoute: UInt16 = 25
        static let unicast: UInt8 = 1
        static let interface: UInt16 = 4
        static let gateway: UInt16 = 5
    }

    private enum Flag {
        static let multipart: UInt16 = 2
        static let interrupted: UInt16 = 16
    }
}

extension ArraySlice<UInt8> {
    /// - Precondition: the slice is long enough.
    fileprivate func byte(_ offset: Int) -> UInt8 { self[startIndex + offset] }

    fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as _: Number.Type) -> Number
    {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
