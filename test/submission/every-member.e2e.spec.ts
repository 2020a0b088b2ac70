import { beforeAll, expect, it } from 'vitest';
import { toSubmitBody, toValues } from '../../dashboard/src/parts/invoice/values.js';
import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import type { TransactionContentDto } from '../../src/dashboard-api/transactions/dto/transaction.dto.js';
import { SubmitDto } from '../../src/submission/dto/submit.dto.js';
import { compileShape, type Shape } from '../../src/http/validation/shape.js';
import { createTenant, post } from '../support/client.js';
import { signUpInto } from '../support/dashboard.js';
import { startFileService } from '../support/file-service.js';
import { readPages } from '../support/pdf.js';

// The fields come from the DTOs. COMPLETE sends a new field with its name as the text. If it needs another value, add
// it to a document below. If an output omits it on purpose, add it to EXCEPTIONS.

const service = await startFileService();

const OUTPUTS = ['stored', 'ubl', 'paper', 'form', 'newRequest'] as const;
type Output = (typeof OUTPUTS)[number];
type Json = Record<string, unknown>;
type Body = Json & { documents: Json[] };

const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => toMalaysianDate(new Date(Date.now() - days * DAY_MS));

const DAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' });
const printDay = (days: number): string => DAY.format(new Date(daysAgo(days)));

const COMPLETE = {
  documentType: 'invoice',
  referenceId: 'COMPLETE-1',
  document_date: daysAgo(1),
  recipient: {
    entity_type: 'company',
    name: 'Kilang Contoh Pte Ltd',
    addressLine1: '12 Orchard Road',
    city: 'Singapore City',
    postcode: '018956',
    state: 'Central',
    tin: 'C9876543210',
    brn: '202001234567',
    country: 'SGP',
    phone: '+6591234567',
    email: 'ap@buyer.example',
    sstNumber: 'W10180832000001',
  },
  lineItems: [
    {
      description: 'Tea',
      quantity: 3.25,
      unitPrice: 41.12345,
      discount: 7.41,
      lineTotal: 126.25,
      taxAmount: 9.79,
      taxRate: 7.75,
      taxType: '02',
      classification: '011',
      unitCode: 'KGM',
    },
    { description: 'Room', quantity: 1, unitPrice: 100, taxType: '03', taxPerUnit: 12.34567, taxUnitCount: 5.75 },
    { description: 'Book', quantity: 1, unitPrice: 100, taxType: 'E', taxExemptionReason: 'Order 2018' },
  ],
  totalDiscountAmount: 5.43,
  totalRoundingAmount: 0.02,
  totalExcludingTax: 320.82,
  totalTaxAmount: 80.78,
  totalIncludingTax: 401.6,
  totalPayableAmount: 401.62,
};

const PERSON = {
  entityType: 'individual',
  name: 'Siti binti Contoh',
  tin: 'IG12345678901',
  addressLine1: '3 Lorong Contoh',
  city: 'George Town',
  postcode: '10000',
  state: 'pulau_pinang',
};

const WITH_OTHER_SPELLINGS = {
  documentType: 'invoice',
  referenceId: 'SPELLINGS-1',
  documentDate: daysAgo(2),
  recipient: { ...PERSON, nric: '880101145678' },
  lineItems: [
    { description: 'Goods', quantity: 2, unitPrice: 61.5, tax_rate: 6.5 },
    { description: 'Bag', quantity: 1, unitPrice: 20, taxAmount: 1.5 },
  ],
  totalDiscountAmount: 3,
  totalRoundingAmount: 0.01,
  total_excluding_tax: 140,
  total_tax_amount: 9.5,
  total_including_tax: 149.5,
  total_payable_amount: 149.51,
};

const withId = (id: Json, referenceId: string): Json => ({
  documentType: 'invoice',
  referenceId,
  document_date: daysAgo(1),
  recipient: { ...PERSON, ...id },
  lineItems: [{ description: 'Goods', quantity: 1, unitPrice: 100 }],
});

