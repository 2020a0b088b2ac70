import { TextField } from '../../http/validation/fields.js';
import { BEFORE_E_INVOICING, PARENT_UUID_PATTERN } from '../parent-uuid.js';

const TAKE_UUID =
  "take it from the authority's portal if the invoice was issued elsewhere; for an invoice of this service, leave it out";

export class RelatedInvoiceDto {
  @TextField({
    label: 'number',
    description: 'Business number of the parent invoice.',
    example: 'INV-2025-0877',
    missingHint: 'send the number of the invoice that the credit note corrects',
    maxLength: 50,
    hint: (value) => (typeof value === 'string' ? 'send the number as it is on the invoice' : undefined),
  })
  referenceId: string;

  @TextField({
    label: 'UUID at the authority',
    description:
      "The authority's UUID of the parent, in upper or lower case. Required if the parent was issued elsewhere. `NA` for " +
      'a parent issued before e-invoicing, which has no UUID.',
    example: 'F9D425P6DS7D8IU0123456789A',
    maxLength: 36,
    format: {
      pattern: PARENT_UUID_PATTERN,
      message: `must be 26 letters and digits, or a UUID; or ${BEFORE_E_INVOICING} for an invoice from before e-invoicing`,
      hint: TAKE_UUID,
    },
    required: false,
  })
  authorityUuid?: string;
}
