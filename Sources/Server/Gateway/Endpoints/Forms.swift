import Coding
import HTTP
import Replication
import ServerStore

extension Endpoints {
    static func forms(_ gateway: Gateway, _ call: Call) throws -> Response {
        .json(FormListing.document(try gateway.store.publishedForms()))
    }

    /// A published version never changes, so a device that has it is told so.
    static func form(_ gateway: Gateway, _ call: Call) throws -> Response {
        guard let form = try gateway.store.form(id: call.segments[0], version: call.segments[1])
        else { throw Refusal(404, "unknown_form", "There is no such form.") }
        let tag = "\"\(form.etag)\""
        if call.head["if-none-match"] == tag {
            return Response(status: 304).with("ETag", tag)
        }
        return Response(status: 200, body: form.definition).with("ETag", tag)
    }
}
