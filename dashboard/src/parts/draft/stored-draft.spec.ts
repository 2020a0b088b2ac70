import { describe, expect, it } from 'vitest';
import { buildDraftName, fitValues } from './stored-draft';

const TEMPLATE = { documents: [{ number: '', buyer: { name: '', country: 'MYS' }, lines: [{ price: '', tax: 0 }] }] };

describe('stored draft', () => {
  it('is adjusted to the fields of the current form', () => {
    const stored = {
      documents: [
        {
          number: 'INV-1',
          buyer: { name: 'Pembeli', fax: '1' },
          lines: [{ price: 250 }, { price: { of: 1 }, tax: '8' }],
        },
      ],
      __proto__: { polluted: true },
    };
    expect(fitValues(TEMPLATE, JSON.parse(JSON.stringify(stored)))).toEqual({
      documents: [
        {
          number: 'INV-1',
          buyer: { name: 'Pembeli', country: 'MYS' },
          lines: [
            { price: 250, tax: '' },
            { price: '', tax: '8' },
          ],
        },
      ],
    });
  });

  it('keeps cleared options without filling rows from other rows', () => {
    const template = {
      state: 'selangor',
      lines: [{ unit: 'KGM', tax: '01', discount: 30, reason: null }, { unit: 'DAY' }],
    };
    const stored = {
      state: null,
      lines: [{ unit: null, tax: '01', discount: 30, reason: '' }, { unit: null }, 'text'],
    };
    expect(fitValues(template, JSON.parse(JSON.stringify(stored)))).toEqual({
      state: null,
      lines: [
        { unit: null, tax: '01', discount: 30, reason: '' },
        { unit: null, tax: '', discount: '', reason: null },
        { unit: '', tax: '', discount: '', reason: null },
      ],
    });
  });

  it.each([null, 'text', [], { documents: 'none' }, { documents: { 0: {} } }])(
    'is ignored if its values are %j',
    (stored) => {
      expect(fitValues(TEMPLATE, stored)).toEqual(TEMPLATE);
    },
  );

  it('has a separate name for each user and scope', () => {
    const names = [
      buildDraftName('u1', ['t1', 'sandbox', 'send']),
      buildDraftName('u2', ['t1', 'sandbox', 'send']),
      buildDraftName('u1', ['t1', 'production', 'send']),
      buildDraftName('u1', ['t2', 'sandbox', 'send']),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});
