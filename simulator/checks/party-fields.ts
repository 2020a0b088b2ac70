import {
  type UblNode,
  readAttribute,
  findBuyer,
  readIdentifications,
  isConsolidated,
  isPartyTin,
  readLegalIds,
  nodeAt,
  countCharacters,
  notApplicable,
  findRecipient,
  findSupplier,
  textAt,
  textsAt,
  readTin,
} from '../ubl.js';
import type { CheckFinding } from './check-finding.js';

const nameElement = 'PartyLegalEntity.RegistrationName';
const lineElement = 'PostalAddress.AddressLine.Line';
const phoneElement = 'Contact.Telephone';
const mailElement = 'Contact.ElectronicMail';
const idElement = 'PartyIdentification.ID';
const postcodeElement = 'PostalAddress.PostalZone';
const countryElement = 'PostalAddress.Country.IdentificationCode';
const activityElement = 'IndustryClassificationCode';
const addressLineLengthMax = 150;
const mailLengthMax = 320;
const activityLengthMax = 300;
const idLengthsMax: Record<string, number> = { BRN: 20, PASSPORT: 12, ARMY: 12 };
const consolidatedName = 'General Public';
/** Placeholder name in the authority's sample. */
const sampleName = "Consolidated Buyer's";
/** Letters, digits, hyphens and underscores, separated by single dots, on both sides of the `@`. */
const mailPattern = /^[\w-]+(\.[\w-]+)*@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i;

interface CheckedParty {
  party: UblNode;
  isSupplier: boolean;
  /** Whether this is the fixed buyer of a consolidated invoice, who has neither an address nor a telephone number. */
  isConsolidatedBuyer: boolean;
}

interface PartyRule {
  /** The authority's error codes, or null if it has not published one. */
  codes: { supplier: string | null; buyer: string | null };
  message: string;
  element: string;
  isBroken(subject: CheckedParty): boolean;
}

const unpublished = { supplier: null, buyer: null };

/** Applies to all addresses, including that of the shipping recipient. */
const postcodeRule: PartyRule = {
  codes: unpublished,
  message: 'Postal code must be 5 digits in Malaysia',
  element: postcodeElement,
  // The authority's pages allow a blank postcode.
  isBroken: ({ party }) =>
    textAt(party, countryElement) === 'MYS' &&
    !isBlank(party, postcodeElement) &&
    !/^\d{5}$/.test(textAt(party, postcodeElement)),
};

const partyRules: PartyRule[] = [
  {
    codes: { supplier: 'CF334', buyer: 'CF333' },
    message: 'Name is not valid',
    element: nameElement,
    isBroken: hasWrongName,
  },
  postcodeRule,
  {
    codes: { supplier: 'CF336', buyer: 'CF337' },
    message: 'Country is required',
    element: countryElement,
    isBroken: ({ party }) => hasAddress(party) && isBlank(party, countryElement),
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
    isBroken: ({ party }) => textsAt(party, lineElement).some((line) => countCharacters(line) > addressLineLengthMax),
  },
  {
    codes: { supplier: 'CF348', buyer: 'CF349' },
    message: 'Contact number is required',
    element: phoneElement,
    isBroken: ({ party, isConsolidatedBuyer }) =>
      isBlank(party, phoneElement) || (textAt(party, phoneElement) === notApplicable && !isConsolidatedBuyer),
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
    isBroken: ({ party, isConsolidatedBuyer }) => {
      const mail = textAt(party, mailElement);
      return mail === notApplicable ? !isConsolidatedBuyer : !isMailOrNone(mail);
    },
  },
  {
    codes: { supplier: null, buyer: 'CF358' },
    message: 'TIN is not valid',
    element: idElement,
    isBroken: ({ party }) => !isPartyTin(readTin(party)),
  },
  {
    codes: { supplier: null, buyer: null },
    message: 'Exactly one of BRN, NRIC, PASSPORT and ARMY is required',
    element: idElement,
    isBroken: ({ party }) => readLegalIds(party).length !== 1 || readLegalIds(party)[0]?.value === '',
  },
  {
    codes: { supplier: 'CF324', buyer: 'CF324' },
    message: 'Identification number is not a valid NRIC',
    element: idElement,
    isBroken: ({ party }) =>
      readLegalIds(party).some(({ scheme, value }) => scheme === 'NRIC' && value !== 'NA' && !/^\d{12}$/.test(value)),
  },
  {
    codes: unpublished,
    message: 'Identification number is longer than 20 characters for BRN, or than 12 for PASSPORT and ARMY',
    element: idElement,
    isBroken: ({ party }) =>
      readLegalIds(party).some(({ scheme, value }) => countCharacters(value) > (idLengthsMax[scheme] ?? Infinity)),
  },
  {
    codes: unpublished,
    message: 'Enter valid SST registration number',
    element: idElement,
    isBroken: ({ party }) => hasWrongRegistration(party, 'SST', isSstNumber),
  },
  {
    codes: { supplier: 'CF407', buyer: 'CF407' },
    message: 'Enter valid TTX registration number',
    element: idElement,
    isBroken: ({ party }) => hasWrongRegistration(party, 'TTX', isTtxNumber),
  },
  {
    codes: unpublished,
    message: `Business activity description of 1 to ${activityLengthMax} characters is required`,
    element: `${activityElement}.name`,
    isBroken: ({ party, isSupplier }) => isSupplier && hasWrongActivity(party),
  },
];

