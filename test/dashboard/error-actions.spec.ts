import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CODES_BY_ACTION, findAction } from '../../dashboard/src/parts/error-actions.js';
import { AUTHORITY_ERRORS } from '../../src/documents/error-catalogue.js';
import type { ErrorCodeEntry } from '../../src/errors/explanation.js';
import { ERROR_CODES } from '../../src/errors/error-codes.js';

/** What this service finds itself, from the page that is made of the same tables. */
function readOwnFindings(): string[] {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const [, section = ''] = /### Findings of this service\n([\s\S]*?)\n### /.exec(page) ?? [];
  return [...section.matchAll(/^- `(\w+)`/gm)].map(([, code = '']) => code);
}

const ofDocuments = [
  ...AUTHORITY_ERRORS.flatMap(({ entries }) => entries.map(({ code }) => code)),
  ...readOwnFindings(),
];
const ofRequests = Object.entries<ErrorCodeEntry>(ERROR_CODES)
  .filter(([, { operations }]) => operations?.some((one) => one === 'submit' || one === 'cancel') ?? true)
  .map(([code]) => code);

describe('the table of what is done about an error', () => {
  it('has every code of a document, and of a refused submit or cancel, once, and no other', () => {
    expect(readOwnFindings()).toContain('parent_not_valid');
    const listed = Object.values(CODES_BY_ACTION).flat();
    expect(listed.toSorted()).toEqual([...new Set([...ofDocuments, ...ofRequests])].toSorted());
  });

  it('leaves nothing that a caller can fix in a field without a way there', () => {
    const entries = AUTHORITY_ERRORS.flatMap(({ entries: all }) => all);
    const fixable = entries.filter(({ actor, fieldPath }) => actor !== 'operator' && fieldPath.startsWith('/'));
    const without = fixable.filter(({ code }) => findAction(code) === 'none').map(({ code }) => code);
    expect(without).toEqual([]);
    expect(fixable.length).toBeGreaterThan(20);
  });
});
