// The vocabulary of UBL 2.1 (OASIS Standard, 4 November 2013) according to its JSON schema. The authority validates
// documents against that schema, so elements that its own pages do not mention are also valid. This file contains the
// aggregates that those pages use. The content of other aggregates is not validated.

export type ValueKind = 'text' | 'number' | 'amount' | 'measure' | 'boolean' | 'date' | 'time' | 'utcTime';

/** An element with a basic value, with a group of elements, or with content that is not validated. */
export interface ElementSchema {
  isRequired?: boolean;
  isRepeated?: boolean;
  value?: ValueKind;
  maxLength?: number;
  /** UBL aggregate that defines the members of the group. */
  aggregate?: string;
  /** Rules of the authority for members of the group, in addition to UBL. */
  members?: Members;
}
export type Members = Readonly<Record<string, ElementSchema>>;

/**
 * Names of the basic elements and of the groups in each aggregate. `!` marks required elements and `*` repeatable ones.
 * The aggregate follows after a colon if its name differs from the element's name.
 */
const aggregates: Readonly<Record<string, readonly [basic: string, groups: string]>> = {
  Invoice: [
    'UBLVersionID CustomizationID ProfileID ProfileExecutionID ID! CopyIndicator UUID IssueDate! IssueTime DueDate ' +
      'InvoiceTypeCode Note* TaxPointDate DocumentCurrencyCode TaxCurrencyCode PricingCurrencyCode PaymentCurrencyCode ' +
      'PaymentAlternativeCurrencyCode AccountingCostCode AccountingCost LineCountNumeric BuyerReference',
    'UBLExtensions InvoicePeriod*:Period OrderReference BillingReference* DespatchDocumentReference*:DocumentReference ' +
      'ReceiptDocumentReference*:DocumentReference StatementDocumentReference*:DocumentReference ' +
      'OriginatorDocumentReference*:DocumentReference ContractDocumentReference*:DocumentReference ' +
      'AdditionalDocumentReference*:DocumentReference ProjectReference* Signature* ' +
      'AccountingSupplierParty!:SupplierParty AccountingCustomerParty!:CustomerParty PayeeParty:Party ' +
      'BuyerCustomerParty:CustomerParty SellerSupplierParty:SupplierParty TaxRepresentativeParty:Party Delivery* ' +
      'DeliveryTerms PaymentMeans* PaymentTerms* PrepaidPayment*:Payment AllowanceCharge* TaxExchangeRate:ExchangeRate ' +
      'PricingExchangeRate:ExchangeRate PaymentExchangeRate:ExchangeRate PaymentAlternativeExchangeRate:ExchangeRate ' +
      'TaxTotal* WithholdingTaxTotal*:TaxTotal LegalMonetaryTotal!:MonetaryTotal InvoiceLine!*',
  ],
  InvoiceLine: [
    'ID! UUID Note* InvoicedQuantity LineExtensionAmount! TaxPointDate AccountingCostCode AccountingCost ' +
      'PaymentPurposeCode FreeOfChargeIndicator',
    'InvoicePeriod*:Period OrderLineReference* DespatchLineReference* ReceiptLineReference* BillingReference* ' +
      'DocumentReference* PricingReference OriginatorParty:Party Delivery* PaymentTerms* AllowanceCharge* TaxTotal* ' +
      'WithholdingTaxTotal*:TaxTotal Item! Price DeliveryTerms SubInvoiceLine*:InvoiceLine ItemPriceExtension:PriceExtension',
  ],
  SupplierParty: [
    'CustomerAssignedAccountID AdditionalAccountID* DataSendingCapability',
    'Party DespatchContact:Contact AccountingContact:Contact SellerContact:Contact',
  ],
  CustomerParty: [
    'CustomerAssignedAccountID SupplierAssignedAccountID AdditionalAccountID*',
    'Party DeliveryContact:Contact AccountingContact:Contact BuyerContact:Contact',
  ],
  Party: [
    'MarkCareIndicator MarkAttentionIndicator WebsiteURI LogoReferenceID EndpointID IndustryClassificationCode',
    'PartyIdentification* PartyName* Language PostalAddress:Address PhysicalLocation PartyTaxScheme* PartyLegalEntity* ' +
      'Contact Person* AgentParty:Party ServiceProviderParty* PowerOfAttorney* FinancialAccount',
  ],
  PartyIdentification: ['ID!', ''],
  PartyName: ['Name!', ''],
  PartyTaxScheme: [
    'RegistrationName CompanyID TaxLevelCode ExemptionReasonCode ExemptionReason*',
    'RegistrationAddress:Address TaxScheme!',
  ],
  PartyLegalEntity: [
    'RegistrationName CompanyID RegistrationDate RegistrationExpirationDate CompanyLegalFormCode CompanyLegalForm ' +
      'SoleProprietorshipIndicator CompanyLiquidationStatusCode CorporateStockAmount FullyPaidSharesIndicator',
    'RegistrationAddress:Address CorporateRegistrationScheme HeadOfficeParty:Party ShareholderParty*',
  ],
  Address: [
    'ID AddressTypeCode AddressFormatCode Postbox Floor Room StreetName AdditionalStreetName BlockName BuildingName ' +
      'BuildingNumber InhouseMail Department MarkAttention MarkCare PlotIdentification CitySubdivisionName CityName ' +
      'PostalZone CountrySubentity CountrySubentityCode Region District TimezoneOffset',
    'AddressLine* Country LocationCoordinate*',
  ],
  AddressLine: ['Line!', ''],
  Country: ['IdentificationCode Name', ''],
  Contact: ['ID Name Telephone Telefax ElectronicMail Note*', 'OtherCommunication*'],
  Period: ['StartDate StartTime EndDate EndTime DurationMeasure DescriptionCode* Description*', ''],
  BillingReference: [
    '',
    'InvoiceDocumentReference:DocumentReference SelfBilledInvoiceDocumentReference:DocumentReference ' +
      'CreditNoteDocumentReference:DocumentReference SelfBilledCreditNoteDocumentReference:DocumentReference ' +
      'DebitNoteDocumentReference:DocumentReference ReminderDocumentReference:DocumentReference ' +
      'AdditionalDocumentReference:DocumentReference BillingReferenceLine*',
  ],
  DocumentReference: [
    'ID! CopyIndicator UUID IssueDate IssueTime DocumentTypeCode DocumentType XPath* LanguageID LocaleCode VersionID ' +
      'DocumentStatusCode DocumentDescription*',
    'Attachment ValidityPeriod:Period IssuerParty:Party ResultOfVerification',
  ],
  OrderReference: [
    'ID! SalesOrderID CopyIndicator UUID IssueDate IssueTime CustomerReference OrderTypeCode',
    'DocumentReference',
  ],
  Delivery: [
    'ID Quantity MinimumQuantity MaximumQuantity ActualDeliveryDate ActualDeliveryTime LatestDeliveryDate ' +
      'LatestDeliveryTime ReleaseID TrackingID',
    'DeliveryAddress:Address DeliveryLocation AlternativeDeliveryLocation RequestedDeliveryPeriod:Period ' +
      'PromisedDeliveryPeriod:Period EstimatedDeliveryPeriod:Period CarrierParty:Party DeliveryParty:Party ' +
      'NotifyParty*:Party Despatch DeliveryTerms* MinimumDeliveryUnit MaximumDeliveryUnit Shipment',
  ],
  Shipment: [
    'ID! ShippingPriorityLevelCode HandlingCode HandlingInstructions* Information* GrossWeightMeasure NetWeightMeasure ' +
      'NetNetWeightMeasure GrossVolumeMeasure NetVolumeMeasure TotalGoodsItemQuantity TotalTransportHandlingUnitQuantity ' +
      'InsuranceValueAmount DeclaredCustomsValueAmount DeclaredForCarriageValueAmount DeclaredStatisticsValueAmount ' +
      'FreeOnBoardValueAmount SpecialInstructions* DeliveryInstructions* SplitConsignmentIndicator ConsignmentQuantity',
    'Consignment* GoodsItem* ShipmentStage* Delivery TransportHandlingUnit* ReturnAddress:Address OriginAddress:Address ' +
      'FirstArrivalPortLocation LastExitPortLocation ExportCountry:Country FreightAllowanceCharge*:AllowanceCharge',
  ],
  PaymentMeans: [
    'ID PaymentMeansCode! PaymentDueDate PaymentChannelCode InstructionID InstructionNote* PaymentID*',
    'CardAccount PayerFinancialAccount:FinancialAccount PayeeFinancialAccount:FinancialAccount CreditAccount ' +
      'PaymentMandate TradeFinancing',
  ],
  FinancialAccount: [
    'ID Name AliasName AccountTypeCode AccountFormatCode CurrencyCode PaymentNote*',
    'FinancialInstitutionBranch Country',
  ],
  PaymentTerms: [
    'ID PaymentMeansID* PrepaidPaymentReferenceID Note* ReferenceEventCode SettlementDiscountPercent ' +
      'PenaltySurchargePercent PaymentPercent Amount SettlementDiscountAmount PenaltyAmount PaymentTermsDetailsURI ' +
      'PaymentDueDate InstallmentDueDate InvoicingPartyReference',
    'SettlementPeriod:Period PenaltyPeriod:Period ExchangeRate ValidityPeriod:Period',
  ],
  Payment: ['ID PaidAmount ReceivedDate PaidDate PaidTime InstructionID', ''],
  AllowanceCharge: [
    'ID ChargeIndicator! AllowanceChargeReasonCode AllowanceChargeReason* MultiplierFactorNumeric PrepaidIndicator ' +
      'SequenceNumeric Amount! BaseAmount AccountingCostCode AccountingCost PerUnitAmount',
    'TaxCategory* TaxTotal PaymentMeans*',
  ],
  ExchangeRate: [
    'SourceCurrencyCode! SourceCurrencyBaseRate TargetCurrencyCode! TargetCurrencyBaseRate ExchangeMarketID ' +
      'CalculationRate MathematicOperatorCode Date',
    'ForeignExchangeContract',
  ],
  TaxTotal: ['TaxAmount! RoundingAmount TaxEvidenceIndicator TaxIncludedIndicator', 'TaxSubtotal*'],
  TaxSubtotal: [
    'TaxableAmount TaxAmount! CalculationSequenceNumeric TransactionCurrencyTaxAmount Percent BaseUnitMeasure ' +
      'PerUnitAmount TierRange TierRatePercent',
    'TaxCategory!',
  ],
  TaxCategory: [
    'ID Name Percent BaseUnitMeasure PerUnitAmount TaxExemptionReasonCode TaxExemptionReason* TierRange TierRatePercent',
    'TaxScheme!',
  ],
  TaxScheme: ['ID Name TaxTypeCode CurrencyCode', 'JurisdictionRegionAddress*:Address'],
  MonetaryTotal: [
    'LineExtensionAmount TaxExclusiveAmount TaxInclusiveAmount AllowanceTotalAmount ChargeTotalAmount PrepaidAmount ' +
      'PayableRoundingAmount PayableAmount! PayableAlternativeAmount',
    '',
  ],
  Item: [
    'Description* PackQuantity PackSizeNumeric CatalogueIndicator Name HazardousRiskIndicator AdditionalInformation* ' +
      'Keyword* BrandName* ModelName*',
    'BuyersItemIdentification SellersItemIdentification ManufacturersItemIdentification* StandardItemIdentification ' +
      'CatalogueItemIdentification AdditionalItemIdentification* CatalogueDocumentReference:DocumentReference ' +
      'ItemSpecificationDocumentReference*:DocumentReference OriginCountry:Country CommodityClassification* ' +
      'TransactionConditions* HazardousItem* ClassifiedTaxCategory*:TaxCategory AdditionalItemProperty* ' +
      'ManufacturerParty*:Party InformationContentProviderParty:Party OriginAddress*:Address ItemInstance* Certificate* ' +
      'Dimension*',
  ],
  CommodityClassification: ['NatureCode CargoTypeCode CommodityCode ItemClassificationCode', ''],
  Price: [
    'PriceAmount! BaseQuantity PriceChangeReason* PriceTypeCode PriceType OrderableUnitFactorRate',
    'ValidityPeriod*:Period PriceList AllowanceCharge* PricingExchangeRate:ExchangeRate',
  ],
  PriceExtension: ['Amount!', 'TaxTotal*'],
};

