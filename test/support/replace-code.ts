import type { TestService } from './service.js';

/** Replaces a code of a queued document, such as by a code that the authority no longer accepts. */
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
