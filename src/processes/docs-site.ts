import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compressPublicResponses } from '../http/compression.js';

const PREFIX = '/docs';

// Pages may only load their own files, and may not be embedded.
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.bru': 'text/plain; charset=utf-8',
  '.tgz': 'application/gzip',
};

interface SiteFile {
  readonly type: string;
  readonly content: Buffer;
  readonly entityTag: string;
}

/**
 * Serves the built docs site at /docs. It renders its own reference: Swagger UI, Redoc, Scalar, Stoplight Elements and
 * RapiDoc violate its content security policy, are too wide for a phone, or fail axe-core.
 */
export function serveDocsSite(fastify: FastifyInstance): void {
  // Language models look for this file at the root (https://llmstxt.org).
  fastify.get('/llms.txt', (_, reply) => reply.redirect(`${PREFIX}/llms.txt`));
  compressPublicResponses(fastify, PREFIX);
  const root = findBuiltSite();
  let files: ReadonlyMap<string, SiteFile> | null = null;
  const respond = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // Read on demand, because most processes never serve the site.
    files ??= readSite(root);
    const file = files.get(readPath(request.url));
    if (file === undefined) throw new NotFoundException();
    void reply.headers({ ...HEADERS, ETag: file.entityTag });
    if (request.headers['if-none-match'] === file.entityTag) return reply.status(304).send();
    return reply.type(file.type).send(file.content);
  };
  fastify.get(PREFIX, respond);
  fastify.get(`${PREFIX}/*`, respond);
}

/** Reads all files, keyed by the path at which they are served; pages are served without an extension. */
function readSite(root: string): ReadonlyMap<string, SiteFile> {
  if (!existsSync(root)) return new Map();
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => path.extname(name) !== '');
  return new Map(
    names.map((name): [string, SiteFile] => {
      const content = readFileSync(path.join(root, name));
      const type = MEDIA_TYPES[path.extname(name)] ?? 'application/octet-stream';
      const entityTag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
      const served = `${PREFIX}/${name.split(path.sep).join('/')}`;
      return [served.replace(/(?:\/index)?\.html$/, ''), { type, content, entityTag }];
    }),
  );
}

function readPath(url: string): string {
  return url.split(/[?#]/, 1)[0].replace(/(?<=.)\/$/, '');
}

function findBuiltSite(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder)) {
    folder = path.dirname(folder);
  }
  return path.join(folder, 'dist', 'docs');
}
