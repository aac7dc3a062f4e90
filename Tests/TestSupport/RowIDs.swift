/// Ids as a device gives them to new rows, but told beforehand: `new-1`, `new-2`, …
package func rowIDs() -> () -> String {
    var count = 0
    return {
        count += 1
        return "new-\(count)"
    }
}
