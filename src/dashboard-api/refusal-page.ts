import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJsonText } from '../common/parse-json-text.js';

const DASHBOARD_API = '/api/dashboard/';

const STYLE = 'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}';

/** Allows only the style element of the page, by its hash. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Members of an error body that the page shows (docs/rules.md#error-responses). */
interface Refusal {
  readonly message: string;
  readonly requestId: string;
  /** One sentence per problem, in the order of `details`. */
  readonly errors?: readonly string[];
  readonly details?: readonly { readonly hint: string | null }[];
}

/** Responds with an HTML page if a download link fails, because the browser would display the JSON error. */
export function showRefusals(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (!route.url.startsWith(DASHBOARD_API) || !String(route.method).includes('GET')) return;
    route.onSend = async (request, reply, payload) => {
      if (reply.statusCode < 400 || typeof payload !== 'string' || !isOpenedByPerson(request)) return payload;
      void reply.type('text/html; charset=utf-8').header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
      return buildPage(parseJsonText(payload) as Refusal);
    };
  });
}

/** Returns whether the browser followed a link. Requests from the pages have the mode `cors`. */
function isOpenedByPerson({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-mode'] === 'navigate';
}

function buildPage({ message, requestId, errors = [message], details = [] }: Refusal): string {
  const sentences = errors.map((error, index) => `<p>${escape(withHint(error, details[index]?.hint ?? null))}</p>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>No file – e-Invoice</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>There is no file</h1>
${sentences.join('\n')}
<p>Go back in your browser, or <a href="/dashboard/">open the dashboard</a>.</p>
<p>Request id: <code>${escape(requestId)}</code></p>
</main>
</body>
</html>
`;
}

function withHint(error: string, hint: string | null): string {
  const sentence = hint === null ? error : `${error}: ${hint}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
