import type { JsonObject } from '../../http/validation/shape.js';
import { AmountField, ChoiceField, ListField, ObjectField, TextField } from '../../http/validation/fields.js';
import { ComputedTotalField } from '../../http/validation/computed-total-field.js';
import { dateHint } from '../../http/validation/date-hint.js';
import { DOCUMENT_TYPE_ROWS, DOCUMENT_TYPES, documentTypeHint, parseDocumentType } from '../document-types.js';
import type { DocumentType } from '../simplified-document.js';
import { DOCUMENT_BYTES_MAX, DOCUMENT_LINES_MAX, USUAL_DESCRIPTION_CHARACTERS, USUAL_LINES_MAX } from '../wire-size.js';
import { LineItemDto } from './line-item.dto.js';
import { RecipientDto } from './recipient.dto.js';
import { RelatedInvoiceDto } from './related-invoice.dto.js';
import { EXAMPLE } from './document-examples.js';

function grouped(count: number): string {
  return count.toLocaleString('en');
}

function refersToParent({ documentType }: JsonObject): boolean | null {
  const type = parseDocumentType(documentType);
  return type === null ? null : hasParent(type);
}

function hasParent(type: DocumentType): boolean {
  return DOCUMENT_TYPE_ROWS[type].parentType !== null;
}

function typesWhere(isWithParent: boolean): DocumentType[] {
  return DOCUMENT_TYPES.filter((type) => hasParent(type) === isWithParent);
}

function quoted(type: DocumentType): string {
  return `\`${type}\``;
}

export const REFERENCE_ID_LENGTH_MAX = 50;

const DATE_FORMAT = { pattern: /^\d{4}-\d{2}-\d{2}$/, message: 'must be a date written YYYY-MM-DD' };

export class DocumentDto {
  @ChoiceField({
    label: 'document type',
    description: 'Type of the document.',
    example: 'invoice',
    choices: DOCUMENT_TYPES,
    hint: documentTypeHint,
  })
  documentType: DocumentType;

  @TextField({
    label: 'document number',
    description: "The caller's business document number, unique with documentType.",
    example: 'INV-2026-0001',
    maxLength: REFERENCE_ID_LENGTH_MAX,
  })
  referenceId: string;

  @TextField({
    label: 'document date',
    description: 'Date of the document in Malaysia, not in the future.',
    example: '2026-01-31',
    maxLength: 10,
    format: DATE_FORMAT,
    hint: dateHint,
    alias: 'documentDate',
  })
  document_date?: string;

  @TextField({
    description: 'Date of the document.',
    example: '2026-01-31',
    maxLength: 10,
    format: DATE_FORMAT,
    hint: dateHint,
    aliasOf: 'document_date',
  })
  documentDate?: string;

  @ObjectField(() => RecipientDto, {
    label: 'buyer',
    description: 'The buyer. Required for `non-consolidated`, ignored for `consolidated`.',
    example: EXAMPLE.recipient,
    ruleScope: 'recipient',
    required: false,
    listHint: 'send one buyer in braces, {…}; each further buyer needs a separate document',
  })
  recipient?: RecipientDto;

  @ListField(() => LineItemDto, {
    label: 'lines',
    description:
      `Lines with the goods and services sold. The authority accepts ${grouped(DOCUMENT_BYTES_MAX)} bytes per document. ` +
      `${USUAL_LINES_MAX} lines with a tax, a discount and a description of ${USUAL_DESCRIPTION_CHARACTERS} characters fit.`,
    example: [EXAMPLE.lineItem],
    ruleScope: 'line',
    minItems: 1,
    // More lines are refused before they are read, which limits the work for a body of 10 MB.
    maxItems: DOCUMENT_LINES_MAX,
    maxItemsReason: () =>
      `the authority accepts ${grouped(DOCUMENT_BYTES_MAX)} bytes, into which no more lines fit even in their shortest form`,
    maxItemsHint:
      `split it into documents of at most ${USUAL_LINES_MAX} lines, each with its own referenceId, and divide ` +
      'totalDiscountAmount and totalRoundingAmount among them',
  })
  lineItems: LineItemDto[];

