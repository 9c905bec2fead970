// The same stubs as WireMock mappings. A stub that cannot be expressed faithfully stops the run: it would still be part
// of the scan that the others do. Known unfairness: WireMock compares case-sensitively, Mountebank does not by default;
// `or` needs a mapping a branch, so that complex_predicate scans twice as far; the catch-all is what makes an unmatched
// request an empty 200.

const CATCH_ALL = {
  priority: 999_999,
  request: { urlPattern: '.*' },
  response: { status: 200, body: '' },
};

const quoted = (literal) => literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function refuse(what) {
  throw new Error(`WireMock mappings cannot express ${what}`);
}

/** What one predicate asks of a request, field by field. */
function conditions(predicate) {
  const [operator, fields] = Object.entries(predicate).find(([key]) => key !== 'jsonpath' && key !== 'xpath');
  for (const key of Object.keys(predicate)) if (![operator, 'jsonpath', 'xpath'].includes(key)) refuse(key);
  const request = {};
  for (const [field, value] of Object.entries(fields)) {
    const what = `${operator} on ${field}`;
    switch (what) {
      case 'equals on method':
      case 'deepEquals on method':
        request.method = value;
        break;
      case 'equals on path':
      case 'deepEquals on path':
        request.urlPath = value;
        break;
      case 'matches on path':
        // it has to cover the whole path, so one that may begin elsewhere means something else
        if (!value.startsWith('/')) refuse(`the pattern ${value}`);
        request.urlPathPattern = value;
        break;
      case 'startsWith on path':
        request.urlPathPattern = `${quoted(value)}.*`;
        break;
      case 'contains on path':
        request.urlPathPattern = `.*${quoted(value)}.*`;
        break;
      case 'equals on headers':
        request.headers = each(value, 'equalTo');
        break;
      case 'contains on headers':
        request.headers = each(value, 'contains');
        break;
      case 'equals on query':
        request.queryParameters = each(value, 'equalTo');
        break;
      case 'contains on body':
        if (predicate.jsonpath || predicate.xpath) refuse(`${what} under a selector`);
        request.bodyPatterns = [{ contains: value }];
        break;
      case 'deepEquals on body':
        if (predicate.jsonpath || predicate.xpath) refuse(`${what} under a selector`);
        request.bodyPatterns = [{ equalToJson: JSON.stringify(value) }];
        break;
      case 'equals on body':
        if (predicate.xpath || (typeof value === 'object') === (predicate.jsonpath !== undefined)) refuse(what);
        request.bodyPatterns = predicate.jsonpath
          ? [{ matchesJsonPath: { expression: predicate.jsonpath.selector, equalTo: value } }]
          : [{ equalToJson: JSON.stringify(value), ignoreExtraElements: true }];
        break;
      case 'exists on body':
        if (!predicate.xpath || predicate.jsonpath || value !== true) refuse(what);
        request.bodyPatterns = [{ matchesXPath: predicate.xpath.selector }];
        break;
      default:
        refuse(what);
    }
  }
  return request;
}

const each = (members, matcher) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, { [matcher]: value }]));

function both(left, right) {
  for (const field of Object.keys(right)) if (field in left) refuse(`two conditions on ${field}`);
  return { ...left, ...right };
}

/** All requests that together mean the predicates: one, or one a branch of an `or`. */
function requests(predicates) {
  let made = [{}];
  for (const predicate of predicates) {
    const parts = predicate.and
      ? requests(predicate.and)
      : predicate.or
        ? predicate.or.flatMap((branch) => requests([branch]))
        : [conditions(predicate)];
    made = made.flatMap((left) => parts.map((right) => both(left, right)));
  }
  return made;
}

/** Mappings of one imposter's stubs; lower priorities win, so they rise in the order of the stubs. */
export function mappingsOf(stubs) {
  let priority = 0;
  const made = stubs.flatMap(({ predicates = [], responses }) => {
    if (responses.length !== 1) refuse('responses that take turns');
    for (const key of Object.keys(responses[0])) if (key !== 'is') refuse(key);
    const { statusCode, headers, body } = responses[0].is;
    const response = { status: statusCode, headers, body };
    return requests(predicates).map((request) => ({ priority: ++priority, request, response }));
  });
  return [...made, CATCH_ALL];
}
