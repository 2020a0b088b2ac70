export type ValueKind = 'text' | 'number' | 'boolean' | 'date' | 'time';

/** One element of the document: a basic value, a group of elements, or the signature, whose inside is not looked at. */
export interface ElementSchema {
  isRequired?: boolean;
  value?: ValueKind;
  maxLength?: number;
  members?: Members;
}
export type Members = Readonly<Record<string, ElementSchema>>;

const text = (maxLength?: number): ElementSchema => ({ value: 'text', maxLength });
const amount: ElementSchema = { value: 'number' };
const date: ElementSchema = { value: 'date' };
const time: ElementSchema = { value: 'time' };
const group = (members: Members): ElementSchema => ({ members });
const required = (element: ElementSchema): ElementSchema => ({ ...element, isRequired: true });

const allowanceCharge = group({
  ChargeIndicator: required({ value: 'boolean' }),
  AllowanceChargeReason: text(300),
  MultiplierFactorNumeric: { value: 'number' },
  Amount: required(amount),
});

const taxCategory = group({
  ID: required(text()),
  TaxExemptionReason: text(300),
  TaxScheme: required(group({ ID: required(text()) })),
});

const taxTotal = group({
  TaxAmount: required(amount),
  TaxSubtotal: required(
    group({
      TaxableAmount: amount,
      TaxAmount: required(amount),
      Percent: { value: 'number' },
      PerUnitAmount: amount,
      BaseUnitMeasure: { value: 'number' },
      TaxCategory: required(taxCategory),
    }),
  ),
});

// What the authority asks for with a core field code (name, city, telephone and so on) is optional here.
const partyMembers: Members = {
  IndustryClassificationCode: text(5),
  PartyIdentification: required(group({ ID: required(text(35)) })),
  PostalAddress: group({
    CityName: text(50),
    PostalZone: text(50),
    CountrySubentityCode: text(50),
    AddressLine: group({ Line: text() }),
    Country: group({ IdentificationCode: text(3) }),
  }),
  PartyLegalEntity: group({ RegistrationName: text(300) }),
  Contact: group({ Telephone: text(), ElectronicMail: text() }),
};
const supplierMembers = { ...partyMembers, IndustryClassificationCode: required(text(5)) };

const line = group({
  ID: required(text()),
  InvoicedQuantity: { value: 'number' },
  LineExtensionAmount: required(amount),
  AllowanceCharge: allowanceCharge,
  TaxTotal: required(taxTotal),
  Item: required(
    group({
      CommodityClassification: group({ ItemClassificationCode: required(text(12)) }),
      Description: required(text(300)),
      OriginCountry: group({ IdentificationCode: text(3) }),
    }),
  ),
  Price: required(group({ PriceAmount: required(amount) })),
  ItemPriceExtension: required(group({ Amount: required(amount) })),
});

const additionalDocumentReference = group({
  ID: text(1000),
  DocumentType: text(),
  DocumentDescription: text(),
});

/** The elements that the authority's document pages describe; the schema knows no others. */
export const invoiceMembers: Members = {
  ID: required(text(50)),
  IssueDate: required(date),
  IssueTime: required(time),
  InvoiceTypeCode: required(text(2)),
  DocumentCurrencyCode: text(3),
  TaxCurrencyCode: text(3),
  TaxExchangeRate: group({
    SourceCurrencyCode: text(3),
    TargetCurrencyCode: text(3),
    CalculationRate: required({ value: 'number' }),
  }),
  InvoicePeriod: group({ StartDate: date, EndDate: date, Description: text(50) }),
  BillingReference: group({
    AdditionalDocumentReference: group({ ID: text(150) }),
    InvoiceDocumentReference: group({ ID: required(text(50)), UUID: required(text(26)) }),
  }),
  AdditionalDocumentReference: additionalDocumentReference,
  AccountingSupplierParty: required(group({ AdditionalAccountID: text(300), Party: required(group(supplierMembers)) })),
  AccountingCustomerParty: required(group({ Party: required(group(partyMembers)) })),
  Delivery: group({
    DeliveryParty: group(partyMembers),
    Shipment: group({ ID: text(), FreightAllowanceCharge: allowanceCharge }),
  }),
  PaymentMeans: group({ PaymentMeansCode: text(2), PayeeFinancialAccount: group({ ID: text(150) }) }),
  PaymentTerms: group({ Note: text(300) }),
  PrepaidPayment: group({ ID: text(150), PaidAmount: amount, PaidDate: date, PaidTime: time }),
  AllowanceCharge: allowanceCharge,
  TaxTotal: required(taxTotal),
  LegalMonetaryTotal: required(
    group({
      LineExtensionAmount: amount,
      TaxExclusiveAmount: required(amount),
      TaxInclusiveAmount: required(amount),
      AllowanceTotalAmount: amount,
      ChargeTotalAmount: amount,
      PrepaidAmount: amount,
      PayableRoundingAmount: amount,
      PayableAmount: required(amount),
    }),
  ),
  InvoiceLine: required(line),
  UBLExtensions: {},
  Signature: {},
};
