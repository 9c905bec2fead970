// What the admin API needs of the engine, as narrow as it is used; the engine's `Imposters` and `Imposter` fit it.
import type { ImposterJson, JsonObject, RequestJson, StubJson, StubParts } from '@rift-ts/engine';

/** One running imposter. Its stubs are changed with checked JSON only (`Control`). */
export interface EngineImposter {
  readonly creation: ImposterJson;
  readonly port: number;
  readonly metadata: JsonObject;
  readonly numberOfRequests: number;
  readonly stubs: readonly StubParts[];
  readonly journal: Iterable<{ readonly index: number; readonly timestamp: string; readonly request: RequestJson }>;
  insertStub(at: number, json: StubJson): void;
  replaceStub(at: number, json: StubJson): void;
  removeStub(at: number): void;
  replaceStubs(stubs: readonly StubJson[]): void;
  clearRequests(): void;
  clearProxyResponses(): void;
}

/** The set of imposters. Creation JSON is checked before it gets here. */
export interface EngineImposters<I extends EngineImposter = EngineImposter> {
  /** By ascending port. */
  all(): readonly I[];
  /** By the plain decimal form of the port. */
  get(id: string): I | undefined;
  create(creation: ImposterJson): Promise<I>;
  replaceAll(creations: readonly ImposterJson[]): Promise<readonly I[]>;
  delete(id: string): Promise<I | undefined>;
  deleteAll(): Promise<readonly I[]>;
}
