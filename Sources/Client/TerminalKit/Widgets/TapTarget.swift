/// What stands under a finger: an item of a list by its id, or a key by itself. It hangs on the id, as
/// the focus does, so that a tap means what was seen, whatever has moved in the list since.
package struct TapTarget: Hashable, Sendable {
    private let value: any Hashable & Sendable

    package init(_ value: some Hashable & Sendable) { self.value = value }

    /// The id, where it is one of that type.
    package func id<ID>(as type: ID.Type = ID.self) -> ID? { value as? ID }

    package static func == (left: TapTarget, right: TapTarget) -> Bool {
        AnyHashable(left.value) == AnyHashable(right.value)
    }

    package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// Where it can be tapped.
package struct TapArea: Equatable, Sendable {
    package let target: TapTarget
    package let rect: Rect
}

/// Where a focus goes: by so many items, or to what was tapped.
package enum FocusStep: Sendable {
    case by(Int)
    case to(TapTarget)
}

/// What came of it.
package enum FocusChange: Equatable, Sendable {
    case moved
    /// It was there already.
    case same
    /// What was tapped is not in the list, or not in it any more.
    case absent
}

extension ListFocus {
    @discardableResult
    package mutating func go(_ step: FocusStep, in ids: [ID]) -> FocusChange {
        let before = focused
        switch step {
        case .by(let distance): move(by: distance, in: ids)
        case .to(let target):
            guard let id: ID = target.id(), ids.contains(id) else { return .absent }
            focus(id)
            settle(ids)
        }
        return focused == before ? .same : .moved
    }
}

/// What each tap means. The second of two taps on one spot means what the first one did: that one may
/// have moved the rows under the finger.
package struct TapReader: Sendable {
    /// Milliseconds between two taps that belong together.
    package static let span: Int64 = 500
    private var last: (position: Position, target: TapTarget?, moment: Int64)?

    package init() {}

    /// - Parameters:
    ///   - canvas: what is on the screen.
    ///   - now: any clock in milliseconds that never goes back.
    package mutating func target(
        at position: Position, in canvas: Canvas, now: Int64
    ) -> TapTarget? {
        var target = canvas.target(at: position)
        if let last, last.position == position, now - last.moment < Self.span {
            target = last.target
        }
        last = (position, target, now)
        return target
    }
}

extension Canvas {
    /// The topmost of what can be tapped there.
    package func target(at position: Position) -> TapTarget? {
        taps.last { $0.rect.contains(position) }?.target
    }
}
