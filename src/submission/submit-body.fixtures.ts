import 'reflect-metadata';
import { type Problem, toSentence } from '../errors/problem.js';
import { STATE_SLUGS } from '../documents/code-lists.js';
import { type SubmitBody, readSubmitBody } from './submit-body.js';

// Bodies for the specs of submit-body, and helpers that check them.

export type Members = Record<string, unknown>;

// 07:30 on 21 November in Malaysia, but still 20 November in UTC.
export const NOW = new Date('2026-11-20T23:30:00Z');

export const RECIPIENT = {
  name: 'Pembeli Contoh Sdn Bhd',
  addressLine1: '12 Jalan Contoh',
  addressLine2: 'Seksyen 7',
  postcode: '40000',
  state: 'selangor',
  city: 'Shah Alam',
  tin: 'C9876543210',
  brn: '202001234567',
  entity_type: 'company',
};
export const PERSON = {
  ...RECIPIENT,
  brn: undefined,
  entity_type: 'individual',
  tin: 'IG12345678901',
  nric: '880101145678',
};
export const FOREIGNER = { ...RECIPIENT, country: 'SGP', postcode: 'SW1A 2AA', state: undefined };
export const LINE = {
  description: 'Consulting',
  quantity: 2,
  unitPrice: 100,
  discount: 10,
  lineTotal: 190,
  taxAmount: 15.2,
};
export const PARENT = { referenceId: 'INV-0', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };

export function documentWith(change: Members = {}): Members {
  return {
    documentType: 'invoice',
    referenceId: 'INV-1',
    document_date: '2026-11-20',
    recipient: RECIPIENT,
    lineItems: [LINE],
    ...change,
  };
}

export function buildBody(...documents: unknown[]): Members {
  return { submission_type: 'non-consolidated', documents };
}

/** Builds a body with one document. */
export const bodyOf = (change: Members = {}): Members => buildBody(documentWith(change));
export const recipient = (change: Members, base: Members = RECIPIENT): Members =>
  bodyOf({ recipient: { ...base, ...change } });
export const line = (change: Members): Members => bodyOf({ lineItems: [{ ...LINE, ...change }] });
export const creditNote = (change: Members): Members =>
  bodyOf({ documentType: 'credit_note', relatedInvoice: PARENT, ...change });

/** Returns the problems of a body as received over HTTP, without undefined members. */
export function findProblems(body: unknown): Problem[] {
  const result = readSubmitBody(JSON.parse(JSON.stringify(body)), NOW);
  return 'problems' in result ? result.problems : [];
}

export function findSentences(body: unknown): string[] {
  return findProblems(body).map(toSentence);
}

export function accepted(body: unknown): SubmitBody {
  const result = readSubmitBody(JSON.parse(JSON.stringify(body)), NOW);
  if ('problems' in result) throw new Error(result.problems.map(toSentence).join('\n'));
  return result;
}

export const STATE_CHOICES = STATE_SLUGS.filter((slug) => slug !== 'not_applicable').join(', ');
export const D = 'documents[0]';
export const R = `${D}.recipient`;
export const L = `${D}.lineItems[0]`;
