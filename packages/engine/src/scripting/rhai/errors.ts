// Errors of Rhai programs, with the words of the language's documentation ("The Rhai Book") and a position.

export interface Position {
  readonly line: number;
  readonly column: number;
}

function positionText({ line, column }: Position): string {
  return `(line ${line}, position ${column})`;
}

/** The text is no program of the subset. The message begins with `Syntax error: `. */
export class RhaiSyntaxError extends Error {
  constructor(reason: string, position: Position) {
    super(`Syntax error: ${reason} ${positionText(position)}`);
    this.name = 'RhaiSyntaxError';
  }
}

/** Kinds as `catch (e)` shows them in `e.error`. */
export type ErrorKind =
  | 'ErrorVariableNotFound'
  | 'ErrorFunctionNotFound'
  | 'ErrorMismatchDataType'
  | 'ErrorArithmetic'
  | 'ErrorArrayBounds'
  | 'ErrorStringBounds'
  | 'ErrorIndexingType'
  | 'ErrorAssignmentToConstant'
  | 'ErrorDotExpr'
  | 'ErrorUnboundThis'
  | 'ErrorFor'
  | 'ErrorDataTooLarge'
  | 'ErrorStackOverflow'
  | 'ErrorRuntime';

/** A program failed while it ran; a script's `try` catches it. */
export class RhaiError extends Error {
  /** Where; unknown while a built-in function has not returned to its caller. */
  position: Position | undefined;

  constructor(
    readonly kind: ErrorKind,
    readonly reason: string,
    /** What `throw` was given. */
    readonly thrown?: { readonly value: unknown },
  ) {
    super(reason);
    this.name = 'RhaiError';
  }

  at(position: Position): this {
    this.position ??= position;
    return this;
  }

  /** `Division by zero: 1 / 0 (line 1, position 3)`. */
  describe(): string {
    return this.position === undefined ? this.reason : `${this.reason} ${positionText(this.position)}`;
  }
}

/** The program used up its operations or its time: ends it, whatever it would like to catch. */
export class RhaiInterrupted extends Error {}
