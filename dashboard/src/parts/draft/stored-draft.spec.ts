import { describe, expect, it } from 'vitest';
import { buildDraftName, fitValues } from './stored-draft';

const TEMPLATE = { documents: [{ number: '', buyer: { name: '', country: 'MYS' }, lines: [{ price: '', tax: 0 }] }] };

describe('a stored draft', () => {
  it('has the shape of the form that restores it, whatever an earlier version of the form has stored', () => {
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
            { price: 250, tax: 0 },
            { price: '', tax: '8' },
          ],
        },
      ],
    });
  });

  it.each([null, 'text', [], { documents: 'none' }, { documents: { 0: {} } }])('%j restores nothing', (stored) => {
    expect(fitValues(TEMPLATE, stored)).toEqual(TEMPLATE);
  });

  it('has a separate name for each user and place', () => {
    const names = [
      buildDraftName('u1', ['t1', 'sandbox', 'send']),
      buildDraftName('u2', ['t1', 'sandbox', 'send']),
      buildDraftName('u1', ['t1', 'production', 'send']),
      buildDraftName('u1', ['t2', 'sandbox', 'send']),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});
