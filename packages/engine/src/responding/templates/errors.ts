/** Why an expression has no value; the message is the reason that users read. */
export class TemplateError extends Error {}
