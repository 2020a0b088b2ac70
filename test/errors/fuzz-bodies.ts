import fc from 'fast-check';
import { STATE_SLUGS } from '../../src/documents/code-lists.js';
import { LINE_TEXTS } from '../../src/documents/dto/line-item.dto.js';
import { RECIPIENT_TEXTS } from '../../src/documents/dto/recipient.dto.js';
import { reference, today } from '../support/documents.js';

// Submit bodies from valid to hostile. In valid bodies with every feature of the interface, some fields are replaced,
// moved or repeated.

/** Values that often break parsers, databases and arithmetic. */
export const hostileJson = fc.constantFrom<unknown>(
  null,
  true,
  '',
  ' ',
  '0',
  0,
  -0,
  -1,
  1e-7,
  1e21,
  1e308,
  5e-324,
  0.1 + 0.2,
  9_007_199_254_740_992,
  [],
  {},
  [[]],
  [null],
  '\u0000',
  '\uD800',
  '\uDC00\uD800',
  'x'.repeat(301),
  'İ',
  'ﷺ'.repeat(51),
  '💩'.repeat(26),
  '__proto__',
  'constructor',
  '2026-02-29',
  '0000-00-00',
  '+60123456789',
  'EI00000000010',
  'NaN',
  '1e5',
  "';--",
  'NA',
  'na',
  'N A',
  '00',
  '17',
  '000000000000',
  'EI00000000040',
  '💩'.repeat(150),
  '\u200b',
  'a@b.c',
  '004',
  'A\u200bB',
  '\u3164',
  '\u202e',
  '1999-12-31',
  '0026-07-24',
  '03-1234 5678',
  -0.01,
);

export const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });

// Letters of one to four bytes, quotes, backslashes and line separators, up to the limit and beyond.
const unit = fc.constantFrom('a', 'Z', '0', ' ', '"', '\\', '/', 'é', '字', '😀', '\u2028', '\n');
function text(max: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit, minLength: 1, maxLength: 12 }).map((some) => `x${some}`) },
    { weight: 1, arbitrary: unit.map((one) => `x${one.repeat(max)}`.slice(0, max)) },
    { weight: 1, arbitrary: unit.map((one) => one.repeat(max)) },
  );
}
const lineText = (max: number): fc.Arbitrary<string> => text(max).map((some) => some.replaceAll('\n', ' '));

const money = fc
  .oneof(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: 99_999_999_999 }))
  .map((sen) => sen / 100);
const exactAmount = fc.integer({ min: 1, max: 1_000_000_000 }).map((units) => units / 1e5);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

const reason = fc.oneof(text(300), fc.constantFrom('Order 2018', 'Act 2018, No: (C01-2345)', ':'));
const taxed = fc
  .tuple(
    fc.oneof(
      fc.record({
        taxType: maybe(fc.constantFrom('01', '02', '03', '04', '05', '06')),
        taxExemptionReason: maybe(fc.constant('Order 2018')),
      }),
      fc.record({ taxType: fc.constant('E'), taxExemptionReason: reason }),
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ taxAmount: maybe(money) }) },
      // Omits the tax amount, which would rarely match the rate.
      { weight: 1, arbitrary: fc.record({ taxRate: fc.constantFrom(0, 6, 7.25, 8, 100) }) },
      { weight: 1, arbitrary: fc.record({ taxPerUnit: exactAmount, taxUnitCount: maybe(exactAmount) }) },
    ),
  )
  .map(([type, tax]) => ({ ...type, ...tax }));