const creditNote = (authorityUuid: string): Json => ({
  ...withId({ nric: '880101145678' }, 'CREDIT-1'),
  documentType: 'credit_note',
  relatedInvoice: { referenceId: 'SPELLINGS-1', authorityUuid },
});

const RECEIPTS = {
  documentType: 'invoice',
  referenceId: 'RECEIPTS-1',
  document_date: daysAgo(1),
  lineItems: [{ description: 'Receipts 1 to 9', quantity: 1, unitPrice: 100 }],
};

/** Texts that represent a value in an output. */
const SHOWN: Readonly<Record<string, Partial<Record<Output, string>>>> = {
  [daysAgo(1)]: { paper: printDay(1) },
  [daysAgo(2)]: { paper: printDay(2) },
  consolidated: { ubl: 'General Public', paper: 'General Public' },
  invoice: { ubl: '01', paper: 'Invoice' },
  company: { stored: 'BRN', ubl: 'BRN', paper: 'Registration no.', form: 'brn' },
  individual: { stored: 'NRIC', ubl: 'NRIC', paper: 'MyKad no.', form: 'nric' },
  SGP: { paper: 'SINGAPORE' },
  '02': { paper: '02 Service Tax' },
  KGM: { paper: 'kilogram' },
};

const COMPARED = 'The service computes it and compares it with the value that is sent.';
const COMPUTED = { stored: COMPARED, form: COMPARED, newRequest: COMPARED };
const BY_BUYER = 'The buyer shows it.';

/** Outputs that omit a field, with the reason. */
const EXCEPTIONS: Readonly<Record<string, Partial<Record<Output, string>>>> = {
  '/submission_type': { ubl: BY_BUYER, paper: BY_BUYER },
  '/documents/*/totalExcludingTax': COMPUTED,
  '/documents/*/total_excluding_tax': COMPUTED,
  '/documents/*/totalTaxAmount': COMPUTED,
  '/documents/*/total_tax_amount': COMPUTED,
  '/documents/*/totalIncludingTax': COMPUTED,
  '/documents/*/total_including_tax': COMPUTED,
  '/documents/*/totalPayableAmount': COMPUTED,
  '/documents/*/total_payable_amount': COMPUTED,
};

const MEMBERS = listMembers(compileShape(SubmitDto));

function listMembers({ fields }: Shape, scope = ''): string[] {
  return fields.flatMap(({ name, nested }) => {
    const pointer = `${scope}/${name}`;
    return nested === null ? [pointer] : listMembers(nested.shape, nested.isList ? `${pointer}/*` : pointer);
  });
}

/** Returns all leaf values with their pointers. */
function listLeaves(value: unknown, pointer = ''): [pointer: string, leaf: unknown][] {
  if (typeof value !== 'object' || value === null) return [[pointer, value]];
  return Object.entries(value).flatMap(([name, inner]) => listLeaves(inner, `${pointer}/${name}`));
}

const toMember = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*');
const toMemberOf = ([pointer]: [string, unknown]): string => toMember(pointer);

/** Returns COMPLETE with a text for each field that no document has. */
function complete(others: readonly Json[]): Json {
  const sentMembers = [...others, { documents: [COMPLETE] }].flatMap((body) => listLeaves(body).map(toMemberOf));
  const addTexts = (object: Json, scope: string): Json => ({
    ...object,
    ...Object.fromEntries(
      MEMBERS.filter((member) => !sentMembers.includes(member)).flatMap((member, index) => {
        const name = member.slice(member.lastIndexOf('/') + 1);
        return member === `${scope}/${name}` ? [[name, `Text ${index}`]] : [];
      }),
    ),
  });
  const [line, ...lines] = COMPLETE.lineItems;
  return {
    ...addTexts(COMPLETE, '/documents/*'),
    recipient: addTexts(COMPLETE.recipient, '/documents/*/recipient'),
    lineItems: [addTexts(line, '/documents/*/lineItems/*'), ...lines],
  };
}

