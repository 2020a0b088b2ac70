import type { ElementSchema, Members } from './ubl-library.js';

// Requirements of the authority's document pages in addition to UBL. Elements with a core field code (name, city,
// telephone and so on) are optional here.

const any: ElementSchema = {};
const upTo = (maxLength: number): ElementSchema => ({ maxLength });
const group = (members: Members): ElementSchema => ({ members });
const required = (element: ElementSchema = any): ElementSchema => ({ ...element, isRequired: true });
const utcTime: ElementSchema = { value: 'utcTime' };

const allowanceCharge = group({ AllowanceChargeReason: upTo(300) });

const taxTotal = group({
  TaxSubtotal: required(
    group({
      TaxCategory: group({
        ID: required(),
        TaxExemptionReason: upTo(300),
        TaxScheme: group({ ID: required() }),
      }),
    }),
  ),
});

const partyMembers: Members = {
  IndustryClassificationCode: upTo(5),
  PartyIdentification: group({ ID: upTo(35) }),
  PostalAddress: group({
    CityName: upTo(50),
    PostalZone: upTo(50),
    CountrySubentityCode: upTo(50),
    Country: group({ IdentificationCode: upTo(3) }),
  }),
  PartyLegalEntity: group({ RegistrationName: upTo(300) }),
};
const requiredPartyMembers = {
  ...partyMembers,
  PartyIdentification: required(partyMembers.PartyIdentification),
};
const supplierMembers = { ...requiredPartyMembers, IndustryClassificationCode: required(upTo(5)) };

const line = group({
  AllowanceCharge: allowanceCharge,
  TaxTotal: required(taxTotal),
  Item: group({
    CommodityClassification: group({ ItemClassificationCode: required(upTo(12)) }),
    Description: required(upTo(300)),
    OriginCountry: group({ IdentificationCode: upTo(3) }),
  }),
  Price: required(),
  ItemPriceExtension: required(),
});

export const invoiceElement: ElementSchema = {
  aggregate: 'Invoice',
  members: {
    ID: required(upTo(50)),
    IssueTime: required(utcTime),
    InvoiceTypeCode: required(upTo(2)),
    DocumentCurrencyCode: upTo(3),
    TaxCurrencyCode: upTo(3),
    TaxExchangeRate: group({
      SourceCurrencyCode: upTo(3),
      TargetCurrencyCode: upTo(3),
      CalculationRate: required(),
    }),
    InvoicePeriod: group({ Description: upTo(50) }),
    BillingReference: group({
      AdditionalDocumentReference: group({ ID: upTo(150) }),
      // UBL allows one per billing reference, but the authority's FAQ repeats the element for several parents.
      InvoiceDocumentReference: { ...group({ ID: upTo(50), UUID: required(upTo(26)) }), isRepeated: true },
    }),
    AdditionalDocumentReference: group({ ID: upTo(1000) }),
    AccountingSupplierParty: group({ AdditionalAccountID: upTo(300), Party: required(group(supplierMembers)) }),
    AccountingCustomerParty: group({ Party: required(group(requiredPartyMembers)) }),
    Delivery: group({
      DeliveryParty: group(partyMembers),
      Shipment: group({ FreightAllowanceCharge: allowanceCharge }),
    }),
    PaymentMeans: group({ PaymentMeansCode: upTo(2), PayeeFinancialAccount: group({ ID: upTo(150) }) }),
    PaymentTerms: group({ Note: upTo(300) }),
    PrepaidPayment: group({ ID: upTo(150), PaidTime: utcTime }),
    AllowanceCharge: allowanceCharge,
    TaxTotal: required(taxTotal),
    LegalMonetaryTotal: group({ TaxExclusiveAmount: required(), TaxInclusiveAmount: required() }),
    InvoiceLine: line,
  },
};
