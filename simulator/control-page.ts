import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { apiNames } from './api-names.js';
import { controlDescription } from './control-description.js';
import { callsByFault, faultNames, faultTexts } from './fault-table.js';
import type { HttpRequest } from './requests.js';
import { type SimulatorResponse, htmlResponse, jsonResponse } from './responses.js';

const template = readFileSync(new URL('./control-page.html', import.meta.url), 'utf8');

const choices = {
  apis: apiNames,
  faults: faultNames.map((name) => ({ name, calls: callsByFault[name] ?? apiNames, text: faultTexts[name] })),
};
// Escapes `<` so that the JSON cannot close its script element.
const page = template.replace('{ "choices": null }', () => JSON.stringify({ choices }).replaceAll('<', '\\u003c'));

// Allows only the page's own style and script, so that the content of a document cannot inject code.
const policy = [
  "default-src 'none'",
  `style-src ${hashElement('style')}`,
  `script-src ${hashElement('script')}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

const responses: Record<string, () => SimulatorResponse> = {
  'GET /_control/': () => {
    const { headers, ...response } = htmlResponse(200, page);
    return { ...response, headers: { ...headers, ...pageHeaders } };
  },
  'GET /_control/openapi.json': () => jsonResponse(200, controlDescription),
};

/** Serves the control page and the API description. Both are public because they contain no state of the simulator. */
export function respondWithPage({ method, path }: HttpRequest): SimulatorResponse | undefined {
  return responses[`${method} ${path}`]?.();
}

function hashElement(element: 'style' | 'script'): string {
  const content = new RegExp(`<${element}>([^]*?)</${element}>`).exec(template)?.[1] ?? '';
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}