  @AmountField({
    label: 'discount on the document',
    description: 'Discount on the whole document in MYR, in addition to line discounts. Default: 0.',
    example: 10,
    decimals: 2,
    minimum: 0,
    minimumHint: () => 'a discount is sent as a positive amount; a surcharge is a line with its own price',
    required: false,
  })
  totalDiscountAmount?: number;

  @AmountField({
    label: 'rounding',
    description: 'Rounding of the payable amount in MYR. May be negative. Default: 0.',
    example: -0.02,
    decimals: 2,
    required: false,
  })
  totalRoundingAmount?: number;

  @ComputedTotalField({
    label: 'total without tax',
    description: 'Sum of the lines minus totalDiscountAmount in MYR.',
    example: 190,
    alias: 'total_excluding_tax',
  })
  totalExcludingTax?: number;

  @ComputedTotalField({
    description: 'Sum of the lines minus totalDiscountAmount in MYR.',
    example: 190,
    aliasOf: 'totalExcludingTax',
  })
  total_excluding_tax?: number;

  @ComputedTotalField({
    label: 'total tax',
    description: 'Sum of the line taxes in MYR.',
    example: 15.2,
    alias: 'total_tax_amount',
  })
  totalTaxAmount?: number;

  @ComputedTotalField({ description: 'Sum of the line taxes in MYR.', example: 15.2, aliasOf: 'totalTaxAmount' })
  total_tax_amount?: number;

  @ComputedTotalField({
    label: 'total with tax',
    description: 'totalExcludingTax + totalTaxAmount.',
    example: 205.2,
    alias: 'total_including_tax',
  })
  totalIncludingTax?: number;

  @ComputedTotalField({
    description: 'totalExcludingTax + totalTaxAmount.',
    example: 205.2,
    aliasOf: 'totalIncludingTax',
  })
  total_including_tax?: number;

  @ComputedTotalField({
    label: 'payable amount',
    description: 'totalIncludingTax + totalRoundingAmount.',
    example: 205.2,
    alias: 'total_payable_amount',
  })
  totalPayableAmount?: number;

  @ComputedTotalField({
    description: 'totalIncludingTax + totalRoundingAmount.',
    example: 205.2,
    aliasOf: 'totalPayableAmount',
  })
  total_payable_amount?: number;

  @TextField({
    label: 'payment terms',
    description: 'When and how the buyer must pay, as free text.',
    example: '30 days from the date of the invoice',
    maxLength: 300,
    layout: 'paragraph',
    required: false,
  })
  paymentTerms?: string;

  @ObjectField(() => RelatedInvoiceDto, {
    label: 'parent invoice',
    description:
      `The invoice that a credit note corrects. Required for ${typesWhere(true).map(quoted).join(', ')}, ` +
      `rejected for ${typesWhere(false).map(quoted).join(', ')}.`,
    example: EXAMPLE.relatedInvoice,
    ruleScope: 'related_invoice',
    required: (document) => refersToParent(document) === true,
    refused: {
      when: (document) => refersToParent(document) === false,
      message: 'must not be sent with an invoice',
      hint: `send documentType ${typesWhere(true).join(' or ')} if the document corrects an invoice, or leave it out`,
    },
    missingHint: 'send the invoice that the credit note corrects: {"referenceId": "…"}',
    listHint: 'send one invoice in braces, {…}; each further invoice needs a separate credit note',
  })
  relatedInvoice?: RelatedInvoiceDto;
}

export const COMPUTED_TOTALS = [
  ['totalExcludingTax', 'total_excluding_tax'],
  ['totalTaxAmount', 'total_tax_amount'],
  ['totalIncludingTax', 'total_including_tax'],
  ['totalPayableAmount', 'total_payable_amount'],
] as const;
