// What a script knows of its request and of the stub it belongs to: plain data, so that it can go to another thread.

export interface ScriptContext {
  readonly request: {
    readonly method: string;
    readonly path: string;
    /** Repeated keys joined with a comma. */
    readonly query: { readonly [name: string]: string };
    /** Names in lower case. */
    readonly headers: { readonly [name: string]: string };
    readonly pathParams: { readonly [name: string]: string };
    /** Base64 where `isBinary`. */
    readonly body: string;
    readonly isBinary: boolean;
  };
  readonly flowId: string;
  readonly stub: {
    readonly id: string | undefined;
    readonly scenarioName: string | undefined;
    readonly scenarioState: string | undefined;
  };
}
