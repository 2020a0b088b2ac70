import { readFileSync } from 'node:fs';
import { format } from 'prettier';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type Operation } from '../../src/errors/error-codes.js';
import { errorsOf } from '../../src/errors/operation-errors.js';
import type { Explanation } from '../../src/errors/explanation.js';
import { AUTHORITY_ERRORS } from '../../src/documents/error-catalogue.js';
import { requestPointersOf } from '../../src/documents/request-pointers.js';
import { DOCUMENT_RULES } from '../../src/documents/rules/document-rules.js';
import { LINE_RULES } from '../../src/documents/rules/line-rules.js';
import { RECIPIENT_RULES } from '../../src/documents/rules/recipient-rules.js';
import type { Recipient, SimplifiedDocument } from '../../src/documents/simplified-document.js';
import { WAITING_REASONS } from '../../src/status/waiting.js';
import { INVISIBLE_REFERENCE } from '../../src/submission/known-documents.js';
import { SUBMIT_RULE_IDS } from '../../src/submission/submit-body.js';
import { LINE_TAX_TYPE_REQUIRED } from '../../src/submission/untyped-tax.js';

// The pages are made from the tables that the program runs on. `npx vitest run test/docs/errors.spec.ts --update` writes
// them anew; without it a page that says something else than the program is a failure.

const OPERATIONS: readonly (readonly [Operation, string])[] = [
  ['submit', '`POST /v1/einvoice/submit`'],
  ['status', '`GET /v1/saas/submissions/{submissionBatchId}/status`'],
  ['taxpayer', '`GET /v1/einvoice/validate-taxpayer-tin/{tin}`'],
  ['cancel', '`POST /v1/einvoice/cancel`'],
  ['ready', '`GET /health/ready`'],
];

const WHAT_TO_DO = ['What is wrong', 'What to do', 'Who', 'Send again'];

function cellsOf({ meaning, action, actor, resubmit }: Explanation): string[] {
  return [meaning, action, actor, resubmit ? 'yes' : 'no'];
}

/** Unpadded: aligned columns would make each row as wide as the longest text. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const lines = [head, head.map(() => '---'), ...rows].map(line);
  return ['<!-- prettier-ignore-start -->', '', ...lines, '', '<!-- prettier-ignore-end -->'].join('\n');
}

const statuses = [...new Set(Object.values(ERROR_CODES).map(({ status }) => status))].toSorted((a, b) => a - b);

function errorTable(isShown: (entry: ReturnType<typeof errorsOf>[number]) => boolean, operation: Operation): string {
  const rows = statuses.flatMap((status) => errorsOf(operation, status).filter(isShown));
  return table(
    ['Status', 'Code', ...WHAT_TO_DO],
    rows.map((entry) => [String(entry.status), `\`${entry.code}\``, ...cellsOf(entry)]),
  );
}

function callErrors(): string {
  const own = OPERATIONS.map(
    ([operation, address]) =>
      `### ${address}\n\n${errorTable(({ operations }) => operations !== undefined, operation)}`,
  );
  return [`### Every call\n\n${errorTable(({ operations }) => operations === undefined, 'submit')}`, ...own].join(
    '\n\n',
  );
}

function waitingReasons(): string {
  const rows = Object.entries(WAITING_REASONS).map(([code, reason]) => [
    `\`${code}\``,
    reason.meaning,
    reason.action,
    reason.actor,
  ]);
  return table(['Code', 'Why', 'What to do', 'Who'], rows);
}

function authorityErrors(): string {
  const sections = AUTHORITY_ERRORS.map(({ found, entries }) => {
    const rows = entries.map((entry) => [
      entry.authorityCode === null ? 'none' : `\`${entry.authorityCode}\``,
      `\`${entry.code}\``,
      ...cellsOf(entry),
      entry.place.startsWith('/') ? `\`${entry.place}\`` : entry.place,
    ]);
    return `### ${found}\n\n${table(['Authority', 'Code', ...WHAT_TO_DO, 'Points to'], rows)}`;
  });
  return sections.join('\n\n');
}

/** The texts of the rules that say the same to everybody. */
function ruleTexts(): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { rule, message, hint } of [...DOCUMENT_RULES, ...RECIPIENT_RULES, ...LINE_RULES]) {
    if (typeof message === 'string') texts.set(rule, typeof hint === 'string' ? `${message} (${hint})` : message);
  }
  return texts;
}

