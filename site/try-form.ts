import type { ApiDescription, Operation, Parameter } from './api-description.js';
import { escapeHtml } from './html.js';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

// Strict handling or a fixed id would make the first request of a reader another one than the guide's.
const LEFT_EMPTY = ['Prefer', 'X-Request-Id', 'If-None-Match', 'idempotency-key'];

/** The form that sends the request from the page; without the page's script it is not shown. */
export function buildTryForm({ method, path, operation }: Endpoint, { servers }: ApiDescription): string {
  const { parameters = [], requestBody, security, operationId } = operation;
  const body = requestBody?.content['application/json'];
  const [example] = Object.values(body?.examples ?? {});
  return `<form class="try" hidden data-method="${method}" data-path="${escapeHtml(servers[0].url + path)}" id="try-${operationId}">
${security.length === 0 ? '' : buildInput('API key', 'apiKey', { hint: 'kept in this page only; one of production submits real documents' })}
${parameters.map(buildParameter).join('\n')}
${body === undefined ? '' : `<label>Body<textarea name="body" rows="16" spellcheck="false">${escapeHtml(JSON.stringify(example?.value ?? {}, null, 2))}</textarea></label>`}
<button type="submit">Send</button>
<div class="result" role="status"></div>
</form>
`;
}

function buildParameter({ name, in: location, required = false, schema }: Parameter): string {
  const [example] = schema.examples ?? [];
  const value = LEFT_EMPTY.includes(name) || typeof example !== 'string' ? '' : example;
  const hint = name === 'idempotency-key' ? 'a new one for each request if empty' : location;
  return buildInput(name, `${location}:${name}`, { value, hint, isRequired: required && name !== 'idempotency-key' });
}

function buildInput(
  label: string,
  name: string,
  { value = '', hint, isRequired = false }: { value?: string; hint: string; isRequired?: boolean },
): string {
  const required = isRequired ? ' required' : '';
  return `<label>${escapeHtml(label)} <small>${escapeHtml(hint)}</small><input name="${escapeHtml(name)}" value="${escapeHtml(value)}" autocomplete="off" spellcheck="false"${required}></label>`;
}
