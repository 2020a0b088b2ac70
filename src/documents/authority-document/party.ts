import { MALAYSIA, STATE_NOT_APPLICABLE } from '../code-lists.js';
import { GENERAL_PUBLIC_TIN } from '../identity.js';
import type { Recipient, Supplier } from '../simplified-document.js';
import { type UblNode, type UblObject, element } from './ubl.js';

const NOT_APPLICABLE = 'NA';

type Address = Pick<Recipient, 'addressLines' | 'city' | 'postcode' | 'stateCode' | 'country'>;

/** Of issuer and buyer alike. */
interface Taxpayer {
  readonly tin: string;
  readonly idType: string;
  readonly idValue: string;
  readonly sstNumber: string | null;
  readonly ttxNumber: string | null;
}

export function supplierParty(supplier: Supplier): UblNode[] {
  return party({
    IndustryClassificationCode: element(supplier.msic, { name: supplier.activity }),
    PartyIdentification: identifications(supplier),
    PostalAddress: postalAddress(supplier),
    PartyLegalEntity: legalEntity(supplier.name),
    Contact: contact(supplier.phone, supplier.email),
  });
}

/** The authority requires a buyer's phone; the supplier's stands in for one the caller does not know (D4). */
export function buyerParty(recipient: Recipient, supplier: Supplier): UblNode[] {
  return party({
    PartyIdentification: identifications({ ...recipient, ttxNumber: null }),
    PostalAddress: postalAddress(recipient),
    PartyLegalEntity: legalEntity(recipient.name),
    Contact: contact(recipient.phone ?? supplier.phone, recipient.email),
  });
}

/** The buyer of every consolidated document, fixed by the authority (D7); its address has no postcode. */
export function consolidatedBuyerParty(): UblNode[] {
  return party({
    PartyIdentification: identifications({
      tin: GENERAL_PUBLIC_TIN,
      idType: 'BRN',
      idValue: NOT_APPLICABLE,
      sstNumber: null,
      ttxNumber: null,
    }),
    PostalAddress: [
      {
        CityName: element(NOT_APPLICABLE),
        CountrySubentityCode: element(STATE_NOT_APPLICABLE),
        AddressLine: [{ Line: element(NOT_APPLICABLE) }],
        Country: country(MALAYSIA),
      },
    ],
    PartyLegalEntity: legalEntity('General Public'),
    Contact: contact(NOT_APPLICABLE, NOT_APPLICABLE),
  });
}

function party(members: UblObject): UblNode[] {
  return [{ Party: [members] }];
}

// The authority wants all four, in this order in its samples; a registration that does not exist is NA.
function identifications(taxpayer: Taxpayer): UblNode[] {
  return [
    identification('TIN', taxpayer.tin),
    identification(taxpayer.idType, taxpayer.idValue),
    identification('SST', taxpayer.sstNumber ?? NOT_APPLICABLE),
    identification('TTX', taxpayer.ttxNumber ?? NOT_APPLICABLE),
  ];
}

function identification(schemeID: string, value: string): UblNode {
  return { ID: element(value, { schemeID }) };
}

function postalAddress(address: Address): UblNode[] {
  return [
    {
      CityName: element(address.city),
      PostalZone: element(address.postcode),
      CountrySubentityCode: element(address.stateCode),
      AddressLine: address.addressLines.map((line) => ({ Line: element(line) })),
      Country: country(address.country),
    },
  ];
}

function country(code: string): UblNode[] {
  return [{ IdentificationCode: element(code, { listID: 'ISO3166-1', listAgencyID: '6' }) }];
}

function legalEntity(name: string): UblNode[] {
  return [{ RegistrationName: element(name) }];
}

function contact(phone: string, email: string | null): UblNode[] {
  return [{ Telephone: element(phone), ElectronicMail: email === null ? undefined : element(email) }];
}
