import { MALAYSIA, STATE_NOT_APPLICABLE } from '../code-lists.js';
import { GENERAL_PUBLIC_TIN, type IdType, NOT_APPLICABLE } from '../identity.js';
import type { Recipient, Supplier } from '../simplified-document.js';
import { FixedAttributes, type Source, type UblNode, type UblObject, constant, element, fixed } from './ubl.js';

type Address = Pick<Recipient, 'addressLines' | 'city' | 'postcode' | 'stateCode' | 'country'>;

interface Taxpayer {
  readonly tin: string;
  readonly idType: IdType;
  readonly idValue: string;
  readonly sstNumber: string | null;
  readonly ttxNumber: string | null;
}

type FieldSource = (field: string) => Source;

const fromNowhere: FieldSource = () => null;
// Only the profile has a tourism tax number.
const fromRecipient: FieldSource = (field) => (field === 'ttxNumber' ? null : `/recipient/${field}`);
const fromProfile: FieldSource = (field) => `/${PROFILE_NAMES.get(field) ?? field}`;

/** Fields with different names in the profile and in the buyer. */
const PROFILE_NAMES: ReadonlyMap<string, string> = new Map([
  ['state', 'stateCode'],
  ...(['brn', 'nric', 'passport', 'army'] as const).map((id) => [id, 'idValue'] as const),
]);

const supplierParties = new WeakMap<Supplier, UblNode>();

export function supplierParty(supplier: Supplier): UblNode {
  const kept = supplierParties.get(supplier) ?? fixed(buildSupplierParty(supplier, fromNowhere));
  supplierParties.set(supplier, kept);
  return kept;
}

export function supplierPartyOfProfile(supplier: Supplier): UblNode {
  return buildSupplierParty(supplier, fromProfile);
}

function buildSupplierParty(supplier: Supplier, from: FieldSource): readonly UblObject[] {
  return buildPartyElement({
    IndustryClassificationCode: element(supplier.msic, from('msic'), {
      name: { value: supplier.activity, from: from('activity') },
    }),
    PartyIdentification: buildIdentifications(supplier, from),
    PostalAddress: postalAddress(supplier, from),
    PartyLegalEntity: legalEntity(supplier.name, from),
    Contact: buildContact(supplier, from),
  });
}

/** The supplier's phone replaces a missing phone, which the authority requires (docs/rules.md#authority-document). */
export function buyerParty(recipient: Recipient, supplier: Supplier): UblNode {
  return buildPartyElement({
    PartyIdentification: buildIdentifications({ ...recipient, ttxNumber: null }, fromRecipient),
    PostalAddress: postalAddress(recipient, fromRecipient),
    PartyLegalEntity: legalEntity(recipient.name, fromRecipient),
    Contact: buildContact({ phone: recipient.phone ?? supplier.phone, email: recipient.email }, fromRecipient),
  });
}

function buildConsolidatedBuyerParty(): readonly UblObject[] {
  return buildPartyElement({
    PartyIdentification: buildIdentifications(CONSOLIDATED_BUYER, fromNowhere),
    PostalAddress: [
      {
        CityName: constant(NOT_APPLICABLE),
        CountrySubentityCode: constant(STATE_NOT_APPLICABLE),
        AddressLine: [{ Line: constant(NOT_APPLICABLE) }],
        Country: country(MALAYSIA, null),
      },
    ],
    PartyLegalEntity: legalEntity('General Public', fromNowhere),
    // The authority's FAQ requires a valid e-mail address or none.
    Contact: buildContact({ phone: NOT_APPLICABLE, email: null }, fromNowhere),
  });
}

const CONSOLIDATED_BUYER: Taxpayer = {
  tin: GENERAL_PUBLIC_TIN,
  idType: 'BRN',
  idValue: NOT_APPLICABLE,
  sstNumber: null,
  ttxNumber: null,
};

function buildPartyElement(members: UblObject): readonly UblObject[] {
  return [{ Party: [members] }];
}

// The authority requires all four, in this order. `NA` replaces a missing number.
function buildIdentifications(taxpayer: Taxpayer, from: FieldSource): UblNode {
  const { tin, idType, idValue, sstNumber, ttxNumber } = taxpayer;
  return [
    { ID: element(tin, from('tin'), SCHEMES.TIN) },
    { ID: element(idValue, from(ID_FIELDS[idType]), SCHEMES[idType]) },
    { ID: element(sstNumber ?? NOT_APPLICABLE, from('sstNumber'), SCHEMES.SST) },
    { ID: element(ttxNumber ?? NOT_APPLICABLE, from('ttxNumber'), SCHEMES.TTX) },
  ];
}

const SCHEMES: Readonly<Record<IdType | 'TIN' | 'SST' | 'TTX', FixedAttributes>> = {
  TIN: new FixedAttributes({ schemeID: 'TIN' }),
  BRN: new FixedAttributes({ schemeID: 'BRN' }),
  NRIC: new FixedAttributes({ schemeID: 'NRIC' }),
  PASSPORT: new FixedAttributes({ schemeID: 'PASSPORT' }),
  ARMY: new FixedAttributes({ schemeID: 'ARMY' }),
  SST: new FixedAttributes({ schemeID: 'SST' }),
  TTX: new FixedAttributes({ schemeID: 'TTX' }),
};

const ID_FIELDS: Readonly<Record<IdType, string>> = {
  BRN: 'brn',
  NRIC: 'nric',
  PASSPORT: 'passport',
  ARMY: 'army',
};

function postalAddress(address: Address, from: FieldSource): UblNode {
  return [
    {
      CityName: element(address.city, from('city')),
      PostalZone: element(address.postcode, from('postcode')),
      CountrySubentityCode: element(address.stateCode, from('state')),
      AddressLine: address.addressLines.map((line, index) => ({
        Line: element(line, from(ADDRESS_LINE_FIELDS[index])),
      })),
      Country: country(address.country, from('country')),
    },
  ];
}

const ADDRESS_LINE_FIELDS = ['addressLine1', 'addressLine2', 'addressLine3'];

function country(code: string, from: Source): UblNode {
  return [{ IdentificationCode: element(code, from, COUNTRY_LIST) }];
}

const COUNTRY_LIST = new FixedAttributes({ listID: 'ISO3166-1', listAgencyID: '6' });

function legalEntity(name: string, from: FieldSource): UblNode {
  return [{ RegistrationName: element(name, from('name')) }];
}

function buildContact({ phone, email }: { phone: string; email: string | null }, from: FieldSource): UblNode {
  return [{ Telephone: element(phone, from('phone')), ElectronicMail: element(email, from('email')) }];
}

/** The buyer of consolidated documents (docs/rules.md#authority-document). */
export const CONSOLIDATED_BUYER_PARTY: UblNode = fixed(buildConsolidatedBuyerParty());
