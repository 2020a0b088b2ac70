import { readFileSync } from 'node:fs';
import { format } from 'prettier';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import type { ErrorCodeEntry, Operation } from '../../src/errors/explanation.js';
import type { Explanation } from '../../src/errors/explanation.js';
import type { AuthorityErrorEntry } from '../../src/documents/error-catalogue/authority-error.js';
import { AUTHORITY_ERRORS } from '../../src/documents/error-catalogue.js';
import { buildRequestPointers } from '../../src/documents/request-pointers.js';
import { goldenDocuments } from '../../src/documents/golden/golden.js';
import type { SimplifiedDocument } from '../../src/documents/simplified-document.js';
import { WAITING_REASONS } from '../../src/status/waiting.js';
import { INVISIBLE_REFERENCE } from '../../src/submission/stored-documents.js';
import { SUBMIT_RULE_IDS } from '../../src/submission/submit-body.js';
import { LINE_TAX_TYPE_REQUIRED } from '../../src/submission/prepare-submit.js';
import { filesUnder, readText } from './pages.js';

// Generates the pages from the service's tables. `npx vitest run test/docs/errors.spec.ts --update` writes them.

/** Operations that can return a code. `/health/live` returns none. */
const OPERATIONS: Readonly<Record<Exclude<Operation, 'live'>, string>> = {
  submit: '`POST …/submit`',
  dryRun: '`POST …/submit/dry-run`',
  status: '`GET …/status`',
  taxpayer: 'the TIN check',
  cancel: '`POST …/cancel`',
  ready: '`GET /health/ready`',
};

const code = (text: string): string => `\`${text}\``;

/** Formats the list entry of a code. */
function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Formats the action. Names the responsible party and the retry advice only if they differ from the default. */
function formatAdvice({ action, actor, resubmit }: Explanation): string {
  const who = actor === 'caller' ? '' : `**${capitalised(actor)}:** `;
  return `${who}${action}${resubmit ? '' : ' (no repeat)'}`;
}

function callErrors(): string {
  const entries = Object.entries<ErrorCodeEntry>(ERROR_CODES).toSorted(([, a], [, b]) => a.status - b.status);
  const codesByText = new Map<string, string[]>();
  for (const [name, entry] of entries) {
    const where = entry.operations === undefined ? '' : ` (${entry.operations.join(', ')})`;
    const text = `${where}: ${formatAdvice(entry)}`;
    codesByText.set(text, [...(codesByText.get(text) ?? []), `${entry.status} ${code(name)}`]);
  }
  return list([...codesByText].map(([text, codes]) => `${codes.join(', ')}${text}`));
}

function waitingReasons(): string {
  return list(
    Object.entries(WAITING_REASONS).map(([name, reason]) => {
      // Authority failures need no advice, and waiting documents must not be submitted again.
      const advice = reason.actor === 'authority' ? '' : ` ${formatAdvice({ ...reason, resubmit: true })}`;
      return `${code(name)}: ${sentence(reason.meaning)}${advice}`;
    }),
  );
}

/** Lists the authority's codes with our codes and fields. */
function nameFindings(findings: readonly AuthorityErrorEntry[]): string {
  const codes = findings.map(
    ({ authorityCode, code: ours }) => `${authorityCode === null ? 'none' : code(authorityCode)} ${code(ours)}`,
  );
  const pointers = new Set(findings.map(({ fieldPath }) => fieldPath).filter((path) => path.startsWith('/')));
  return [codes.join(', '), ...[...pointers].map(code)].join(' ');
}

/** Groups findings with the same advice. */
function authorityErrors(): string {
  const all = AUTHORITY_ERRORS.flatMap(({ entries }) => entries);
  const advices = new Set(all.map(formatAdvice));
  return AUTHORITY_ERRORS.map(({ found, entries }) => {
    const lines = entries.map(formatAdvice).flatMap((advice) => {
      if (!advices.delete(advice)) return [];
      const findings = all.filter((entry) => formatAdvice(entry) === advice);
      return [`${nameFindings(findings)}: ${advice}`];
    });
    return `### ${found}\n\n${list(lines)}`;
  }).join('\n\n');
}

/** Suffixes of rule names after the field name. */
const SHAPE =
  /^(.+)_(required|type|choice|conflict|length|characters|format|(?:min|max)_items|item_type|range|decimals|precision|minimum)$/;

/** Abbreviates the rules of one field, such as `recipient_city_{type,length}`. */
function braced(rules: readonly string[]): string[] {
  const byField = new Map<string, string[]>();
  for (const rule of rules) {
    const [, field = rule, end = ''] = SHAPE.exec(rule) ?? [];
    byField.set(field, [...(byField.get(field) ?? []), end]);
  }
  return [...byField].map(([field, ends]) => {
    if (ends[0] === '') return field;
    return ends.length === 1 ? `${field}_${ends[0]}` : `${field}_{${ends.join(',')}}`;
  });
}

function submitRules(): string {
  return braced([...SUBMIT_RULE_IDS, LINE_TAX_TYPE_REQUIRED, INVISIBLE_REFERENCE.rule])
    .map(code)
    .join(', ');
}

const OWN_FINDINGS: Readonly<Record<string, string>> = {
  parent_not_valid: 'Submit the invoice of the held credit note again, then the credit note.',
  parent_hold_expired:
    'Submit the invoice of the held credit note again, which was not Valid within seven days, then the credit note.',
  in_doubt_given_up:
    "**Operator:** The authority's response was lost, and an operator ended the attempt. Submit the document again, or ask the operator.",
  errors_not_listed:
    'Correct the listed errors and submit the document again. The authority then lists the remaining errors.',
  document_not_buildable:
    '**Operator:** Submit the document again. If it fails again, contact the operator of this service and quote documentId.',
  invalid_without_reason:
    "**Authority:** Check the authority's portal or ask its support. This service shows the reason when it is available.",
};

