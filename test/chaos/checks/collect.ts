import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import type { History } from '../load/history.js';
import type {
  AnswerRow,
  CancellationRow,
  DocumentContent,
  EntryRow,
  EventRow,
  RecordedRow,
  TenantEvidence,
  TransactionRow,
  WireDocument,
} from './evidence.js';

const TRANSACTIONS_AT_ONCE = 500;

/** Reads the evidence of one tenant from the database and from the history of its clients. */
export async function collectTenant(
  client: Client,
  history: History,
  { tenantId, wire, statusByUuid }: Pick<TenantEvidence, 'tenantId' | 'wire' | 'statusByUuid'>,
): Promise<TenantEvidence> {
  const read = async <Row extends object>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text, [tenantId])).rows;
  const [account] = await read<{ balance: number; entrySequence: number }>(
    `SELECT balance, entry_sequence AS "entrySequence" FROM credit_account WHERE tenant_id = $1`,
  );
  const { rows: consumers } = await client.query<{ name: string }>('SELECT name FROM event_consumer');
  return {
    tenantId,
    wire,
    statusByUuid,
    account,
    history: await history.read(tenantId),
    transactions: await readTransactions(client, tenantId),
    batches: await read(`SELECT id, document_count AS "documentCount" FROM submission_batch WHERE tenant_id = $1`),
    events: await read<EventRow>(
      `SELECT transaction_id AS "transactionId", version, from_state AS "fromState", to_state AS "toState"
         FROM status_event WHERE tenant_id = $1`,
    ),
    cancellations: await read<CancellationRow>(
      `SELECT id, document_id AS "documentId", transaction_id AS "transactionId", status,
              jsonb_array_length(errors) AS "errorCount"
         FROM document_cancellation WHERE tenant_id = $1`,
    ),
    submissions: await read(`SELECT id, state FROM authority_submission WHERE tenant_id = $1`),
    lots: await read(`SELECT granted, remaining FROM credit_lot WHERE tenant_id = $1`),
    entries: await read<EntryRow>(
      `SELECT sequence, kind, amount, balance_after AS "balanceAfter", cause_id AS "causeId"
         FROM credit_entry WHERE tenant_id = $1`,
    ),
    answers: await read<AnswerRow>(
      `SELECT operation, key, encode(sha256(convert_to(response, 'UTF8')), 'hex') AS sha256
         FROM idempotency_record WHERE tenant_id = $1`,
    ),
    consumers: consumers.map(({ name }) => name),
    // The table exists only if there are consumers.
    recorded: consumers.length === 0 ? [] : await read<RecordedRow>(RECORDED),
  };
}

const RECORDED = /* sql */ `
  SELECT consumer, event_id AS "eventId", document_id AS "documentId", source, event ->> 'kind' AS kind
    FROM recorded_event WHERE event ->> 'tenantId' = $1::text ORDER BY sequence`;

interface StoredTransaction extends Omit<TransactionRow, 'content' | 'sha256'> {
  readonly bytes: Buffer | null;
}

async function readTransactions(client: Client, tenantId: string): Promise<TransactionRow[]> {
  const transactions: TransactionRow[] = [];
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await client.query<StoredTransaction>(
      `SELECT t.id, t.document_id AS "documentId", t.submission_batch_id AS "submissionBatchId", t.position, t.attempt,
              t.document_type AS "documentType", t.reference_id AS "referenceId",
              t.submission_status AS "submissionStatus", t.authority_status AS "authorityStatus",
              t.authority_uuid AS "authorityUuid", a.bytes
         FROM document_transaction t
         LEFT JOIN authority_document a ON a.tenant_id = t.tenant_id AND a.transaction_id = t.id
        WHERE t.tenant_id = $1 AND t.id > $2 ORDER BY t.id LIMIT ${TRANSACTIONS_AT_ONCE}`,
      [tenantId, last],
    );
    for (const { bytes, ...row } of rows) {
      // Computes the hash of the bytes instead of trusting the stored hash.
      const sha256 = bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
      transactions.push({ ...row, sha256, content: bytes === null ? null : readContent(bytes) });
    }
    if (rows.length < TRANSACTIONS_AT_ONCE) return transactions;
    last = rows[rows.length - 1].id;
  }
}

