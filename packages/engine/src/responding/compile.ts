// Turns one response of a stub into something that can be served again and again. Each kind has a file of its own;
// behaviors run on whatever an `is`, `inject` or `proxy` response resolves to.

import type { Imposter } from '../imposter.js';
import type { FaultMeters } from '../metering/fault-meters.js';
import type { ScriptMeters } from '../metering/script-meters.js';
import type { UpstreamMeters } from '../metering/upstream-meters.js';
import type { ResponseJson } from '../model/types.js';
import type { Random } from '../random.js';
import type { ScriptHost } from '../scripting/types.js';
import type { Stub } from '../selection/stub.js';
import type { BehaviorContext } from './behaviors/context.js';
import { compileFault } from './fault.js';
import { withFaults } from './faults/inject-faults.js';
import { compileInject } from './inject.js';
import { compileIs } from './is.js';
import { compileProxy } from './proxy/compile-proxy.js';
import { withScript } from './script.js';
import type { CompiledResponse } from './types.js';

/** Bound once for all responses of an imposter. */
export interface ResponseContext extends BehaviorContext {
  readonly scripts: ScriptHost;
  readonly imposter: Imposter;
  readonly random: Random;
  readonly faultMeters: FaultMeters;
  readonly scriptMeters: ScriptMeters;
  readonly upstreamMeters: UpstreamMeters;
  /** Whether a template that fails ends the request with an error (`--debug`). */
  readonly strictTemplates: boolean;
  /** Milliseconds that a script of `_rift.script` may run. */
  readonly scriptTimeoutMs: number;
  /** Answers made by scripts tell how they came about (`--debug`). */
  readonly debug: boolean;
}

export function compileResponse(response: ResponseJson, stub: Stub, context: ResponseContext): CompiledResponse {
  return withScript(withFaults(compileType(response, stub, context), response, stub, context), response, stub, context);
}

function compileType(response: ResponseJson, stub: Stub, context: ResponseContext): CompiledResponse {
  if (response.is) return compileIs(response, stub, context);
  if (response.proxy) return compileProxy(response, stub, context);
  if (response.inject) return compileInject(response, context);
  return compileFault(response);
}
