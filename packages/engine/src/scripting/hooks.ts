// The places of an imposter where a user's function runs, and how Mountebank calls it there: the text is evaluated as
// `(<text>)(<arguments>);` with these names in scope (Mountebank docs: injection).

export type Hook = 'predicate' | 'response' | 'decorate' | 'wait' | 'generator' | 'endOfRequest';

export const hookArguments: Readonly<Record<Hook, readonly string[]>> = {
  predicate: ['config', 'logger', 'imposterState'],
  response: ['config', 'injectState', 'logger', 'done', 'imposterState'],
  decorate: ['config', 'response', 'logger'],
  wait: [],
  generator: ['config'],
  endOfRequest: ['requestData', 'logger'],
};

/** The expression that is evaluated, as error objects show it in `source`. */
export function hookExpression(hook: Hook, text: string): string {
  return hook === 'wait' ? text : `(${text})(${hookArguments[hook].join(', ')});`;
}
