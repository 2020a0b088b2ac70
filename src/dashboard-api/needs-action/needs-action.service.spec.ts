import { expect, it } from 'vitest';
import { describeCause } from './needs-action.service.js';

it.each([
  ['buyer_tin_invalid:/recipient/tin', { code: 'buyer_tin_invalid', field: 'Buyer’s TIN' }],
  ['tax_wrong:/lineItems/*/taxAmount', { code: 'tax_wrong', field: 'Lines, tax amount' }],
  ['duplicate_document:', { code: 'duplicate_document', field: 'The whole document' }],
  ['code_not_in_list:profile/State', { code: 'code_not_in_list', field: 'Organisation’s profile, State' }],
  ['supplier_tin_unknown', { code: 'supplier_tin_unknown', field: null }],
])('cause %s includes the name of its field', (cause, words) => {
  expect(describeCause(cause)).toEqual(words);
});
