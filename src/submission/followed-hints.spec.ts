import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../errors/problem.js';
import {
  FOREIGNER,
  LINE,
  type Members,
  NOW,
  PERSON,
  RECIPIENT,
  bodyOf,
  creditNote,
  findProblems,
  line,
  recipient,
} from './submit-body.fixtures.js';
import { readSubmitBody } from './submit-body.js';

// Following a hint literally must lead to an accepted document with the intended amounts.

type Edit = (owner: Members, name: string) => void;

const set =
  (value: unknown): Edit =>
  (owner, name) => {
    owner[name] = value;
  };
const leaveOut: Edit = (owner, name) => {
  delete owner[name];
};

/** Returns an edit for each value or omission that the hint suggests. */
function readEdits(hint: string): Edit[] {
  const [, written] = /write ("[^"]*"|-?[\d.]+), with/.exec(hint) ?? [];
  if (written !== undefined) return [set(JSON.parse(written))];
  const [, meant] = /^did you mean (.+)\?$/.exec(hint) ?? [];
  const [, used] = /\b(?:use|has(?= EI)) ([^\s,;]+)/.exec(hint) ?? [];
  const [, ofZeros] = /are leading zeros missing\? (\d+)$/.exec(hint) ?? [];
  const values = [
    ...(meant?.replaceAll(/ \(.*?\)+(?=,| or |$)/g, '').split(/, | or /) ?? []),
    ...[used, ofZeros].filter((value) => value !== undefined),
  ];
  const edits = values.map((value): Edit => (owner, name) => {
    const isText =
      typeof owner[name] !== 'number' || hint.includes('quotation marks') || !/^(?!0\d)[\d.]+$/.test(value);
    owner[name] = isText ? value : Number(value);
  });
  return /\bleave it out\b/.test(hint) ? [...edits, leaveOut] : edits;
}

function followed(body: Members, pointer: string, edit: Edit): Members {
  const changed = structuredClone(body);
  const names = pointer.split('/').slice(1);
  const last = names.pop() ?? '';
  edit(
    names.reduce<Members>((owner, name) => owner[name] as Members, changed),
    last,
  );
  return changed;
}

function theProblem(body: Members): Problem & { readonly hint: string } {
  const [problem, ...others] = findProblems(body);
  expect(others).toEqual([]);
  expect(problem).toBeDefined();
  return { ...problem, hint: problem.hint ?? '' };
}

function payable(body: Members): number {
  const read = readSubmitBody(JSON.parse(JSON.stringify(body)), NOW);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.documents[0].totals.totalPayableAmount;
}

const abroad = (change: Members): Members => recipient(change, FOREIGNER);
const person = (change: Members): Members => recipient({ nric: undefined, ...change }, PERSON);
const ofLine = (change: Members): Members => line({ lineTotal: undefined, ...change });

const FOREIGN_PERSON = { entity_type: 'individual', brn: undefined, tin: 'EI00000000020' };
const PASSPORT =
  /^ask the buyer for the passport number and send it as passport, without nric; 000000000000 as nric is for/;

