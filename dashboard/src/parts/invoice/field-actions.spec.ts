import { describe, expect, it } from 'vitest';
import { listFieldActions } from './field-actions';

describe('buttons next to a field', () => {
  it.each([
    [
      'send a document for one buyer in a separate request with submission_type non-consolidated; or leave it out',
      'recipient.sstNumber',
      ['Leave it out'],
    ],
    ['send the tax on one unit, or leave taxUnitCount out', 'lineItems.0.taxPerUnit', []],
    [
      'send the buyer; sales to the general public are sent in a separate request with submission_type consolidated',
      'recipient.tin',
      ['Send it for the general public'],
    ],
    ['one of: johor, kedah', 'recipient.state', ['Show the choices']],
    ['such as MYS or SGP', 'recipient.country', ['Show the choices']],
    ['use +60312345678, one number without an extension; or leave it out', 'recipient.phone', ['Leave it out']],
    [null, 'recipient.name', []],
  ])('for the hint %j of %s have the labels %j', (hint, field, labels) => {
    expect(listFieldActions({ hint }, `documents.0.${field}`).map(({ label }) => label)).toEqual(labels);
  });

  it.each([
    ['issue_time_out_of_range', 'documentDate', 'Use today’s date'],
    ['line_classification_missing', 'lineItems.0.classification', 'Use 022 (others)'],
    ['contact_email_invalid', 'recipient.email', 'Leave it out'],
    ['general_tin_for_named_buyer', 'recipient.tin', 'Send it for the general public'],
    ['buyer_tin_unknown', 'recipient.tin', 'Check TIN and id with the authority'],
  ])('for the error %s of %s start with %j', (rule, field, label) => {
    expect(listFieldActions({ rule, hint: null }, `documents.0.${field}`)[0]?.label).toBe(label);
  });
});
