import 'reflect-metadata';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DtoClass, compileShape } from '../http/validation/shape.js';
import { loadUnsupportedMembers } from './code-lists.js';
import { DocumentDto } from './dto/document.dto.js';
import { LineItemDto } from './dto/line-item.dto.js';
import { RecipientDto } from './dto/recipient.dto.js';
import { classifyMember, findUnsupported } from './unsupported-members.js';

const LIST = loadUnsupportedMembers();
const NAMES = LIST.flatMap(({ names }) => names);

describe('list of unsupported fields', () => {
  it('contains each name once', () => {
    const plain = NAMES.map((name) => name.toLowerCase());
    expect(plain.filter((name, index) => plain.indexOf(name) !== index)).toEqual([]);
  });

  it('contains each word in one entry', () => {
    const words = LIST.flatMap((entry) => entry.words ?? []);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });

  it('contains no field of a document, a line or a buyer', () => {
    const own = [DocumentDto, LineItemDto, RecipientDto].flatMap((dto) => [...compileShape(dto).members]);
    expect(NAMES.filter((name) => own.includes(name))).toEqual([]);
  });
});

describe('unsupported field', () => {
  it.each([
    'currency',
    'Currency_Code',
    'currency-code',
    'CURRENCY',
    'cur\u200brency',
    'ｃｕｒｒｅｎｃｙ',
    'сurrеncу',
    'curréncy',
    'curency',
    'currencyy',
    'cuurency',
    'crurency',
    'ЕxchangeRаte',
    'service_charge',
    'totalChargeAmount',
    'PrepaidAmount',
    'discout',
    'discount_amount',
    'tax',
    'TAX',
    'vat',
    'tахPercent',
    'unit_price',
    'taxamount',
    'taxAmount2',
    'total_discount_amount',
    'invoice_period',
    'selfBilled',
    'invoiceTypeCode',
    'buyer',
    'accountingSupplierParty',
    'grandTotal',
    'taxx',
    'feee',
    'ratee',
    'amt1',
    'sst_2',
    'IineTotaI',
    '1ineT0ta|',
    'seIfBiIIed',
    'ϲurrenϲy',
    'łineŧotał',
    'ᴄᴜʀʀᴇɴᴄʏ',
    'сuггепсу',
    'ꓚꓴꓣꓣꓰꓠꓚꓬ',
  ])('is recognised by the name %s', (name) => {
    expect(classifyMember(name)).not.toBeNull();
  });

  // Names from exports of other systems and from attempts to bypass the check.
  it.each(
    [
      'ccy exchangeRateToMYR unitPriceUSD curr cur isoCurrency currencySymbol forex amountUSD amount_myr mataWang',
      'tax1 gst1 sst1 vat1 duty1 taxIncl isTaxable exempt cess gstInclusive sstExemptionReason taxExcl noTax TAX_8',
      'transportFee commission tradeDiscount specialDiscount promoDiscount svcCharge transportCharge vatamount chargesList',
      'deductions payments promotion roundAmount roundingAmt net gross paid payment total_discount_value HTTPFeeValue',
      'isReturn noteType creditMemo isSelfBill dateFrom dateTo supplierTin buyerTin sellerTin customerTin buyerName',
      'cukai cukaiPerkhidmatan diskaun caj mataWang jumlah jumlahCukai hargaSeunit rebateGiven bookingDeposit',
    ]
      .join(' ')
      .split(' '),
  )('is also recognised by the name %s', (name) => {
    expect(classifyMember(name)).not.toBeNull();
  });

  // Names from orders, invoices and exports of Shopify, WooCommerce, Stripe, Xero, QuickBooks, Odoo and SQL Account.
  it.each(
    [
      'id note notes remark remarks ref refs reference references date dates memo comment comments tag tags type kind ',
      'status state city name title email phone sku barcode uom unit units item items code codes group groups label',
      'metadata custom_fields created_at updatedAt createdBy dueDate due_date terms payment_terms paymentMethod',
      'payment_method payment_status paid_at url pdf_url attachment attachments language locale timezone branch branchCode',
      'outlet location warehouse project costCentre cost_center department salesperson agent agentCode cashier terminal',
      'receiptNumber receipt_no poNumber purchaseOrder po_number orderId order_number invoiceNumber invoice_no docNo doc_no',
      'customerId customer_code buyerId supplierCode company contact contactPerson attention website fax gender birthday',
      'itemCode itemName productId product_id variant variant_title weight colour size serialNumber batch batchNo expiry',
      'position index line lineNumber line_no sequence sort_order isActive deleted version revision source channel hash',
      'signature template footer header message description2 longDescription image images category subcategory brand',
      'quantityUnit deliveryDate shippedAt tracking_number shippingMethod carrier shippingAddress billing_address zip',
      'postcode2 region county latitude change changes issued issuer issues paper player prize prime purchase loyalty',
      'delivery orders order session token externalId external_reference uuid key value values properties attributes data',
      'salesPerson sales_person_code personInCharge priceList price_level invoiceId customerCode taxNumber taxId tax_ids',
      'discountNote chargeDescription feeReference gst_no sstRegistrationNo depositAccount currencyUrl netWeight',
      'grossWeight totalQuantity totalPages paymentId paymentDate paymentReference syntax taxonomy taxi exchanger feedback',
      'coffee dutyOfficer1Id discover disclaimer gate late mate proto __proto__ prom feed fe te vehicle tag fax tags date1 备注 税号 தேதி',
      'options settings flags test sandbox isTest dryRun lineItem documentDates recipientId addressLine4 telephone mobile',
    ]
      .join(' ')
      .split(/ +/),
  )('is not recognised by the harmless name %s', (name) => {
    expect(classifyMember(name)).toBeNull();
  });

  it('is recognised with a different case, separators or one wrong letter', () => {
    const edited = fc.constantFrom(...NAMES).chain((name) =>
      fc.record({
        name: fc.constant(name),
        at: fc.nat(name.length - 1),
        inserted: fc.constantFrom('', 'x'),
        removed: fc.constantFrom(0, 1),
        separator: fc.constantFrom('', '_', '-', ' ', '\u200b', '\u00ad'),
        isUpper: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(edited, ({ name, at, inserted, removed, separator, isUpper }) => {
        const isShort = name.length < 5;
        const typed = isShort ? name : name.slice(0, at) + inserted + name.slice(at + removed);
        const written = typed.slice(0, 2) + separator + typed.slice(2);
        const isWord = classifyMember(typed) === null && /^[a-z]+$/.test(typed);
        // Common words are one edit away from some names.
        fc.pre(!isWord);
        expect(classifyMember(isUpper ? written.toUpperCase() : written)).not.toBeNull();
      }),
    );
  });

  it('is recognised with any number of invisible characters and separators', () => {
    expect(classifyMember(`currency${'\u200b'.repeat(500)}`)).not.toBeNull();
    expect(classifyMember(`cur${'_'.repeat(500)}rency`)).not.toBeNull();
  });

  it('is not inspected if its name has more than 100 visible characters', () => {
    expect(classifyMember(`tax_${'x'.repeat(96)}`)).not.toBeNull();
    expect(classifyMember(`tax_${'x'.repeat(97)}`)).toBeNull();
  });
});

describe('value of an unsupported field', () => {
  const findIn = (dto: DtoClass, name: string, value: unknown) =>
    findUnsupported({ ownerPointer: '', name, value, shape: compileShape(dto) });
  const find = (name: string, value: unknown) => findIn(LineItemDto, name, value);

  it.each<[name: string, value: unknown]>([
    ['currency', null],
    ['currency', ''],
    ['currency', 'MYR'],
    ['currency', ' myr '],
    ['exchangeRate', 1],
    ['exchangeRate', '1.0000'],
    ['serviceCharge', 0],
    ['serviceCharge', -0],
    ['serviceCharge', '0.00'],
    ['charges', []],
    ['allowanceCharge', {}],
    ['taxInclusive', false],
    ['discout', 0],
    ['taxExclusive', true],
    ['taxExclusive', 'TRUE '],
    ['taxExclusive', null],
    ['exchangeRateToMYR', 1],
    ['isoCurrency', 'MYR'],
  ])('is ignored if it does not change the document: %s %j', (name, value) => {
    expect(find(name, value)).toBeNull();
  });

  it.each<[name: string, value: unknown]>([
    ['currency', 'USD'],
    ['exchangeRate', 4.45],
    ['taxPercent', 1],
    ['serviceCharge', 'MYR'],
    ['serviceCharge', '0.01'],
    ['serviceCharge', '0'.repeat(41)],
    ['charges', [0]],
    ['taxInclusive', true],
    ['taxExclusive', false],
    ['taxExclusive', 0],
    ['taxExclusive', 'false'],
    ['gstExclusive', false],
  ])('is reported if it changes the document: %s %j', (name, value) => {
    expect(find(name, value)).toMatchObject({ rule: 'unsupported_member' });
  });

  it('has the correct field in its hint if the field is misspelt', () => {
    expect(find('discout', 10)?.hint).toBe('did you mean discount?');
    expect(find('totalDiscount_Amount', 10)?.hint).toMatch(/^leave it out if discount already includes it;/);
  });

  // Otherwise a reader may deduct or charge the amount twice.
  it.each([
    [
      DocumentDto,
      'totalDiscount discountTotal totalDiscounts discountAmount allowanceTotalAmount discount',
      /discount/,
    ],
    [DocumentDto, 'totalTax taxTotal totalTaxes taxSubtotal', /taxAmount or taxRate of the lines/],
    [DocumentDto, 'totalCharges serviceCharge', /a line already states/],
    [DocumentDto, 'roundingAmount', /already there/],
    [LineItemDto, 'discountAmount discountRate', /discount of the lines/],
    [LineItemDto, 'serviceTaxRate taxPercent', /taxAmount or taxRate of the lines/],
    [LineItemDto, 'perUnitAmount', /taxPerUnit or taxAmount/],
    [LineItemDto, 'price netPrice rate', /unitPrice/],
  ] as const)('has a hint to omit it if the document already contains it: %o, %s', (dto, names, stated) => {
    for (const name of names.split(' ')) {
      const [leftOut] = /leave it out if [^;]*/.exec(findIn(dto, name, 10)?.hint ?? '') ?? [];
      expect(leftOut, name).toMatch(stated);
    }
  });

  it.each(['sst', 'gst', 'vat'])('points to the SST number if the buyer has the field %s', (name) => {
    expect(findIn(RecipientDto, name, 'W10-1808-32000001')?.hint).toMatch(/as sstNumber;/);
  });
});