const anyLine = fc
  .tuple(
    fc.record({
      ...Object.fromEntries(LINE_TEXTS.map((name) => [name, maybe(fc.constant('Text'))])),
      description: text(300),
      quantity: exactAmount,
      unitPrice: fc.oneof(fc.constant(0), exactAmount),
      classification: maybe(fc.constantFrom('001', '004', '022', '045')),
      unitCode: maybe(fc.constantFrom('C62', 'KGM', 'H87')),
    }),
    taxed,
    fc.constantFrom(0, 0, 0.5, 1),
    // Difference to the computed line total in sen: omitted, within the tolerance, and above it.
    maybe(fc.constantFrom(...Array<number>(20).fill(0), 1, -1, 2)),
  )
  .map(([line, tax, part, off]) => {
    const discount = part === 0 ? undefined : Math.floor(line.quantity * line.unitPrice * part * 99) / 100;
    const computed = Math.round((line.quantity * line.unitPrice - (discount ?? 0)) * 100);
    return { ...line, ...tax, discount, lineTotal: off === undefined ? undefined : (computed + off) / 100 };
  });

const tin = fc.constantFrom(
  'C9876543210',
  'CS1234567890',
  'D4800990020',
  'IG12345678901',
  'ig 123456',
  'EI00000000010',
  'EI00000000020',
  'EI00000000030',
  'EI00000000040',
  'C01234567890',
  'OG12345678901',
  'X123456',
  'C12345678901',
);
const identity = fc.oneof(
  fc.record({
    entity_type: fc.constant('company'),
    brn: fc.constantFrom('202001234567', '1234567-A', 'NA', '880101145678', '202001234567(12345A)'),
  }),
  fc.record({
    entityType: fc.constant('individual'),
    nric: fc.constantFrom('880101-14-5678', '000000000000', '201901234567'),
  }),
  fc.record({ entity_type: fc.constant('individual'), passport: fc.constantFrom('A12345678', 'NA', 'K 12-3') }),
  fc.record({ entity_type: fc.constant('individual'), army: fc.constantFrom('T1234567', 'n a') }),
  fc.record({
    entity_type: fc.constantFrom('company', 'individual'),
    brn: fc.constant('202001234567'),
    nric: fc.constant('880101145678'),
    passport: maybe(fc.constant('A12345678')),
  }),
);
const address = fc.oneof(
  fc.record({ postcode: fc.stringMatching(/^\d{5}$/), state: fc.constantFrom(...STATE_SLUGS, 'penang') }),
  fc.record({
    country: fc.constantFrom('SGP', 'XKX', 'USA'),
    postcode: maybe(lineText(50)),
    state: maybe(fc.oneof(lineText(50), fc.constantFrom('00', '17', '10', 'not_applicable'))),
  }),
);
const plainPhone = fc.constantFrom(
  '+60398765432',
  '03-9876 5432',
  '60 12-345 6789',
  '0065 9123 4567',
  '+60 (0)12 345 6789',
  '\u202a+60123456789\u202c',
);
const recipient = fc
  .tuple(
    fc.record({
      ...Object.fromEntries(RECIPIENT_TEXTS.map((name) => [name, maybe(fc.constant('Text'))])),
      name: text(300),
      tin,
      addressLine1: text(150),
      addressLine2: maybe(text(150)),
      addressLine3: maybe(text(150)),
      city: lineText(50),
      phone: maybe(fc.oneof(plainPhone, fc.constantFrom('+12345678', `+${'1'.repeat(19)}`))),
      email: maybe(fc.constantFrom('ap@pembeli.example', 'é@字.my', 'a+b@c.my', '.a@b.my', 'a..b@c.my', 'a@-b.my')),
      sstNumber: maybe(fc.constantFrom('W10-1808-32000001', 'A;B', 'x'.repeat(35))),
    }),
    identity,
    address,
  )
  .map((parts) => Object.assign({}, ...parts) as object);

const parent = fc.record({
  referenceId: lineText(50),
  authorityUuid: fc.constantFrom('F9D425P6DS7D8IU0123456789A', '0190d6f4-1111-7abc-8def-0123456789ab', 'NA', 'na'),
});
// Mostly today. Other dates are too old for the issue time or for any invoice.
const date = fc
  .oneof(
    { weight: 20, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: fc.constantFrom('2026-01-31', '2000-01-01') },
    { weight: 1, arbitrary: fc.constantFrom('1999-12-31', '0026-07-24', '0001-01-01') },
  )
  .chain((day) => fc.constantFrom('document_date', 'documentDate').map((name) => ({ [name]: day ?? today() })));
