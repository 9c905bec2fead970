// `${request.…}`: parts of the request in the text of a response.

import type { TemplateRequest } from './template-request.js';

/** A token and what stands in it behind `request.`. */
export const REQUEST_TOKEN = /\$\{request\.([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)?)\}/g;

/** Gives the value of a token; what the request does not have is the empty text. */
export function requestValue(inner: string): (request: TemplateRequest) => string {
  const dot = inner.indexOf('.');
  if (dot === -1) {
    switch (inner) {
      case 'method':
        return (request) => request.method;
      case 'path':
        return (request) => request.path;
      case 'body':
        return (request) => request.body;
      default:
        return () => '';
    }
  }
  const name = inner.slice(dot + 1);
  switch (inner.slice(0, dot)) {
    case 'query':
      return (request) => request.query(name) ?? '';
    case 'headers':
      return (request) => request.header(name) ?? '';
    case 'pathParams':
    case 'path_params':
      return (request) => request.pathParam(name) ?? '';
    default:
      return () => '';
  }
}
