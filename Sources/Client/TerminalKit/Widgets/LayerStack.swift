/// The layers of the screen, lowest first. The top one gets each event first; popping never takes
/// the lowest away, so Esc can go back but never quit.
package struct LayerStack<Layer: Sendable>: Sendable {
    package private(set) var layers: [Layer]

    package init(_ lowest: Layer) { layers = [lowest] }

    package var top: Layer {
        get { layers[layers.count - 1] }
        set { layers[layers.count - 1] = newValue }
    }

    /// A layer by its place from the lowest, 0; for results that come back under another layer.
    package subscript(index: Int) -> Layer {
        get { layers[index] }
        set { layers[index] = newValue }
    }

    package var depth: Int { layers.count }

    package mutating func push(_ layer: Layer) { layers.append(layer) }

    /// Takes the top layer away; nil and no change when it is the lowest.
    @discardableResult
    package mutating func pop() -> Layer? {
        layers.count > 1 ? layers.removeLast() : nil
    }

    /// Takes a layer away from under others; the lowest stays.
    package mutating func remove(at index: Int) {
        guard index > 0 else { return }
        layers.remove(at: index)
    }

    package mutating func popToLowest() { layers.removeSubrange(1...) }

    package mutating func replaceAll(with lowest: Layer) { layers = [lowest] }
}

extension LayerStack: Equatable where Layer: Equatable {}
