import { isObject } from '../model/shapes.js';
import type { ImposterJson } from '../model/types.js';

/** Milliseconds that the scripts of an imposter may run, as it says itself (`_rift.scriptEngine.timeoutMs`). */
export function scriptTimeout({ _rift: rift }: ImposterJson): number | undefined {
  const settings = isObject(rift) && isObject(rift.scriptEngine) ? rift.scriptEngine : {};
  const { timeoutMs } = settings;
  return typeof timeoutMs === 'number' && timeoutMs > 0 ? timeoutMs : undefined;
}