/** Value types by the ending of the element name. All other basic elements are text. */
const kindsByEnding: readonly (readonly [RegExp, ValueKind])[] = [
  [/Amount$/, 'amount'],
  [/Measure$/, 'measure'],
  [/(?:Quantity|Numeric|Percent|Rate)$/, 'number'],
  [/Indicator$/, 'boolean'],
  [/Date$/, 'date'],
  [/Time$/, 'time'],
];

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

function basicElement(word: string): [string, ElementSchema] {
  const name = word.replaceAll(/[!*]/g, '');
  const value = kindsByEnding.find(([ending]) => ending.test(name))?.[1] ?? 'text';
  return [name, { value, ...parseCardinality(word) }];
}

function groupElement(word: string): [string, ElementSchema] {
  const [marked = '', aggregate] = word.split(':');
  const name = marked.replaceAll(/[!*]/g, '');
  return [name, { aggregate: aggregate ?? name, ...parseCardinality(marked) }];
}

function parseCardinality(word: string): Pick<ElementSchema, 'isRequired' | 'isRepeated'> {
  return { isRequired: word.includes('!'), isRepeated: word.includes('*') };
}

const library: ReadonlyMap<string, Members> = new Map(
  Object.entries(aggregates).map(([name, [basic, groups]]) => [
    name,
    Object.fromEntries([...words(basic).map(basicElement), ...words(groups).map(groupElement)]),
  ]),
);

/** Names of the aggregates with known members. */
export const aggregateNames: readonly string[] = [...library.keys()];

const mergedMembers = new WeakMap<Members, Members>();

/** Returns the members of a group with the authority's rules, or undefined if its content is not validated. */
export function findMembers({ aggregate = '', members }: ElementSchema): Members | undefined {
  const known = library.get(aggregate);
  if (!known || !members) return known;
  let merged = mergedMembers.get(members);
  if (!merged) {
    merged = { ...known };
    for (const [name, element] of Object.entries(members))
      merged = { ...merged, [name]: { ...known[name], ...element } };
    mergedMembers.set(members, merged);
  }
  return merged;
}
