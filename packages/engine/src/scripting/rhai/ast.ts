// The tree of a Rhai program. Everything is an expression; statements differ only in what may follow them.

import type { Position } from './errors.js';
import type { Value } from './values.js';

export type BinaryOperator =
  | ('|' | '^' | '&' | '==' | '!=' | '<' | '<=' | '>' | '>=')
  | ('..' | '..=' | '+' | '-' | '*' | '/' | '%' | '**' | '<<' | '>>');

export interface Block {
  readonly kind: 'block';
  readonly position: Position;
  readonly statements: readonly Expression[];
  /** Whether the last statement is the block's value, not followed by `;`. */
  readonly yields: boolean;
}

export interface SwitchArm {
  /** Undefined for `_`. */
  readonly patterns: readonly Expression[] | undefined;
  readonly guard: Expression | undefined;
  readonly body: Expression;
}

export interface FunctionDefinition {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: Block;
  readonly position: Position;
}

export type Expression =
  | Block
  | ({ readonly position: Position } & (
      | { readonly kind: 'literal'; readonly value: Value }
      | { readonly kind: 'template'; readonly parts: readonly (string | Block)[] }
      | { readonly kind: 'array'; readonly items: readonly Expression[] }
      | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Expression])[] }
      | { readonly kind: 'variable'; readonly name: string }
      | { readonly kind: 'this' }
      | { readonly kind: 'unary'; readonly operator: '-' | '+' | '!'; readonly operand: Expression }
      | {
          readonly kind: 'binary';
          readonly operator: BinaryOperator;
          readonly left: Expression;
          readonly right: Expression;
        }
      | {
          readonly kind: 'logic';
          readonly operator: '&&' | '||' | '??';
          readonly left: Expression;
          readonly right: Expression;
        }
      | { readonly kind: 'in'; readonly negated: boolean; readonly left: Expression; readonly right: Expression }
      | { readonly kind: 'index'; readonly object: Expression; readonly index: Expression; readonly safe: boolean }
      | { readonly kind: 'property'; readonly object: Expression; readonly name: string; readonly safe: boolean }
      | {
          readonly kind: 'method';
          readonly object: Expression;
          readonly name: string;
          readonly args: readonly Expression[];
          readonly safe: boolean;
        }
      | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
      | {
          readonly kind: 'closure';
          readonly parameters: readonly string[];
          readonly body: Expression;
          /** Names in the body that may be variables outside. */
          readonly free: readonly string[];
        }
      | {
          readonly kind: 'if';
          readonly condition: Expression;
          readonly then: Block;
          readonly otherwise: Expression | undefined;
        }
      | { readonly kind: 'switch'; readonly subject: Expression; readonly arms: readonly SwitchArm[] }
      | { readonly kind: 'while'; readonly condition: Expression | undefined; readonly body: Block }
      | { readonly kind: 'do'; readonly condition: Expression; readonly until: boolean; readonly body: Block }
      | {
          readonly kind: 'for';
          readonly variable: string;
          readonly counter: string | undefined;
          readonly over: Expression;
          readonly body: Block;
        }
      | { readonly kind: 'let'; readonly name: string; readonly constant: boolean; readonly value?: Expression }
      | {
          readonly kind: 'assign';
          readonly target: Expression;
          readonly operator: BinaryOperator | undefined;
          readonly value: Expression;
        }
      | { readonly kind: 'break' | 'return' | 'throw'; readonly value: Expression | undefined }
      | { readonly kind: 'continue' }
      | { readonly kind: 'try'; readonly body: Block; readonly name: string | undefined; readonly handler: Block }
      | { readonly kind: 'empty' }
    ));

export interface Program {
  readonly main: Block;
  /** By `name/arity`. */
  readonly functions: ReadonlyMap<string, FunctionDefinition>;
}
