import { BASE_PATH, type Endpoint, type Parameter } from './api-description.js';
import { escapeHtml } from './markdown.js';

// Empty by default: with strict handling or a fixed id, the reader's first request would behave differently than in
// the guide.
const EMPTY_BY_DEFAULT = ['Prefer', 'X-Request-Id', 'If-None-Match', 'idempotency-key'];

/** Builds the form that sends a request from the page. The page's script shows it. */
export function buildTryForm({ method, path, parameters = [], requestBody, security, operationId }: Endpoint): string {
  const body = requestBody?.content['application/json'];
  const [example] = Object.values(body?.examples ?? {});
  const keyHint = 'kept in this page only; one of production submits real documents';
  return `<form class="try" hidden data-method="${method}" data-path="${escapeHtml(BASE_PATH + path)}" id="try-${operationId}">
${security.length === 0 ? '' : buildInput('API key', keyHint, 'name="apiKey" value=""')}
${parameters.map(buildParameter).join('\n')}
${body === undefined ? '' : `<label>Body<textarea name="body" rows="16" spellcheck="false">${escapeHtml(JSON.stringify(example?.value ?? {}, null, 2))}</textarea></label>`}
<button type="submit">Send</button>
<div class="result" role="status"></div>
</form>
`;
}

function buildParameter({ name, in: location, required = false, schema }: Parameter): string {
  const [example] = schema.examples ?? [];
  const value = EMPTY_BY_DEFAULT.includes(name) || typeof example !== 'string' ? '' : example;
  const isKey = name === 'idempotency-key';
  const attributes = `name="${location}:${escapeHtml(name)}" value="${escapeHtml(value)}"`;
  const hint = isKey ? 'a new one for each request if empty' : location;
  return buildInput(name, hint, required && !isKey ? `${attributes} required` : attributes);
}

function buildInput(label: string, hint: string, attributes: string): string {
  return `<label>${escapeHtml(label)} <small>${hint}</small><input autocomplete="off" spellcheck="false" ${attributes}></label>`;
}