/** The first value of each field, with the number of its document. */
const sent = new Map<string, { value: unknown; referenceId: string }>();
type Contains = (value: unknown) => boolean;
/** The outputs by document number. */
const outputs = new Map<string, Record<Output, Contains>>();

beforeAll(async () => {
  const tenant = await createTenant(service);
  const viewer = await signUpInto(service, tenant.tenantId, 'viewer');
  const path = `/organisations/${tenant.tenantId}/sandbox/transactions`;

  const send = async (body: Body): Promise<string[]> => {
    const response = await post(service, tenant, { path: '/v1/einvoice/submit', body });
    expect([response.status, response.body.warnings], response.text).toEqual([200, []]);
    await service.settle();
    for (const [pointer, value] of listLeaves(body)) {
      const position = Number(/^\/documents\/(\d+)/.exec(pointer)?.[1] ?? 0);
      const member = toMember(pointer);
      if (!sent.has(member)) sent.set(member, { value, referenceId: String(body.documents[position].referenceId) });
    }
    return Promise.all(body.documents.map(({ referenceId }) => read(String(referenceId))));
  };

  const read = async (referenceId: string): Promise<string> => {
    const [row] = await service.owner.query<{ id: string; payload: unknown; uuid: string }[]>(
      `SELECT id, payload, authority_uuid AS uuid FROM document_transaction
        WHERE tenant_id = $1 AND payload ->> 'referenceId' = $2`,
      [tenant.tenantId, referenceId],
    );
    const received = await fetch(`${service.simulator.url}/_control/document?uuid=${row.uuid}`);
    const pdf = await viewer.download(`${path}/${row.id}/document.pdf`);
    const { body: content } = await viewer.get<TransactionContentDto>(`${path}/${row.id}/content`);
    const form = toValues(content.request as Parameters<typeof toValues>[0]);
    outputs.set(referenceId, {
      stored: containsLeaf(row.payload),
      ubl: containsLeaf(await received.json()),
      paper: containsText((await readPages(pdf.bytes)).join(' ')),
      form: containsLeaf(form),
      newRequest: containsLeaf(toSubmitBody(form)),
    });
    return row.uuid;
  };

  const spellings = [WITH_OTHER_SPELLINGS, withId({ passport: 'A12345678' }, 'PASSPORT-1')];
  const others: Body = {
    submission_type: 'non-consolidated',
    documents: [...spellings, withId({ army: 'T1234567' }, 'ARMY-1')],
  };
  const receipts: Body = { submissionType: 'consolidated', documents: [RECEIPTS] };
  const unsent = { documents: [creditNote('')] };
  await send({ submission_type: 'non-consolidated', documents: [complete([others, receipts, unsent])] });
  const [uuid] = await send(others);
  await send(receipts);
  await send({ submission_type: 'non-consolidated', documents: [creditNote(uuid)] });
});

/** The form keeps fields that it does not show in a JSON text, which is searched too. */
function containsLeaf(json: unknown): Contains {
  const leaves = new Set(listLeaves(json).map(([, leaf]) => String(leaf)));
  return (value) => leaves.has(String(value));
}

const PRINTED = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 5 });

/** Matches whole words and numbers: `3.25` does not match `13.25`. */
function containsText(paper: string): Contains {
  const words = ` ${paper.replaceAll(/[\s,%]+/g, ' ')} `;
  return (value) => {
    const shown = typeof value === 'number' ? [String(value), PRINTED.format(value)] : [String(value)];
    return shown.some((text) => words.includes(` ${text} `));
  };
}

it.each(MEMBERS)('every output of a document contains %s', (member) => {
  const found = sent.get(member);
  if (found === undefined) throw new Error(`No document of this file has ${member}.`);
  const shown = SHOWN[String(found.value)] ?? {};
  const contains = outputs.get(found.referenceId);
  const lacking = OUTPUTS.filter((output) => contains?.[output](shown[output] ?? found.value) !== true);
  expect(lacking).toEqual(Object.keys(EXCEPTIONS[member] ?? {}));
});