export function checkParties(invoice: UblNode): CheckFinding[] {
  const supplier = { party: findSupplier(invoice), isSupplier: true, isConsolidatedBuyer: false };
  const buyer = { party: findBuyer(invoice), isSupplier: false, isConsolidatedBuyer: isConsolidated(invoice) };
  return [...checkParty(supplier), ...checkParty(buyer), ...checkRecipient(findRecipient(invoice))];
}

function checkParty(subject: CheckedParty): CheckFinding[] {
  const { isSupplier } = subject;
  const element = isSupplier ? 'AccountingSupplierParty.Party' : 'AccountingCustomerParty.Party';
  return partyRules
    .filter((rule) => rule.isBroken(subject))
    .map((rule) => {
      const code = isSupplier ? rule.codes.supplier : rule.codes.buyer;
      return partyFinding(code, rule, `${element}.${rule.element}`, isSupplier ? 'SUPPLIER' : 'BUYER');
    });
}

/** Checks only the postcode of the shipping recipient, whose whole address is optional. */
function checkRecipient(party: UblNode): CheckFinding[] {
  if (!postcodeRule.isBroken({ party, isSupplier: false, isConsolidatedBuyer: false })) return [];
  return [partyFinding(null, postcodeRule, `Delivery.DeliveryParty.${postcodeElement}`, 'SHIPPING RECIPIENT')];
}

function partyFinding(code: string | null, rule: PartyRule, path: string, role: string): CheckFinding {
  return {
    code,
    message: `${rule.message} - ${role}`,
    target: path.split('.').at(-1) ?? path,
    propertyPath: `Invoice.${path}`,
  };
}

function hasWrongName({ party, isConsolidatedBuyer }: CheckedParty): boolean {
  const name = textAt(party, nameElement).trim();
  if (isConsolidatedBuyer) return name.toLowerCase() !== consolidatedName.toLowerCase();
  return name === '' || name === sampleName;
}

function hasWrongRegistration(party: UblNode, registration: string, isRight: (value: string) => boolean): boolean {
  return readIdentifications(party).some(
    ({ scheme, value }) => scheme === registration && !['', notApplicable].includes(value) && !isRight(value),
  );
}

/** Accepts one or two numbers, separated by a semicolon. */
function isSstNumber(value: string): boolean {
  return value.length <= 35 && /^[A-Za-z0-9-]+(?:;[A-Za-z0-9-]+)?$/.test(value);
}

function isTtxNumber(value: string): boolean {
  return /^[A-Za-z0-9-]{1,17}$/.test(value);
}

function hasWrongActivity(party: UblNode): boolean {
  const activity = readAttribute(nodeAt(party, activityElement) ?? {}, 'name').trim();
  return activity === '' || countCharacters(activity) > activityLengthMax;
}

function isBlank(party: UblNode, element: string): boolean {
  return textAt(party, element).trim() === '';
}

/** Returns false if the first line is `NA`. The rest of the address, except the state, is then optional. */
function hasAddress(party: UblNode): boolean {
  return textAt(party, lineElement) !== 'NA';
}

/** Accepts 8 to 20 characters, including the `+`. */
function isPhone(text: string): boolean {
  return /^(?=.{8,20}$)\+?\d+$/.test(text);
}

function isMailOrNone(text: string): boolean {
  return text === '' || (countCharacters(text) <= mailLengthMax && mailPattern.test(text));
}
