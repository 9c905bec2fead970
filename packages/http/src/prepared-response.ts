/** A complete response that can be sent any number of times: serialized once, only its Date changes. */
export class PreparedResponse {}
