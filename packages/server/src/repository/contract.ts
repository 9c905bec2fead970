// What a module of `--impostersRepository` exports and gets (Mountebank docs: command line, `--impostersRepository`).
// Everything but `stubsFor` and `stopAllSync` may be a promise.
import type { JsonObject, Logger, PredicateJson, ResponseData, ResponseJson, StubJson } from '@rift-ts/engine';

export interface RepositoryModule {
  create(config: JsonObject, logger: Logger): ImpostersRepository | Promise<ImpostersRepository>;
}

export interface ImpostersRepository {
  add(imposter: KeptImposter): unknown;
  get(id: string): unknown;
  all(): unknown;
  exists(id: string): unknown;
  /** Has to call `stop` of the imposter. */
  del(id: string | number): unknown;
  deleteAll(): unknown;
  stopAllSync(): void;
  loadAll(protocols: { readonly [name: string]: ImposterFactory }): unknown;
  stubsFor(id: string | number): StubRepository;
}

export interface ImposterFactory {
  /** Starts an imposter whose stubs the repository already has. */
  createImposterFrom(creationRequest: JsonObject): Promise<KeptImposter>;
}

/** An imposter as the module gets it; the functions are to be kept with it. */
export interface KeptImposter {
  readonly port: number;
  readonly protocol: string;
  /** With the port that was bound. */
  readonly creationRequest: JsonObject;
  toJSON(options?: { replayable?: boolean; removeProxies?: boolean; list?: boolean }): Promise<JsonObject>;
  stop(): Promise<void>;
  getResponseFor(request: JsonObject): Promise<unknown>;
  getProxyResponseFor(response: JsonObject, key: string | number): Promise<unknown>;
  resetRequests(): Promise<void>;
}

export interface StubRepository {
  count(): unknown;
  first(filter: (predicates: PredicateJson[]) => boolean, startIndex?: number): Promise<Found> | Found;
  add(stub: StubJson): unknown;
  insertAtIndex(stub: StubJson, index: number): unknown;
  overwriteAll(stubs: readonly StubJson[]): unknown;
  overwriteAtIndex(stub: StubJson, index: number): unknown;
  deleteAtIndex(index: number): unknown;
  toJSON(options?: { debug?: boolean }): StubJson[] | Promise<StubJson[]>;
  deleteSavedProxyResponses(): unknown;
  addRequest(request: object): unknown;
  loadRequests(): JsonObject[] | Promise<JsonObject[]>;
  deleteSavedRequests(): unknown;
}

export interface Found {
  readonly success: boolean;
  readonly stub: ChosenStub;
}

interface ChosenStub {
  addResponse(response: ResponseJson): unknown;
  nextResponse(): Promise<NextResponse> | NextResponse;
  recordMatch(request: object, response: ResponseData, responseConfig: ResponseJson, processingTime: number): unknown;
}

type NextResponse = ResponseJson & { stubIndex?: () => number | Promise<number> };
