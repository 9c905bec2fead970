// Static files of the pages: `/images`, `/scripts`, `/stylesheets`. There are few and they are small, so all are read at
// the first request for one; a path is only ever looked up among them.
import { readdir, readFile, stat } from 'node:fs/promises';
import { baseUrl } from './links.js';
import { errorPage, type Reply } from './reply.js';
import type { AdminRequest } from './request.js';

export const assetsFolder = new URL('../../assets/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=UTF-8',
  js: 'application/javascript; charset=UTF-8',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
};

interface Asset {
  readonly body: Buffer;
  readonly headers: Reply['headers'];
  readonly etag: string;
}

async function loadAssets(): Promise<Map<string, Asset>> {
  const assets = new Map<string, Asset>();
  for (const folder of ['images', 'scripts', 'stylesheets']) {
    for (const name of await readdir(new URL(`${folder}/`, assetsFolder))) {
      const file = new URL(`${folder}/${name}`, assetsFolder);
      const [body, { size, mtimeMs }] = await Promise.all([readFile(file), stat(file)]);
      const etag = `W/"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`;
      assets.set(`/${folder}/${name}`, {
        body,
        etag,
        headers: [
          ['Accept-Ranges', 'bytes'],
          ['Cache-Control', 'public, max-age=0'],
          ['Last-Modified', new Date(mtimeMs).toUTCString()],
          ['ETag', etag],
          ['Content-Type', types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'],
        ],
      });
    }
  }
  return assets;
}

/** Answers requests below the three folders that a file, or the folder itself, can answer. */
export function assetServer(port: number): (request: AdminRequest) => Promise<Reply | undefined> {
  let loading: Promise<Map<string, Asset>> | undefined;
  return async (request) => {
    const { method, path } = request;
    if (!/^\/(images|scripts|stylesheets)(\/|$)/.test(path) || (method !== 'GET' && method !== 'HEAD'))
      return undefined;
    if (!path.includes('/', 1)) {
      const page = errorPage(301, '').headers.filter(([name]) => name !== 'Content-Type');
      const location = `${baseUrl(request.header('host'), port)}${path}/`;
      return {
        status: 301,
        headers: [['Content-Type', 'text/html; charset=UTF-8'], ...page, ['Location', location]],
        body: redirectPage(`${path}/`),
      };
    }
    loading ??= loadAssets();
    const asset = (await loading).get(path);
    if (asset === undefined) return undefined;
    const known = request.header('if-none-match');
    if (known?.split(',').some((each) => each.trim() === asset.etag || each.trim() === '*') === true) {
      return { status: 304, headers: asset.headers.filter(([name]) => name !== 'Content-Type'), body: '' };
    }
    return { status: 200, headers: asset.headers, body: asset.body };
  };
}

/** `path` is one of the three folders' own: nothing in it needs escaping. */
function redirectPage(path: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Redirecting</title>
</head>
<body>
<pre>Redirecting to <a href="${path}">${path}</a></pre>
</body>
</html>
`;
}