function ownFindings(): string {
  return list(Object.entries(OWN_FINDINGS).map(([name, advice]) => `${code(name)}: ${advice}`));
}

function errorsPage(): string {
  return `# Errors

This page tells client teams and operators how to handle each code. The \`message\` of a response explains its code. The
page is generated from the service's tables (\`npx vitest run test/docs/errors.spec.ts --update\`).

The caller must act, unless the advice starts with **Buyer**, **Operator** (of this service) or **Authority**. Then the
same request or document can be sent again, unless the line says "no repeat".

## Errors of calls

Every error response is JSON with \`message\`, \`code\`, \`requestId\` and \`helpUrl\`. New codes may be added. Brackets list the calls that return a code:
${Object.entries(OPERATIONS)
  .map(([name, address]) => `${name} is ${address}`)
  .join(', ')}.
Any call can return a code without brackets.

${callErrors()}

## Why a document waits

The status response contains \`waiting.code\`. Processing of the document resumes automatically once the reason no longer applies.

${waitingReasons()}

## Errors of documents and cancellations

In the status response, \`errors\` states why the authority rejected a document or cancellation, or found a document
invalid. Each line contains the authority's code (\`authorityCode\`), this service's stable \`code\`, and the field.

\`pointer\` is a JSON Pointer into the submitted body. If the [document map](document-map.md) or the code in the
authority's message identifies a field, it points to that field. Otherwise, it points to the field listed here, where
\`*\` is the line and \`{id}\` the submitted id, or to the document, \`/documents/N\`. It is null for cancellations and for
errors in the supplier's profile.

If a code is listed twice, the authority's step, path or message determines the line. An unlisted code becomes
\`authority_\` followed by the code in lower case, with the authority's message. An error without a code becomes
\`authority_refused\`.

### Findings of this service

${ownFindings()}

${authorityErrors()}

## Rules of submit

A \`validation_failed\` response contains the rule in \`details[].rule\`, the problem in \`message\` and the fix in \`hint\`.
\`line_items_{type,required}\` stands for \`line_items_type\` and \`line_items_required\`.

${submitRules()}
`;
}

/** Credit notes that together contain every field of the interface. */
function fullDocuments(): SimplifiedDocument[] {
  const parent = { referenceId: 'INV-1', authorityUuid: null };
  return goldenDocuments().flatMap(([, document]) => {
    const relatedInvoice = document.relatedInvoice ?? parent;
    const note = { ...document, documentType: 'credit_note' as const, dateMember: undefined, relatedInvoice };
    return document.lineItems.map((line) => ({ ...note, lineItems: [line] }));
  });
}

/** Maps each request field to its paths in the authority's document. */
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
  const lines = rows.map(
    ([field, paths]) => `${field === '' ? 'all amounts together' : code(field)}: ${[...paths].map(code).join(', ')}`,
  );
  return `# Document map

This page maps each request field to the UBL elements of the authority's document. It is generated from the builder by
\`npx vitest run test/docs/errors.spec.ts --update\`.

Request fields are JSON Pointers relative to the document, with \`*\` for the line. UBL paths are within \`Invoice[0]\`,
without indexes of 0 and the member \`_\`. Identifications are in the order TIN, id, SST, TTX. All other elements are
constants or come from the supplier's profile.

${list(lines)}
`;
}

const written = (page: string): Promise<string> => format(page, { parser: 'markdown', printWidth: 120 });

describe('generated page', () => {
  it('docs/errors.md matches the catalogue', async () => {
    await expect(await written(errorsPage())).toMatchFileSnapshot('../../docs/errors.md');
  });

  it('docs/errors.md contains every code of the dispatcher', () => {
    const files = [...filesUnder('src/dispatcher', /(?<!\.spec)\.ts$/), 'src/documents/error-catalogue.ts'];
    const sources = files.map(readText);
    const given = sources.flatMap((text) => [
      ...[...text.matchAll(/\bcode: (?:[^,\n]*\? )?'(\w+)'(?: : '(\w+)')?,\n/g)].flatMap(([, ...codes]) => codes),
      ...[...text.matchAll(/_CODE = '(\w+)'/g)].map(([, name]) => name),
    ]);
    const documented = readText('docs/errors.md');
    expect(given.filter((name) => name !== undefined)).toEqual(expect.arrayContaining(Object.keys(OWN_FINDINGS)));
    expect(given.filter((name) => name !== undefined && !documented.includes(`\`${name}\``))).toEqual([]);
  });

  it('docs/document-map.md matches the document builder', async () => {
    await expect(await written(mapPage())).toMatchFileSnapshot('../../docs/document-map.md');
  });
});

describe('document map', () => {
  interface Schema {
    readonly properties: Readonly<Record<string, { readonly deprecated?: boolean }>>;
  }
  const api = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
    components: { schemas: Record<string, Schema> };
  };
  const listFields = (schema: string, prefix: string): string[] =>
    Object.keys(api.components.schemas[schema].properties).map((field) => `${prefix}/${field}`);

  // Objects, alternative spellings, fields that select an element, and totals that are only compared.
  const WITHOUT_A_VALUE = new Set([
    '/recipient',
    '/relatedInvoice',
    '/documentDate',
    '/recipient/entityType',
    '/recipient/entity_type',
    '/totalExcludingTax',
    '/totalTaxAmount',
    '/totalIncludingTax',
    '/totalPayableAmount',
  ]);

  it('contains every request field', () => {
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
