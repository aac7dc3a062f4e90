internal import Synchronization

/// A list of a form as the tree that expressions look in, made when the first one does: who reads a form
/// to show what it is called need not put 50,000 rows together.
package final class LazyTree: Sendable {
    private let root: NodeContent
    private let made = Mutex<NodeTree?>(nil)

    package init(_ root: NodeContent) {
        self.root = root
    }

    package var tree: NodeTree {
        made.withLock { made in
            if let made { return made }
            let tree = NodeTree(root: root)
            made = tree
            return tree
        }
    }
}
