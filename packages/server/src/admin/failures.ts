// Whatever a handler throws as status and error envelope. Never carries a stack trace.
import { errorBody, errorStatus, type Profile, RiftError, RiftErrors } from '@rift-ts/engine';

/** The errors of the catalogue that a thrown value stands for; anything unforeseen keeps its code and gets a message. */
function errorsOf(thrown: unknown): readonly RiftError[] {
  if (thrown instanceof RiftErrors) return thrown.errors;
  if (thrown instanceof RiftError) return [thrown];
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const code =
    thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : 'bad data';
  return [new RiftError(code, message)];
}

/** A set of imposters of which some could not be started; the rest is in force. */
export class PartlyReplaced extends RiftError {
  constructor(
    message: string,
    /** What stands beside `errors` in the answer. */
    readonly report: Readonly<Record<string, readonly unknown[]>>,
  ) {
    super('internal error', message, {}, { status: 500, riftOnly: true });
  }
}

export function failureOf(thrown: unknown, profile: Profile): { status: number; body: object } {
  const errors = errorsOf(thrown);
  const report = thrown instanceof PartlyReplaced ? thrown.report : {};
  return { status: errorStatus(errors[0]!), body: { ...errorBody(errors, profile), ...report } };
}

/** What a route that Mountebank does not have threw: its errors have the form of profile rift in both profiles. */
export function inRiftForm(thrown: unknown): RiftErrors {
  if (!(thrown instanceof RiftError) && !(thrown instanceof RiftErrors)) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new RiftErrors([new RiftError('internal error', message, {}, { status: 500, riftOnly: true })]);
  }
  return new RiftErrors(
    errorsOf(thrown).map(
      ({ code, message, extras, answer }) => new RiftError(code, message, extras, { ...answer, riftOnly: true }),
    ),
  );
}

/** As in Mountebank's log lines: the errors as one line of JSON. */
export function errorLine(thrown: unknown): string {
  return JSON.stringify(errorsOf(thrown).map(({ code, message, extras }) => ({ code, message, ...extras })));
}

/** 404 in the form of profile rift, whatever the profile. */
export function notFound(message: string): RiftError {
  return new RiftError('no such resource', message, {}, { status: 404, riftOnly: true });
}
