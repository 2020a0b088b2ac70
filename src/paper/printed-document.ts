import { parseJsonText } from '../common/parse-json-text.js';
import { COUNTRIES, MALAYSIA, STATE_NOT_APPLICABLE, STATES, TAX_TYPES, UNITS } from '../documents/code-lists.js';
import { DOCUMENT_TYPE_ROWS } from '../documents/document-types.js';
import { NOT_APPLICABLE } from '../documents/identity.js';
import { readAll, readNumber, readOne, readText, type UblValue } from './ubl-reader.js';

export interface PrintedParty {
  readonly name: string;
  readonly address: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
}

export interface PrintedLine {
  readonly number: string;
  readonly classification: string;
  readonly description: string;
  readonly quantity: string;
  readonly unitPrice: string;
  readonly discount: string;
  readonly amount: string;
  readonly taxRate: string;
  readonly tax: string;
}

export interface PrintedTax {
  readonly name: string;
  readonly taxable: string;
  readonly tax: string;
}

/** The printed content, read only from the bytes that the authority validated. */
export interface PrintedDocument {
  readonly typeCode: string;
  readonly typeName: string;
  readonly number: string;
  readonly version: string;
  readonly issuedAt: Date | null;
  readonly supplier: PrintedParty;
  readonly buyer: PrintedParty;
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly lines: readonly PrintedLine[];
  readonly taxes: readonly PrintedTax[];
  readonly totals: readonly (readonly [label: string, value: string])[];
  /** Base64. Null for an unsigned document. */
  readonly signature: string | null;
}

/** @param bytes the document as built by this or an older build; missing values are omitted */
export function readPrintedDocument(bytes: Uint8Array): PrintedDocument {
  const root = parseJsonText(Buffer.from(bytes).toString('utf8')) as UblValue;
  const invoice = readOne(root, 'Invoice');
  const typeCode = readText(invoice, 'InvoiceTypeCode') ?? '';
  return {
    typeCode,
    typeName: TYPE_NAMES.get(typeCode) ?? 'Document',
    number: readText(invoice, 'ID') ?? '',
    version: readText(invoice, 'InvoiceTypeCode', 'listVersionID') ?? '',
    issuedAt: readIssuedAt(invoice),
    supplier: readParty(readOne(invoice, 'AccountingSupplierParty.Party')),
    buyer: readParty(readOne(invoice, 'AccountingCustomerParty.Party')),
    facts: readFacts(invoice),
    lines: readAll(invoice, 'InvoiceLine').map(readLine),
    taxes: readAll(invoice, 'TaxTotal.TaxSubtotal').map(readTax),
    totals: readTotals(invoice),
    signature: readText(invoice, `${SIGNATURE_PATH}.SignatureValue`),
  };
}

/** Formats ringgit with at least two decimals: `1,234.50`. */
export function formatAmount(value: number | null): string {
  return value === null ? '' : AMOUNT.format(value);
}

// Location of the signature in the authority's samples.
export const SIGNATURE_PATH =
  'UBLExtensions.UBLExtension.ExtensionContent.UBLDocumentSignatures.SignatureInformation.Signature';

// Unit prices keep all decimals that the caller sent.
const DECIMALS_MAX = 10;
const AMOUNT = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: DECIMALS_MAX });
const QUANTITY = new Intl.NumberFormat('en-US', { maximumFractionDigits: DECIMALS_MAX });

const TYPE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.values(DOCUMENT_TYPE_ROWS).map(({ code, authorityNames }) => [code, authorityNames[0]]),
);

const collectNames = (rows: readonly { code: string; description: string }[]): ReadonlyMap<string, string> =>
  new Map(rows.map(({ code, description }) => [code, description]));
const STATE_NAMES = collectNames(STATES);
const COUNTRY_NAMES = collectNames(COUNTRIES);
const TAX_NAMES = collectNames(TAX_TYPES);
const UNIT_NAMES = collectNames(UNITS);
const UNIT_ONE = 'C62';

function readIssuedAt(invoice: UblValue | undefined): Date | null {
  const [day, time] = [readText(invoice, 'IssueDate'), readText(invoice, 'IssueTime')];
  return day === null || time === null ? null : new Date(`${day}T${time}`);
}

function readParty(party: UblValue | undefined): PrintedParty {
  const ids = readAll(party, 'PartyIdentification').map((one): [string, string | null] => [
    ID_LABELS[readText(one, 'ID', 'schemeID') ?? ''] ?? 'Registration no.',
    readText(one, 'ID'),
  ]);
  const industry = [
    readText(party, 'IndustryClassificationCode'),
    readText(party, 'IndustryClassificationCode', 'name'),
  ];
  return {
    name: readText(party, 'PartyLegalEntity.RegistrationName') ?? '',
    address: readAddress(readOne(party, 'PostalAddress')),
    facts: keepStated([
      ...ids,
      ['MSIC code', joinStated(industry, ' ')],
      ['Phone', readText(party, 'Contact.Telephone')],
      ['E-mail', readText(party, 'Contact.ElectronicMail')],
    ]),
  };
}

