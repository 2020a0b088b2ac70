import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Break, type Description, listBreaks } from './breaking-changes.js';
import { readText } from './pages.js';

const API = JSON.parse(readText('openapi.json')) as Description;
/** Baseline of the comparison, replaced by each release. */
const BEFORE = JSON.parse(readText('test/docs/before/openapi.json')) as Description;

/** Lines of the next version in the CHANGELOG that describe a real or apparent breaking change. */
function readBreakingLines(changelog: string): string {
  const [, unreleased = ''] = /^## \[Unreleased\]\n([\s\S]*?)(?=^## \[|(?![\s\S]))/m.exec(changelog) ?? [];
  return unreleased
    .split(/^(?=- |### )/m)
    .filter((entry) => /^- \*\*(?:Breaking|Not breaking)\b/.test(entry))
    .join('\n');
}

function listUnsaid(breaks: readonly Break[], changelog: string): string[] {
  const said = readBreakingLines(changelog);
  return breaks
    .filter(({ name }) => ![`\`${name}\``, `.${name}\``].some((mention) => said.includes(mention)))
    .map(({ what }) => what);
}

it('CHANGELOG lists every breaking change of v1', () => {
  expect(listUnsaid(listBreaks(BEFORE, API), readText('CHANGELOG.md'))).toEqual([]);
});

describe('API change', () => {
  type Draft = ReturnType<typeof structuredClone<typeof api>>;
  // eslint-disable-next-line -- changed freely
  const api = JSON.parse(readFileSync('openapi.json', 'utf8')) as Record<string, any>;
  const SUBMIT = '/v1/einvoice/submit';
  const breaks: [title: string, name: string, change: (draft: Draft) => void][] = [
    ['removes an endpoint', 'POST /api/v1/einvoice/submit', ({ paths }) => delete paths[SUBMIT]],
    ['moves the base address', 'GET /api/health/live', ({ servers }) => (servers[0].url = '/rest')],
    ['renames an operation', 'submit', ({ paths }) => (paths[SUBMIT].post.operationId = 'send')],
    ['takes one kind of key no longer', 'security', ({ paths }) => paths[SUBMIT].post.security.pop()],
    ['removes a field of a request', 'tin', ({ components }) => delete components.schemas.RecipientDto.properties.tin],
    ['requires a field of a request', 'brn', ({ components }) => components.schemas.RecipientDto.required.push('brn')],
    [
      'requires a header',
      'Prefer',
      ({ paths }) => {
        for (const parameter of paths[SUBMIT].post.parameters) parameter.required = true;
      },
    ],
    [
      'removes a type',
      'quantity',
      ({ components }) => (components.schemas.LineItemDto.properties.quantity.type = 'integer'),
    ],
    ['takes a value no longer', 'documentType', ({ components }) => components.schemas.DocumentType.enum.pop()],
    [
      'lowers a maximum length',
      'city',
      ({ components }) => (components.schemas.RecipientDto.properties.city.maxLength = 40),
    ],
    [
      'lowers a maximum amount',
      'unitPrice',
      ({ components }) => (components.schemas.LineItemDto.properties.unitPrice.exclusiveMaximum = 1e6),
    ],
    [
      'lowers the number of documents',
      'documents',
      ({ components }) => (components.schemas.NonConsolidatedSubmitDto.properties.documents.maxItems = 50),
    ],
    [
      'adds a pattern',
      'name',
      ({ components }) => (components.schemas.RecipientDto.properties.name.pattern = '^[A-Z]+$'),
    ],
    [
      'removes a field of a response',
      'heldFor',
      ({ components }) => delete components.schemas.DocumentStatusDto.properties.heldFor,
    ],
    [
      'makes a response field optional',
      'totals',
      ({ components }) => {
        const { DocumentStatusDto: schema } = components.schemas;
        schema.required = schema.required.filter((name: string) => name !== 'totals');
      },
    ],
    [
      'makes a response field nullable',
      'createdAt',
      ({ components }) => (components.schemas.SubmissionStatusDto.properties.createdAt.type = ['string', 'null']),
    ],
    [
      'removes a header of a response',
      'ETag',
      ({ paths }) => delete paths['/v1/saas/submissions/{submissionBatchId}/status'].get.responses[200].headers.ETag,
    ],
    ['removes a status', '402', ({ paths }) => delete paths[SUBMIT].post.responses[402]],
    [
      'renames an error',
      'malformed_json',
      ({ paths }) => delete paths[SUBMIT].post.responses[400].content['application/json'].examples.malformed_json,
    ],
    [
      'removes a field of an error',
      'shortBy',
      ({ components }) => delete components.schemas.InsufficientCreditsError.allOf[1].properties.shortBy,
    ],
  ];

  it.each(breaks)('%s is breaking unless the CHANGELOG lists it', (_, name, change) => {
    const draft = structuredClone(api);
    change(draft);
    const found = listBreaks(API, draft as Description);
    expect(found.map((one) => one.name)).toContain(name);
    const silent = '## [Unreleased]\n\n### Changed\n\n- Faster.\n\n## [0.1.0]\n';
    expect(listUnsaid(found, silent)).toHaveLength(found.length);
    const names = found.map((one) => `\`${one.name}\``).join(', ');
    expect(listUnsaid(found, silent.replace('- Faster.', `- **Breaking:** ${names}.\n- Faster.`))).toEqual([]);
    expect(listUnsaid(found, silent.replace('## [0.1.0]\n', `## [0.1.0]\n\n- **Breaking:** ${names}.\n`))).not.toEqual(
      [],
    );
  });

  const additions: [title: string, change: (draft: Draft) => void][] = [
    ['adds an endpoint', ({ paths }) => (paths['/v1/new'] = paths[SUBMIT])],
    [
      'adds an optional field of a request',
      ({ components }) => (components.schemas.RecipientDto.properties.fax = { type: 'string' }),
    ],
    ['takes longer texts', ({ components }) => (components.schemas.RecipientDto.properties.city.maxLength = 60)],
    [
      'adds a field of a response',
      ({ components }) => (components.schemas.TotalsDto.properties.tips = { type: 'number' }),
    ],
    ['adds a status', ({ components }) => components.schemas.BatchStatus.enum.push('Paused')],
    [
      'adds an error',
      ({ paths }) => (paths[SUBMIT].post.responses[400].content['application/json'].examples.new_code = { value: {} }),
    ],
    ['rewords', ({ info }) => (info.description = 'Other words')],
  ];

  it.each(additions)('%s is not breaking', (_, change) => {
    const draft = structuredClone(api);
    change(draft);
    expect(draft).not.toEqual(api);
    expect(listBreaks(API, draft as Description)).toEqual([]);
  });
});
