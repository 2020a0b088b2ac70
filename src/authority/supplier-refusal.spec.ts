import { describe, expect, it } from 'vitest';
import { findRefusedParty } from './supplier-refusal.js';

describe('findRefusedParty', () => {
  it.each<[string, string | null, string | null, ReturnType<typeof findRefusedParty>]>([
    ['The authenticated TIN and documents TIN is not matching', 'submission', 'submission', 'supplier'],
    ['The supplier is not registered', null, null, 'supplier'],
    ['User blocked', 'BadRequest', null, 'supplier'],
    ['Please log in again', 'BadRequest', 'submission', 'supplier'],
    ['The submitter has no permission', 'submission', 'submission', 'permission'],
    ['Refused', 'IncorrectSubmitter', 'submission', 'permission'],
    ['You are not authorised', null, null, 'permission'],
    ['Not appointed as intermediary', null, null, 'permission'],
    ['Invalid structured submission. For more details contact the System Admin', 'submission', 'submission', null],
    ['ArrayExpected: #/Invoice[0].AccountingSupplierParty', null, '#/Invoice[0]', null],
    ['ArrayExpected: #/Invoice[0].AccountingSupplierParty', null, null, null],
    ['The supplier TIN is missing', 'CF321', 'Invoice.AccountingSupplierParty', null],
    ['The buyer is no registered taxpayer', null, null, null],
    ['JSON is not valid', 'ValidationError', 'submission', null],
    ['Too large', 'MaximumSizeExceeded', 'submission', null],
  ])('attributes "%s" (%s at %s) to %s', (message, code, path, expected) => {
    expect(findRefusedParty([{ code, message, path }])).toBe(expected);
  });
});
