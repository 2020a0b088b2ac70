import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import type { Supplier } from '../documents/simplified-document.js';
import { ValidationError } from '../errors/api-error.js';
import { UNVERIFIED } from '../tenants/verification/verification.js';
import { decideSubmit } from './decide-submit.js';
import { type PreparedSubmit, prepareSubmit } from './prepare-submit.js';
import { type StoredDocument, buildWanted } from './stored-documents.js';
import { buildBody, documentWith, type Members, NOW } from './submit-body.fixtures.js';
import type { SubmitRead } from './submit-reader.js';

const SUPPLIER: Supplier = {
  name: 'Kedai Contoh Sdn Bhd',
  tin: 'C1234567890',
  idType: 'BRN',
  idValue: '201901234567',
  msic: '46510',
  activity: 'Wholesale of computers',
  phone: '+60312345678',
  addressLines: ['Lot 66'],
  city: 'Kuala Lumpur',
  postcode: '50480',
  stateCode: '14',
  country: 'MYS',
  sstNumber: null,
  ttxNumber: null,
  email: null,
  defaultTaxType: '02',
  defaultClassification: '022',
};
type Change = { readonly [Name in keyof SubmitRead]?: unknown };

const NEW_KEY = { body_hash: null, response_status: null, response: null } as const;
const FAILED: StoredDocument = {
  documentId: '01920000-0000-7000-8000-000000000001',
  documentType: 'invoice',
  referenceId: 'INV-1',
  attempts: 2,
  submissionBatchId: '01920000-0000-7000-8000-000000000002',
  submissionStatus: 'SubmitFailed',
  authorityStatus: null,
  authorityUuid: null,
  buyerTin: 'C9876543210',
  hasCancellationUnderWay: false,
  issued: [],
};
const QUEUED: StoredDocument = { ...FAILED, submissionStatus: 'Queued' };

function prepare(...documents: Members[]): PreparedSubmit {
  const prepared = prepareSubmit(Buffer.from(JSON.stringify(buildBody(...documents))), { now: NOW, isStrict: false });
  if ('malformed' in prepared) throw new Error(prepared.malformed);
  return prepared;
}

/** Builds the read data of a verified organisation without documents. */
function readFor(prepared: PreparedSubmit, change: Change = {}): SubmitRead {
  return {
    ...NEW_KEY,
    now: NOW,
    supplier: SUPPLIER,
    verification: { status: 'verified', reason: null },
    tenantVersion: '1/2',
    wanted: buildWanted('problems' in prepared ? [] : prepared.documents),
    stored: [],
    similar: [],
    credited: [],
    profileProblems: [],
    ...change,
  } as SubmitRead;
}

function decide(prepared: PreparedSubmit, change: Change = {}, expectedAttempts?: number) {
  const decision = decideSubmit(readFor(prepared, change), { environment: 'sandbox', prepared, expectedAttempts });
  if ('refusal' in decision) {
    const { refusal } = decision;
    return { refusal: refusal instanceof ValidationError ? refusal.problems[0].rule : refusal.code };
  }
  return 'replay' in decision ? decision : decision.accepted;
}

const toResponse = ({ bodyHash }: PreparedSubmit): Change => ({
  body_hash: Buffer.from(bodyHash, 'hex'),
  response_status: 200,
  response: '{}',
});

describe('decideSubmit', () => {
  const prepared = prepare(documentWith());
  const broken = prepare(documentWith({ lineItems: [] }));

  it('replays the response for an equal body even if it is now invalid', () => {
    expect(decide(broken, toResponse(broken))).toEqual({ replay: { status: 200, text: '{}' } });
  });

  it('rejects a used key with another body even if that body is invalid', () => {
    expect(decide(broken, toResponse(prepared))).toEqual({ refusal: 'idempotency_key_reused' });
  });

  it('rejects for the first failed check in the documented order', () => {
    const invoice = documentWith();
    const note = documentWith({
      documentType: 'credit_note',
      referenceId: 'CN-1',
      relatedInvoice: { referenceId: 'INV-0' },
    });
    const unreadable = documentWith({ referenceId: 'INV-\u200B2' });
    const profileProblems = [{ pointer: '/documents/0', rule: 'document_size', message: 'is too large' }];
    // Each case adds a fault whose check comes before the faults of the previous cases.
    const cases: [refusal: string, documents: Members[], change: Change, expectedAttempts?: number][] = [
      ['duplicate_document', [invoice], { stored: [QUEUED] }],
      ['related_invoice_unknown', [note, invoice], {}],
      ['reference_id_invisible', [unreadable, note, invoice], {}],
      ['document_size', [unreadable, note, invoice], { profileProblems }],
      ['state_conflict', [unreadable, note, invoice], {}, 1],
      ['supplier_not_verified', [unreadable, note, invoice], { verification: UNVERIFIED }, 1],
      ['supplier_profile_incomplete', [unreadable, note, invoice], { supplier: { missing: ['TIN'] } }, 1],
      ['line_items_min_items', [documentWith({ lineItems: [] }), unreadable, note, invoice], {}, 1],
    ];
    let change: Change = {};
    for (const [refusal, documents, fault, expectedAttempts] of cases) {
      change = { ...change, ...fault };
      expect(decide(prepare(...documents), change, expectedAttempts)).toEqual({ refusal });
    }
  });

  it('queues new documents for one credit each if the read data is still current', () => {
    const two = prepare(documentWith(), documentWith({ referenceId: 'INV-2' }));
    expect(decide(two)).toMatchObject({
      status: 200,
      charge: { credits: 2, documentCount: 2 },
      rows: [
        { position: 0, reference_id: 'INV-1', attempt: 1 },
        { position: 1, reference_id: 'INV-2', attempt: 1 },
      ],
      precondition: { tenantVersion: '1/2', referenceIds: ['INV-1', 'INV-2'], stored: [], similar: [] },
    });
  });

  it('creates the next attempt of a failed document with its documentId', () => {
    expect(decide(prepared, { stored: [FAILED] })).toMatchObject({
      body: { documents: [{ documentId: FAILED.documentId, referenceId: 'INV-1' }] },
      rows: [{ document_id: FAILED.documentId, attempt: 3 }],
      precondition: { stored: [FAILED] },
    });
  });

  it('rejects documents with an unexpected number of attempts', () => {
    expect(decide(prepared, { stored: [FAILED] }, 2)).toMatchObject({ rows: [{ attempt: 3 }] });
    expect(decide(prepared, { stored: [FAILED] }, 1)).toEqual({ refusal: 'state_conflict' });
    expect(decide(prepared, {}, 1)).toEqual({ refusal: 'state_conflict' });
  });

  it('warns about a stored number that differs only by case', () => {
    const decided = decide(prepared, { similar: [{ position: 0, referenceId: 'inv-1' }] });
    expect(decided).toMatchObject({ warnings: { warnings: [{ rule: 'reference_id_alike' }] } });
  });
});
