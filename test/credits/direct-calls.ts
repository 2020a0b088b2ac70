import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

const CREDITS_SHORT = 'EI402';

interface DirectSubmit {
  readonly tenantId: string;
  readonly documents: number;
  readonly now: Date;
  readonly environment?: 'sandbox' | 'production';
}

const ACCEPT = 'SELECT credits_left FROM accept_request($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, NULL)';
const READ_VERSION = `
  SELECT tenant->>'version' AS version FROM read_for_submit($1, $2, NULL, 0, '{}', '{}', '{}', '{}')`;

/**
 * Accepts a batch on a connection with the API's role.
 * @returns the remaining credits, or the spendable credits if they are insufficient
 */
export async function acceptDirectly(
  connection: pg.Pool | pg.ClientBase,
  { tenantId, documents: count, now, environment = 'sandbox' }: DirectSubmit,
): Promise<{ left: number } | { spendable: number }> {
  const batchId = uuidv7({ msecs: now.getTime() });
  const documents = Array.from({ length: count }, (_, position) => ({
    position,
    document_id: uuidv7(),
    transaction_id: uuidv7(),
    attempt: 1,
    document_type: 'invoice',
    reference_id: randomUUID(),
    payload: {},
    totals: {},
    buyer_tin: 'C1234567890',
    wire_bytes_max: 1_000,
  }));
  const answer = { submissionBatchId: batchId, documents: documents.map((row) => ({ documentId: row.document_id })) };
  const call = [tenantId, environment, 'submit', randomUUID(), randomBytes(32), 200, JSON.stringify(answer), now];
  const read = await connection.query<{ version: string }>(READ_VERSION, [tenantId, environment]);
  const nothing = { types: [], referenceIds: [], numberKeys: [], authorityUuids: [], stored: [], similar: [] };
  const precondition = JSON.stringify({ tenantVersion: read.rows[0].version, ...nothing });
  const supplier = { tin: 'C2584563200', idType: 'BRN', idValue: '202001234567' };
  const work = JSON.stringify({ submissionType: 'non-consolidated', supplier, onBehalfOf: supplier.tin, documents });
  try {
    const { rows } = await connection.query<{ credits_left: number }>(ACCEPT, [
      ...call,
      count,
      batchId,
      precondition,
      work,
    ]);
    return { left: rows[0].credits_left };
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === CREDITS_SHORT) return { spendable: Number(error.detail) };
    throw error;
  }
}