const ID_LABELS: Readonly<Record<string, string>> = {
  TIN: 'TIN',
  BRN: 'Registration no.',
  NRIC: 'MyKad no.',
  PASSPORT: 'Passport no.',
  ARMY: 'Army no.',
  SST: 'SST no.',
  TTX: 'Tourism tax no.',
};

function readAddress(address: UblValue | undefined): string {
  const state = readText(address, 'CountrySubentityCode') ?? '';
  const country = readText(address, 'Country.IdentificationCode') ?? MALAYSIA;
  const city = joinStated([readText(address, 'PostalZone'), readText(address, 'CityName')], ' ');
  return joinStated(
    [
      ...readAll(address, 'AddressLine').map((line) => readText(line, 'Line')),
      city,
      state === STATE_NOT_APPLICABLE ? null : (STATE_NAMES.get(state) ?? state),
      country === MALAYSIA ? null : (COUNTRY_NAMES.get(country) ?? country),
    ],
    ', ',
  );
}

function readFacts(invoice: UblValue | undefined): PrintedDocument['facts'] {
  const parent = readOne(invoice, 'BillingReference.InvoiceDocumentReference');
  const period = ['StartDate', 'EndDate'].map((name) => readText(invoice, `InvoicePeriod.${name}`));
  return keepStated([
    ['Original e-Invoice', readText(parent, 'ID')],
    ['Its UUID', readText(parent, 'UUID')],
    ['Period', joinStated(period, ' to ')],
    ['Payment terms', readText(invoice, 'PaymentTerms.Note')],
  ]);
}

function readLine(line: UblValue): PrintedLine {
  const tax = readOne(line, 'TaxTotal.TaxSubtotal');
  const reason = readText(tax, 'TaxCategory.TaxExemptionReason');
  const unit = readText(line, 'InvoicedQuantity', 'unitCode') ?? UNIT_ONE;
  const quantity = QUANTITY.format(readNumber(line, 'InvoicedQuantity') ?? 0);
  return {
    number: readText(line, 'ID') ?? '',
    classification: readText(line, 'Item.CommodityClassification.ItemClassificationCode') ?? '',
    description: joinStated([readText(line, 'Item.Description'), reason && `Tax exemption: ${reason}`], '\n'),
    quantity: unit === UNIT_ONE ? quantity : `${quantity} ${UNIT_NAMES.get(unit) ?? unit}`,
    unitPrice: formatAmount(readNumber(line, 'Price.PriceAmount')),
    discount: formatAmount(readNumber(line, 'AllowanceCharge.Amount')),
    amount: formatAmount(readNumber(line, 'LineExtensionAmount')),
    taxRate: readRate(tax),
    tax: formatAmount(readNumber(line, 'TaxTotal.TaxAmount')),
  };
}

function readRate(tax: UblValue | undefined): string {
  const perUnit = readNumber(tax, 'PerUnitAmount');
  if (perUnit !== null) return `${formatAmount(perUnit)} × ${QUANTITY.format(readNumber(tax, 'BaseUnitMeasure') ?? 0)}`;
  const percent = readNumber(tax, 'Percent');
  return percent === null ? '' : `${QUANTITY.format(percent)}%`;
}

function readTax(subtotal: UblValue): PrintedTax {
  const type = readText(subtotal, 'TaxCategory.ID') ?? '';
  return {
    name: `${type} ${TAX_NAMES.get(type) ?? ''}`.trim(),
    taxable: formatAmount(readNumber(subtotal, 'TaxableAmount')),
    tax: formatAmount(readNumber(subtotal, 'TaxAmount')),
  };
}

const TOTALS = [
  ['Subtotal', 'LineExtensionAmount'],
  ['Discount', 'AllowanceTotalAmount'],
  ['Total excluding tax', 'TaxExclusiveAmount'],
  ['Tax', null],
  ['Total including tax', 'TaxInclusiveAmount'],
  ['Rounding', 'PayableRoundingAmount'],
  ['Total payable (MYR)', 'PayableAmount'],
] as const;

function readTotals(invoice: UblValue | undefined): PrintedDocument['totals'] {
  return keepStated(
    TOTALS.map(([label, name]) => {
      const value = readNumber(invoice, name === null ? 'TaxTotal.TaxAmount' : `LegalMonetaryTotal.${name}`);
      return [label, formatAmount(value)];
    }),
  );
}

function keepStated(
  pairs: readonly (readonly [label: string, value: string | null])[],
): readonly (readonly [string, string])[] {
  return pairs.filter((pair): pair is [string, string] => isStated(pair[1]));
}

function joinStated(texts: readonly (string | null)[], separator: string): string {
  return texts.filter(isStated).join(separator);
}

// `NA` marks missing values in the authority's documents.
function isStated(text: string | null): text is string {
  return text !== null && text !== '' && text !== NOT_APPLICABLE;
}
