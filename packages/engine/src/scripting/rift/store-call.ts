// Operations of flow state as scripts ask for them: data that can go to the thread that owns the store and be answered there.

import type { Eventual, FlowStore } from '../../state/types.js';

/** Values are JSON texts, as in the store. */
export type StoreCall =
  | { readonly operation: 'get' | 'exists' | 'delete'; readonly flow: string; readonly key: string }
  | { readonly operation: 'set'; readonly flow: string; readonly key: string; readonly value: string }
  | { readonly operation: 'incrBy'; readonly flow: string; readonly key: string; readonly by: bigint }
  | {
      readonly operation: 'cas';
      readonly flow: string;
      readonly key: string;
      readonly expected: string | undefined;
      readonly value: string;
    }
  | { readonly operation: 'expireFlow'; readonly flow: string; readonly seconds: number }
  | { readonly operation: 'expire'; readonly flow: string; readonly key: string; readonly seconds: number }
  | { readonly operation: 'clear'; readonly flow: string }
  /** Milliseconds since 1970. A call like the others, so that a run that is repeated sees the same time. */
  | { readonly operation: 'now' };

/** `value`: a text, boolean, bigint, number or CasResult, by the operation. `failure`: `<operation>: <detail>`. */
export type StoreReply = { readonly value: unknown } | { readonly failure: string };

/** How a script's run reaches the store: at once, as scripts know no waiting. */
export type StoreAccess = (call: StoreCall) => StoreReply;

export function perform(store: FlowStore, call: StoreCall): Eventual<StoreReply> {
  try {
    const value = operate(store, call);
    return value instanceof Promise ? value.then((settled) => ({ value: settled }), failure) : { value };
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): StoreReply {
  return { failure: error instanceof Error ? error.message : String(error) };
}

function operate(store: FlowStore, call: StoreCall): unknown {
  switch (call.operation) {
    case 'get':
      return store.get(call.flow, call.key);
    case 'exists':
      return store.exists(call.flow, call.key);
    case 'delete':
      return store.delete(call.flow, call.key);
    case 'set':
      return store.set(call.flow, call.key, call.value);
    case 'incrBy':
      return store.incrBy(call.flow, call.key, call.by);
    case 'cas':
      return store.cas(call.flow, call.key, call.expected, call.value);
    case 'expireFlow':
      return store.expireFlow(call.flow, call.seconds);
    case 'expire':
      return store.expire(call.flow, call.key, call.seconds);
    case 'clear':
      return store.clear(call.flow);
    case 'now':
      return Date.now();
  }
}
