import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyHelmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { compressPublicResponses } from '../http/compression.js';

const PREFIX = '/dashboard';
const ENTRY = 'index.html';
// Placeholder in the built entry page, replaced with a new nonce in every response.
const NONCE = '__CSP_NONCE__';
// Only files in this folder have a hash of their content in their name.
const HASHED_FOLDER = `${path.sep}assets${path.sep}`;
const YEAR_SECONDS = 365 * 24 * 3_600;

// Helmet adds the nonce for the style elements that components create.
const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    objectSrc: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/** Returns the output folder of `npm run build`, both for compiled code and for sources. */
function builtPages(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder)) {
    folder = path.dirname(folder);
  }
  return path.join(folder, 'dist', 'dashboard');
}

/**
 * Serves the built pages at /dashboard. Other paths below it return the entry page for client-side routing, except in
 * the folder of hashed files.
 */
export async function servePages(fastify: FastifyInstance): Promise<void> {
  fastify.get('/', (_, reply) => reply.redirect(`${PREFIX}/`));
  const root = builtPages();
  const entry = path.join(root, ENTRY);
  if (!existsSync(entry)) return;
  const template = readFileSync(entry, 'utf8');
  await fastify.register(
    async (pages) => {
      // Compressing the nonce is safe because every response has a new nonce.
      compressPublicResponses(pages, PREFIX);
      await pages.register(fastifyHelmet, {
        contentSecurityPolicy: CONTENT_SECURITY_POLICY,
        enableCSPNonces: true,
        referrerPolicy: { policy: 'same-origin' },
      });
      await pages.register(fastifyStatic, {
        root,
        wildcard: false,
        index: false,
        // Sends the brotli and gzip files of the build. These files have no separate URL.
        preCompressed: true,
        globIgnore: [ENTRY, '**/*.br', '**/*.gz'],
        cacheControl: false,
        setHeaders: (reply, file) => void reply.header('Cache-Control', chooseCacheControl(file)),
      });
      const answer = (_: unknown, reply: FastifyReply): FastifyReply =>
        reply
          .type('text/html; charset=utf-8')
          .header('Cache-Control', 'no-store')
          .send(template.replaceAll(NONCE, reply.cspNonce.style));
      // A missing hashed file belongs to another version, so the entry page must not be sent instead.
      pages.get('/assets/*', (_, reply) =>
        reply
          .code(404)
          .type('text/plain; charset=utf-8')
          .header('Cache-Control', 'no-store')
          .send('This file belongs to another version of the dashboard: reload the page'),
      );
      pages.get('/', answer);
      pages.get('/*', answer);
    },
    { prefix: PREFIX },
  );
}

function chooseCacheControl(file: string): string {
  return file.includes(HASHED_FOLDER) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache';
}
