import {
  type UblNode,
  buyerOf,
  identificationsOf,
  isConsolidated,
  legalIdsOf,
  supplierOf,
  textAt,
  textsAt,
  tinOf,
  tinPattern,
} from '../ubl.js';
import type { CheckFinding } from './check-finding.js';

const nameElement = 'PartyLegalEntity.RegistrationName';
const lineElement = 'PostalAddress.AddressLine.Line';
const phoneElement = 'Contact.Telephone';
const mailElement = 'Contact.ElectronicMail';
const idElement = 'PartyIdentification.ID';
const addressLineLengthMax = 150;
const mailLengthMax = 320;
/** Letters, digits, hyphens and underscores, with single dots between them, on both sides. */
const mailPattern = /^[\w-]+(\.[\w-]+)*@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i;

interface PartyInQuestion {
  party: UblNode;
  isSupplier: boolean;
  /** The fixed buyer of a consolidated invoice, who has no address and no telephone. */
  isConsolidatedBuyer: boolean;
}

interface PartyRule {
  codes: { supplier: string | null; buyer: string | null };
  message: string;
  element: string;
  isBroken(subject: PartyInQuestion): boolean;
}

const partyRules: PartyRule[] = [
  {
    codes: { supplier: 'CF334', buyer: 'CF333' },
    message: 'Name is not valid',
    element: nameElement,
    isBroken: ({ party }) => isBlank(party, nameElement),
  },
  {
    codes: { supplier: 'CF336', buyer: 'CF337' },
    message: 'Country is required',
    element: 'PostalAddress.Country.IdentificationCode',
    isBroken: ({ party }) => hasAddress(party) && isBlank(party, 'PostalAddress.Country.IdentificationCode'),
  },
  {
    codes: { supplier: 'CF339', buyer: 'CF340' },
    message: 'City is required',
    element: 'PostalAddress.CityName',
    isBroken: ({ party }) => hasAddress(party) && isBlank(party, 'PostalAddress.CityName'),
  },
  {
    codes: { supplier: 'CF342', buyer: 'CF343' },
    message: 'State is required',
    element: 'PostalAddress.CountrySubentityCode',
    isBroken: ({ party }) => isBlank(party, 'PostalAddress.CountrySubentityCode'),
  },
  {
    codes: { supplier: 'CF345', buyer: 'CF346' },
    message: 'Address line 1 is required',
    element: lineElement,
    isBroken: ({ party }) => isBlank(party, lineElement),
  },
  {
    codes: { supplier: 'CF345', buyer: 'CF346' },
    message: `Address Line maximum length is ${addressLineLengthMax} characters.`,
    element: lineElement,
    isBroken: ({ party }) => textsAt(party, lineElement).some((line) => line.length > addressLineLengthMax),
  },
  {
    codes: { supplier: 'CF348', buyer: 'CF349' },
    message: 'Contact number is required',
    element: phoneElement,
    isBroken: ({ party, isConsolidatedBuyer }) =>
      isBlank(party, phoneElement) || (textAt(party, phoneElement) === 'NA' && !isConsolidatedBuyer),
  },
  {
    codes: { supplier: 'CF401', buyer: 'CF401' },
    message: 'Contact number is not valid',
    element: phoneElement,
    isBroken: ({ party }) => !['', 'NA'].includes(textAt(party, phoneElement)) && !isPhone(textAt(party, phoneElement)),
  },
  {
    codes: { supplier: 'CF403', buyer: 'CF403' },
    message: 'E-mail format is not valid',
    element: mailElement,
    isBroken: ({ party }) => !isMailOrNone(textAt(party, mailElement)),
  },
  {
    codes: { supplier: null, buyer: 'CF358' },
    message: 'TIN is not valid',
    element: idElement,
    isBroken: ({ party }) => !tinPattern.test(tinOf(party)),
  },
  {
    codes: { supplier: null, buyer: null },
    message: 'Exactly one of BRN, NRIC, PASSPORT and ARMY is required',
    element: idElement,
    isBroken: ({ party }) => legalIdsOf(party).length !== 1 || legalIdsOf(party)[0]?.value === '',
  },
  {
    codes: { supplier: 'CF324', buyer: 'CF324' },
    message: 'Identification number is not a valid NRIC',
    element: idElement,
    isBroken: ({ party }) =>
      legalIdsOf(party).some(({ scheme, value }) => scheme === 'NRIC' && value !== 'NA' && !/^\d{12}$/.test(value)),
  },
  {
    codes: { supplier: 'CF407', buyer: 'CF407' },
    message: 'Enter valid TTX registration number',
    element: idElement,
    isBroken: ({ party }) =>
      identificationsOf(party).some(({ scheme, value }) => scheme === 'TTX' && value.length > 17),
  },
];

export function checkParties(invoice: UblNode): CheckFinding[] {
  const supplier = { party: supplierOf(invoice), isSupplier: true, isConsolidatedBuyer: false };
  const buyer = { party: buyerOf(invoice), isSupplier: false, isConsolidatedBuyer: isConsolidated(invoice) };
  return [...checkParty(supplier), ...checkParty(buyer)];
}

function checkParty(subject: PartyInQuestion): CheckFinding[] {
  const { isSupplier } = subject;
  const element = isSupplier ? 'AccountingSupplierParty' : 'AccountingCustomerParty';
  return partyRules
    .filter((rule) => rule.isBroken(subject))
    .map((rule) => ({
      code: isSupplier ? rule.codes.supplier : rule.codes.buyer,
      message: `${rule.message} - ${isSupplier ? 'SUPPLIER' : 'BUYER'}`,
      target: rule.element.split('.').at(-1) ?? rule.element,
      propertyPath: `Invoice.${element}.Party.${rule.element}`,
    }));
}

function isBlank(party: UblNode, element: string): boolean {
  return textAt(party, element).trim() === '';
}

/** With `NA` in the first line the rest of the address may be blank, except the state. */
function hasAddress(party: UblNode): boolean {
  return textAt(party, lineElement) !== 'NA';
}

function isPhone(text: string): boolean {
  return text.length <= 20 && /^\+?\d{8,20}$/.test(text);
}

function isMailOrNone(text: string): boolean {
  return ['', 'NA'].includes(text) || (text.length <= mailLengthMax && mailPattern.test(text));
}
