import { readFileSync } from 'node:fs';
import { format } from 'prettier';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCodeEntry, type Operation } from '../../src/errors/error-codes.js';
import type { Explanation } from '../../src/errors/explanation.js';
import type { AuthorityErrorEntry } from '../../src/documents/error-catalogue/authority-error.js';
import { AUTHORITY_ERRORS } from '../../src/documents/error-catalogue.js';
import { buildRequestPointers } from '../../src/documents/request-pointers.js';
import { DOCUMENT_RULES } from '../../src/documents/rules/document-rules.js';
import { LINE_RULES } from '../../src/documents/rules/line-rules.js';
import { RECIPIENT_RULES } from '../../src/documents/rules/recipient-rules.js';
import type { Recipient, SimplifiedDocument } from '../../src/documents/simplified-document.js';
import { WAITING_REASONS } from '../../src/status/waiting.js';
import { INVISIBLE_REFERENCE } from '../../src/submission/known-documents.js';
import { SUBMIT_RULE_IDS } from '../../src/submission/submit-body.js';
import { LINE_TAX_TYPE_REQUIRED } from '../../src/submission/untyped-tax.js';

// The pages are made from the tables that the program runs on. `npx vitest run test/docs/errors.spec.ts --update`
// writes them again; without it a page that says something else than the program is a failure.

/** Where a code can come from; `/health/live` has no codes. */
const OPERATIONS: Readonly<Record<Exclude<Operation, 'live'>, string>> = {
  submit: '`POST …/submit`',
  status: '`GET …/status`',
  taxpayer: 'the TIN check',
  cancel: '`POST …/cancel`',
  ready: '`GET /health/ready`',
};

/** An action of more codes than this is written once, as a note. */
const REPEATS_MAX = 3;

/** Unpadded: aligned columns would make each row as wide as the longest text. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const lines = [head, head.map(() => '---'), ...rows].map(line);
  return ['<!-- prettier-ignore-start -->', '', ...lines, '', '<!-- prettier-ignore-end -->'].join('\n');
}

const code = (text: string): string => `\`${text}\``;

/** One line for one code: a list, in which a long text is easier to read than in a column. */
function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * What is wrong and what to do; who has to do it, and that a repeat does not help, only where they differ from most.
 */
function adviceOf({ meaning, action, actor, resubmit }: Explanation): string {
  const who = actor === 'caller' ? '' : `**${capitalised(actor)}:** `;
  return `${sentence(meaning)} ${who}${action}${resubmit ? '' : ' (no repeat)'}`;
}

function callErrors(): string {
  const entries = Object.entries<ErrorCodeEntry>(ERROR_CODES).toSorted(([, a], [, b]) => a.status - b.status);
  return list(
    entries.map(([name, entry]) => {
      const where = entry.operations === undefined ? '' : ` (${entry.operations.join(', ')})`;
      return `${entry.status} ${code(name)}${where}: ${adviceOf(entry)}`;
    }),
  );
}

function waitingReasons(): string {
  return list(
    Object.entries(WAITING_REASONS).map(([name, reason]) => {
      // What the authority alone can end has no advice, and no document that waits is submitted again.
      const advice = reason.actor === 'authority' ? sentence(reason.meaning) : adviceOf({ ...reason, resubmit: true });
      return `${code(name)}: ${advice}`;
    }),
  );
}

/** The actions that many codes share, in the order of their notes. */
const authorityActions = AUTHORITY_ERRORS.flatMap(({ entries }) => entries.map(({ action }) => action));
const sharedActions = [...new Set(authorityActions)].filter(
  (action) => authorityActions.filter((other) => other === action).length > REPEATS_MAX,
);

