export { candidateView } from './analysis/candidate.js';
export { type DryRunOptions, type DryRunReport, dryRun } from './analysis/dry-run.js';
export type { ErrorCode, ErrorExtras } from './errors.js';
export { RiftError, RiftErrors } from './errors.js';
export { Imposter } from './imposter.js';
export { Imposters, type ImpostersOptions } from './imposters.js';
export type { Choice, Holds, ImposterKeeper } from './keeper.js';
export type { Logger } from './logger.js';
export { silentLogger } from './logger.js';
export { checkPredicates } from './matching/check.js';
export { explainStub, type StubExplanation } from './matching/explain.js';
export { type PredicateFinding, predicateFindings } from './matching/findings.js';
export { plainView } from './matching/plain-view.js';
export type { Refusal } from './matching/refusal.js';
export { AcceptLoop, AcceptMeter } from './metering/accept-meter.js';
export { AnswerMeter } from './metering/answer-meter.js';
export { Histogram } from './metering/histogram.js';
export { type ImposterMeter, Meters } from './metering/meters.js';
export type { CounterFamily, HistogramFamily } from './metering/series.js';
export { errorBody, errorObject, errorStatus } from './model/error-json.js';
export type { ImposterForm, ImposterParts, JsonFormOptions, StubParts } from './model/imposter-json.js';
export { imposterToJson, stubLinks } from './model/imposter-json.js';
export { prettyBytes } from './model/imposter-text.js';
export { readImposter, readImposters } from './model/read-imposter.js';
export type { Read, ReadableProtocol, ReadOptions, ScriptSources, Warning } from './model/read-options.js';
export { accepted } from './model/read-options.js';
export type { StubPlace } from './model/read-stub.js';
export { readStub, readStubAddition, readStubs } from './model/read-stub.js';
export type { ResponsePlan, StubPlan } from './model/stub-plan.js';
export { servings, stubPlan } from './model/stub-plan.js';
export type {
  ImposterJson,
  Json,
  JsonObject,
  PredicateJson,
  Profile,
  RequestJson,
  ResponseData,
  ResponseJson,
  StubJson,
} from './model/types.js';
export { bindError } from './protocols/bind-error.js';
export { type HttpProtocolOptions, httpProtocol, httpsProtocol } from './protocols/http/protocol.js';
export {
  type ProcessProtocolConfig,
  type ProcessProtocolOptions,
  processProtocol,
} from './protocols/process/protocol.js';
export { type SmtpProtocolOptions, smtpProtocol } from './protocols/smtp/protocol.js';
export { type TcpProtocolOptions, tcpProtocol } from './protocols/tcp/protocol.js';
export type { ImposterCore, Listener, Protocol, UpstreamAnswer, UpstreamRequest } from './protocols/types.js';
export { type Random, seededRandom } from './random.js';
export { type Reconciliation, reconcile } from './reconcile.js';
export type { ImposterEvent, LifecycleAction } from './recording/events.js';
export { type Verification, type VerifyQuery, type VerifyScope, verify } from './recording/verify.js';
export type { RequestView } from './request-view.js';
export { ScriptTimeout } from './scripting/script-errors.js';
export type { Stub } from './selection/stub.js';
export { FlowState, storeUnavailable } from './state/flow-state.js';
export { scenarioState } from './state/scenarios.js';
export { type CasResult, type FlowStore, StoreFailure } from './state/types.js';
export { valueText as stateValueText } from './state/value-text.js';
export { canSharePorts, DataThreads, type DataThreadsOptions } from './threads/data-threads.js';
