// Serves the built pages as the real server does: the compressed file beside the original, the strict
// content policy, and nothing else.
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.csv': 'text/csv', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' };

export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html',
].join('; ');

export async function serveStatic(root, path, response) {
  if (path.startsWith('/docs/')) {
    response.writeHead(302, { Location: `/#${path}` }).end();
    return;
  }
  const file = join(root, normalize(path === '/' ? '/index.html' : path));
  const packed = extname(file) !== '.woff2'; // which is compressed as it is
  const body = await readFile(packed ? `${file}.gz` : file).catch(() => null);
  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  if (!body || !types[extname(file)]) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': types[extname(file)], ...(packed && { 'Content-Encoding': 'gzip' }) });
  response.end(body);
}