const anyDocument = fc
  .record({
    documentType: fc.constantFrom('invoice', 'credit_note'),
    referenceId: fc.oneof(fc.constant(''), lineText(38)),
    recipient,
    lineItems: fc.array(anyLine, { minLength: 1, maxLength: 3 }),
    totalRoundingAmount: maybe(fc.constantFrom(0.02, -0.02)),
    totalDiscountAmount: maybe(fc.constantFrom(0, 0.01, 5)),
    paymentTerms: maybe(text(300)),
    relatedInvoice: parent,
    date,
    extra: maybe(fc.constant(1)),
  })
  .map(({ relatedInvoice, date: dated, ...document }) => ({
    ...document,
    // A unique number, so that a body can be accepted among thousands of others.
    referenceId: document.referenceId === '' ? reference() : `${document.referenceId}${reference('')}`,
    ...dated,
    ...(document.documentType === 'invoice' ? {} : { relatedInvoice }),
  }));

interface Numbered {
  readonly referenceId: string;
}

// The number in other letters or with invisible characters.
const RESPELT: readonly ((number: string) => string)[] = [
  (number) => number.toUpperCase(),
  (number) => number.normalize('NFD'),
  (number) => number.replaceAll(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  (number) => `${number.slice(0, -1)}\u200b${number.slice(-1)}`,
];
const changeCase = (document: Numbered): fc.Arbitrary<Numbered[]> =>
  fc.constantFrom(...RESPELT).map((spell) => [document, { ...document, referenceId: spell(document.referenceId) }]);

const anySubmit = fc.record({
  submission_type: fc.constantFrom('consolidated', 'non-consolidated'),
  documents: fc.oneof(
    { weight: 12, arbitrary: fc.array(anyDocument, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: anyDocument.chain(changeCase) },
  ),
});

const mutation = fc.record({
  at: fc.nat(),
  from: fc.nat(),
  value: fc.oneof(hostileJson, anyJson),
  kind: fc.nat({ max: 3 }),
});

/** Parsed from the request text. About one in three is valid. */
export function submitBody(): fc.Arbitrary<unknown> {
  const mutations = fc.oneof(
    fc.constant([]),
    fc.array(mutation, { minLength: 1, maxLength: 1 }),
    fc.array(mutation, { minLength: 2, maxLength: 4 }),
  );
  return fc.tuple(anySubmit, mutations).map(([submit, changes]) => mutated(submit, changes));
}

export interface Mutation {
  readonly at: number;
  readonly from: number;
  readonly value: unknown;
  readonly kind: number;
}

/** Applies the changes in order. The result shares no object with the value. */
export function mutated(value: unknown, changes: readonly Mutation[]): unknown {
  const body = JSON.parse(JSON.stringify(value)) as unknown;
  for (const change of changes) mutate(body, change);
  return JSON.parse(JSON.stringify(body)) as unknown;
}

function mutate(body: unknown, { at, from, value, kind }: Mutation): void {
  const slots = listSlots(body);
  if (slots.length === 0) return;
  const { owner, name } = slots[at % slots.length];
  const other = slots[from % slots.length];
  if (kind === 0) delete owner[name];
  // Values of the body itself often have a likely but wrong type. They are copied, because a shared object could
  // contain itself or change later bodies.
  else owner[name] = structuredClone(kind === 1 ? other.owner[other.name] : value);
}

interface Slot {
  readonly owner: Record<string, unknown>;
  readonly name: string;
}

function listSlots(value: unknown): Slot[] {
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Record<string, unknown>;
  return Object.keys(owner).flatMap((name) => [{ owner, name }, ...listSlots(owner[name])]);
}
