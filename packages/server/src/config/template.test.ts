import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startMountebank } from '@rift-ts/oracle';
import { folder, freePorts } from '../cli/program.test-help.js';
import { renderFile, TemplateSyntaxError } from './template.js';

function rendered(t: TestContext, files: Record<string, string>): string {
  return renderFile(join(folder(t, files), 'root.ejs'));
}

test('code, escaped and raw values, comments, literal tags and trimming', (t) => {
  const root = [
    '<% for (var i = 1; i <= 3; i++) { -%>',
    '<%= i %>;',
    '<% } -%>',
    '<%= `<&">\'` %> <%- `<&">\'` %> <%# nothing %>|<%% x %%>',
    '  <%_ var y = 1 _%>  ',
    '<%- y %>',
  ].join('\n');
  assert.equal(rendered(t, { 'root.ejs': root }), '1;\n2;\n3;\n&lt;&amp;&#34;&gt;&#39; <&">\' |<% x %>\n1');
});

test('include works as a directive and as a function, relative to the including file, .ejs when there is no extension', (t) => {
  const files = {
    'root.ejs': `[<% include parts/a.json %>,<%- include('parts/b') %>,<%- include('parts/b', { v: 2 }) %>]`,
    'parts/a.json': '<% include deeper/c.json %>',
    'parts/b.ejs': '<%- typeof v === "undefined" ? 1 : v %>',
    'parts/deeper/c.json': '"c"',
  };
  assert.equal(rendered(t, files), '["c",1,2]');
});

test('a directive sees the variables around it and keeps its own', (t) => {
  const files = {
    'root.ejs': '<% for (var i = 0; i < 2; i++) { %><% include part %><% } %><%- typeof own %>',
    'part.ejs': '<% var own = i * 10 %><%- own %>,',
  };
  assert.equal(rendered(t, files), '0,10,undefined');
});

test('stringify gives a file as the inside of a JSON string, rendered and trimmed; inject is its other name', (t) => {
  const files = {
    'root.ejs': `"<%- stringify('a.txt') %>|<%- stringify(filename, 'a.txt') %>|<%- inject('a.txt') %>"`,
    'a.txt': '  say "hi" <%= 1 + 1 %>\n\tend\n',
  };
  const one = 'say "hi" 2\n\tend';
  assert.equal(JSON.parse(rendered(t, files)), `${one}|${one}|${one}`);
});

test('stringify resolves every path against the root file, whatever file asks', (t) => {
  const files = {
    'root.ejs': `<%- include('sub/inc.json') %>`,
    'sub/inc.json': `"<%- stringify('outer.txt') %>"`,
    'outer.txt': `<%- stringify('sub/inner.txt') %>`,
    'sub/inner.txt': '"q"',
  };
  assert.equal(rendered(t, files), String.raw`"\\\"q\\\""`);
});

test('stringify passes data, with and without the historic first argument', (t) => {
  const files = {
    'root.ejs': `<%- stringify(filename, 'a.txt', { v: '1' }) %><%- stringify('a.txt', { v: '2' }) %>`,
    'a.txt': '<%= data.v %>',
  };
  assert.equal(rendered(t, files), '12');
});

test('a missing include is named', (t) => {
  for (const root of ['<% include gone.json %>', `<%- include('gone.json') %>`]) {
    assert.throws(() => rendered(t, { 'root.ejs': root }), /Could not find the include file "gone\.json"/);
  }
});

test('an include that includes itself is an error, not a hang', (t) => {
  assert.throws(() => rendered(t, { 'root.ejs': '<% include root.ejs %>' }), /includes itself/);
});

test('a template that does not compile is told apart from one whose code fails', (t) => {
  const closing = { name: 'Error', message: 'Could not find matching close tag for "<%=".' };
  assert.throws(() => rendered(t, { 'root.ejs': '<%= x' }), closing);
  assert.throws(() => rendered(t, { 'root.ejs': '<% if ( %>' }), TemplateSyntaxError);
  assert.throws(
    () => rendered(t, { 'root.ejs': '<%= nosuch %>' }),
    (error: Error) => !(error instanceof TemplateSyntaxError) && /nosuch is not defined/.test(error.message),
  );
});

test('the same files give the same imposters in Mountebank', async (t) => {
  const part = (name: string, body: string, more = '') =>
    `{ "protocol": "http", "port": <%= base + ${name} %>, "name": "<%= '<a&"' + "'" %> ${more}", "stubs": [ { "responses": [ { "is": { "body": "${body}" } } ] } ] }`;
  // the files count up from the first of these
  const [base] = await freePorts(8);
  const files = {
    'root.ejs': `{ "imposters": [<% var base = ${base}; %>
<% for (var i = 0; i < 2; i++) { -%>
  <% include parts/loop.json %>,
<% } -%>
  <%- include('parts/fn', { base: base, name: 'n"1' }) %>,
  <%_ include parts/last.json _%>
] }
`,
    'parts/loop.json': part('i', `<%- stringify(filename, 'page.html') %>|<%- inject('page.html') %>`),
    'parts/fn.ejs': part('5', '<%- JSON.stringify(name).slice(1, -1) %>'),
    'parts/last.json': part(
      '6',
      `<%- stringify(filename, 'outer.txt', { v: 'V', w: '"q"' }) %>`,
      '<%# comment %>x<%% y %%>',
    ),
    'page.html': `<p>it's "q" \\ \ttab</p>\nline2 é\n\n`,
    'outer.txt':
      '  outer <%= data.v %> <%- data.w %> <%- typeof filename %> "<%- stringify("inner.txt") %>"\n<%- include("parts/inc.txt") %>',
    'inner.txt': 'inner "text" <%- typeof data %>\n',
    'parts/inc.txt': 'INC <%- typeof data %> <%- typeof stringify %>\n',
  };
  const root = join(folder(t, files), 'root.ejs');
  const oracle = await startMountebank('--configfile', root);
  t.after(() => oracle.stop());
  let theirs: { imposters: unknown[] };
  do {
    theirs = JSON.parse((await oracle.admin('GET', '/imposters?replayable=true')).text);
  } while (theirs.imposters.length === 0);
  assert.equal(theirs.imposters.length, 4);
  await oracle.admin('PUT', '/imposters', JSON.parse(renderFile(root)));
  const ours = JSON.parse((await oracle.admin('GET', '/imposters?replayable=true')).text);
  assert.deepEqual(ours, theirs);
});
