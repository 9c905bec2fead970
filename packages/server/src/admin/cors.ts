// CORS of the admin API (`--origin`): what a browser page of another origin may call (Fetch standard, section 3.2).
import type { Reply } from './reply.js';
import type { AdminRequest } from './request.js';

/** `false`: off; `true`: any origin, echoed; a text: always that one; a list: the one that asks, if it is in it. */
export type OriginOption = boolean | string | readonly string[];

type Headers = Reply['headers'];

function allowOrigin(option: OriginOption, origin: string | undefined): Headers {
  if (option === false) return [];
  if (option === '*') return [['Access-Control-Allow-Origin', '*']];
  const vary: Headers[number] = ['Vary', 'Origin'];
  if (typeof option === 'string') return [['Access-Control-Allow-Origin', option], vary];
  const allowed = origin !== undefined && (option === true || option.includes(origin));
  return allowed ? [['Access-Control-Allow-Origin', origin], vary] : [vary];
}

/** Headers of every answer that is no preflight. */
export function corsHeaders(option: OriginOption, request: AdminRequest): Headers {
  return allowOrigin(option, request.header('origin'));
}

/** The answer to any OPTIONS while CORS is on. */
export function corsPreflight(option: OriginOption, request: AdminRequest): Reply {
  const asked = request.header('access-control-request-headers');
  return {
    status: 204,
    headers: mergeVary([
      ...allowOrigin(option, request.header('origin')),
      ['Access-Control-Allow-Methods', 'GET,HEAD,PUT,PATCH,POST,DELETE'],
      ['Vary', 'Access-Control-Request-Headers'],
      ...(asked === undefined || asked === '' ? [] : [['Access-Control-Allow-Headers', asked] as const]),
      ['Content-Length', '0'],
    ]),
    body: '',
  };
}

/** Several Vary headers become one, at the place of the first. */
export function mergeVary(headers: Headers): Headers {
  const values = headers.filter(([name]) => name === 'Vary').map(([, value]) => value);
  if (values.length < 2) return headers;
  let seen = false;
  return headers.flatMap((header) => {
    if (header[0] !== 'Vary') return [header];
    if (seen) return [];
    seen = true;
    return [['Vary', values.join(', ')] as const];
  });
}
