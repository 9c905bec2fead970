// Additions to imposters and stubs that only http and https know. Elsewhere they are kept and ignored, and the log says so.

import { isObject } from '../model/shapes.js';
import type { ImposterJson, StubJson } from '../model/types.js';

/** The additions without an effect on an imposter of another protocol, each once, as they are spelled in a document. */
export function httpOnlyAdditions(creation: ImposterJson): string[] {
  const found = new Set<string>();
  if (creation.defaultForward) found.add('defaultForward');
  for (const stub of creation.stubs) addOfStub(stub, found);
  return [...found];
}

function addOfStub(stub: StubJson, found: Set<string>): void {
  for (const key of ['routePattern', 'route_pattern']) if (stub[key]) found.add(key);
  for (const { _rift: rift } of stub.responses ?? []) {
    if (!isObject(rift)) continue;
    if (rift.script) found.add('_rift.script');
    if (rift.templated) found.add('_rift.templated');
    if (isObject(rift.fault) && rift.fault.error) found.add('_rift.fault.error');
  }
}