describe('user who follows the hint', () => {
  it.each<readonly [mistake: string, body: Members, edits: number]>([
    ['a date with the name of its month', bodyOf({ document_date: '20 Nov 2026' }), 1],
    ['a date with its weekday', bodyOf({ document_date: 'Fri Nov 20 2026' }), 1],
    ['a date with a comma after its weekday', bodyOf({ document_date: 'Friday, 20 November 2026' }), 1],
    ['a date with a Malay weekday', bodyOf({ document_date: 'Jumaat, 20 Nov 2026' }), 1],
    ['a date with a Malay month', bodyOf({ document_date: '7 Ogos 2026' }), 1],
    ['a date that begins with its month', bodyOf({ document_date: 'November 20, 2026' }), 1],
    ['a date with a year of two digits', bodyOf({ document_date: '20-Nov-26' }), 1],
    ['a date of which day and month may be exchanged', bodyOf({ document_date: '05/11/2026' }), 2],
    ['a short date that begins with its year', bodyOf({ document_date: '26-11-05' }), 1],
    ['a date with a time', bodyOf({ document_date: '20/11/2026 10:30' }), 1],
    ['the time of an order', bodyOf({ document_date: '2026-11-05 23:57:01 +0800' }), 1],
    ['the date of a spreadsheet', bodyOf({ document_date: 46346 }), 1],
    ['a date as a number', bodyOf({ document_date: 20261120 }), 1],
    ['a number of a document type', bodyOf({ documentType: '1' }), 1],
    ['a postcode as a number', recipient({ postcode: 5200 }), 1],
    ['an NRIC as a number', person({ nric: 880101145678 }), 1],
    ['an NRIC that lost its zero', person({ nric: 10203045678 }), 1],
    ['an NRIC that there is not', person({ nric: 'NA' }), 1],
    ['a person with a TIN alone', person({}), 1],
    ['a phone without its zero', recipient({ phone: 60312345678 }), 1],
    ['a phone with an extension', recipient({ phone: '03-1234 5678 ext 12' }), 2],
    ['a phone with an extension after a digit', recipient({ phone: '03-12345678ext.12' }), 2],
    ['a phone with an extension before a digit', recipient({ phone: '03-12345678 ext12' }), 2],
    ['a phone with a short extension', recipient({ phone: '03-12345678 x12' }), 2],
    ['a phone with a Malay extension', recipient({ phone: '03-12345678 sambungan12' }), 2],
    ['a phone with an extension after a sign', recipient({ phone: '03-12345678 #12' }), 2],
    ['two phones', recipient({ phone: '03-1234 5678 / 012-345 6789' }), 2],
    ['no phone', recipient({ phone: '-' }), 1],
    ['a phone that is not available', recipient({ phone: 'NA' }), 1],
    ['two e-mail addresses', recipient({ email: 'ap@pembeli.example; ar@pembeli.example' }), 2],
    [
      'two long e-mail addresses',
      recipient({ email: 'finance.department@pembeli-contoh.example; accounts@pembeli-contoh.example' }),
      2,
    ],
    ['no e-mail address', recipient({ email: 'N/A' }), 1],
    ['a TIN with hyphens', recipient({ tin: 'C-98765432-10' }), 1],
    ['a foreign buyer without a TIN', abroad({ tin: undefined }), 1],
    ['a foreign buyer whose TIN is NA', abroad({ tin: 'NA' }), 1],
    ['a foreign buyer with a tax number of another country', abroad({ tin: 'T12345678A' }), 1],
    ['a foreign buyer with a tax number of digits', abroad({ tin: '201912345678' }), 1],
    ['a TIN of Malaysia with hyphens abroad', abroad({ tin: 'C-98765432-10' }), 1],
    ['a foreign tax number without quotation marks', abroad({ tin: 201_912_345 }), 1],
    ['a foreign postcode without quotation marks', abroad({ postcode: 5048 }), 1],
    ['a long state abroad', abroad({ state: 'x'.repeat(51) }), 1],
    ['a long postcode abroad', abroad({ postcode: 'x'.repeat(51) }), 1],
    ['a state abroad as a number', abroad({ state: 10 }), 1],
    ['several phones abroad', abroad({ phone: `0312345678${' / 0312345679'.repeat(3)} / 03` }), 1],
    ['a passport with spaces and a slash', person({ passport: 'A 123/456' }), 1],
    ['a state of Malaysia abroad', abroad({ state: '10' }), 1],
    ['a country of two letters', recipient({ country: 'MY' }), 1],
    ['an SST number with dots', recipient({ sstNumber: 'W10.1808' }), 1],
    ['a tax type as a number', line({ taxType: 2 }), 1],
    ['a tax type by its name and rate', line({ taxType: 'Service Tax 8%' }), 1],
    ['a class as a number', line({ classification: 22 }), 1],
    ['a unit by its name', line({ unitCode: 'tonne' }), 1],
    ['a gallon', line({ unitCode: 'gal' }), 2],
    [
      'an invoice of this service with a uuid of another',
      creditNote({ relatedInvoice: { referenceId: 'INV-0', authorityUuid: '?' } }),
      1,
    ],
  ])('sends an accepted document after %s', (_mistake, body, edits) => {
    const { pointer, hint } = theProblem(body);
    const found = readEdits(hint);
    expect(found, hint).toHaveLength(edits);
    for (const edit of found) expect(findProblems(followed(body, pointer, edit)), hint).toEqual([]);
  });

  it.each<readonly [mistake: string, body: Members, payable: number]>([
    ['a price as a text with a currency', ofLine({ unitPrice: 'RM 1,200.50', discount: 0, quantity: 1 }), 1_215.7],
    ['a quantity as a text', ofLine({ quantity: '2' }), 205.2],
    ['an empty discount', ofLine({ discount: '' }), 215.2],
    ['a discount that there is not', ofLine({ discount: '-' }), 215.2],
    ['a line total with the tax', line({ lineTotal: 205.2 }), 205.2],
    ['a price with too many decimals', ofLine({ unitPrice: 99.9999999 }), 205.2],
    ['a tax by unit of 0', line({ taxPerUnit: 0 }), 205.2],
  ])('bills the intended amount after %s', (_mistake, body, meant) => {
    const { pointer, hint } = theProblem(body);
    const [edit, ...others] = readEdits(hint);
    expect(edit, hint).toBeDefined();
    expect(others).toEqual([]);
    expect(payable(followed(body, pointer, edit))).toBe(meant);
  });

  it.each<readonly [mistake: string, change: Members, unitPrice: number, payable: number]>([
    ['a tax', { quantity: 1, unitPrice: 108, lineTotal: 100, taxAmount: 8 }, 100, 108],
    [
      'a tax by its rate',
      { quantity: 3, unitPrice: 36, lineTotal: 100, taxAmount: undefined, taxRate: 8 },
      33.33333,
      108,
    ],
    ['a tax by unit', { quantity: 2, unitPrice: 60, lineTotal: 100, taxAmount: undefined, taxPerUnit: 10 }, 50, 120],
  ])('bills the tax once after a price that includes %s', (_mistake, change, unitPrice, meant) => {
    const sent = { discount: undefined, ...change };
    expect(theProblem(line(sent)).hint).toBe(
      `the price includes the tax: send the price before tax, unitPrice ${unitPrice}`,
    );
    expect(payable(line({ ...sent, unitPrice }))).toBe(meant);
  });

  // A literal edit would turn 0,5 into 5, USD 100 into RM 100, and 5 % into RM 5.
  it.each<readonly [mistake: string, body: Members, hint: RegExp]>([
    [
      'a reduction',
      ofLine({ quantity: 1, unitPrice: -200, discount: 0 }),
      /reduction into discount or totalDiscountAmount/,
    ],
    ['a reduction as a text', ofLine({ quantity: 1, unitPrice: '(200.00)', discount: 0 }), /return into a credit note/],
    ['a return', ofLine({ quantity: '2-' }), /return into a credit note/],
    ['a negative line total', line({ lineTotal: -190 }), /reduction into discount/],
    ['the tax of a reduction', line({ taxAmount: -16 }), /lower tax of the line that it reduces/],
    ['a negative discount', ofLine({ discount: -10 }), /positive amount; a surcharge is a line/],
    ['a remark', ofLine({ quantity: 0, unitPrice: 0, discount: 0 }), /leave a line without quantity and price out/],
    ['an empty quantity of a remark', ofLine({ quantity: '' }), /leave a line without quantity and price out/],
    ['no quantity of a remark', ofLine({ quantity: null }), /leave a line without quantity and price out/],
    [
      'a lump sum without quantity',
      ofLine({ quantity: 0, unitPrice: 150 }),
      /^send 1 if the price is for the whole line/,
    ],
    [
      'no taxed unit',
      line({ taxPerUnit: 7.6, taxUnitCount: 0 }),
      /^if no unit is taxed, leave taxPerUnit and taxUnitCount out/,
    ],
    [
      'a price with tax of which no unit price has the total',
      ofLine({ quantity: 54_000, unitPrice: 1, discount: 0, lineTotal: 50_000.01, taxAmount: 3_999.99 }),
      /^the price includes the tax: send the price before tax as unitPrice$/,
    ],
    [
      'a price and a discount with tax',
      ofLine({ quantity: 1, unitPrice: 118, discount: 10, lineTotal: 100, taxAmount: 8 }),
      /before tax as unitPrice, and the discount before tax$/,
    ],
    ['a decimal comma', ofLine({ quantity: '0,500' }), /with a point before the decimals/],
    [
      'a rate above 100',
      line({ taxRate: 152, taxAmount: undefined }),
      /^send the rate in percent, such as 8; send a tax in MYR as taxAmount, without the rate$/,
    ],
    [
      'a rate with three decimals',
      line({ taxRate: 8.125, taxAmount: undefined }),
      /; if that changes the tax, send the tax as taxAmount, without the rate$/,
    ],
    ['a percentage', ofLine({ discount: '5%' }), /^send the amount in MYR, not a percentage$/],
    ['another currency', ofLine({ unitPrice: 'USD 100' }), /^send the amount in MYR$/],
    ['a sign of another currency', ofLine({ unitPrice: '$100' }), /^send the amount in MYR$/],
    ['a deduction in the rounding', bodyOf({ totalRoundingAmount: -300 }), /a reduction goes into totalDiscountAmount/],
    ['a discount that is in the line total alone', line({ lineTotal: 180 }), /add 10 to its discount; if 190 is right/],
    [
      'a line total above the amounts',
      line({ lineTotal: 300 }),
      /if 300 is right, correct quantity, unitPrice or discount/,
    ],
    ['a debit note', bodyOf({ documentType: 'debit_note' }), /issue these in the authority's portal/],
    ['a refund note', bodyOf({ documentType: 'refund_note' }), /issue these in the authority's portal/],
    ['a self-billed invoice', bodyOf({ documentType: 'invoice_self_billed' }), /issue these in the authority's portal/],
    [
      'a document twice',
      { ...bodyOf(), documents: [bodyOf().documents, bodyOf().documents].flat() },
      /^send a document once/,
    ],
    [
      'several invoices of a credit note',
      creditNote({ relatedInvoice: [{ referenceId: 'A' }] }),
      /separate credit note/,
    ],
    [
      'several buyers',
      bodyOf({ recipient: [RECIPIENT] }),
      /^send one buyer in braces, \{…\}; each further buyer needs a separate document$/,
    ],
    ['a TIN with a last digit other than 0', recipient({ tin: 'NA' }), /EI00000000010 with the own nric/],
    ['a company without a BRN', recipient({ brn: 'NA' }), /NA is accepted as brn of a foreign company/],
    [
      'a number of an SST registration that is too long',
      recipient({ sstNumber: 'A-1;'.repeat(10) }),
      /one or two numbers/,
    ],
    ['a BRN that is too long', recipient({ brn: '202001234567 / 1234567-A' }), /^send one number alone/],
    ...['tin', 'state', 'postcode', 'phone', 'nric', 'brn'].map(
      (member) =>
        [
          `a very long ${member}`,
          recipient({ [member]: '9'.repeat(99) }),
          /^send the value alone, without other text$/,
        ] as const,
    ),
    ['a country that is too long', recipient({ country: 'Atlantis' }), /three letters of the country/],
    ['an NRIC of two buyers', person({ nric: 'x'.repeat(51) }), /12 digits of the identity card/],
    ['a state abroad without its country', recipient({ state: 'Bavaria' }), /outside Malaysia, send its country/],
    [
      'a buyer of the general public',
      recipient({ tin: 'EI00000000010' }),
      /in a separate request with submission_type/,
    ],
    ['a kind of buyer', recipient({ entity_type: undefined }), /individual for a person/],
    ['a foreigner without an id', abroad(FOREIGN_PERSON), PASSPORT],
    [
      'a foreigner without a TIN and an id',
      recipient({ ...FOREIGN_PERSON, country: 'MYS', state: 'johor', postcode: '80000' }),
      PASSPORT,
    ],
    ['a foreigner whose NRIC is NA', abroad({ ...FOREIGN_PERSON, nric: 'NA' }), PASSPORT],
    ['a foreigner whose NRIC is 0', abroad({ ...FOREIGN_PERSON, nric: 0 }), PASSPORT],
    [
      'a phone of Malaysia as a number abroad',
      abroad({ phone: 60312345678 }),
      /^write it in quotation marks; begin with \+ and the code of the country/,
    ],
    [
      'an e-mail address with a space',
      recipient({ email: 'siti aminah@pembeli.example' }),
      /^send one address such as/,
    ],
    ['a foreigner with a TIN of Malaysia', abroad({ ...FOREIGN_PERSON, tin: 'IG12345678901' }), PASSPORT],
    ['a passport that there is not', person({ passport: 'NA' }), /^send the number that is on the document/],
    ['a passport that is not available', person({ passport: 'N/A' }), /^send the number that is on the document/],
    ['an army number that there is not', person({ army: 'nil' }), /^send the number that is on the document/],
    ...['-', '--', '.', 'N/A', 'n.a.', 'nil', '000000000000'].map(
      (brn) => [`the BRN ${brn}`, recipient({ brn }), /^send the number; for a buyer without one, NA/] as const,
    ),
  ])('learns the correct field after %s', (_mistake, body, hint) => {
    expect(theProblem(body).hint).toMatch(hint);
  });

  it('sends another country with a two-letter code of the list', () => {
    expect(
      ['SK', 'CD', 'KR', 'Holland', 'UAE', 'England'].map((country) =>
        theProblem(recipient({ country })).hint.slice(13, 16),
      ),
    ).toEqual(['SVK', 'COD', 'KOR', 'NLD', 'ARE', 'GBR']);
  });

  it('can choose the TIN of foreign buyers while the country is unknown', () => {
    const hintOf = (tin: string): string | undefined => {
      const ofTin = findProblems(recipient({ tin, country: 'Singapore' })).find(({ pointer }) =>
        pointer.endsWith('/tin'),
      );
      return ofTin?.hint;
    };
    expect(hintOf('201912345')).toMatch(/C1234567890 .*; use EI00000000020, if the buyer has no TIN of Malaysia$/);
    expect(hintOf('NA')).toMatch(/^ask the buyer for it; .* a foreign buyer EI00000000020$/);
  });

  it('sends an accepted document of a foreigner with the passport', () => {
    expect(findProblems(abroad({ ...FOREIGN_PERSON, passport: 'K1234567' }))).toEqual([]);
  });

  it('sends an accepted document of a government body after each missing number', () => {
    const body = (change: Members, classification?: string): Members =>
      bodyOf({ recipient: { ...RECIPIENT, brn: undefined, ...change }, lineItems: [{ ...LINE, classification }] });
    const government = { tin: 'EI00000000040' };
    expect(findProblems(body({ tin: 'NA' }))[0].hint).toContain('a government body EI00000000040');
    expect(theProblem(body(government)).hint).toBe(
      'the number of the body; NA if it has none and every line has classification 004',
    );
    expect(theProblem(body({ ...government, brn: '-' })).hint).toMatch(
      /EI00000000040 if every line has classification 004$/,
    );
    expect(findProblems(body({ ...government, brn: 'NA' }, '004'))).toEqual([]);
  });

  it.each([
    ['bottle', 'XBO'],
    ['botol', 'XBO'],
    ['gal', 'GLL'],
    ['gallon', 'GLL'],
    ['tan', 'TNE'],
    ['can', 'XCX'],
  ])('sees the usual unit of %s first', (unitCode, code) => {
    expect(theProblem(line({ unitCode })).hint.slice('did you mean '.length)).toMatch(new RegExp(`^${code} `));
    expect(theProblem(line({ unitCode })).hint).not.toMatch(/A76|TAN|XGB/);
  });
});