type Element = readonly { readonly [name: string]: unknown }[];

/** Parses an authority document independently of the code under test. */
export function readContent(bytes: Buffer): DocumentContent {
  const { Invoice } = JSON.parse(bytes.toString('utf8')) as { Invoice: Element };
  const read = (...names: string[]): unknown => {
    let element: Element = Invoice;
    for (const name of names) element = element[0][name] as Element;
    return element[0]._;
  };
  return {
    type: String(read('InvoiceTypeCode')),
    number: String(read('ID')),
    payableSen: Math.round(Number(read('LegalMonetaryTotal', 'PayableAmount')) * 100),
    lines: (Invoice[0].InvoiceLine as Element).length,
    buyer: String(read('AccountingCustomerParty', 'Party', 'PartyLegalEntity', 'RegistrationName')),
  };
}

const PAGE_SIZE = 100;

/**
 * Reads the status of each document of a taxpayer by the authority's search API. Halves the search interval until it
 * contains fewer documents than a search lists.
 */
export async function statusesAtAuthority(
  url: string,
  { clientId, tin, from, to }: { clientId: string; tin: string; from: Date; to: Date },
): Promise<Map<string, string>> {
  const token = await login(url, clientId, tin);
  const statuses = new Map<string, string>();
  const spans = [{ from, to }];
  for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
    const first = await searchPage(url, token, { ...span, page: 1 });
    if (first.metadata.totalCount >= LISTED_MAX && span.to.getTime() - span.from.getTime() > SPAN_MS_MIN) {
      const middle = new Date((span.from.getTime() + span.to.getTime()) / 2);
      spans.push({ from: span.from, to: middle }, { from: middle, to: span.to });
      continue;
    }
    for (let page = 1; page <= first.metadata.totalPages; page += 1) {
      const { result } = page === 1 ? first : await searchPage(url, token, { ...span, page });
      for (const { uuid, status } of result) statuses.set(uuid, status);
    }
  }
  return statuses;
}

const LISTED_MAX = 10_000;
const SPAN_MS_MIN = 2_000;

interface SearchPage {
  readonly result: readonly { uuid: string; status: string }[];
  readonly metadata: { totalPages: number; totalCount: number };
}

async function searchPage(
  url: string,
  token: string,
  { from, to, page }: { from: Date; to: Date; page: number },
): Promise<SearchPage> {
  const query = new URLSearchParams({
    submissionDateFrom: from.toISOString(),
    submissionDateTo: to.toISOString(),
    pageNo: String(page),
    pageSize: String(PAGE_SIZE),
  });
  const address = `${url}/api/v1.0/documents/search?${query.toString()}`;
  return (await answered(address, { headers: { Authorization: `Bearer ${token}` } })) as SearchPage;
}

async function login(url: string, clientId: string, tin: string): Promise<string> {
  const form = { client_id: clientId, client_secret: 'chaos', grant_type: 'client_credentials', scope: 'InvoicingAPI' };
  const body = new URLSearchParams(form).toString();
  const headers = { onbehalfof: tin, 'Content-Type': 'application/x-www-form-urlencoded' };
  return ((await answered(`${url}/connect/token`, { method: 'POST', headers, body })) as { access_token: string })
    .access_token;
}

// Injected faults that are left over affect these calls too.
const TRIES_MAX = 100;

async function answered(address: string, request: RequestInit): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      const response = await fetch(address, request);
      if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
      return await response.json();
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
    }
  }
}

/** Groups the wire log by supplier. */
export async function groupWire(wire: AsyncIterable<WireDocument>): Promise<Map<string, WireDocument[]>> {
  const byTin = new Map<string, WireDocument[]>();
  for await (const { sha256, number, type, supplierTin, uuid } of wire) {
    const document = { sha256, number, type, supplierTin, uuid };
    const documents = byTin.get(supplierTin);
    if (documents === undefined) byTin.set(supplierTin, [document]);
    else documents.push(document);
  }
  return byTin;
}