function submitRules(): string {
  const texts = ruleTexts();
  texts.set(INVISIBLE_REFERENCE.rule, INVISIBLE_REFERENCE.message);
  return table(
    ['Rule', 'Text'],
    [...SUBMIT_RULE_IDS, LINE_TAX_TYPE_REQUIRED, INVISIBLE_REFERENCE.rule].map((rule) => [
      `\`${rule}\``,
      texts.get(rule) ?? 'in the answer',
    ]),
  );
}

function errorsPage(): string {
  return `# Errors

Made from the tables that the service runs on; do not edit. \`npx vitest run test/docs/errors.spec.ts --update\` writes it anew.

**Who** can mend it: the \`caller\` of this service, the document's \`buyer\`, the \`operator\` of this service, or the
\`authority\` alone. **Send again** says whether the same is to be sent once more when that is done.

## Errors of calls

Every error answer is JSON with \`message\`, \`code\` and \`requestId\`. Nothing is stored, charged or queued unless the
answer is 200 or 202. New codes may be added.

${callErrors()}

## Why a document waits

\`waiting.code\` of the status. No error: the document goes on by itself.

${waitingReasons()}

## Errors of documents and cancellations

\`errors\` of the status: what the tax authority said of a document that it refused or found invalid, or of a
cancellation. \`code\` is ours and stays; \`authorityCode\` and \`authorityMessage\` are the authority's own. \`pointer\`
leads into the body that was submitted: to the place that the authority names, found through
[the map of the document](document-map.md), else to the place below, in which \`*\` is the line and \`{id}\` the id that was
sent. It is \`/documents/N\` for a whole document, and null for the supplier's profile and for cancellations.

Where a code stands twice, the authority's step, path or text decides. A code that is not listed comes out as
\`authority_\` and the code in lower case, with the authority's text; without any code it is \`authority_refused\`.

${authorityErrors()}

## Rules of submit

\`details[].rule\` of \`validation_failed\`. The text starts with the path of the field.

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
  for (const [path, pointer] of fullDocuments().flatMap((document) => [...requestPointersOf(document)])) {
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
  return `# From the request to the authority's document

Made from the builder of the documents; do not edit. \`npx vitest run test/docs/errors.spec.ts --update\` writes it anew.

Each field of a document in the request, as a JSON Pointer relative to the document with \`*\` for the line, and the
elements of the authority's UBL document, within \`Invoice[0]\`, that are made from it. Indexes of 0 and the value's own
member \`_\` are left out; identifications are in the order TIN, id, SST, TTX. Errors of the authority are led back the same
way ([errors](errors.md)). What is not listed is no caller's: constants, and the supplier's data from the profile.

${table(['Request field', 'UBL'], cells)}

The general-public buyer and the classification of consolidated documents are fixed, whatever the request says. A buyer
without \`phone\` is sent with the supplier's. The three address lines are those that are not empty, in their order.
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
  const fieldsOf = (schema: string, prefix: string): string[] =>
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
      ...fieldsOf('DocumentDto', ''),
      ...fieldsOf('RecipientDto', '/recipient'),
      ...fieldsOf('LineItemDto', '/lineItems/*'),
      ...fieldsOf('RelatedInvoiceDto', '/relatedInvoice'),
    ];
    const map = documentMap();
    expect(fields.length).toBeGreaterThan(30);
    expect(fields.filter((field) => !map.has(field) && !WITHOUT_A_VALUE.has(field))).toEqual([]);
    const known = new Set([...fields, '/lineItems/*', '']);
    expect([...map.keys()].filter((field) => !known.has(field))).toEqual([]);
  });
});
