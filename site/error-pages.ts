import { buildErrorBody } from '../src/errors/error-body.js';
import { ERROR_CODES, type ErrorCode } from '../src/errors/error-codes.js';
import type { ErrorCodeEntry, Operation, ResponsibleParty } from '../src/errors/explanation.js';
import { ERROR_EXAMPLES, type ExampleRequest } from './error-examples.js';
import { type Page, toAddress } from './markdown.js';
import { readSource } from './sources.js';

const OPERATION_PAGES: Readonly<Record<Operation, string>> = {
  submit: 'submit',
  dryRun: 'submitDryRun',
  status: 'readSubmissionStatus',
  taxpayer: 'validateTaxpayerTin',
  cancel: 'cancel',
  live: 'live',
  ready: 'ready',
};

const RESPONSIBLE: Readonly<Record<ResponsibleParty, string>> = {
  caller: 'You, the client team.',
  buyer: 'The buyer of the document.',
  operator: 'The operator of the service.',
  authority: 'The tax authority.',
};

/** Response to the example request, recorded by a test without the members that all error responses share. */
export interface RecordedResponse {
  readonly retryAfter?: string;
  readonly message: string;
  /** Additional members of this error. */
  readonly members?: object;
}

const REQUEST_ID = '019a8b5e-7c1f-7000-8000-000000000001';

/** Builds a page for each error code. The `helpUrl` of an error response links to it. */
export function buildErrorPages(): Page[] {
  const recorded = JSON.parse(readSource('site/error-responses.json')) as Readonly<Record<string, RecordedResponse>>;
  return Object.entries<ErrorCodeEntry>(ERROR_CODES).map(([code, entry]) => ({
    path: `errors/${code}`,
    title: code,
    markdown: formatErrorPage(code as ErrorCode, entry, recorded[code] ?? { message: entry.meaning }),
  }));
}

function formatErrorPage(
  code: ErrorCode,
  entry: ErrorCodeEntry,
  { retryAfter, message, members }: RecordedResponse,
): string {
  const { status, meaning, action, actor, resubmit, operations } = entry;
  const { context, given = [], before, after } = ERROR_EXAMPLES[code];
  const response = [
    `HTTP/1.1 ${status}`,
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
    '',
    JSON.stringify(buildErrorBody({ message, code, requestId: REQUEST_ID }, members), null, 2),
  ];
  const where =
    operations === undefined
      ? 'all.'
      : `${operations.map((name) => `[${name}](${toAddress(`reference/${OPERATION_PAGES[name]}`)})`).join(', ')}.`;
  return [
    `# ${code}`,
    `HTTP status ${status}.`,
    '## Cause',
    meaning,
    '## Fix',
    action,
    [
      `- Responsible: ${RESPONSIBLE[actor]}`,
      `- Retry afterwards: ${resubmit ? 'yes' : 'no'}.`,
      `- Endpoints: ${where}`,
    ].join('\n'),
    '## Example',
    ...(given.length === 0 ? [] : ['Sent earlier, and accepted:', ...given.map(formatRequest)]),
    'Before:',
    formatRequest(before),
    'The response:',
    `\`\`\`http\n${response.join('\n')}\n\`\`\``,
    context === undefined ? 'After:' : `After. ${context}`,
    formatRequest(after),
    `Every code is in [Errors](${toAddress('errors')}).`,
  ].join('\n\n');
}

function formatRequest({ line, headers = {}, body }: ExampleRequest): string {
  const shown = Object.entries({
    'X-API-Key': 'eisk_test_…',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  }).filter(([, value]) => value !== '');
  const text = typeof body === 'object' ? JSON.stringify(body, null, 2) : body;
  const lines = [line, ...shown.map(([name, value]) => `${name}: ${value}`), ...(text === undefined ? [] : ['', text])];
  return `\`\`\`http-request\n${lines.join('\n')}\n\`\`\``;
}
