import type { TestService } from './service.js';

/** Makes a code of a queued document one that the authority refuses, as if it had left the list since. */
export async function replaceCode(
  { owner }: TestService,
  submissionBatchId: string,
  path: readonly string[],
  code: string,
): Promise<void> {
  await owner.query(
    'UPDATE document_transaction SET payload = jsonb_set(payload, $2::text[], to_jsonb($3::text)) WHERE submission_batch_id = $1',
    [submissionBatchId, path, code],
  );
}
