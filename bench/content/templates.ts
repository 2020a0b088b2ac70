import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { v7 as uuidv7 } from 'uuid';
import { GENERAL_PUBLIC_TIN } from '../../src/documents/identity.js';
import { readSubmitBody, type SubmitBody } from '../../src/submission/submit-body.js';
import { BUYER_TIN_SLOT, REFERENCE_SLOT, submitContent } from './documents.js';

// Requests and rows are templates with placeholders, so that generating them costs little on both sides.

const DOCUMENT_ID_SLOT = '@DOCUMENT-ID@';
const TRANSACTION_ID_SLOT = '@TRANSACTION-ID@';
const SLOT = /(@REFERENCE@|@BUYER-TIN@|@DOCUMENT-ID@|@TRANSACTION-ID@)/;

/** Alternating strings and slots. Starts and ends with a string. */
export type Template = readonly string[];

/** Maximum number of different bodies, used in rotation. */
const BODIES_MAX = 64;
const DOCUMENTS_OF_ALL_BODIES = 1_600;

/** Number of buyers per tenant. */
const BUYERS = 50_000;

/** Generates document numbers and buyer TINs. Use a different prefix for each run. */
export class Numbering {
  private next = 0;

  constructor(private readonly prefix: string) {}

  reference(): string {
    this.next += 1;
    return `${this.prefix}-${String(this.next).padStart(8, '0')}`;
  }

  buyerTin(): string {
    return formatBuyerTin(this.next);
  }
}

/** Returns TINs that are spread across the buyer index. */
export function formatBuyerTin(number: number): string {
  return `C${200_000_000 + ((number * 7_919) % BUYERS)}0`;
}

function countBodies(documentCount: number): number {
  return Math.min(BODIES_MAX, Math.max(8, DOCUMENTS_OF_ALL_BODIES / documentCount));
}

export function bodyTemplates(documentCount: number): Template[] {
  return contents(documentCount).map((content) => JSON.stringify(content).split(SLOT));
}

export function renderBody(template: Template, numbering: Numbering): string {
  return render(template, (slot) => (slot === REFERENCE_SLOT ? numbering.reference() : numbering.buyerTin()));
}

/** Rows of document_transaction as JSON for the floor's statement. */
export interface RowsTemplate {
  readonly submissionType: string;
  readonly rows: Template;
  readonly documentTypes: readonly string[];
}

export interface RenderedRows {
  readonly rows: string;
  readonly documents: readonly { documentId: string; documentType: string; referenceId: string }[];
}

export function rowsTemplates(documentCount: number): RowsTemplate[] {
  return acceptedBodies(documentCount).map((accepted) => ({
    submissionType: accepted.submissionType,
    rows: JSON.stringify(storedRows(accepted)).split(SLOT),
    documentTypes: accepted.documents.map(({ document }) => document.documentType),
  }));
}

export function renderRows(template: RowsTemplate, numbering: Numbering): RenderedRows {
  const documents: { documentId: string; documentType: string; referenceId: string }[] = [];
  let document = { documentId: '', documentType: '', referenceId: '' };
  const rows = render(template.rows, (slot) => {
    switch (slot) {
      case DOCUMENT_ID_SLOT:
        // The first slot of each row.
        document = {
          documentId: uuidv7(),
          documentType: template.documentTypes[documents.length] ?? '',
          referenceId: numbering.reference(),
        };
        documents.push(document);
        return document.documentId;
      case TRANSACTION_ID_SLOT:
        return uuidv7();
      case REFERENCE_SLOT:
        return document.referenceId;
      default:
        return numbering.buyerTin();
    }
  });
  return { rows, documents };
}

/** Parses the bodies with the service's own code, so that the floor writes identical payloads. */
export function acceptedBodies(documentCount: number): SubmitBody[] {
  return contents(documentCount).map((content) => {
    const numbering = new Numbering('BENCH');
    const body: unknown = JSON.parse(renderBody(JSON.stringify(content).split(SLOT), numbering));
    const accepted = readSubmitBody(body, new Date());
    if ('problems' in accepted) throw new Error(`The content breaks a rule: ${JSON.stringify(accepted.problems[0])}`);
    return accepted;
  });
}

function contents(documentCount: number): ReturnType<typeof submitContent>[] {
  const today = toMalaysianDate(new Date());
  return Array.from({ length: countBodies(documentCount) }, (_, seed) => submitContent(documentCount, seed, today));
}

function storedRows({ documents }: SubmitBody): object[] {
  return documents.map(({ document, totals, wireBytesMax }, index) => ({
    document_id: DOCUMENT_ID_SLOT,
    transaction_id: TRANSACTION_ID_SLOT,
    position: index,
    document_type: document.documentType,
    reference_id: REFERENCE_SLOT,
    payload: {
      ...document,
      referenceId: REFERENCE_SLOT,
      recipient: document.recipient === null ? null : { ...document.recipient, tin: BUYER_TIN_SLOT },
    },
    totals,
    buyer_tin: document.recipient === null ? GENERAL_PUBLIC_TIN : BUYER_TIN_SLOT,
    parent_reference_id: document.relatedInvoice?.referenceId ?? null,
    parent_authority_uuid: document.relatedInvoice?.authorityUuid ?? null,
    wire_bytes_max: wireBytesMax,
  }));
}

function render(template: Template, fill: (slot: string) => string): string {
  let text = template[0] ?? '';
  for (let index = 1; index < template.length; index += 2) text += fill(template[index]) + template[index + 1];
  return text;
}
