import { describe, expect, it } from 'vitest';
import { readProposals } from '../../dashboard/src/parts/invoice/proposals.js';
import { readSubmitBody } from '../../src/submission/submit-body.js';
import { line, recipient } from '../support/documents.js';

const NOW = new Date('2026-11-21T04:00:00Z');
const PERSON = { brn: undefined, entity_type: 'individual' };

type Members = Record<string, unknown>;

function buildBody(document: Members): Members {
  const complete = { documentType: 'invoice', referenceId: 'INV-1', document_date: '2026-11-20', recipient };
  return { submission_type: 'non-consolidated', documents: [{ ...complete, lineItems: [line], ...document }] };
}

function ofBuyer(change: Members): Members {
  return buildBody({ recipient: { ...recipient, ...change } });
}

function ofLine(change: Members): Members {
  return buildBody({ lineItems: [{ ...line, lineTotal: undefined, ...change }] });
}

function findProblems(body: Members) {
  const read = readSubmitBody(JSON.parse(JSON.stringify(body)), NOW);
  return 'problems' in read ? read.problems : [];
}

function withValue(body: Members, pointer: string, value: unknown): Members {
  const changed = JSON.parse(JSON.stringify(body)) as Members;
  const names = pointer.split('/').slice(1);
  const last = names.pop() ?? '';
  const owner = names.reduce<Members>((inner, name) => inner[name] as Members, changed);
  owner[last] = typeof owner[last] === 'number' ? Number(value) : value;
  return changed;
}

describe('value suggested by a hint', () => {
  it.each([
    ['selangor', ofBuyer({ state: 'Selangr' })],
    ['MYS', ofBuyer({ country: 'Malaysia' })],
    ['50480', ofBuyer({ postcode: '5048', state: 'kuala_lumpur' })],
    ['A123456', ofBuyer({ ...PERSON, passport: 'A/123.456' })],
    ['2026-07-24', buildBody({ document_date: '24/07/2026' })],
    ['2026-07-24', buildBody({ document_date: '2026-24-07' })],
    ['2026-11-21', buildBody({ document_date: '2026-11-22' })],
    ['190', ofLine({ lineTotal: 205.2 })],
    ['+60312345678', ofBuyer({ phone: '03-1234 5678 ext 12' })],
    ['invoice', buildBody({ documentType: '01' })],
    ['0.12346', ofLine({ unitPrice: 0.1234567, discount: 0 })],
    ['01', ofLine({ taxType: '1' })],
    ['02', ofLine({ taxType: 'Service tax' })],
    ['022', ofLine({ classification: '22' })],
    ['022', ofLine({ classification: '999' })],
    ['H87', ofLine({ unitCode: 'pcs' })],
    ['C62', ofLine({ unitCode: '??' })],
  ])('passes validation in the field of the problem: %s', (value, body) => {
    const problems = findProblems(body);
    const proposing = problems.filter(({ hint }) => readProposals(hint ?? null).includes(value));
    expect(problems.map(({ hint }) => hint)).toHaveLength(1);
    expect(proposing).toHaveLength(1);
    expect(findProblems(withValue(body, proposing[0].pointer, value))).toEqual([]);
  });

  it('is available for each of several candidates', () => {
    expect(readProposals('did you mean selangor, perak or perlis?')).toEqual(['selangor', 'perak', 'perlis']);
    expect(readProposals('did you mean 01 (Sales Tax (10%, or 5%)) or 02 (Service Tax)?')).toEqual(['01', '02']);
  });

  it.each([
    'put a reduction into discount or totalDiscountAmount, and a return into a credit note, whose amounts are positive',
    'if the line is reduced to 180, add 10 to its discount; if 190 is right, leave lineTotal out',
    'use company or individual',
    'the last day of that month is 2026-02-28',
    'did you mean 047 (A name that is cut off (in its brackets…)?',
    'at most 190',
    null,
  ])('is missing for %s', (hint) => {
    expect(readProposals(hint)).toEqual([]);
  });
});