function authorityLine(entry: AuthorityErrorEntry): string {
  const note = sharedActions.indexOf(entry.action);
  const advice =
    note === -1
      ? adviceOf(entry)
      : `${sentence(entry.meaning)} [Note ${note + 1}](#notes)${entry.resubmit ? '' : ' (no repeat)'}`;
  const authorityCode = entry.authorityCode === null ? 'none' : code(entry.authorityCode);
  return `${authorityCode} ${code(entry.code)}: ${advice}${entry.fieldPath.startsWith('/') ? ` ${code(entry.fieldPath)}` : ''}`;
}

function authorityErrors(): string {
  return AUTHORITY_ERRORS.map(({ found, entries }) => `### ${found}\n\n${list(entries.map(authorityLine))}`).join(
    '\n\n',
  );
}

function notes(): string {
  return sharedActions.map((action, index) => `${index + 1}. ${action}`).join('\n');
}

/** The texts of the rules that say the same to everybody. */
function ruleTexts(): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { rule, message, hint } of [...DOCUMENT_RULES, ...RECIPIENT_RULES, ...LINE_RULES]) {
    if (typeof message === 'string') texts.set(rule, typeof hint === 'string' ? `${message} (${hint})` : message);
  }
  return texts.set(INVISIBLE_REFERENCE.rule, INVISIBLE_REFERENCE.message);
}

function submitRules(): string {
  const texts = ruleTexts();
  const rules = [...SUBMIT_RULE_IDS, LINE_TAX_TYPE_REQUIRED, INVISIBLE_REFERENCE.rule];
  const others = rules.filter((rule) => !texts.has(rule));
  return `${list([...texts].map(([rule, text]) => `${code(rule)}: ${text}`))}

Of these the text depends on what was sent: ${others.map(code).join(', ')}.`;
}

function errorsPage(): string {
  return `# Errors

For client teams and operators: every code, what is wrong, and what to do. Generated from the tables that the service runs
on; \`npx vitest run test/docs/errors.spec.ts --update\` writes it.

The caller acts, unless the advice names the document's **Buyer**, the **Operator** of this service or the **Authority**.
After that the same request or document can be sent again, unless the line says "no repeat".

## Errors of calls

Every error response is JSON with \`message\`, \`code\` and \`requestId\`. The service stores, charges and queues nothing
unless the response is 200 or 202. New codes may be added.

In brackets: ${Object.entries(OPERATIONS)
    .map(([name, address]) => `${name} is ${address}`)
    .join(', ')}.
A code without brackets can come from every call.

${callErrors()}

## Why a document waits

\`waiting.code\` of the status. It is no error: the document goes on by itself once
the reason is gone.

${waitingReasons()}

## Errors of documents and cancellations

\`errors\` of the status: why the authority refused a document, found it invalid, or refused a cancellation. \`code\` is
this service's and never changes; \`authorityCode\` and \`authorityMessage\` are the authority's.

\`pointer\` leads into the submitted body: to the field that the authority names, found through the
[document map](document-map.md), else to the field at the end of the line, in which \`*\` is the line and \`{id}\` the id
that was sent, else to the whole document, \`/documents/N\`. It is null for the supplier's profile and for cancellations.

If a code is listed twice, the authority's step, path or text decides. A code that is not listed becomes \`authority_\` and
the code in lower case, with the authority's text; a finding without a code becomes \`authority_refused\`.

### Notes

${notes()}

${authorityErrors()}

## Rules of submit

\`details[].rule\` of \`validation_failed\`. The text in the response starts with the path of the field.

${submitRules()}
`;
}

const golden = (name: string): SimplifiedDocument => {
  const url = new URL(`../../src/documents/golden/${name}.input.json`, import.meta.url);
  return (JSON.parse(readFileSync(url, 'utf8')) as { document: SimplifiedDocument }).document;
};

/** Documents that together have every field of the interface. */
function fullDocuments(): SimplifiedDocument[] {
  const base = golden('credit-note');
  const everything: Partial<Recipient> = { addressLines: ['1', '2', '3'] };
  const idTypes = ['BRN', 'NRIC', 'PASSPORT', 'ARMY'] as const;
  const full = idTypes.map((idType) => ({
    ...base,
    recipient: base.recipient && { ...base.recipient, ...everything, idType },
    lineItems: base.lineItems.map((line) => ({ ...line, discount: 1 })),
    totalDiscountAmount: 1,
    totalRoundingAmount: 1,
  }));
  const unitTax = { taxPerUnit: 1, unitCount: 1.5 };
  return [
    ...full,
    { ...base, relatedInvoice: { referenceId: 'INV-1', authorityUuid: 'Z9JH44F9A9XXQQ30QFD7EXWJ10' } },
    ...[unitTax, { ...unitTax, unitCount: base.lineItems[0].quantity }].map((own) => ({
      ...base,
      lineItems: base.lineItems.map((line) => ({ ...line, unitTax: own })),
    })),
  ];
}

/** Every request field with the paths of the authority's document that are made from it. */
function documentMap(): Map<string, Set<string>> {
  const map = new Map<string, Set<string>>();
  for (const [path, pointer] of fullDocuments().flatMap((document) => [...buildRequestPointers(document)])) {
    const field = pointer.replace(/\/\d+/, '/*');
    map.set(field, (map.get(field) ?? new Set()).add(path.replaceAll('[0]', '').replace(/\._$/, '')));
  }
  return map;
}

function mapPage(): string {
  const rows = [...documentMap()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const cells = rows.map(([field, paths]) => [
    field === '' ? 'all amounts together' : `\`${field}\``,
    [...paths].map((path) => `\`${path}\``).join(', '),
  ]);
  return `# Document map

For teams that map fields: which UBL elements of the authority's document each request field becomes. Generated from the
builder; \`npx vitest run test/docs/errors.spec.ts --update\` writes it.

Request fields are JSON Pointers relative to the document, with \`*\` for the line. UBL paths are within \`Invoice[0]\`,
without indexes of 0 and the member \`_\`; identifications are in the order TIN, id, SST, TTX. [Errors](errors.md) of the
authority are led back the same way. Elements that are not listed are constants, or come from the supplier's profile.

${table(['Request field', 'UBL'], cells)}
`;
}

const written = (page: string): Promise<string> => format(page, { parser: 'markdown', printWidth: 120 });

describe('the pages', () => {
  it('docs/errors.md is what the catalogue says', async () => {
    await expect(await written(errorsPage())).toMatchFileSnapshot('../../docs/errors.md');
  });

  it('docs/document-map.md is what the builder does', async () => {
    await expect(await written(mapPage())).toMatchFileSnapshot('../../docs/document-map.md');
  });
});

describe('the map of the document', () => {
  interface Schema {
    readonly properties: Readonly<Record<string, { readonly deprecated?: boolean }>>;
  }
  const api = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
    components: { schemas: Record<string, Schema> };
  };
  const listFields = (schema: string, prefix: string): string[] =>
    Object.keys(api.components.schemas[schema].properties).map((field) => `${prefix}/${field}`);

  // Objects themselves, spellings of another field, and what decides which element is made.
  const WITHOUT_A_VALUE = new Set([
    '/recipient',
    '/relatedInvoice',
    '/documentDate',
    '/recipient/entityType',
    '/recipient/entity_type',
  ]);

  it('has every field that a caller can send', () => {
    const fields = [
      ...listFields('DocumentDto', ''),
      ...listFields('RecipientDto', '/recipient'),
      ...listFields('LineItemDto', '/lineItems/*'),
      ...listFields('RelatedInvoiceDto', '/relatedInvoice'),
    ];
    const map = documentMap();
    expect(fields.length).toBeGreaterThan(30);
    expect(fields.filter((field) => !map.has(field) && !WITHOUT_A_VALUE.has(field))).toEqual([]);
    const known = new Set([...fields, '/lineItems/*', '']);
    expect([...map.keys()].filter((field) => !known.has(field))).toEqual([]);
  });
});
